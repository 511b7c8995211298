import { isUtf8 } from "node:buffer";
import { CsvError } from "csv-parse";
import { type ParsedRow, type RowBlock, RowList } from "../../core/rows/row-block.ts";
import type { BlockSource, TableForm } from "../../core/rows/row-file.ts";
import { ProblemError } from "../../problem.ts";
import type { Input } from "../input/input.ts";
import { PlainRecords, type TakeRecord } from "./plain-records.ts";
import { parseRecord, RecordParser } from "./record-parser.ts";

const CHUNK_BYTES = 256 * 2 ** 10;
const DELIMITERS = [",", ";", "\t"] as const;
/** What the first line is looked for in. */
const HEADER_BYTES = 64 * 2 ** 10;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The rows of a table, parsed: each is a list of texts, by the columns that `columns` names. */
export function tableRowsOf(input: Input, form: TableForm = {}): BlockSource {
  const table = new TableFramer(input.file, form);
  return {
    shape: () => "table",
    frame: () => ({ extension: "csv", head: table.head, separator: "\n", end: "\n" }),
    columns: () => table.columns,
    parse: (bytes) => table.parse(bytes),
    async close() {},
    async *blocks() {
      const first = await readFirst(input);
      table.begin(delimiterOf(first.toString()));
      try {
        for (
          let chunk: Buffer | undefined = first;
          chunk !== undefined && chunk.length > 0;
          chunk = await next(input)
        ) {
          const block = await table.push(chunk);
          if (block.count > 0) yield block;
        }
        const rest = await table.end();
        if (rest.count > 0) yield rest;
      } catch (error) {
        throw asProblem(error, input.file, table);
      }
    },
  };
}

const NO_ROWS: RowBlock = { bytes: Buffer.alloc(0), ...new RowList(1) };

/** Finds for each record of a table the bytes it stands in. */
class TableFramer {
  readonly #file: string;
  readonly #form: TableForm;
  #plain: PlainRecords | undefined;
  /** Once a record was out of the ordinary; it reads all that follows. */
  #parser: RecordParser | undefined;
  /** Records that were found since the last block, and bytes of the table up to the end of each. */
  readonly #records: (readonly string[])[] = [];
  readonly #ends: number[] = [];
  /** On which line `#parser` began, from 0. */
  #parsedFrom = 0;
  #delimiter = "";
  /** The first row with names, as it stands in the table. */
  head = "";
  columns: readonly string[] | undefined;
  #expected = 0;
  /** Bytes behind the last record. */
  #rest: Buffer[] = [];
  /** Bytes of the table in front of those. */
  #before = 0;
  /** The one on which the next record begins. */
  line = 1;

  constructor(file: string, form: TableForm) {
    this.#file = file;
    this.#form = form;
  }

  begin(delimiter: string): void {
    this.#delimiter = delimiter;
    this.#plain = new PlainRecords(delimiter);
  }

  /** The line of the table that csv-parse means by a line of what it was given. */
  lineOf(given: number): number {
    return this.#parsedFrom + given;
  }

  /** A record of the table that was cut out of it. */
  parse(bytes: Buffer): ParsedRow {
    return this.#rowOf(parseRecord(bytes, this.#delimiter, this.#form.hasLooseQuotes === true));
  }

  async push(chunk: Buffer): Promise<RowBlock> {
    this.#rest.push(chunk);
    if (this.#parser === undefined) await this.#cut(false);
    else await this.#parser.feed(chunk);
    return this.#block(false);
  }

  async end(): Promise<RowBlock> {
    if (this.#parser === undefined) await this.#cut(true);
    await this.#parser?.finish();
    return this.#block(true);
  }

  /** Takes ordinary records, until one comes that is not. */
  async #cut(isLast: boolean): Promise<void> {
    const bytes = this.#joined();
    const cut = this.#plain?.cut(bytes, isLast, this.#takerFrom(this.#before));
    if (cut === undefined || !cut.isUnusual) return;
    // Records in front of it are counted with their block.
    this.#parsedFrom = this.line - 1 + linesIn(bytes, cut.at);
    this.#parser = new RecordParser(
      this.#delimiter,
      this.#form.hasLooseQuotes === true,
      this.#takerFrom(this.#before + cut.at),
    );
    await this.#parser.feed(bytes.subarray(cut.at));
  }

