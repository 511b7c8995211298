import { isUtf8 } from "node:buffer";
import { Refusal } from "../http/answer.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|[^\s"{}[\],:]+/gs;

/**
 * The first JSON value of a body: the service's gateway ignores the rest (service behaviour 0.10). undefined for an empty body.
 * Raises Refusal 400 code 3 for bytes that are not JSON in UTF-8.
 */
export function firstDocument(body: Uint8Array): string | undefined {
  const text = Buffer.from(body).toString();
  if (/^[ \t\r\n]*$/.test(text)) return undefined;
  const first = isJson(text) ? text : text.slice(0, endOfFirstValue(text));
  if (!isJson(first)) throw new Refusal("invalidArgument", "invalid JSON");
  if (isUtf8(body) || isUtf8(body.subarray(0, Buffer.byteLength(first)))) return first;
  throw new Refusal("invalidArgument", "proto: invalid UTF-8 in string");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
