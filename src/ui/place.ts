import type { Place } from "../problem.ts";

/** `users.json:12` or `users.json`; `export of example.com:8080, line 12` where a colon would be read as a part of the name. */
export function place({ file, line }: Place): string {
  const name = file === "-" ? "stdin" : file;
  if (line === undefined) return name;
  return /[ :]/.test(name) ? `${name}, line ${line}` : `${name}:${line}`;
}
