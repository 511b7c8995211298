import type { Span } from "./known-secrets.ts";

/** An encoded part of a text, with its decoded forms. */
export interface DecodedToken extends Span {
  readonly texts: readonly string[];
}

/** Unescapes a text from a URL, a JSON string or HTML; undefined for a text without escapes. */
export const unescapings: readonly ((text: string) => string | undefined)[] = [
  (text) => (/%[0-9a-f]{2}/i.test(text) ? text.replace(/(?:%[0-9a-f]{2})+/gi, decodedUrl) : undefined),
  (text) => (text.includes("\\") ? text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, decodedJson) : undefined),
  (text) =>
    /&[#\w]+;/.test(text) ? text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, decodedHtml) : undefined,
];

function decodedUrl(bytes: string): string {
  return Buffer.from(bytes.replaceAll("%", ""), "hex").toString();
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function decodedJson(_: string, code: string | undefined, letter: string | undefined): string {
  return code === undefined ? (ESCAPES[letter ?? ""] ?? letter ?? "") : String.fromCharCode(Number.parseInt(code, 16));
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  sol: "/",
};

function decodedHtml(
  whole: string,
  decimal: string | undefined,
  hex: string | undefined,
  name: string | undefined,
): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

const TOKEN = /[\w+/-]{8,}={0,2}/g;
const HEX = /^(?:[0-9a-f]{2}){6,}$/i;

/** The parts of a text that may be base64, of either alphabet, or hex. */
export function* decodedTokens(text: string): Generator<DecodedToken> {
  for (const { 0: token, index: start } of text.matchAll(TOKEN)) {
    const texts = [Buffer.from(token, "base64").toString()];
    if (HEX.test(token)) texts.push(Buffer.from(token, "hex").toString());
    yield { start, end: start + token.length, texts };
  }
}
