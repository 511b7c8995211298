import { defaultHashLimits } from "../../contract/hash-limits.ts";
import { camelKey } from "../../contract/import-request.ts";
import { serviceLimits } from "../../contract/service-limits.ts";
import type { EmailRule, HashRule } from "../../problem.ts";
import { type Fields, fieldsOf, member, snakeKey } from "../json/members.ts";
import { type FieldForm, type UserField, userFields } from "../user-fields.ts";
import { type AddressRules, dependsOnVersion, emailProblem, STRICTEST, usersApiEmailProblem } from "./email.ts";
import { breachesOf, type CostBreach } from "./hash-costs.ts";
import { type HashKind, hashKindOf } from "./hash-forms.ts";
import { isLongerThan, isPhoneNumber, optionalTextFault, type TextFault, textFault } from "./text.ts";

/** A value that the service would refuse, and its place in the entry. */
export interface FieldFault {
  readonly field: string;
  readonly fault:
    | TextFault
    | { readonly code: "field.type"; readonly expected: string }
    | { readonly code: "field.email"; readonly rule: EmailRule }
    | { readonly code: "field.phone" }
    | { readonly code: "field.hash"; readonly rule: HashRule };
}

/** What counts and plans need to know of an entry of `humanUsers`. */
export interface HumanUserFacts {
  readonly userId: string;
  /** Of the password hash; undefined without one. */
  readonly hashKind: HashKind | undefined;
  /** Costs of the hash that are out of the default limits (service behaviour 9.4). */
  readonly breaches: readonly CostBreach[];
  /** What the users API refuses, and the import endpoint accepts: an address (service behaviour 9.5), a long hash (9.49). */
  readonly usersApiFaults: readonly FieldFault[];
  readonly hasOtp: boolean;
  readonly hasRecoveryCodes: boolean;
  /** Links to identity providers within the entry. */
  readonly hasLinks: boolean;
  readonly isVerified: boolean;
  /** The import endpoint will send an e-mail, or a text message, because of this user (service behaviour 2.6). */
  readonly getsMail: boolean;
  readonly getsSms: boolean;
  /** What the import endpoint drops of this user (service behaviour 0.2, 2.6). */
  readonly losesVerified: boolean;
  readonly losesPasswordChange: boolean;
  /** Inactive or locked. */
  readonly isClosed: boolean;
}

/** The facts of a value that is no entry. */
export const NO_USER: HumanUserFacts = {
  userId: "",
  hashKind: undefined,
  breaches: [],
  usersApiFaults: [],
  hasOtp: false,
  hasRecoveryCodes: false,
  hasLinks: false,
  isVerified: false,
  getsMail: false,
  getsSms: false,
  losesVerified: false,
  losesPasswordChange: false,
  isClosed: false,
};

type Report = (field: string, fault: FieldFault["fault"]) => void;
/** Checks the value of a field, reports its faults, and returns it: "" for a faulty text, false for a faulty flag. */
type Rule = (value: unknown, field: UserField, report: Report, addresses: AddressRules) => unknown;

/** The rule of each form, in the order in which faults are reported. */
const rules: Readonly<Record<FieldForm, Rule>> = {
  state: checkChoice,
  id: checkText,
  name: checkText,
  text: checkText,
  gender: checkChoice,
  language: checkText,
  email: checkEmail,
  phone: checkPhone,
  links: checkLinks,
  hash: checkText,
  password: checkText,
  secret: checkText,
  flag: checkFlag,
  verified: checkFlag,
};

const order = Object.keys(rules);
const holderPaths = [...new Set(userFields.map(({ entry }) => holderOf(entry)))];
const checked = userFields
  .map((field: UserField) => ({ field, holder: holderPaths.indexOf(holderOf(field.entry)), ...keysOf(field.entry) }))
  .sort((a, b) => order.indexOf(a.field.form) - order.indexOf(b.field.form));

/** The objects that hold fields, from the outside in: the entry first, then objects of which each is in an earlier one. */
const holders = holderPaths.map((path) => ({
  path,
  parent: path === "" ? undefined : holderPaths.indexOf(holderOf(path)),
  ...keysOf(path),
  isRequired: path === "" || userFields.some((field) => "isRequired" in field && field.entry.startsWith(`${path}.`)),
}));

const USER = holderPaths.indexOf("user");
const PHONE = holderPaths.indexOf("user.phone");

/** The last key of a path in both spellings: looking both up is faster than `member`. */
function keysOf(path: string): { readonly camel: string; readonly snake: string } {
  const camel = path.split(".").at(-1) ?? "";
  return { camel, snake: snakeKey(camel) };
}

