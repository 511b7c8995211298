import { plainLayout } from "../merge/entry/entry-layout.ts";

const BEFORE_ID = Buffer.from(plainLayout.before[0]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The id of an entry of `humanUsers`, "" when it has none. An entry as orgferry writes it, with the id first and without escapes,
 * is not parsed: this runs for every user that is sent.
 */
export function userIdOf(entry: Buffer): string {
  if (entry.subarray(0, BEFORE_ID.length).equals(BEFORE_ID)) {
    const end = entry.indexOf(QUOTE, BEFORE_ID.length);
    const escaped = entry.subarray(BEFORE_ID.length, end).includes(BACKSLASH);
    if (end !== -1 && !escaped) return entry.toString("utf8", BEFORE_ID.length, end);
  }
  const { userId, user_id } = JSON.parse(entry.toString()) as { userId?: unknown; user_id?: unknown }; // scanned before
  const id = userId ?? user_id;
  return typeof id === "string" ? id : "";
}
