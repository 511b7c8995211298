import { comparedUserFields, type UserView } from "../compared-fields.ts";
import { memberAt } from "../json/members.ts";
import { isKnownState } from "../rules/human-user.ts";
import { languageOf } from "../rules/language.ts";
import { phoneOf } from "../rules/phone.ts";
import { type FieldForm, userFields } from "../user-fields.ts";

const readers = comparedUserFields.map(({ compared, entry, form }) => ({ compared, form, path: entry.split(".") }));
const passwordPath = userFields.find(({ form }) => form === "password")?.entry.split(".") ?? [];

/** What an entry of `humanUsers` asks for. Names of fields may be in camel or snake case (service behaviour 1). */
export function viewOfEntry(entry: unknown): UserView {
  const view: { -readonly [Field in keyof UserView]: string } = {};
  for (const { compared, form, path } of readers) {
    const text = textsOfEntry[form]?.(memberAt(entry, path));
    if (text !== undefined) view[compared] = text;
  }
  // Without a number there is nothing that could be verified.
  if (view.phone === undefined) delete view.isPhoneVerified;
  // The service makes the hash of a plain password itself.
  const hasPassword = textOf(memberAt(entry, passwordPath)) !== "";
  if (view.hash === "" && hasPassword) delete view.hash;
  // Without a password there is none that could be changed.
  if (view.hash === "") delete view.passwordChangeRequired;
  return view;
}

/**
 * The user that an import makes of an entry: active without a state. A state that is not known is as it stands: what exists on the target has
 * another one. A body says whether a password must be changed, an export does not.
 */
export function expectedView(entry: unknown, carries: "body" | "export" | "as-is" = "body"): UserView {
  const view = viewOfEntry(entry);
  const state = memberAt(entry, ["state"]);
  const isOpen = carries !== "export" && view.hash !== "";
  const made = { state: "active", ...(isOpen ? { passwordChangeRequired: "false" } : {}), ...view };
  return isKnownState(state) ? made : { ...made, state: String(state) };
}

/** The compared text of a value of an entry, by the form of its field; undefined if the entry does not give the field. */
const textsOfEntry: Readonly<Partial<Record<FieldForm, (value: unknown) => string | undefined>>> = {
  id: (value) => textOf(value).trim(),
  email: (value) => textOf(value).trim(),
  name: (value) => textOf(value).trim(),
  text: (value) => givenText(textOf(value)),
  language: (value) => givenText(keptLanguage(textOf(value))),
  gender: (value) => {
    const gender = genders.indexOf(textOf(value));
    return gender > 0 ? String(gender) : undefined;
  },
  phone: (value) => givenText(keptPhone(textOf(value))),
  verified: (value) => (value === true ? "true" : "false"),
  hash: textOf,
  flag: (value) => (typeof value === "boolean" ? String(value) : undefined),
  secret: (value) => (textOf(value) === "" ? undefined : "true"),
  state: (value) => states[textOf(value)],
};

/** By number, as events have them. */
const genders = ["GENDER_UNSPECIFIED", "GENDER_FEMALE", "GENDER_MALE", "GENDER_DIVERSE"];

/** The states that an import can set (service behaviour 0.19b). */
const states: Readonly<Record<string, string>> = {
  USER_STATE_ACTIVE: "active",
  USER_STATE_INACTIVE: "inactive",
  USER_STATE_LOCKED: "locked",
};

/** A phone number in the form that the service keeps; one that the service cannot read stays as it is. */
export function keptPhone(value: string): string {
  return phoneOf(value) ?? value;
}

/** A language tag in the form that the service keeps; "" for a language that the service does not know. */
export function keptLanguage(value: string): string {
  return value === "und" ? "" : (languageOf(value) ?? "");
}

function givenText(text: string): string | undefined {
  return text === "" ? undefined : text;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
