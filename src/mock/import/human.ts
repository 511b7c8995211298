import { type ServiceFault, taken } from "../http/answer.ts";
import { isObject, type JsonObject, listAt, textAt, valueAt } from "../http/json.ts";
import { generatedId } from "../state/generated-id.ts";
import { ownerKey, uniqueName, userLoginMustBeDomain } from "../state/keys.ts";
import { storedUser } from "../state/lookup.ts";
import { type Org, orgOf, type State } from "../state/state.ts";
import type { Traits } from "../state/traits.ts";
import { emailFault, keptEmail } from "../users/email-address.ts";
import { importEvents, linksOfUser, OTP_EVENTS, userEvent } from "../users/human-events.ts";
import { userOf } from "../users/human-user.ts";
import { brokenRule } from "../users/password-policy.ts";
import { readPhone } from "../users/phone-number.ts";
import { hashPassword, isHashable, TOO_LONG } from "../users/verifiers.ts";
import type { ImportContext, ImportStep } from "./import-context.ts";
import { linkFault, putLink, takenLinkFault } from "./links.ts";
import { setRecoveryCodes } from "./recovery-codes.ts";

/** Human users, each with its OTP directly after it (service behaviour 2.1, 2.2, 2.6). */
export const humanUsers: ImportStep = {
  field: "humanUsers",
  run(context, given) {
    const plain = plainPassword(given);
    const password = unfit(context.org, plain) === undefined ? plain : "";
    if (password !== "" || listAt(given["user"], "recoveryCodes").length > 0)
      return hashFirst(context, given, password);
    importHuman(context, given);
    return undefined;
  },
};

/** Imports a user with a plain password, with recovery codes, or with both. */
async function hashFirst(context: ImportContext, given: JsonObject, password: string): Promise<void> {
  // Hashed before the checks: other calls may change the state in the meantime.
  const isCreated = password === "" ? importHuman(context, given) : await importPlain(context, given, password);
  if (isCreated && listAt(given["user"], "recoveryCodes").length > 0) await setRecoveryCodes(context, given);
}

async function importPlain(context: ImportContext, given: JsonObject, password: string): Promise<boolean> {
  const user: JsonObject = { ...userOf(given), hashedPassword: { value: await hashPassword(password) } };
  return importHuman(
    { ...context, faultOfHash: () => undefined },
    { ...given, user },
    user["passwordChangeRequired"] === true,
  );
}

/** A plain password, unless there is also a hash (recording 31). */
function plainPassword(given: JsonObject): string {
  const user = valueAt(given, "user");
  return textAt(user, "hashedPassword", "value") === "" ? textAt(user, "password") : "";
}

/** Returns whether the user was created. `mustChange`: the password must be changed at the first sign-in; ignored with a hash (service behaviour 2.6). */
function importHuman(context: ImportContext, given: JsonObject, mustChange = false): boolean {
  const id = textAt(given, "userId");
  const otp = textAt(given, "user", "otpCode");
  const fault = humanFault(context, given);
  const userId = fault === undefined ? addHuman(context, given, mustChange) : id;
  if (fault === undefined) context.succeed("humanUserIds", id);
  else context.fail("human_user", id, fault);
  if (otp !== "") addOtp(context, userId, otp);
  return fault === undefined;
}

function humanFault(context: ImportContext, given: JsonObject): ServiceFault | undefined {
  const { store, org, traits } = context;
  const user = userOf(given);
  const id = textAt(given, "userId");
  const isWrittenOnto = traits.writesOnto !== "no user" && storedUser(store.state, id)?.field === "machineUsers";
  const isExisting = store.state.userOrgs.has(id) && !isWrittenOnto;
  const isKnown = isExisting || (!traits.reusesRemovedIds && store.state.removedUsers.has(id));
  if (isKnown) return { id: "COMMAND-ziuna", key: "Errors.User.AlreadyExisting" };
  const userName = textAt(user, "userName").trim();
  return (
    emailFault(textAt(user, "email", "email"), traits.emailRule) ??
    phoneFault(user) ??
    (domainIsForeign(store.state, org, userName)
      ? { id: "COMMAND-SFd21", key: "Errors.User.DomainNotAllowedAsUsername" }
      : undefined) ??
    passwordFault(context, given) ??
    linkFault(context, user) ??
    nameFault(store.state, org, userName) ??
    takenLinkFault(context, user)
  );
}

function phoneFault(user: JsonObject): ServiceFault | undefined {
  if (!isObject(user["phone"])) return undefined;
  const read = readPhone(textAt(user, "phone", "phone"));
  return "fault" in read ? { id: "PHONE-so0wa", key: "Errors.User.Phone.Invalid", parent: read.fault } : undefined;
}

/** Whether the domain of a user name is a verified domain of another organization (service behaviour 2.2). */
export function domainIsForeign(state: State, org: Org, userName: string): boolean {
  const at = userName.lastIndexOf("@");
  if (at < 1 || userLoginMustBeDomain(org)) return false;
  const owner = state.owners.get(ownerKey("verifiedDomains", userName.slice(at + 1).toLowerCase()));
  return owner !== undefined && owner !== org.id && state.orgs.has(owner);
}

function passwordFault({ org, faultOfHash }: ImportContext, given: JsonObject): ServiceFault | undefined {
  const hash = textAt(given, "user", "hashedPassword", "value");
  if (hash !== "") return faultOfHash(hash);
  const password = plainPassword(given);
  return password === "" ? undefined : unfit(org, password);
}

