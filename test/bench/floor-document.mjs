// The floor for a document with a list of users: one Node process that reads it through a reused buffer and parses every user, which it
// finds by the indentation that the generator gives them, nothing else.
import { closeSync, openSync, readSync } from "node:fs";

const BEGIN = Buffer.from("\n    {");
const END = Buffer.from("\n    }");

const fd = openSync(process.argv[2], "r");
let buffer = Buffer.allocUnsafe(2 ** 18);
let length = 0;
for (;;) {
  if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  const read = readSync(fd, buffer, length, buffer.length - length, null);
  if (read === 0) break;
  length += read;
  let from = 0;
  for (;;) {
    const start = buffer.indexOf(BEGIN, from);
    const end = start === -1 || start >= length ? -1 : buffer.indexOf(END, start);
    if (end === -1 || end + END.length > length) break;
    JSON.parse(buffer.utf8Slice(start, end + END.length));
    from = end + END.length;
  }
  buffer.copyWithin(0, from, length);
  length -= from;
}
closeSync(fd);
