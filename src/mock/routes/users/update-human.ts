import type { Answer } from "../../http/answer.ts";
import { isObject, type JsonObject, textAt, valueAt } from "../../http/json.ts";
import { domainIsForeign } from "../../import/human.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { uniqueName } from "../../state/keys.ts";
import type { State } from "../../state/state.ts";
import { keptEmail } from "../../users/email-address.ts";
import type { MakeEvent } from "../../users/human-events.ts";
import { displayNameOf, genders, knownLanguage, languageOf, userOf } from "../../users/human-user.ts";
import { verificationEvent, verificationOf } from "./codes.ts";
import { newSecret, secretStep } from "./password.ts";
import { checkForm, checkUserName, givenProfile, knownPhoneOf } from "./rules.ts";
import {
  acceptUserCall,
  type ChangeStep,
  changeUser,
  eventsOf,
  existingUser,
  missingUser,
  type UserCall,
} from "./target.ts";

const MISSING = missingUser("COMMAND-ugjs0upun6");

/** `PUT /v2/users/human/{id}`: changes the given fields, and writes an event only for new values (service behaviour 0.28). */
export async function updateHuman(call: Call, instance: Instance): Promise<Answer> {
  const form = (given: JsonObject): void => checkForm(given, { secret: given["password"], isNew: false }, instance);
  const accepted = await acceptUserCall(call, instance, "zitadel.user.v2.UpdateHumanUserRequest", MISSING, form);
  const { caller, request } = accepted;
  if (accepted.user.field !== "humanUsers") throw MISSING();
  const given = request["password"];
  const secret = isObject(given) ? await newSecret(given, accepted.user, instance) : undefined;
  const user = existingUser(instance, accepted.user.id, MISSING);
  const event = eventsOf(user, caller);
  const steps = [
    userNameStep({ user, request, caller }, instance, event),
    profileStep({ user, request, caller }, instance, event),
    addressStep("email", user.entry, keptAddress(request["email"], instance), event),
    addressStep("phone", user.entry, request["phone"], event),
    ...(secret === undefined ? [] : [secretStep(secret, event)]),
  ];
  return changeUser(instance, user, {
    user: Object.assign({}, ...steps.map((step) => step.user)),
    events: steps.flatMap(({ events }) => events),
    answer: { emailCode: steps[2]?.code, phoneCode: steps[3]?.code },
  });
}

function keptAddress(given: JsonObject[string], { traits }: Instance): JsonObject[string] {
  return isObject(given) ? { ...given, email: keptEmail(textAt(given, "email"), traits.emailRule) } : given;
}

const nothing: ChangeStep = { user: {}, events: [] };

function userNameStep({ user, request }: UserCall, { store }: Instance, event: MakeEvent): ChangeStep {
  const userName = textAt(request, "username");
  if (userName === "" || userName === textAt(user.entry, "user", "userName")) return nothing;
  const holder = store.state.userNames.get(uniqueName(user.org, userName));
  checkUserName(domainIsForeign(store.state, user.org, userName), holder !== undefined && holder !== user.id);
  return { user: { userName }, events: [event("user.username.changed", { userName })] };
}

/** Given fields are changed, also to an empty text. The display name does not follow the names (service behaviour 0.28). */
function profileStep({ user: { entry, id }, request }: UserCall, { store }: Instance, event: MakeEvent): ChangeStep {
  const profile = valueAt(userOf(entry), "profile");
  const before: JsonObject = {
    ...(isObject(profile) ? profile : {}),
    nickName: textAt(profile, "nickName"),
    displayName: displayNameOf(entry),
    preferredLanguage: languageOf(entry),
    gender: textAt(profile, "gender") || (wasImported(id, store.state) ? "none" : "GENDER_UNSPECIFIED"),
  };
  const wanted = givenProfile(request).flatMap(([key, value]): [string, string][] => {
    if (key !== "preferredLanguage") return [[key, value]];
    return value === "" ? [] : [[key, knownLanguage(value)]];
  });
  const changed = wanted.filter(([key, value]) => before[key] !== value);
  if (changed.length === 0) return nothing;
  const payload = changed.map(([key, value]) => [key, key === "gender" ? (genders[value] ?? 0) : value]);
  const kept = {
    ...(isObject(profile) ? profile : {}),
    displayName: before["displayName"],
    ...Object.fromEntries(changed),
  };
  return { user: { profile: kept }, events: [event("user.human.profile.changed", Object.fromEntries(payload))] };
}

/** The import endpoint gives a user without a gender the gender -1, which differs from unspecified (service behaviour 0.34). */
function wasImported(userId: string, { events }: State): boolean {
  return events.latest(userId, "user.human.added")?.origin !== "users-api";
}

/** A new address, or an unverified one, must be verified, unless the request says that it is. */
export function addressStep(
  kind: "email" | "phone",
  entry: JsonObject,
  given: JsonObject[string],
  event: MakeEvent,
): ChangeStep {
  if (!isObject(given)) return nothing;
  const before = valueAt(userOf(entry), kind);
  // Without a number the current one is verified, if there is one; no code is sent (probed on v4).
  const text = kind === "email" ? textAt(given, kind) : (knownPhoneOf(given) ?? textAt(before, kind));
  const isSame = textAt(before, kind) === text;
  const flag = verifiedFlags[kind];
  const wasVerified = isSame && valueAt(before, flag) === true;
  const verification = verificationOf(given);
  if (isSame && (wasVerified || !verification.verified)) return nothing;
  return {
    user: { [kind]: { [kind]: text, ...(verification.verified ? { [flag]: true } : {}) } },
    events: [
      ...(isSame ? [] : [event(`user.human.${kind}.changed`, { [kind]: text })]),
      verificationEvent(kind, verification, event),
    ],
    ...(verification.code === undefined ? {} : { code: verification.code }),
  };
}

const verifiedFlags = { email: "isEmailVerified", phone: "isPhoneVerified" } as const;
