import { decodedTokens, unescapings } from "./decodings.ts";
import type { Finder, Span } from "./known-secrets.ts";
import { findPatterns } from "./patterns.ts";

export const REDACTED = "[redacted]";

/** Length of the text that is searched; messages are shorter. */
const MAX_LOOKED_AT = 8_000;
/** A secret may be escaped for a URL inside JSON. */
const MAX_UNESCAPINGS = 3;
/** Control characters of both sets, and marks that change the reading direction. */
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/**
 * A text from outside without secrets and control characters, cut to `maxLength` characters. Removes `secrets` in plain text, base64 or
 * hex, or escaped for a URL, JSON or HTML, and texts that look like a secret (admin/redact/patterns.ts).
 */
export function cleanText(text: string, secrets: readonly Finder[], maxLength: number): string {
  const looked = text.length > MAX_LOOKED_AT ? text.slice(0, MAX_LOOKED_AT).replace(/\S*$/, "…") : text;
  const plain = redactAll(looked, secrets);
  // Search again after each way to remove control characters: they may separate the parts of a secret, or belong to it.
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
    // A secret that is found only unescaped must not remain in escaped form: the unescaped text replaces the text.
    const unescaped = unescapings
      .map((decode) => decode(current))
      .find((one) => one !== undefined && one !== current && isTelling(one, secrets));
    if (unescaped === undefined) return current;
    current = withoutSpans(unescaped, findAll(unescaped, secrets));
  }
  return current;
}

/** True if the text, or its unescaped form, has a secret. */
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
    // Overlapping and adjacent spans become one.
    if (start > at || at === 0) clean += text.slice(at, Math.max(start, at)) + REDACTED;
    at = end;
  }
  return clean + text.slice(at);
}
