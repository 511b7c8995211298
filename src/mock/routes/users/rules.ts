import { Refusal } from "../../http/answer.ts";
import { isObject, type JsonObject, type JsonValue, textAt, valueAt } from "../../http/json.ts";
import { isProvider, isTaken } from "../../import/links.ts";
import { hashFault } from "../../state/hash-limits.ts";
import type { Instance } from "../../state/instance.ts";
import type { Org } from "../../state/state.ts";
import type { Traits } from "../../state/traits.ts";
import { checkedEmail } from "../../users/email-address.ts";
import { stateOf } from "../../users/human-user.ts";
import { brokenRule } from "../../users/password-policy.ts";
import { readPhone } from "../../users/phone-number.ts";
import { isHashable, isKnownEncoding, TOO_LONG } from "../../users/verifiers.ts";

const SECRETS = "https://zitadel.com/docs/concepts/architecture/secrets#hashed-secrets";

/** Returns a hash that the instance takes: until v4.15, its prefix decides alone (service behaviour 0.23). Raises Refusal. */
export function checkedHash(hash: string, instance: Instance, id: string): string {
  const fault = instance.traits.checksHashes ? hashFault(hash, instance) : undefined;
  if (fault !== undefined) throw new Refusal("invalidArgument", "Password is invalid", fault.id);
  if (instance.traits.checksHashes || isKnownEncoding(hash, instance.verifiers)) return hash;
  throw new Refusal("invalidArgument", `Password hash encoding not supported. Check out ${SECRETS}`, id);
}

/** Error id for a hash that the instance cannot verify, for an existing user. */
export const UNKNOWN_HASH = "USER-oz74onzvqr";

/** Checks the form of a user or a change, without regard to other users. Raises Refusal, for the address first. */
export function checkForm(
  { email, phone, profile, username }: JsonObject,
  { secret, isNew }: { readonly secret: JsonValue | undefined; readonly isNew: boolean },
  instance: Instance,
): void {
  if (isObject(email)) checkedEmail(textAt(email, "email"), instance.traits.emailRule);
  if (isNew && username !== undefined && textAt(username).trim() === "") {
    throw new Refusal("invalidArgument", "Errors.Invalid.Argument", "V2-zzad3");
  }
  if (isNew) checkNames(profile);
  if (isObject(phone)) knownPhoneOf(phone);
  const hash = textAt(secret, "hashedPassword", "hash");
  if (hash !== "") checkedHash(hash, instance, isNew ? "USER-JDk4t" : UNKNOWN_HASH);
}

function checkNames(profile: JsonValue | undefined): void {
  const isBlank = (field: string): boolean => textAt(profile, field).trim() === "";
  if (isBlank("givenName")) throw new Refusal("invalidArgument", "Given name in profile is empty", "USER-UCej2");
  if (isBlank("familyName")) throw new Refusal("invalidArgument", "Family name in profile is empty", "USER-4hB7d");
}

/** Returns a password that complies with the organization's policy and can be hashed. Raises Refusal, with ids of that prefix. */
export function checkedPassword(password: string, org: Org, traits: Traits, prefix: "COMMA" | "DOMAIN"): string {
  const rule = brokenRule(org, password);
  if (rule !== undefined) throw new Refusal("invalidArgument", rule.text, `${prefix}-${rule.code}`);
  if (isHashable(password)) return password;
  throw new Refusal("unknown", traits.wrapsHashFaults ? `rpc error: code = Unknown desc = ${TOO_LONG}` : TOO_LONG);
}

/** The normalized phone number; undefined for an empty one. Raises Refusal. */
export function knownPhoneOf(given: JsonObject): string | undefined {
  const text = textAt(given, "phone");
  if (text === "") return undefined;
  const read = readPhone(text);
  if ("fault" in read) throw new Refusal("invalidArgument", "Phone is invalid", "PHONE-so0wa");
  return read.number;
}

/** Raises Refusal for a user name of another user, or with another organization's domain. */
export function checkUserName(isForeign: boolean, isTaken: boolean): void {
  if (isForeign) {
    throw new Refusal("invalidArgument", "Domain is already reserved and cannot be used", "COMMAND-SFd21");
  }
  if (isTaken) throw new Refusal("alreadyExists", "User already exists", "V3-DKcYh");
}

/** The stored form of a link. */
export function linkOf(userId: string, link: JsonObject): JsonObject {
  const { idpId, userId: providedUserId, userName: providedUserName } = link;
  return { userId, idpId, providedUserId, ...(providedUserName === undefined ? {} : { providedUserName }) };
}

/** Raises Refusal for an unknown provider, or for an identity of another user. */
export function checkLinks(links: readonly JsonObject[], instance: Instance): void {
  for (const link of links) {
    if (!isProvider(instance, textAt(link, "idpId"))) {
      throw new Refusal("failedPrecondition", "Identity Provider Configuration doesn't exist", "COMMAND-39nf2");
    }
    if (isTaken(instance.store, link)) throw new Refusal("alreadyExists", "External IDP already taken", "V3-DKcYh");
  }
}

const profileFields = [
  ["givenName", "firstName"],
  ["familyName", "lastName"],
  ["nickName", "nickName"],
  ["displayName", "displayName"],
  ["preferredLanguage", "preferredLanguage"],
  ["gender", "gender"],
] as const;

/** The given members of `profile` in the users API, by their stored names. */
export function givenProfile(request: JsonObject): readonly (readonly [name: string, text: string])[] {
  return profileFields.flatMap(([theirs, ours]) => {
    const value = valueAt(request, "profile", theirs);
    return typeof value === "string" ? [[ours, value]] : [];
  });
}

/** The stored form of `profile`, without empty values. */
export function profileOf(request: JsonObject): JsonObject {
  const isSet = ([key, text]: readonly string[]) => text !== "" && !(key === "gender" && text?.endsWith("UNSPECIFIED"));
  return Object.fromEntries(givenProfile(request).filter(isSet));
}

/** Raises Refusal for a user who has not completed the account: only the code can set a password (probed on v4 and v2). */
export function checkInitialized(entry: JsonObject): void {
  if (stateOf(entry) === "USER_STATE_INITIAL")
    throw new Refusal("failedPrecondition", "User is not yet initialized", "COMMAND-M9dse");
}
