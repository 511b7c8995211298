import { camelKey } from "../../contract/import-request.ts";
import { serviceLimits } from "../../contract/service-limits.ts";
import type { EmailRule } from "../../problem.ts";
import { emailProblem } from "./email.ts";
import { type HashKind, hashKindOf } from "./hash-forms.ts";
import { isPhoneNumber, optionalTextFault, type TextFault, textFault } from "./text.ts";

/** A value the service would refuse, and where in the entry it stands. */
export interface FieldFault {
  readonly field: string;
  readonly fault:
    | TextFault
    | { readonly code: "field.type"; readonly expected: string }
    | { readonly code: "field.email"; readonly rule: EmailRule }
    | { readonly code: "field.phone" };
}

/** What one entry of `humanUsers` is, as far as a summary tells. */
export interface HumanUserFacts {
  readonly userId: string;
  /** Of the password hash; undefined without one. */
  readonly hashKind: HashKind | undefined;
  readonly hasOtp: boolean;
  readonly isVerified: boolean;
  /** The import endpoint will send a mail, or a text message, because of this user (service behaviour 2.6). */
  readonly getsMail: boolean;
  readonly getsSms: boolean;
  /** What the import endpoint forgets of this user (service behaviour 0.2, 2.6). */
  readonly losesVerified: boolean;
  readonly losesPasswordChange: boolean;
}

/** What is known of an entry that is none. */
export const NOBODY: HumanUserFacts = {
  userId: "",
  hashKind: undefined,
  hasOtp: false,
  isVerified: false,
  getsMail: false,
  getsSms: false,
  losesVerified: false,
  losesPasswordChange: false,
};

type Fields = Readonly<Record<string, unknown>>;
type Report = (field: string, fault: FieldFault["fault"]) => void;

const NONE: Fields = {};

/**
 * Checks one entry of `humanUsers` by the service's rules (service behaviour 1.4): one that breaks them would sink the whole call
 * (2.4). Reports every fault, not the first alone. Field names are read in both spellings, as the service does.
 */
export function checkHumanUser(entry: unknown, report: Report): HumanUserFacts {
  const outer = object(entry, "", true, report);
  choice(outer, "state", "state", report);
  const userId = text(outer, "userId", "user_id", "userId", report, 0);
  const user = object(outer["user"], "user", true, report);
  const profile = object(user["profile"], "user.profile", true, report);
  const email = object(user["email"], "user.email", true, report);
  const phone = object(user["phone"], "user.phone", false, report);
  const hashed = object(user["hashedPassword"] ?? user["hashed_password"], "user.hashedPassword", false, report);
  checkNames(user, profile, report);
  checkEmail(email, report);
  if (phone !== NONE) checkPhone(phone, report);
  const links = checkLinks(user["idps"], report);
  const hash = text(hashed, "value", "value", "user.hashedPassword.value", report, 0);
  const hasPassword = text(user, "password", "password", "user.password", report, 0) !== "";
  const hasOtp = text(user, "otpCode", "otp_code", "user.otpCode", report, 0) !== "";
  const passwordless = flag(
    user,
    "requestPasswordlessRegistration",
    "request_passwordless_registration",
    report,
    "user.",
  );
  const changes = flag(user, "passwordChangeRequired", "password_change_required", report, "user.");
  const verified = flag(email, "isEmailVerified", "is_email_verified", report, "user.email.");
  const phoneVerified = flag(phone, "isPhoneVerified", "is_phone_verified", report, "user.phone.");
  const silent = verified && (links > 0 || hash !== "" || hasPassword || passwordless);
  return {
    userId,
    hashKind: hash === "" ? undefined : hashKindOf(hash),
    hasOtp,
    isVerified: verified,
    getsMail: !silent,
    getsSms: phone !== NONE && !phoneVerified,
    losesVerified: verified && !silent,
    losesPasswordChange: changes && hash !== "",
  };
}

