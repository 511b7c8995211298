import { createHash } from "node:crypto";
import { type JsonObject, textAt, valueAt } from "../http/json.ts";
import type { LoggedEvent } from "../state/event-log.ts";
import { idFrom } from "../state/generated-id.ts";
import { displayNameOf, genders, languageOf, userOf } from "./human-user.ts";

const HOUR = 3_600_000_000_000; // nanoseconds, as Go's durations are

/**
 * The payload of an event (service behaviour 0.19a; recordings 139–143, 179). undefined: the event has no payload.
 */
export function payloadOf(event: LoggedEvent, origin: string): JsonObject | undefined {
  const { payload: stored } = event;
  switch (event.type) {
    case "user.human.added":
      return stored === undefined ? undefined : humanAdded(stored, event.origin === "users-api");
    case "user.machine.added":
      return stored === undefined ? undefined : machineAdded(userOf(stored));
    case "user.human.initialization.code.added":
      return { code: encrypted(event, "userKey"), expiry: 72 * HOUR, triggerOrigin: origin };
    case "user.human.email.code.added":
    case "user.human.phone.code.added":
      return { code: encrypted(event, "userKey"), ...stored, expiry: HOUR, triggerOrigin: origin };
    case "user.human.passwordless.initialization.code.added":
      return { code: encrypted(event, "userKey"), expiry: HOUR, id: idFrom(nameOf(event)) };
    case "user.human.mfa.otp.added":
      return { otpSecret: encrypted(event, "otpKey") };
    case "user.human.password.changed":
      return { ...stored, triggerOrigin: origin };
    case "user.human.mfa.otp.verified":
    case "user.human.password.check.succeeded":
    case "user.human.password.check.failed":
    case "user.machine.secret.check.succeeded":
      return {};
    default:
      return stored;
  }
}

function humanAdded(entry: JsonObject, byUsersApi: boolean): JsonObject {
  const user = userOf(entry);
  const profile = valueAt(user, "profile");
  const gender = genders[textAt(profile, "gender")];
  const given = {
    encodedHash: textAt(user, "hashedPassword", "value"),
    nickName: textAt(profile, "nickName"),
    phone: textAt(user, "phone", "phone"),
  };
  return {
    ...(user["passwordChangeRequired"] === true ? { changeRequired: true } : {}),
    displayName: displayNameOf(entry),
    email: textAt(user, "email", "email"),
    firstName: textAt(profile, "firstName"),
    ...(gender === undefined ? (byUsersApi ? {} : { gender: -1 }) : { gender }),
    lastName: textAt(profile, "lastName"),
    preferredLanguage: languageOf(entry),
    userName: textAt(user, "userName"),
    ...Object.fromEntries(Object.entries(given).filter(([, text]) => text !== "")),
  };
}

function machineAdded(user: JsonObject): JsonObject {
  const description = textAt(user, "description");
  return {
    ...(textAt(user, "accessTokenType") === "ACCESS_TOKEN_TYPE_JWT" ? { accessTokenType: 1 } : {}),
    ...(description === "" ? {} : { description }),
    name: textAt(user, "name"),
    userName: textAt(user, "userName"),
  };
}

/** In the form of the service's encrypted values, constant for an event, without content. */
function encrypted(event: LoggedEvent, KeyID: string): JsonObject {
  const digest = createHash("sha256").update(nameOf(event)).digest().subarray(0, 22);
  return { Algorithm: "aes", Crypted: digest.toString("base64"), CryptoType: 0, KeyID };
}

function nameOf({ aggregateId, sequence }: LoggedEvent): string {
  return `${aggregateId}\n${sequence}`;
}
