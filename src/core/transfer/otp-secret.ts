import type { Item } from "../document/items.ts";
import { fieldsOf, member, textMember } from "../json/members.ts";

/** A part of the member's name in both spellings: nearly every entry is known not to have it without being parsed. */
const TRACE = Buffer.from("otp");

/** True for an entry of `humanUsers` with an OTP secret. */
export function hasOtpSecret({ key, bytes }: Pick<Item, "key" | "bytes">): boolean {
  return key === "humanUsers" && bytes.includes(TRACE) && textMember(userOf(bytes), "otpCode") !== "";
}

/** The item without its OTP secret. */
export function withoutOtpSecret(item: Item): Item {
  const entry = fieldsOf(JSON.parse(item.bytes.toString()));
  const { otpCode: _camel, otp_code: _snake, ...user } = userOf(item.bytes);
  const { index, org, key, way, line } = item;
  return { index, org, key, way, line, bytes: Buffer.from(JSON.stringify({ ...entry, user })) };
}

function userOf(bytes: Buffer): Readonly<Record<string, unknown>> {
  return fieldsOf(member(fieldsOf(JSON.parse(bytes.toString())), "user"));
}