function checkNames(user: Fields, profile: Fields, report: Report): void {
  required(user, "userName", "user_name", "user.userName", report, serviceLimits.userName);
  required(profile, "firstName", "first_name", "user.profile.firstName", report, serviceLimits.firstName);
  required(profile, "lastName", "last_name", "user.profile.lastName", report, serviceLimits.lastName);
  text(profile, "nickName", "nick_name", "user.profile.nickName", report, serviceLimits.nickName);
  text(profile, "displayName", "display_name", "user.profile.displayName", report, serviceLimits.displayName);
  choice(profile, "gender", "user.profile.gender", report);
  const language = "user.profile.preferredLanguage";
  text(profile, "preferredLanguage", "preferred_language", language, report, serviceLimits.preferredLanguage);
}

function checkEmail(email: Fields, report: Report): void {
  if (email === NONE) return;
  const address = text(email, "email", "email", "user.email.email", report, 0);
  if (address === "") {
    if (email["email"] === undefined || email["email"] === "") report("user.email.email", { code: "field.missing" });
    return;
  }
  const rule = emailProblem(address);
  if (rule !== undefined) report("user.email.email", { code: "field.email", rule });
}

function checkPhone(phone: Fields, report: Report): void {
  const value = phone["phone"] ?? "";
  if (typeof value !== "string" || !isPhoneNumber(value)) report("user.phone.phone", { code: "field.phone" });
}

/** Checks the links to identity providers and returns how many there are. */
function checkLinks(links: unknown, report: Report): number {
  if (links === undefined || links === null) return 0;
  if (!Array.isArray(links)) {
    report("user.idps", { code: "field.type", expected: "a list" });
    return 0;
  }
  for (const [index, link] of links.entries()) {
    const at = `user.idps[${index}]`;
    const fields = object(link, at, true, report);
    required(fields, "configId", "config_id", `${at}.configId`, report, 200);
    required(fields, "externalUserId", "external_user_id", `${at}.externalUserId`, report, 200);
    text(fields, "displayName", "display_name", `${at}.displayName`, report, 200);
  }
  return links.length;
}

/** An enum comes by name or by number. */
function choice(fields: Fields, key: string, field: string, report: Report): void {
  const value = fields[key] ?? 0;
  if (typeof value !== "string" && !Number.isInteger(value))
    report(field, { code: "field.type", expected: "a name or a whole number" });
}

function object(value: unknown, field: string, needed: boolean, report: Report): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    checkSpellings(value as Fields, field, report); // an object by the checks
    return value as Fields;
  }
  if (value !== undefined && value !== null) report(field, { code: "field.type", expected: "an object" });
  else if (needed) report(field, { code: "field.missing" });
  return NONE;
}

/** The service reads `userName` and `user_name` alike, and refuses a call in which both stand. */
function checkSpellings(fields: Fields, field: string, report: Report): void {
  for (const key of Object.keys(fields)) {
    if (!key.includes("_") || !Object.hasOwn(fields, camelKey(key))) continue;
    report(field === "" ? key : `${field}.${key}`, { code: "field.type", expected: "given in one spelling alone" });
  }
}

function required(fields: Fields, camel: string, snake: string, field: string, report: Report, limit: number): void {
  if (fields === NONE) return;
  const value = fields[camel] ?? fields[snake] ?? "";
  const fault = typeof value === "string" ? textFault(value, limit) : TEXT_EXPECTED;
  if (fault !== undefined) report(field, fault);
}

/** The text, or "" when there is none or it is faulty. A limit of 0 is none. */
function text(fields: Fields, camel: string, snake: string, field: string, report: Report, limit: number): string {
  const value = fields[camel] ?? fields[snake];
  if (value === undefined || value === null) return "";
  const fault = typeof value === "string" ? optionalTextFault(value, limit || Number.MAX_SAFE_INTEGER) : TEXT_EXPECTED;
  if (fault === undefined) return value as string; // a text: anything else has a fault
  report(field, fault);
  return "";
}

const TEXT_EXPECTED = { code: "field.type", expected: "a text" } as const;

function flag(fields: Fields, camel: string, snake: string, report: Report, prefix: string): boolean {
  const value = fields[camel] ?? fields[snake] ?? false;
  if (typeof value !== "boolean") report(prefix + camel, { code: "field.type", expected: "true or false" });
  return value === true;
}
