import { isObject, type JsonObject, textAt, valueAt } from "../protojson/json-value.ts";
import type { LoggedEvent } from "../state/event-log.ts";

type Named = Omit<LoggedEvent, "at">;

/** Where the events of one user belong. `sequence` is that of the last event the user had. */
export interface UserEvents {
  readonly userId: string;
  readonly orgId: string;
  readonly editor: string;
  readonly sequence: number;
}

/** What the service pushes for one imported human user, in one push (service behaviour 2.6 and 3). */
export function humanEvents(entry: JsonObject, where: UserEvents): readonly Named[] {
  return numbered(humanEventTypes(entry), where);
}

/** Events of the given types for one user, numbered on. */
export function numbered(types: readonly string[], { userId, orgId, editor, sequence }: UserEvents): readonly Named[] {
  return types.map((type, index) => ({
    type,
    aggregateType: "user",
    aggregateId: userId,
    orgId,
    editor,
    sequence: sequence + index + 1,
  }));
}

function humanEventTypes(entry: JsonObject): string[] {
  const user = valueAt(entry, "user");
  const verified = valueAt(user, "email", "isEmailVerified") === true;
  const links = valueAt(user, "idps");
  const linked = Array.isArray(links) ? links.length : 0;
  const initial = linked === 0 && (!verified || !canSignIn(entry));
  const types = ["user.human.added"];
  if (verified) types.push("user.human.email.verified");
  if (initial) types.push("user.human.initialization.code.added");
  else if (!verified) types.push("user.human.email.code.added");
  const phone = valueAt(user, "phone");
  if (isObject(phone)) {
    types.push(phone["isPhoneVerified"] === true ? "user.human.phone.verified" : "user.human.phone.code.added");
  }
  for (let link = 0; link < linked; link += 1) types.push("user.human.externalidp.added");
  return [...types, ...stateEvents(textAt(entry, "state"))];
}

function canSignIn(entry: JsonObject): boolean {
  const user = valueAt(entry, "user");
  return (
    textAt(user, "password") !== "" ||
    textAt(user, "hashedPassword", "value") !== "" ||
    valueAt(user, "requestPasswordlessRegistration") === true
  );
}

/** Only these two states have an effect on import (service behaviour 2.6). */
function stateEvents(state: string): readonly string[] {
  if (state === "USER_STATE_INACTIVE") return ["user.deactivated"];
  return state === "USER_STATE_LOCKED" ? ["user.locked"] : [];
}
