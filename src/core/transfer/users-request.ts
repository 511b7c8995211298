import type { MetadataEntry } from "../document/user-metadata.ts";
import { type Fields, fieldsOf, member, memberAt, putAt, textMember } from "../json/members.ts";
import { type FieldForm, type UserField, userFields } from "../user-fields.ts";

/** The call that sets the state of a created user: the users API creates active users only. */
export type LaterState = "deactivate" | "lock";

const apiFields = userFields.flatMap(({ entry, form, api, isRequired }: UserField) =>
  api === undefined ? [] : [{ form, isRequired: isRequired === true, entry: entry.split("."), api: api.split(".") }],
);

/** The value that a request gives for a value of an entry, by the form of its field; undefined: none. */
const valuesOf: Readonly<Partial<Record<FieldForm, (value: unknown, isRequired: boolean) => unknown>>> = {
  id: textOf,
  email: textOf,
  name: textOf,
  secret: textOf,
  phone: textOf,
  hash: textOf,
  password: textOf,
  text: (value) => value ?? undefined,
  language: (value) => value ?? undefined,
  gender: (value) => value ?? undefined,
  verified: (value) => (value === true ? true : undefined),
  links: (value) =>
    Array.isArray(value) && value.length > 0 ? value.map((link) => toLink(fieldsOf(link))) : undefined,
};

/**
 * The body of `POST /v2/users/human` for an entry of `humanUsers` (service behaviour 0.3; tried on versions 2.62 and 4). The service
 * sends nothing to a verified address or number. For others it sends a code, or with `noMail`, and for a user who is inactive or locked,
 * returns the code, which orgferry drops.
 */
export function toUsersRequest(
  entry: unknown,
  orgId: string,
  metadata: readonly MetadataEntry[],
  { noMail }: { readonly noMail: boolean },
): Fields {
  const request: Record<string, unknown> = { organization: { orgId } };
  for (const { form, isRequired, entry: path, api } of apiFields) {
    const value = valuesOf[form]?.(memberAt(entry, path), isRequired);
    if (value !== undefined) putAt(request, api, value);
  }
  const { phone, password, hashedPassword, ...rest } = request;
  // A user who is closed gets no message: its link would open the account (service behaviour 9.45).
  const proof = noMail || laterState(entry) !== undefined ? { returnCode: {} } : { sendCode: {} };
  const user = fieldsOf(member(fieldsOf(entry), "user"));
  const change = member(user, "passwordChangeRequired") === true ? { changeRequired: true } : {};
  return {
    ...rest,
    email: withProof(fieldsOf(rest["email"]), proof),
    ...(textMember(fieldsOf(phone), "phone") === "" ? {} : { phone: withProof(fieldsOf(phone), proof) }),
    ...passwordOf(hashedPassword, password, change),
    ...(metadata.length === 0 ? {} : { metadata: metadata.map(({ key, value }) => ({ key, value })) }),
  };
}

/** The call that follows the creation of a user; undefined for an active user (service behaviour 0.19b). */
export function laterState(entry: unknown): LaterState | undefined {
  const state = member(fieldsOf(entry), "state");
  if (state === "USER_STATE_INACTIVE" || state === 2) return "deactivate";
  return state === "USER_STATE_LOCKED" || state === 4 ? "lock" : undefined;
}

/** An address or a number that is verified, or that the service asks the user to prove. */
function withProof(contact: Fields, proof: Fields): Fields {
  return contact["isVerified"] === true ? contact : { ...contact, ...proof };
}

/** The import endpoint looks at a plain password only where there is no hash; so does this. */
function passwordOf(hashed: unknown, plain: unknown, change: Fields): Fields {
  if (hashed !== undefined) return { hashedPassword: { ...fieldsOf(hashed), ...change } };
  return plain === undefined ? {} : { password: { ...fieldsOf(plain), ...change } };
}

/** The users API requires a name for the account at the provider, which an entry need not give. */
function toLink(link: Fields): Fields {
  const userId = textMember(link, "externalUserId");
  return { idpId: textMember(link, "configId"), userId, userName: textMember(link, "displayName") || userId };
}

/** A text; an optional one only when it is not empty. */
function textOf(value: unknown, isRequired: boolean): string | undefined {
  const text = typeof value === "string" ? value : "";
  return text === "" && !isRequired ? undefined : text;
}
