import { CsvError, type InfoRecord, Parser } from "csv-parse";
import { type ParsedRow, type RowBlock, RowList } from "../../core/rows/row-block.ts";
import type { BlockSource } from "../../core/rows/row-file.ts";
import { ProblemError } from "../../problem.ts";
import type { Input } from "../input/input.ts";

const CHUNK_BYTES = 64 * 2 ** 10;
/** No real row comes near it; without a limit a quote that is never closed would take the rest of the file into memory. */
const MAX_ROW_BYTES = 2 ** 20;
const DELIMITERS = [",", ";", "\t"] as const;
/** What the first line is looked for in. */
const HEADER_BYTES = 64 * 2 ** 10;

/** One record as the parser gives it. */
interface Parsed {
  readonly record: readonly string[];
  /** As it stands in the table, with its line break. */
  readonly raw: string;
  readonly info: InfoRecord;
}

/** The rows of a table, parsed: each is an object of texts by the names of the first row. */
export function tableRowsOf(input: Input): BlockSource {
  let header: Parsed | undefined;
  return {
    shape: () => "table",
    frame: () => ({ extension: "csv", head: `${withoutBreak(header?.raw ?? "")}\n`, separator: "\n", end: "\n" }),
    async close() {},
    async *blocks() {
      const first = await readFirst(input);
      const parser = createParser(delimiterOf(first.toString()));
      const utf8 = new TextDecoder("utf-8", { fatal: true });
      try {
        for (
          let chunk: Buffer | undefined = first;
          chunk !== undefined && chunk.length > 0;
          chunk = await next(input)
        ) {
          utf8.decode(chunk, { stream: true });
          const records = await push(parser, chunk);
          header ??= records.shift();
          if (header !== undefined && records.length > 0) yield blockOf(header, records);
        }
        const rest = await push(parser, undefined);
        header ??= rest.shift();
        if (header !== undefined && rest.length > 0) yield blockOf(header, rest);
      } catch (error) {
        throw asProblem(error, input.file);
      }
    },
  };
}

function createParser(delimiter: string): Parser {
  return new Parser({
    delimiter,
    record_delimiter: ["\n", "\r\n"],
    info: true,
    raw: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
  });
}

/** Gives the parser some bytes, or tells it that there are no more; returns the records that are whole now. */
function push(parser: Parser, chunk: Buffer | undefined): Promise<Parsed[]> {
  const records: Parsed[] = [];
  const drain = (): void => {
    for (let record = parser.read() as Parsed | null; record !== null; record = parser.read() as Parsed | null) {
      records.push(record); // what `info` and `raw` make of a record
    }
  };
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null): void => {
      parser.off("error", reject);
      parser.off("readable", drain);
      drain();
      if (error) reject(error);
      else resolve(records);
    };
    parser.once("error", reject);
    parser.on("readable", drain);
    if (chunk === undefined) {
      parser.once("end", () => done());
      parser.end();
      drain();
    } else parser.write(chunk, done);
  });
}

function blockOf(header: Parsed, records: readonly Parsed[]): RowBlock {
  const rows = new RowList(records.length);
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { raw, info } of records) {
    const text = withoutBreak(raw);
    const bytes = Buffer.from(text);
    rows.add(at, at + bytes.length, info.lines - text.split("\n").length + 1);
    at += bytes.length;
    pieces.push(bytes);
  }
  const { count, starts, ends, lines } = rows;
  return { bytes: Buffer.concat(pieces), count, starts, ends, lines, parsed: records.map((row) => rowOf(header, row)) };
}

function rowOf({ record: names }: Parsed, { record }: Parsed): ParsedRow {
  if (record.length !== names.length) {
    return { fault: { code: "row.columns", expected: names.length, found: record.length } };
  }
  return { value: Object.fromEntries(names.map((name, at) => [name, record[at]])) };
}

function withoutBreak(raw: string): string {
  return raw.replace(/^[\r\n]+|[\r\n]+$/g, "");
}

async function next(input: Input): Promise<Buffer | undefined> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const length = await input.read(chunk);
  return length === 0 ? undefined : chunk.subarray(0, length);
}

/** So much of the beginning that the first line is in it, unless it is longer than any real one. */
async function readFirst(input: Input): Promise<Buffer> {
  let first = Buffer.alloc(0);
  while (first.length < HEADER_BYTES && !first.includes(0x0a)) {
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

function asProblem(error: unknown, file: string): unknown {
  if (error instanceof TypeError && "code" in error && error.code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    return new ProblemError({ code: "input.not-utf8", file }, { cause: error });
  }
  if (!(error instanceof CsvError)) return error;
  const line = typeof error["lines"] === "number" ? error["lines"] : 1;
  return error.code === "CSV_MAX_RECORD_SIZE"
    ? new ProblemError({ code: "input.row-too-long", file, line, limitBytes: MAX_ROW_BYTES }, { cause: error })
    : new ProblemError({ code: "input.broken-table", file, line }, { cause: error });
}
