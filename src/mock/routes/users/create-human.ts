import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import type { Caller } from "../../http/auth.ts";
import { isObject, type JsonObject, listAt, textAt, valueAt } from "../../http/json.ts";
import { domainIsForeign, homeOf, nameFault } from "../../import/human.ts";
import { putLink } from "../../import/links.ts";
import { metadataChange } from "../../import/user-kinds.ts";
import { generatedId } from "../../state/generated-id.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import { ownerKey } from "../../state/keys.ts";
import type { Org } from "../../state/state.ts";
import { changeDetails } from "../../users/details.ts";
import { keptEmail } from "../../users/email-address.ts";
import { linkPayload, OTP_EVENTS, userEvent } from "../../users/human-events.ts";
import { hashPassword } from "../../users/verifiers.ts";
import { accept } from "../shared/accept.ts";
import { type Verification, verificationEvent, verificationOf } from "./codes.ts";
import { checkedPassword, checkForm, checkLinks, checkUserName, knownPhoneOf, linkOf, profileOf } from "./rules.ts";

/** `POST /v2/users/human`: creates an active user (service behaviour 0.3). */
export async function createHuman(call: Call, instance: Instance): Promise<Answer> {
  const message = "zitadel.user.v2.AddHumanUserRequest";
  const { caller, request } = await accept(call, instance, message, { permission: "user.write" });
  const org = organizationOf(request, call, instance, caller);
  checkForm(request, { secret: request, isNew: true }, instance);
  checkIsNew(textAt(request, "userId"), instance);
  const hash = await hashOf(request, org, instance);
  // No await from here on: of two calls that create the same user, the second one finds it.
  const made = checkedUser(request, org, instance, hash);
  keep(instance, made, request, caller);
  const { userId, email, phone } = made;
  const details = changeDetails(instance.store.state, userId, made.org.id);
  const { createdStatus } = instance.traits;
  return jsonAnswer({ userId, details, emailCode: email.code, phoneCode: phone?.code }, createdStatus);
}

/** The organization in the request, or the caller's. */
function organizationOf(request: JsonObject, call: Call, instance: Instance, caller: Caller): Org {
  const { state } = instance.store;
  const domain = textAt(request, "organization", "orgDomain");
  if (domain !== "" && !instance.traits.findsOrgByDomain) {
    throw new Refusal("unauthenticated", "context missing", "AUTH-rKLWEH");
  }
  const ofDomain = state.owners.get(ownerKey("verifiedDomains", domain.toLowerCase()));
  const own = state.userOrgs.get(caller.userId) ?? state.instance?.defaultOrgId;
  const wanted =
    domain !== "" ? ofDomain : textAt(request, "organization", "orgId") || headerOf(call, "x-zitadel-orgid") || own;
  const org = state.orgs.get(wanted ?? "");
  if (org === undefined) throw new Refusal("permissionDenied", "Organisation doesn't exist", "AUTH-Bs7Ds");
  return org;
}

function checkIsNew(userId: string, { store }: Instance): void {
  if (!store.state.userOrgs.has(userId)) return;
  throw new Refusal("failedPrecondition", "Errors.User.AlreadyExisting", "COMMAND-7yiox1isql");
}

async function hashOf(request: JsonObject, org: Org, { traits }: Instance): Promise<string> {
  const given = textAt(request, "hashedPassword", "hash");
  if (given !== "") return given;
  const password = textAt(request, "password", "password");
  return password === "" ? "" : hashPassword(checkedPassword(password, org, traits, "COMMA"));
}

interface CheckedUser {
  readonly userId: string;
  readonly org: Org;
  readonly entry: JsonObject;
  readonly links: readonly JsonObject[];
  readonly email: Verification;
  readonly phone: Verification | undefined;
}

/** Checks the user and returns its stored entry. Raises Refusal. */
function checkedUser(request: JsonObject, org: Org, instance: Instance, hash: string): CheckedUser {
  const { state } = instance.store;
  const userId = textAt(request, "userId") || generatedId();
  checkIsNew(userId, instance);
  const { email, phone } = request;
  const address = keptEmail(textAt(email, "email"), instance.traits.emailRule);
  const userName = textAt(request, "username").trim() || address;
  const number = isObject(phone) ? knownPhoneOf(phone) : undefined;
  const links = listAt(request, "idpLinks").map((link) => linkOf(userId, link));
  const home = homeOf(state, userId, { org, traits: instance.traits });
  checkLinks(links, instance);
  checkUserName(domainIsForeign(state, home, userName), nameFault(state, home, userName) !== undefined);
  const mail = verificationOf(isObject(email) ? email : {});
  const text = isObject(phone) && number !== undefined ? verificationOf(phone) : undefined;
  const mustChange =
    valueAt(request, "password", "changeRequired") === true ||
    valueAt(request, "hashedPassword", "changeRequired") === true;
  const otpCode = textAt(request, "totpSecret");
  const profile = profileOf(request);
  const user: JsonObject = {
    userName,
    // Updating a user does not trim the names (service behaviour 0.34).
    profile: {
      ...profile,
      firstName: textAt(profile, "firstName").trim(),
      lastName: textAt(profile, "lastName").trim(),
    },
    email: { email: address, ...(mail.verified ? { isEmailVerified: true } : {}) },
    ...(number === undefined ? {} : { phone: { phone: number, ...(text?.verified ? { isPhoneVerified: true } : {}) } }),
    ...(hash === "" ? {} : { hashedPassword: { value: hash } }),
    ...(mustChange ? { passwordChangeRequired: true } : {}),
    ...(otpCode === "" ? {} : { otpCode }),
  };
  return { userId, org: home, entry: { userId, user }, links, email: mail, phone: text };
}

/** Stores the user with its links and metadata, with the events in the service's order (probed on v4). */
function keep({ store }: Instance, made: CheckedUser, request: JsonObject, caller: Caller): void {
  const { userId, org, entry, links } = made;
  const metadata = listAt(request, "metadata");
  store.change({ do: "put", org: org.id, field: "humanUsers", key: userId, entry });
  for (const { key, value } of metadata)
    store.change({ do: "put", org: org.id, ...metadataChange({ id: userId, key, value }) });
  for (const link of links) putLink({ store }, org.id, link);
  const where = { userId, orgId: org.id, editor: caller.userId };
  const event = (type: string, payload?: JsonObject) => userEvent(where, type, payload);
  const otp = textAt(entry, "user", "otpCode") === "" ? [] : OTP_EVENTS;
  store.push([
    { ...event("user.human.added", entry), origin: "users-api" },
    // No code is sent for `isVerified: false`, but one is sent without `isVerified` (probed on v4 and v2).
    ...(valueAt(request, "email", "isVerified") === false ? [] : [verificationEvent("email", made.email, event)]),
    ...(made.phone === undefined ? [] : [verificationEvent("phone", made.phone, event)]),
    ...metadata.map(({ key, value }) => event("user.metadata.set", { key, value })),
    ...links.map((link) => event("user.human.externalidp.added", linkPayload(link))),
    ...otp.map((type) => event(type)),
  ]);
  store.commit();
}
