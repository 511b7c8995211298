import { type Fields, fieldsOf, member, textMember } from "../json/members.ts";
import { plainLayout } from "../merge/entry/entry-layout.ts";
import { ownedLists } from "./org-sections.ts";

const BEFORE_ID = Buffer.from(plainLayout.before[0]);
const QUOTE = 0x22;

/**
 * The id of an entry of `humanUsers`, "" when it has none. An entry as orgferry writes it, with the id first and without escapes,
 * is not parsed: this runs for every user that is sent.
 */
export function userIdOf(entry: Buffer): string {
  const begins = BEFORE_ID.length;
  // Without views of the bytes: making one takes longer than all else here.
  if (entry.length > begins && entry.compare(BEFORE_ID, 0, begins, 0, begins) === 0) {
    const end = entry.indexOf(QUOTE, begins);
    const id = end === -1 ? "\\" : entry.toString("utf8", begins, end);
    if (!id.includes("\\")) return id;
  }
  const { userId, user_id } = JSON.parse(entry.toString()) as { userId?: unknown; user_id?: unknown }; // scanned before
  const id = userId ?? user_id;
  return typeof id === "string" ? id : "";
}

/** The id of the user that an element of another list belongs to; "" for anything else. */
export function ownerOf({ key, bytes }: { readonly key: string; readonly bytes: Buffer }): string {
  const field = ownedLists[key];
  return field === undefined ? "" : textMember(fieldsOf(JSON.parse(bytes.toString())), field);
}

/** The id that the service gives a machine user: that of `user` (service behaviour 2.6); an id beside `user` is moved there before. */
export function machineIdOf(entry: Buffer): string {
  return machineIdIn(fieldsOf(JSON.parse(entry.toString())));
}

/** The same of a parsed entry. */
export function machineIdIn(fields: Fields): string {
  return textMember(fieldsOf(member(fields, "user")), "userId") || textMember(fields, "userId");
}