function unfit(org: Org, password: string): ServiceFault | undefined {
  const rule = brokenRule(org, password);
  if (rule === undefined) return isHashable(password) ? undefined : { key: TOO_LONG };
  return { id: `DOMAIN-${rule.code}`, key: `Errors.User.PasswordComplexityPolicy.${rule.key}` };
}

/** The unique constraint on user names, which humans and machines share. */
export function nameFault(state: State, org: Org, userName: string): ServiceFault | undefined {
  return state.userNames.has(uniqueName(org, userName)) ? taken("Errors.User.AlreadyExists") : undefined;
}

/** Creates the user and returns its id. */
function addHuman(context: ImportContext, given: JsonObject, mustChange: boolean): string {
  const { store, caller } = context;
  const userId = textAt(given, "userId") || generatedId();
  const home = homeOf(store.state, userId, context).id;
  const { idps: _idps, requestPasswordlessRegistration, ...kept } = keptUser(given, context.traits);
  const initial = isInitial(given);
  const losesVerified = initial && !context.traits.keepsVerifiedWithoutPassword;
  const entry: JsonObject = {
    userId,
    user: {
      ...kept,
      ...(losesVerified ? { email: { email: textAt(kept["email"], "email") } } : {}),
      ...(mustChange ? { passwordChangeRequired: true } : {}),
    },
    ...(initial ? { state: "USER_STATE_INITIAL" } : {}),
    ...keptState(context.traits, textAt(given, "state")),
  };
  const links = linksOfUser(userId, userOf(given));
  store.change({ do: "put", org: home, field: "humanUsers", key: userId, entry });
  for (const link of links) putLink(context, home, link);
  if (!context.events) return userId;
  const passwordless = requestPasswordlessRegistration === true;
  const where = { userId, orgId: home, editor: caller.userId };
  store.push(importEvents({ entry, links, initial, passwordless }, where));
  return userId;
}

/** A recreated user is in the organization of the deleted one, until v4.15 (service behaviour 0.11); an overwritten one may keep its own. */
export function homeOf(
  state: State,
  userId: string,
  { org, traits }: { readonly org: Org; readonly traits: Traits },
): Org {
  const existing = storedUser(state, userId);
  if (existing !== undefined) return traits.writesOnto === "in own org" ? existing.org : org;
  if (traits.recreatesUserIn === "new org") return org;
  return orgOf(state, state.removedUsers.get(userId) ?? "") ?? org;
}

/** The stored form: a trimmed user name, a normalized phone number, no plain password, no OTP yet. */
function keptUser(given: JsonObject, { emailRule }: Traits): JsonObject {
  const {
    otpCode: _o,
    recoveryCodes: _r,
    password: _p,
    passwordChangeRequired: _c,
    hashedPassword,
    phone,
    email,
    ...user
  } = userOf(given);
  const hash = textAt(hashedPassword, "value");
  return {
    ...user,
    userName: textAt(user, "userName").trim(),
    ...(isObject(email) ? { email: { ...email, email: keptEmail(textAt(email, "email"), emailRule) } } : {}),
    ...(isObject(phone) ? { phone: { ...phone, phone: knownPhone(phone) } } : {}),
    ...(hash === "" ? {} : { hashedPassword: { value: hash } }),
  };
}

function knownPhone(phone: JsonObject): string {
  const read = readPhone(textAt(phone, "phone"));
  return "number" in read ? read.number : "";
}

/** Whether the account must be completed with a code sent by e-mail (service behaviour 0.2, 2.6). */
function isInitial(given: JsonObject): boolean {
  const user = userOf(given);
  if (linksOfUser("", user).length > 0) return false;
  if (valueAt(user, "email", "isEmailVerified") !== true) return true;
  const canSignIn =
    textAt(user, "password") !== "" ||
    textAt(user, "hashedPassword", "value") !== "" ||
    user["requestPasswordlessRegistration"] === true;
  return !canSignIn;
}

/** The state of an imported user, if it has an effect. */
export function keptState({ knowsStates }: Traits, state: string): JsonObject {
  return knowsStates && ["USER_STATE_INACTIVE", "USER_STATE_LOCKED"].includes(state) ? { state } : {};
}

/** Also attempted for a user that failed (service behaviour 2.2): the OTP then goes to the existing user with that id (0.6). */
function addOtp(context: ImportContext, userId: string, otpCode: string): void {
  const { store, caller } = context;
  const stored = storedUser(store.state, userId);
  const fault = otpFault(stored?.entry);
  if (fault !== undefined) context.fail("human_user_otp", userId, fault);
  if (fault !== undefined || stored === undefined) return;
  const entry = { ...stored.entry, user: { ...userOf(stored.entry), otpCode } };
  store.change({ do: "put", org: stored.org.id, field: "humanUsers", key: userId, entry });
  if (!context.events) return;
  const where = { userId, orgId: stored.org.id, editor: caller.userId };
  store.push(OTP_EVENTS.map((type) => userEvent(where, type)));
}

function otpFault(entry: JsonObject | undefined): ServiceFault | undefined {
  if (textAt(entry, "user", "email", "email") === "") return { id: "COMMAND-SqyJz", key: "Errors.User.NotFound" };
  const hasOtp = textAt(entry, "user", "otpCode") !== "";
  return hasOtp ? { id: "COMMAND-do9se", key: "Errors.User.MFA.OTP.AlreadyReady" } : undefined;
}
