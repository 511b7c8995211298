import type { MessageType } from "./message-table.ts";

/** Longer bodies are not searched: with JSON.parse the last of two counts, as anywhere. */
const MOST_CHARACTERS = 256 * 1024;

/** A key that stands twice in one message. */
export interface Duplicate {
  readonly key: string;
  /** The character where the second one begins. */
  readonly at: number;
}

const STRING = /"(?:[^"\\]+|\\.)*"/y;
const SKIPPED = /[^"{}[\],:]+/y;

/**
 * The first key that a known message has twice with the same spelling; JSON.parse does not tell, protojson refuses it. `text` must
 * be valid JSON. Unknown fields may have what they like.
 */
export function firstDuplicate(message: MessageType, text: string): Duplicate | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const open: Level[] = [];
  let pending: MessageType | undefined = message;
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const level = open.at(-1);
    if (character === "{") open.push({ keys: new Set(), message: pending, inArray: false, isKey: true });
    else if (character === "[") open.push({ keys: new Set(), message: pending, inArray: true, isKey: false });
    else if (character === "}" || character === "]") open.pop();
    else if (character === "," && level !== undefined) {
      level.isKey = !level.inArray;
      pending = level.inArray ? level.message : undefined;
    } else if (character === '"') {
      const end = skip(text, at, STRING);
      if (level?.isKey === true) {
        const key: unknown = JSON.parse(text.slice(at, end));
        level.isKey = false;
        const field = level.message?.fields.find(({ json, proto }) => json === key || proto === key);
        if (field !== undefined && level.keys.has(String(key))) return { key: String(key), at };
        level.keys.add(String(key));
        pending = field?.kind.is === "message" ? field.kind.message : undefined;
      }
      at = end;
      continue;
    }
    at = Math.max(skip(text, at + 1, SKIPPED), at + 1);
  }
  return undefined;
}

interface Level {
  readonly keys: Set<string>;
  readonly message: MessageType | undefined;
  readonly inArray: boolean;
  isKey: boolean;
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
