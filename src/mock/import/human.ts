import { randomInt } from "node:crypto";
import { isObject, type JsonObject, listAt, parseStored, textAt, valueAt } from "../protojson/json-value.ts";
import {
  type Org,
  owned,
  ownerKey,
  type State,
  storedUser,
  uniqueName,
  userLoginMustBeDomain,
} from "../state/state.ts";
import { emailViolation } from "./go-email.ts";
import { humanEvents, numbered } from "./human-events.ts";
import type { ImportContext, ImportStep, ServiceFault } from "./import-context.ts";
import { complexityFault, hashPassword } from "./password.ts";

/** Human users, each followed at once by its OTP (service behaviour 2.1, 2.2, 2.6). */
export const humanUsers: ImportStep = {
  field: "humanUsers",
  run(context, given) {
    const entry = prepared(given);
    const id = textAt(entry, "userId");
    const fault = humanFault(context, entry);
    if (fault === undefined) addHuman(context, entry);
    else context.fail("human_user", textAt(given, "userId"), fault);
    if (fault === undefined) context.succeed("humanUserIds", id);
    if (textAt(given, "user", "otpCode") !== "") addOtp(context, id, textAt(given, "user", "otpCode"));
  },
};

/** The entry as it is kept: an id of its own, a trimmed e-mail address, a phone number without spaces, no OTP yet. */
function prepared(given: JsonObject): JsonObject {
  const { otpCode: _otp, ...kept } = userOf(given);
  const { email, phone } = kept;
  return {
    ...given,
    userId: textAt(given, "userId") || generatedId(),
    user: {
      ...kept,
      ...(isObject(email) ? { email: { ...email, email: textAt(email, "email").trim() } } : {}),
      ...(isObject(phone) ? { phone: { ...phone, phone: textAt(phone, "phone").replace(/[\s().-]/g, "") } } : {}),
    },
  };
}

/** An id like the service's own: 18 digits. */
export function generatedId(): string {
  return `2${randomInt(0, 1e8).toString().padStart(8, "0")}${randomInt(0, 1e9).toString().padStart(9, "0")}`;
}

function humanFault(context: ImportContext, entry: JsonObject): ServiceFault | undefined {
  const { store, org } = context;
  const user = valueAt(entry, "user");
  if (store.state.userOrgs.has(textAt(entry, "userId"))) {
    return { id: "COMMAND-ziuna", key: "Errors.User.AlreadyExisting" };
  }
  return (
    emailFault(textAt(user, "email", "email")) ??
    phoneFault(textAt(user, "phone", "phone"), isObject(valueAt(user, "phone"))) ??
    (domainIsForeign(store.state, org, textAt(user, "userName"))
      ? { id: "COMMAND-SFd21", key: "Errors.User.DomainNotAllowedAsUsername" }
      : undefined) ??
    passwordFault(org, user) ??
    linkFault(context, entry) ??
    nameFault(store.state, org, textAt(user, "userName"))
  );
}

/** Reached only by entries from a file in object storage: those of a request body have passed validation. */
function emailFault(email: string): ServiceFault | undefined {
  if (email === "") return { id: "EMAIL-spblu", key: "Errors.User.Email.Empty" };
  return emailViolation(email) === undefined ? undefined : { id: "EMAIL-599BI", key: "Errors.User.Email.Invalid" };
}

/** Near to libphonenumber: a country code, then digits, at most 15 of them in all (E.164). */
function phoneFault(phone: string, given: boolean): ServiceFault | undefined {
  return !given || /^\+[1-9]\d{5,14}$/.test(phone)
    ? undefined
    : { id: "PHONE-so0wa", key: "Errors.User.Phone.Invalid" };
}

/** Whether the domain of a user name is a verified domain of another organization (service behaviour 2.2). */
export function domainIsForeign(state: State, org: Org, userName: string): boolean {
  const at = userName.lastIndexOf("@");
  if (at < 1 || userLoginMustBeDomain(org)) return false;
  const owner = state.owners.get(ownerKey("verifiedDomains", userName.slice(at + 1).toLowerCase()));
  return owner !== undefined && owner !== org.id && state.orgs.has(owner);
}