  /** @param before bytes of the table in front of those that are counted. */
  #takerFrom(before: number): TakeRecord {
    return (record, end) => {
      this.#records.push(record);
      this.#ends.push(before + end);
    };
  }

  /** What was not taken yet, in one piece. */
  #joined(): Buffer {
    if (this.#rest.length !== 1) this.#rest = [Buffer.concat(this.#rest)];
    return this.#rest[0] ?? NO_ROWS.bytes;
  }

  #block(isLast: boolean): RowBlock {
    const [records, ends] = [this.#records, this.#ends];
    if (records.length === 0) return NO_ROWS;
    const bytes = this.#joined();
    const rows = new RowList(Math.max(1, records.length));
    const parsed: ParsedRow[] = [];
    let from = 0;
    for (const [at, record] of records.entries()) {
      // What the parser did not need to see of the last line break belongs to no record.
      const to = isLast && at === records.length - 1 ? bytes.length : (ends[at] as number) - this.#before;
      const start = this.#skipBreaks(bytes, from, to);
      const end = withoutBreak(bytes, start, to);
      if (this.columns === undefined && this.#form.columns === undefined) this.#takeHeader(record, bytes, start, end);
      else {
        this.#takeColumns(record);
        rows.add(start, end, this.line);
        parsed.push(this.#rowOf(record));
      }
      this.#countLines(bytes, start, to);
      from = to;
    }
    // A record ends at a line break, which is no part of any other character.
    if (!isUtf8(bytes.subarray(0, from))) throw new ProblemError({ code: "input.not-utf8", file: this.#file });
    this.#before += from;
    this.#rest = from < bytes.length ? [bytes.subarray(from)] : [];
    this.#records.length = 0;
    this.#ends.length = 0;
    const { count, starts, ends: rowEnds, lines } = rows;
    return { bytes, count, starts, ends: rowEnds, lines, parsed };
  }

  #takeHeader(record: readonly string[], bytes: Buffer, start: number, end: number): void {
    this.columns = record;
    this.#expected = record.length;
    this.head = `${bytes.toString("utf8", start, end)}\n`;
  }

  /** Without a first row of names, the first record tells how many columns there are. */
  #takeColumns(record: readonly string[]): void {
    if (this.columns !== undefined) return;
    this.columns = this.#form.columns?.slice(0, record.length) ?? [];
    this.#expected = record.length;
  }

  #rowOf(record: readonly string[]): ParsedRow {
    if (record.length === this.#expected) return { value: record };
    return { fault: { code: "row.columns", expected: this.#expected, found: record.length } };
  }

  /** Passes over empty lines in front of a record. */
  #skipBreaks(bytes: Buffer, from: number, to: number): number {
    let start = from;
    while (start < to && (bytes[start] === NEWLINE || bytes[start] === RETURN)) {
      if (bytes[start] === NEWLINE) this.line += 1;
      start += 1;
    }
    return start;
  }

  #countLines(bytes: Buffer, from: number, to: number): void {
    for (let at = bytes.indexOf(NEWLINE, from); at !== -1 && at < to; at = bytes.indexOf(NEWLINE, at + 1)) {
      this.line += 1;
    }
  }
}

function linesIn(bytes: Buffer, to: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1 && at < to; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

function withoutBreak(bytes: Buffer, start: number, to: number): number {
  let end = to;
  while (end > start && (bytes[end - 1] === NEWLINE || bytes[end - 1] === RETURN)) end -= 1;
  return end;
}

async function next(input: Input): Promise<Buffer | undefined> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const length = await input.read(chunk);
  return length === 0 ? undefined : chunk.subarray(0, length);
}

/** So much of the beginning that the first line is in it, unless it is longer than any real one. */
async function readFirst(input: Input): Promise<Buffer> {
  let first = Buffer.alloc(0);
  while (first.length < HEADER_BYTES && !first.includes(NEWLINE)) {
    const chunk = await next(input);
    if (chunk === undefined) break;
    first = Buffer.concat([first, chunk]);
  }
  return first;
}

/** The delimiter that the first line has most of, outside quotes. */
function delimiterOf(beginning: string): string {
  const bare = beginning.replace(/"[^"]*"/g, "").split("\n", 1)[0] ?? "";
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

function asProblem(error: unknown, file: string, table: TableFramer): unknown {
  if (!(error instanceof CsvError)) return error;
  if (error.code === "CSV_QUOTE_NOT_CLOSED") {
    return new ProblemError({ code: "input.unclosed", file, line: table.line }, { cause: error });
  }
  const line = typeof error["lines"] === "number" ? table.lineOf(error["lines"]) : table.line;
  return error.code === "CSV_MAX_RECORD_SIZE"
    ? new ProblemError({ code: "input.row-too-long", file, line, limitBytes: RecordParser.maxBytes }, { cause: error })
    : new ProblemError({ code: "input.broken-table", file, line }, { cause: error });
}