/** The checked values, by the names of their fields. */
type Values = Partial<Record<(typeof userFields)[number]["name"], unknown>>;

function holderOf(entry: string): string {
  return entry.slice(0, Math.max(0, entry.lastIndexOf(".")));
}

/**
 * Checks one entry of `humanUsers` by the service's rules (service behaviour 1.4): the service refuses the whole call for an entry that
 * breaks one (2.4). Reports every fault, not the first alone. Reads field names in both spellings, as the service does.
 * @param addresses of the target's version. Default: what every known version accepts.
 */
export function checkHumanUser(entry: unknown, report: Report, addresses: AddressRules = STRICTEST): HumanUserFacts {
  const objects: (Fields | undefined)[] = [];
  const values: Values = {};
  // The entry and its own fields are reported before the objects in it.
  for (const isOuter of [true, false]) {
    for (const [at, { path, parent, camel, snake, isRequired }] of holders.entries()) {
      if ((at === 0) !== isOuter) continue;
      const outer = parent === undefined ? undefined : objects[parent];
      const value = parent === undefined ? entry : (outer?.[camel] ?? outer?.[snake]);
      objects[at] = checkObject(value, path, isRequired, report);
    }
    for (const { field, holder, camel, snake } of checked) {
      const fields = (holder === 0) === isOuter ? objects[holder] : undefined;
      if (fields === undefined) continue;
      values[field.name as keyof Values] = rules[field.form](fields[camel] ?? fields[snake], field, report, addresses); // a name of the table
    }
  }
  const { userId, email, hash = "", password = "", otpSecret = "", idpLinks } = values;
  const links = Array.isArray(idpLinks) ? idpLinks.length : 0;
  const hashKind = hash === "" ? undefined : hashKindOf(String(hash));
  const isVerified = values.isEmailVerified === true;
  const isSilent = isVerified && (links > 0 || hash !== "" || password !== "" || values.requestsPasswordless === true);
  return {
    userId: String(userId ?? ""),
    hashKind,
    breaches: hashKind === undefined || hashKind === "none" ? [] : breachesOf(String(hash), defaultHashLimits),
    usersApiFaults: usersApiFaults(String(email ?? ""), String(hash), addresses),
    hasOtp: otpSecret !== "",
    hasRecoveryCodes: checkRecoveryCodes(objects[USER], report),
    hasLinks: links > 0,
    isVerified,
    getsMail: !isSilent,
    getsSms: objects[PHONE] !== undefined && values.isPhoneVerified !== true,
    losesVerified: isVerified && !isSilent,
    losesPasswordChange: values.isPasswordChangeRequired === true && hash !== "",
    isClosed: isClosed(values.state),
  };
}

function usersApiFaults(email: string, hash: string, addresses: AddressRules): readonly FieldFault[] {
  const rule = usersApiEmailProblem(email, addresses);
  const isLongHash = isLongerThan(hash, serviceLimits.usersApiHash);
  return [
    ...(rule === undefined ? [] : [{ field: "user.email.email", fault: { code: "field.email", rule } } as const]),
    ...(isLongHash
      ? [{ field: "user.hashedPassword.value", fault: { code: "field.hash", rule: "users-api-length" } } as const]
      : []),
  ];
}

/** True for the states of a user who cannot sign in, by name or number (service behaviour 0.19b). */
export function isClosed(state: unknown): boolean {
  return state === "USER_STATE_INACTIVE" || state === 2 || state === "USER_STATE_LOCKED" || state === 4;
}

/**
 * True for a state that an import sets or that needs no call: none, active, inactive, locked, and INITIAL, of users who never finished
 * registration. A service that does not know a state creates the user as active (service behaviour 0.10, 0.19b).
 */
export function isKnownState(state: unknown): boolean {
  // What is neither a name nor a number is a fault of the user.
  return (typeof state !== "string" && typeof state !== "number") || state === "" || knownStates.has(state);
}

/** True for the state of a user who never finished registration. */
export function isUnfinishedState(state: unknown): boolean {
  return state === "USER_STATE_INITIAL" || state === 6;
}

const knownStates: ReadonlySet<unknown> = new Set([
  ...["USER_STATE_UNSPECIFIED", "USER_STATE_ACTIVE", "USER_STATE_INACTIVE", "USER_STATE_LOCKED", "USER_STATE_INITIAL"],
  ...[0, 1, 2, 4, 6],
]);