function passwordFault(org: Org, user: JsonObject[string]): ServiceFault | undefined {
  const password = textAt(user, "password");
  if (password === "" || textAt(user, "hashedPassword", "value") !== "") return undefined;
  return complexityFault(org, password);
}

function linkFault({ store, instanceIdpIds }: ImportContext, entry: JsonObject): ServiceFault | undefined {
  for (const link of listAt(valueAt(entry, "user"), "idps")) {
    const id = textAt(link, "configId");
    const known = instanceIdpIds.has(id) || owned(store.state, "oidcIdps", id) || owned(store.state, "jwtIdps", id);
    if (!known) return { id: "COMMAND-m9fs4", key: "Errors.IDPConfig.NotExisting" };
  }
  return undefined;
}

/** The unique constraint on user names, which humans and machines share. */
export function nameFault(state: State, org: Org, userName: string): ServiceFault | undefined {
  return state.userNames.has(uniqueName(org, userName))
    ? { id: "V3-DKcYh", key: "Errors.User.AlreadyExists" }
    : undefined;
}

function addHuman(context: ImportContext, entry: JsonObject): void {
  const { store, org, caller } = context;
  const userId = textAt(entry, "userId");
  const removed = store.state.removedUsers.get(userId);
  // An id used again puts the user back into its OLD organization (service behaviour 2.3).
  const home = removed !== undefined && store.state.orgs.has(removed.orgId) ? removed.orgId : org.id;
  const userName = textAt(entry, "user", "userName");
  const kept = JSON.stringify(withoutPlainPassword(entry));
  store.change({ do: "put", org: home, field: "humanUsers", key: userId, entry: kept, userName });
  if (!context.events) return;
  const sequence = removed === undefined ? 0 : store.state.events.lastSequence(userId);
  store.push(humanEvents(entry, { userId, orgId: home, editor: caller.userId, sequence }));
}

function withoutPlainPassword(entry: JsonObject): JsonObject {
  const { password, ...kept } = userOf(entry);
  if (typeof password !== "string") return entry;
  const { hashedPassword = { value: hashPassword(password) } } = kept;
  return { ...entry, user: { ...kept, hashedPassword } };
}

/** Attempted also for a user that failed (service behaviour 2.2). */
function addOtp(context: ImportContext, userId: string, otpCode: string): void {
  const { store, caller } = context;
  const stored = storedUser(store.state, userId);
  const entry = stored === undefined ? {} : parseStored(stored);
  const fault = otpFault(entry);
  if (fault !== undefined) {
    context.fail("human_user_otp", userId, fault);
    return;
  }
  const orgId = store.state.userOrgs.get(userId) ?? "";
  const user = { ...userOf(entry), otpCode };
  const userName = textAt(user, "userName");
  const kept = JSON.stringify({ ...entry, user });
  store.change({ do: "put", org: orgId, field: "humanUsers", key: userId, entry: kept, userName });
  if (!context.events) return;
  const sequence = store.state.events.lastSequence(userId);
  const types = ["user.human.mfa.otp.added", "user.human.mfa.otp.verified"];
  store.push(numbered(types, { userId, orgId, editor: caller.userId, sequence }));
}

function otpFault(entry: JsonObject): ServiceFault | undefined {
  if (textAt(entry, "user", "email", "email") === "") return { id: "COMMAND-SqyJz", key: "Errors.User.NotFound" };
  const hasOtp = textAt(entry, "user", "otpCode") !== "";
  return hasOtp ? { id: "COMMAND-do9se", key: "Errors.User.MFA.OTP.AlreadyReady" } : undefined;
}

function userOf(entry: JsonObject): JsonObject {
  const user = valueAt(entry, "user");
  return isObject(user) ? user : {};
}
