import { randomInt } from "node:crypto";
import { isObject, type JsonObject, valueAt } from "../../http/json.ts";
import type { NewEvent } from "../../state/store.ts";
import type { MakeEvent } from "../../users/human-events.ts";

/** How an address is verified: at once, or by a code that is sent or returned (service behaviour 0.3). */
export interface Verification {
  readonly verified: boolean;
  /** The code, if the caller asked for it. */
  readonly code?: string;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Reads `isVerified`, `returnCode`, `sendCode` of an e-mail address or a phone number; without them a code is sent. */
export function verificationOf(given: JsonObject): Verification {
  if (given["isVerified"] === true) return { verified: true };
  if (!isObject(valueAt(given, "returnCode"))) return { verified: false };
  return { verified: false, code: Array.from({ length: 6 }, () => LETTERS[randomInt(LETTERS.length)]).join("") };
}

/** The event after the event that sets an address. */
export function verificationEvent(
  kind: "email" | "phone",
  { verified, code }: Verification,
  event: MakeEvent,
): NewEvent {
  if (verified) return event(`user.human.${kind}.verified`);
  return event(`user.human.${kind}.code.added`, code === undefined ? undefined : { code_returned: true });
}
