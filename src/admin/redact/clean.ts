import { decodedTokens, unescapings } from "./decodings.ts";
import type { Finder, Span } from "./known-secrets.ts";
import { findPatterns } from "./patterns.ts";

export const REDACTED = "[redacted]";

/** How much of a text is looked at: it is cut to less for people anyway. */
const MAX_LOOKED_AT = 8_000;
/** Something may have been written into a URL that was written into JSON. */
const MAX_UNESCAPINGS = 3;
/** Control characters of both sets and the marks that turn the reading direction. */
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/**
 * A text from outside without secrets and without characters that a terminal would obey, cut to `maxLength` characters: without those of
 * `secrets`, plain, in base64 or hex, escaped for a URL, JSON or HTML, and without what looks like one (admin/redact/patterns.ts).
 */
export function cleanText(text: string, secrets: readonly Finder[], maxLength: number): string {
  const looked = text.length > MAX_LOOKED_AT ? text.slice(0, MAX_LOOKED_AT).replace(/\S*$/, "…") : text;
  const plain = redactAll(looked, secrets);
  // Once more after each way of taking control characters out: they may stand within a secret, or be part of it.
  const joined = plain.replace(CONTROL, "");
  const found = redactAll(joined, secrets);
  const clean = (found === joined ? redactAll(plain.replace(CONTROL, " "), secrets) : found).trim();
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

const patterns: Finder = { find: findPatterns };

/** The known secrets first, in every form: a pattern that matches part of an escaped secret would hide the rest of it from the search. */
function redactAll(text: string, secrets: readonly Finder[]): string {
  return redact(redact(text, secrets), [...secrets, patterns]).replace(REPEATED, REDACTED);
}

/** A known secret next to a pattern leaves two marks; one is enough. */
const REPEATED = /(?:\[redacted\]){2,}/g;

function redact(text: string, secrets: readonly Finder[]): string {
  let current = withoutSpans(text, findAll(text, secrets));
  for (let round = 0; round < MAX_UNESCAPINGS; round += 1) {
    // What only shows itself unescaped is not left in another form: the unescaped text takes the text's place.
    const unescaped = unescapings
      .map((decode) => decode(current))
      .find((one) => one !== undefined && one !== current && isTelling(one, secrets));
    if (unescaped === undefined) return current;
    current = withoutSpans(unescaped, findAll(unescaped, secrets));
  }
  return current;
}

/** True when a secret shows in the text, or in what it stands for. */
function isTelling(text: string, secrets: readonly Finder[], depth = 0): boolean {
  if (findAll(text, secrets).length > 0) return true;
  if (depth === MAX_UNESCAPINGS) return false;
  return unescapings.some((decode) => {
    const unescaped = decode(text);
    return unescaped !== undefined && unescaped !== text && isTelling(unescaped, secrets, depth + 1);
  });
}

function findAll(text: string, secrets: readonly Finder[]): Span[] {
  const spans = findPlain(text, secrets);
  for (const { start, end, texts } of decodedTokens(text)) {
    if (texts.some((decoded) => findPlain(decoded, secrets).length > 0)) spans.push({ start, end });
  }
  return spans;
}

function findPlain(text: string, secrets: readonly Finder[]): Span[] {
  return secrets.flatMap((known) => known.find(text));
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let clean = "";
  let at = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    // Two that overlap, or touch, are one.
    if (start > at || at === 0) clean += text.slice(at, Math.max(start, at)) + REDACTED;
    at = end;
  }
  return clean + text.slice(at);
}
