import type { Item } from "../document/items.ts";
import { userIdOf } from "../document/user-id.ts";
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

/**
 * The item of a call that gives an existing user the secret and creates none: the service refuses the phone number of a new user, and an
 * existing one keeps all that the entry says otherwise (service behaviour 0.6).
 */
export function onlyOtpSecret(item: Item): Item {
  const otpCode = textMember(userOf(item.bytes), "otpCode");
  const { index, org, key, way, line } = item;
  const entry = { userId: userIdOf(item.bytes), user: { ...REFUSED, otpCode } };
  return { index, org, key, way, line, bytes: Buffer.from(JSON.stringify(entry)) };
}

/** What the service takes for a user when it checks the request, and refuses when it creates one. */
const REFUSED = {
  userName: "-",
  profile: { firstName: "-", lastName: "-" },
  email: { email: "none@example.com" },
  phone: { phone: "+0" },
};

function userOf(bytes: Buffer): Readonly<Record<string, unknown>> {
  return fieldsOf(member(fieldsOf(JSON.parse(bytes.toString())), "user"));
}
