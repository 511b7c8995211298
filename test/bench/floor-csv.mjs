// The floor for a table: one Node process in which csv-parse reads it, with as little asked of it as can be, and nothing else.
import { createReadStream } from "node:fs";
import { Parser } from "csv-parse";

const parser = new Parser({});
parser.on("readable", () => {
  while (parser.read() !== null);
});
createReadStream(process.argv[2], { highWaterMark: 2 ** 18 }).pipe(parser);