/** A required text, or one that may be absent. */
function checkText(value: unknown, { entry, limit = Number.MAX_SAFE_INTEGER, isRequired }: UserField, report: Report) {
  if (value === undefined || value === null) {
    if (isRequired === true) report(entry, { code: "field.missing" });
    return "";
  }
  const rule = isRequired === true ? textFault : optionalTextFault;
  const fault = typeof value === "string" ? rule(value, limit) : TEXT_EXPECTED;
  if (fault === undefined) return value;
  report(entry, fault);
  return "";
}

const TEXT_EXPECTED = { code: "field.type", expected: "a text" } as const;

function checkEmail(
  value: unknown,
  { entry, form, name }: UserField,
  report: Report,
  addresses: AddressRules,
): unknown {
  const address = checkText(value, { entry, form, name }, report);
  if (typeof address !== "string" || address === "") {
    if (value === undefined || value === null || value === "") report(entry, { code: "field.missing" });
    return "";
  }
  const rule = emailProblem(address, addresses);
  if (rule !== undefined && dependsOnVersion(address)) addresses.onDependent?.();
  if (rule !== undefined) report(entry, { code: "field.email", rule });
  return address;
}

function checkPhone(value: unknown, { entry }: UserField, report: Report): void {
  const number = value ?? "";
  if (typeof number !== "string" || !isPhoneNumber(number)) report(entry, { code: "field.phone" });
}

/** Checks the links to identity providers. */
function checkLinks(links: unknown, { entry }: UserField, report: Report): unknown {
  if (links === undefined || links === null) return [];
  if (!Array.isArray(links)) {
    report(entry, { code: "field.type", expected: "a list" });
    return [];
  }
  for (const [index, link] of links.entries()) {
    const at = `${entry}[${index}]`;
    const fields = checkObject(link, at, true, report);
    if (fields === undefined) continue;
    for (const { name, isRequired } of linkFields) {
      const field: UserField = { name, entry: `${at}.${name}`, form: "text", limit: serviceLimits.identityText };
      checkText(member(fields, name), isRequired ? { ...field, isRequired } : field, report);
    }
  }
  return links;
}

const linkFields = [
  { name: "configId", isRequired: true },
  { name: "externalUserId", isRequired: true },
  { name: "displayName", isRequired: false },
] as const;

/**
 * Checks the forms of recovery codes that refuse the whole call (service behaviour 9.8); true if there are codes. For other faults the
 * service creates the user without codes and reports it.
 */
function checkRecoveryCodes(user: Fields | undefined, report: Report): boolean {
  const codes = user?.["recoveryCodes"] ?? user?.["recovery_codes"] ?? [];
  const path = "user.recoveryCodes";
  if (!Array.isArray(codes)) {
    report(path, { code: "field.type", expected: "a list" });
    return false;
  }
  for (const [index, code] of codes.entries()) {
    const at = `${path}[${index}]`;
    const fields = checkObject(code, at, true, report);
    if (fields === undefined) continue;
    const given = [fields["raw"], fields["hash"]].filter((value) => value !== undefined && value !== null);
    if (given.length > 1) report(at, { code: "field.type", expected: "either raw or hash" });
    else if (given.some((value) => typeof value !== "string")) report(at, TEXT_EXPECTED);
    else if (given[0] === "") report(at, { code: "field.missing" });
  }
  return codes.length > 0;
}

/** An enum comes by name or by number. */
function checkChoice(value: unknown, { entry }: UserField, report: Report): unknown {
  if (value === undefined || value === null || typeof value === "string" || Number.isInteger(value)) return value;
  report(entry, { code: "field.type", expected: "a name or a whole number" });
  return undefined;
}

function checkFlag(value: unknown, { entry }: UserField, report: Report): boolean {
  if (value !== undefined && value !== null && typeof value !== "boolean") {
    report(entry, { code: "field.type", expected: "true or false" });
  }
  return value === true;
}

/** The members of an object; undefined where it is missing, or no object. */
function checkObject(value: unknown, field: string, isRequired: boolean, report: Report): Fields | undefined {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    checkSpellings(fieldsOf(value), field, report);
    return fieldsOf(value);
  }
  if (value !== undefined && value !== null) report(field, { code: "field.type", expected: "an object" });
  else if (isRequired) report(field, { code: "field.missing" });
  return undefined;
}

/** The service reads `userName` and `user_name` alike, and refuses a call that gives both. */
function checkSpellings(fields: Fields, field: string, report: Report): void {
  for (const key of Object.keys(fields)) {
    if (!key.includes("_") || !Object.hasOwn(fields, camelKey(key))) continue;
    report(field === "" ? key : `${field}.${key}`, { code: "field.type", expected: "given in one spelling alone" });
  }
}
