import { isUtf8 } from "node:buffer";
import { Refusal } from "../http/answer.ts";
import { parsedJson } from "../http/json.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|[^\s"{}[\],:]+/gs;

/**
 * The first JSON value of a body: the service's gateway ignores the rest (service behaviour 0.10). undefined for an empty body.
 * Raises Refusal 400 code 3 for bytes that are not JSON in UTF-8.
 */
export function firstDocument(body: Uint8Array): string | undefined {
  const text = Buffer.from(body).toString();
  if (/^[ \t\r\n]*$/.test(text)) return undefined;
  const first = parsedJson(text) === undefined ? text.slice(0, endOfFirstValue(text)) : text;
  if (parsedJson(first) === undefined) throw new Refusal("invalidArgument", "invalid JSON");
  if (isUtf8(body) || isUtf8(body.subarray(0, Buffer.byteLength(first)))) return first;
  throw new Refusal("invalidArgument", "proto: invalid UTF-8 in string");
}

function endOfFirstValue(text: string): number {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth <= 0) return index + token.length;
  }
  return text.length;
}
