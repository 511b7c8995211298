import { isUtf8 } from "node:buffer";
import { CsvError } from "csv-parse";
import { newlinesIn } from "../../core/json/newlines.ts";
import { type ParsedRow, type RowBlock, RowList } from "../../core/rows/row-block.ts";
import type { BlockSource, TableForm } from "../../core/rows/row-file.ts";
import { ProblemError } from "../../problem.ts";
import type { Input } from "../input/input.ts";
import { MAX_RECORD_BYTES, parseRecord, RecordParser, type TableSyntax } from "./record-parser.ts";

const CHUNK_BYTES = 256 * 2 ** 10;
const DELIMITERS = [",", ";", "\t", "|"] as const;
/** The delimiter is taken from the first line, if that ends within so many bytes. A pipe is waited for, for the first rows. */
const FIRST_BYTES = 64 * 2 ** 10;
/** The parser counts the characters of the values of a record. These are the bytes of a record, with its delimiters and quotes. */
const MAX_UNREAD_BYTES = 4 * MAX_RECORD_BYTES;
/** No table of users has so many columns. */
const MAX_COLUMNS = 10_000;
/** Without it, a spreadsheet takes UTF-8 for an older encoding. */
const MARK = "\ufeff";
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The rows of a table, parsed: each is a list of texts, in the order of `columns`. Raises input.* problems. */
export function tableRowsOf(input: Input, form: TableForm = {}): BlockSource {
  let table: TableFramer | undefined;
  return {
    shape: () => "table",
    frame: () => {
      const lineEnd = table?.lineEnd ?? "\n";
      const head = `${input.hasMark === true ? MARK : ""}${table?.head ?? ""}`;
      return { extension: "csv", head, separator: lineEnd, end: lineEnd };
    },
    columns: () => table?.columns,
    parse: (bytes) => (table as TableFramer).parse(bytes), // `blocks` gave these bytes
    async close() {},
    async *blocks() {
      const first = await readFirst(input);
      table = new TableFramer(input.file, form, delimiterOf(first.toString()));
      try {
        for (let chunk = first; chunk.length > 0; chunk = await readChunk(input)) {
          const block = await table.push(chunk);
          if (block.count > 0) yield block;
        }
        const rest = await table.end();
        if (rest.count > 0) yield rest;
      } catch (error) {
        throw asProblem(error, input.file, table.line);
      }
    },
  };
}

const NO_ROWS: RowBlock = { bytes: Buffer.alloc(0), ...new RowList(1) };

/** Finds the bytes of each record of a table. */
class TableFramer {
  readonly #file: string;
  readonly #form: TableForm;
  readonly #syntax: TableSyntax;
  readonly #parser: RecordParser;
  /** Records since the last block, and bytes of the table up to the end of each. */
  readonly #records: (readonly string[])[] = [];
  readonly #ends: number[] = [];
  /** The header row as it stands in the table, with a line break. */
  head = "";
  /** Behind the first record. */
  lineEnd: "\n" | "\r\n" | undefined;
  columns: readonly string[] | undefined;
  /** Values that a row must have. */
  #expected = 0;
  /** Bytes after the last block. */
  #rest: Buffer[] = [];
  /** Bytes of the table before `#rest`. */
  #before = 0;
  /** The line on which the next record begins, from 1. */
  line = 1;

