// The floor of every ratio: one Node process that reads both files through a reused buffer and parses every line, nothing else.
import { closeSync, openSync, readSync } from "node:fs";

for (const path of process.argv.slice(2)) {
  const fd = openSync(path, "r");
  let buffer = Buffer.allocUnsafe(2 ** 18);
  let length = 0;
  for (;;) {
    if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const read = readSync(fd, buffer, length, buffer.length - length, null);
    if (read === 0) break;
    length += read;
    let start = 0;
    for (;;) {
      const end = buffer.indexOf(10, start);
      if (end === -1 || end >= length) break;
      JSON.parse(buffer.utf8Slice(start, end));
      start = end + 1;
    }
    buffer.copyWithin(0, start, length);
    length -= start;
  }
  closeSync(fd);
}
