import { type Options, Parser } from "csv-parse";
import { parse } from "csv-parse/sync";
import type { TakeRecord } from "./plain-records.ts";

/** No real row comes near it; without a limit a quote that is never closed would take the rest of the file into memory. */
const MAX_ROW_BYTES = 2 ** 20;

/**
 * csv-parse, with the place of each record. The package can tell it as well (`info`, `raw`), but makes an object and a copy of every
 * byte for it, which takes more time than the parsing; here what it gives is taken at the moment it knows how far it is.
 */
export class RecordParser extends Parser {
  static readonly maxBytes = MAX_ROW_BYTES;
  readonly #take: TakeRecord;

  constructor(delimiter: string, hasLooseQuotes: boolean, take: TakeRecord) {
    super(optionsOf(delimiter, hasLooseQuotes));
    this.#take = take;
    this.on("error", () => {}); // whoever pushed is told
  }

  /** Called by the parser with each record; null ends them. */
  override push(record: readonly string[] | null): boolean {
    if (record === null) return super.push(null);
    this.#take(record, this.info.bytes);
    return true;
  }

  /** Gives the parser some bytes. Raises CsvError. */
  feed(chunk: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Tells the parser that there are no more bytes. Raises CsvError. */
  finish(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.once("error", reject);
      this.once("end", resolve);
      this.end();
      this.resume();
    });
  }
}

/** Parses the bytes of one record that was read before. */
export function parseRecord(bytes: Buffer, delimiter: string, hasLooseQuotes: boolean): readonly string[] {
  return parse(bytes, optionsOf(delimiter, hasLooseQuotes))[0] ?? [];
}

function optionsOf(delimiter: string, hasLooseQuotes: boolean) {
  return {
    delimiter,
    record_delimiter: ["\n", "\r\n"],
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: hasLooseQuotes,
    max_record_size: MAX_ROW_BYTES,
  } satisfies Options;
}