  constructor(file: string, form: TableForm, delimiter: string) {
    this.#file = file;
    this.#form = form;
    this.#syntax = { delimiter, hasLooseQuotes: form.hasLooseQuotes === true };
    this.#parser = new RecordParser(this.#syntax, (record, end) => {
      this.#records.push(record);
      this.#ends.push(end);
    });
  }

  /** Parses the bytes of a row of this table. */
  parse(bytes: Buffer): ParsedRow {
    return this.#rowOf(parseRecord(bytes, this.#syntax));
  }

  /** The rows that end in this chunk. Raises CsvError, input.not-utf8. */
  async push(chunk: Buffer): Promise<RowBlock> {
    this.#rest.push(chunk);
    try {
      await this.#parser.feed(chunk);
    } catch (error) {
      this.#passRecords();
      throw error;
    }
    const block = this.#block(false);
    this.#dropEmptyLines();
    const unread = this.#rest.reduce((sum, { length }) => sum + length, 0);
    if (unread > MAX_UNREAD_BYTES) throw this.#tooLong(MAX_UNREAD_BYTES);
    return block;
  }

  /** Counts the lines of the records before the one that is broken. */
  #passRecords(): void {
    const last = this.#ends.at(-1);
    if (last === undefined) return;
    const bytes = Buffer.concat(this.#rest);
    const to = last - this.#before;
    this.line += newlinesIn(bytes, 0, to);
    this.#skipBreaks(bytes, to, bytes.length);
  }

  #tooLong(limitBytes: number): ProblemError {
    return new ProblemError({ code: "input.row-too-long", file: this.#file, line: this.line, limitBytes });
  }

  /** Drops the empty lines before a record that has not ended. */
  #dropEmptyLines(): void {
    for (let first = this.#rest[0]; first !== undefined; first = this.#rest[0]) {
      const start = this.#skipBreaks(first, 0, first.length);
      this.#before += start;
      const [, next] = this.#rest;
      const mayBeBreak = next !== undefined && start === first.length - 1 && first[start] === RETURN;
      if (start < first.length && !mayBeBreak) {
        this.#rest[0] = first.subarray(start);
        return;
      }
      this.#rest.shift();
      if (mayBeBreak) this.#rest[0] = Buffer.concat([first.subarray(start), next]);
    }
  }

  /** The rows after the last chunk. Raises as `push`. */
  async end(): Promise<RowBlock> {
    await this.#parser.finish();
    return this.#block(true);
  }

  #block(isLast: boolean): RowBlock {
    const [records, ends] = [this.#records, this.#ends];
    if (records.length === 0) return NO_ROWS;
    const bytes = Buffer.concat(this.#rest);
    const firstLine = this.line;
    const rows = new RowList(records.length);
    const parsed: ParsedRow[] = [];
    let from = 0;
    for (const [at, record] of records.entries()) {
      const isEnd = isLast && at === records.length - 1; // csv-parse does not count the last line break
      const to = isEnd ? bytes.length : (ends[at] as number) - this.#before;
      const start = this.#skipBreaks(bytes, from, to);
      const end = withoutBreak(bytes, start, to);
      this.lineEnd ??= bytes[end] === RETURN ? "\r\n" : "\n";
      if (isEmpty(record)) {
        // A spreadsheet writes such rows for lines without values.
      } else if (this.columns === undefined && this.#form.columns === undefined)
        this.#takeHeader(record, bytes, start, end);
      else {
        this.#takeColumns(record);
        rows.add(start, end, this.line);
        parsed.push(this.#rowOf(record));
      }
      this.line += newlinesIn(bytes, start, to);
      from = to;
    }
    // A record ends at a line break, so no character is cut.
    if (!isUtf8(bytes.subarray(0, from))) throw this.#notUtf8(bytes, from, firstLine);
    this.#before += from;
    this.#rest = from < bytes.length ? [bytes.subarray(from)] : [];
    this.#records.length = 0;
    this.#ends.length = 0;
    const { count, starts, ends: rowEnds, lines } = rows;
    return { bytes, count, starts, ends: rowEnds, lines, parsed };
  }

  /** The problem of the first line of these bytes that is not UTF-8. */
  #notUtf8(bytes: Buffer, to: number, firstLine: number): ProblemError {
    let line = firstLine;
    for (let at = 0; at < to; line += 1) {
      const end = bytes.indexOf(NEWLINE, at);
      const next = end === -1 || end >= to ? to : end + 1;
      if (!isUtf8(bytes.subarray(at, next))) break;
      at = next;
    }
    return new ProblemError({ code: "input.not-utf8", file: this.#file, line });
  }

  #takeHeader(record: readonly string[], bytes: Buffer, start: number, end: number): void {
    this.columns = record;
    this.#takeExpected(record);
    this.head = `${bytes.toString("utf8", start, end)}${this.lineEnd}`;
  }

  /** In a table without a header row, the first record sets the number of columns. */
  #takeColumns(record: readonly string[]): void {
    if (this.columns !== undefined) return;
    this.columns = this.#form.columns?.slice(0, record.length) ?? [];
    this.#takeExpected(record);
  }

  /** Raises input.too-many-columns. */
  #takeExpected({ length }: readonly string[]): void {
    this.#expected = length;
    if (length > MAX_COLUMNS)
      throw new ProblemError({ code: "input.too-many-columns", file: this.#file, line: this.line, limit: MAX_COLUMNS });
  }

  #rowOf(record: readonly string[]): ParsedRow {
    if (record.length === this.#expected) return { value: record };
    return { fault: { code: "row.columns", expected: this.#expected, found: record.length } };
  }

  /** Skips empty lines before a record. */
  #skipBreaks(bytes: Buffer, from: number, to: number): number {
    let start = from;
    for (;;) {
      const length = bytes[start] === RETURN ? 2 : 1;
      // A return alone is a character of a value.
      if (start + length > to || bytes[start + length - 1] !== NEWLINE) return start;
      this.line += 1;
      start += length;
    }
  }
}

/** True for a record without any value, which is no row, like an empty line. */
function isEmpty(record: readonly string[]): boolean {
  return record.every((value) => value === "");
}

function withoutBreak(bytes: Buffer, start: number, to: number): number {
  let end = to;
  while (end > start && (bytes[end - 1] === NEWLINE || bytes[end - 1] === RETURN)) end -= 1;
  return end;
}

/** The next bytes of the input; none at its end. */
async function readChunk(input: Input): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  return chunk.subarray(0, await input.read(chunk));
}

/** The first bytes of the input. */
async function readFirst(input: Input): Promise<Buffer> {
  let first = Buffer.alloc(0);
  while (first.length < FIRST_BYTES) {
    const chunk = await readChunk(input);
    if (chunk.length === 0) break;
    first = Buffer.concat([first, chunk]);
  }
  return first;
}

/** The delimiter that occurs most often in the first line with text, outside quotes. */
function delimiterOf(beginning: string): string {
  const text = beginning.replace(/^[\s,;|]*\n/, "");
  const bare = text.replace(/"[^"]*"/g, "").split("\n", 1)[0] ?? "";
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** @param line the one on which the record that is being read begins. */
function asProblem(error: unknown, file: string, line: number): unknown {
  if (!(error instanceof CsvError)) return error;
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return new ProblemError({ code: "input.unclosed", file, line }, { cause: error });
  const at = typeof error["lines"] === "number" ? error["lines"] : line;
  return error.code === "CSV_MAX_RECORD_SIZE"
    ? new ProblemError({ code: "input.row-too-long", file, line: at, limitBytes: MAX_RECORD_BYTES }, { cause: error })
    : new ProblemError({ code: "input.broken-table", file, line, foundAt: at }, { cause: error });
}
