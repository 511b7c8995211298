import { type Options, Parser } from "csv-parse";
import { parse } from "csv-parse/sync";

/** Far above any real row. Without a limit, a quote that is never closed would take the rest of the file into memory. */
export const MAX_RECORD_BYTES = 2 ** 20;

/** How a table is written, apart from its records. */
export interface TableSyntax {
  readonly delimiter: string;
  /** A quote inside a value without quotes around it is an ordinary character. */
  readonly hasLooseQuotes: boolean;
}

/** Takes a record. @param end bytes of the table up to the end of the record; the last byte of its line break may be missing. */
export type TakeRecord = (record: readonly string[], end: number) => void;

/** csv-parse, fed with the chunks of a table. */
export class RecordParser {
  readonly #parser: Parser;

  constructor(syntax: TableSyntax, take: TakeRecord) {
    const onRecord = (record: readonly string[], { bytes }: { readonly bytes: number }): null => {
      take(record, bytes);
      return null; // nothing to read from the stream
    };
    this.#parser = new Parser({ ...optionsOf(syntax), on_record: onRecord });
    this.#parser.on("error", () => {}); // `feed` and `finish` raise it
  }

  /** Returns when the chunk is parsed. Raises CsvError. */
  feed(chunk: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#parser.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Parses what is left after the last chunk. Raises CsvError. */
  finish(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#parser.once("error", reject);
      this.#parser.once("end", resolve);
      this.#parser.end();
      this.#parser.resume();
    });
  }
}

/** Parses the bytes of one record. */
export function parseRecord(bytes: Buffer, syntax: TableSyntax): readonly string[] {
  return parse(bytes, optionsOf(syntax))[0] ?? [];
}

function optionsOf({ delimiter, hasLooseQuotes }: TableSyntax) {
  return {
    delimiter,
    record_delimiter: ["\n", "\r\n"],
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: hasLooseQuotes,
    max_record_size: MAX_RECORD_BYTES,
  } satisfies Options;
}
