import { at, text } from "../instance/json.ts";
import { ORG } from "./side.ts";

/** The account that set a value: the one that created the user, the service user of the copy, or another one since. */
export type Writer = "maker" | "self" | "other";

export interface Written {
  readonly value: string;
  readonly by: Writer;
}

/** What is kept of a user, by the names of the report. */
export const fieldNames = [
  "userName",
  "email",
  "isEmailVerified",
  "firstName",
  "lastName",
  "nickName",
  "displayName",
  "preferredLanguage",
  "gender",
  "phone",
  "isPhoneVerified",
  "hash",
  "state",
] as const;
export type FieldName = (typeof fieldNames)[number];

/** A user as an instance's event log has it. */
export interface Seen {
  readonly fields: Map<FieldName, Written>;
  readonly metadata: Map<string, Written>;
  readonly madeBySelf: boolean;
  /** ISO 8601. */
  readonly madeAt: string;
  /** The display name is both names, as the service makes it, and is not changed since. */
  isMadeByService: boolean;
  /** The display name is both names. */
  isMadeOfNames: boolean;
  /** Has to finish the registration first. */
  isInitial: boolean;
}

/** An event as it came. */
export interface SeenEvent {
  /** The user's, also of what belongs to a user. */
  readonly id: string;
  readonly orgId: string;
  readonly type: string;
  readonly bySelf: boolean;
  readonly payload: unknown;
  readonly sequence: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The existing human users of the organization with their changes, from all events in order. */
export function seenIn(events: readonly SeenEvent[], orgId = ORG): Map<string, Seen> {
  const there = new Map<string, Seen>();
  for (const event of events.filter((one) => one.orgId === orgId)) {
    if (event.type === "user.human.added") there.set(event.id, added(event));
    // The service writes a machine user onto a user of the same id.
    else if (event.type === "user.removed" || event.type === "user.machine.added") there.delete(event.id);
    else {
      const seen = there.get(event.id);
      if (seen !== undefined) change(seen, event);
    }
  }
  return there;
}

/** The users that another account deleted last. */
export function deletedIn(events: readonly SeenEvent[]): Set<string> {
  const deleted = new Set<string>();
  for (const { type, id, bySelf, orgId } of events) {
    if (orgId !== ORG) continue;
    if (type === "user.removed" && !bySelf) deleted.add(id);
    else if (type === "user.removed" || type === "user.human.added") deleted.delete(id);
  }
  return deleted;
}

function added({ payload, bySelf, at: madeAt }: SeenEvent): Seen {
  const hasPhone = text(payload, "phone") !== "";
  const values: Record<FieldName, string> = {
    userName: text(payload, "userName"),
    email: text(payload, "email"),
    isEmailVerified: "no",
    firstName: text(payload, "firstName"),
    lastName: text(payload, "lastName"),
    nickName: text(payload, "nickName"),
    displayName: text(payload, "displayName"),
    preferredLanguage: languageIn(payload),
    gender: genderIn(payload),
    phone: hasPhone ? text(payload, "phone") : "",
    isPhoneVerified: "no",
    hash: text(payload, "encodedHash"),
    state: "active",
  };
  const fields = fieldNames.map((name) => [name, { value: values[name], by: "maker" }] as const);
  const isMadeByService = squeezed(values.displayName) === squeezed(`${values.firstName} ${values.lastName}`);
  return {
    fields: new Map(fields),
    metadata: new Map(),
    madeBySelf: bySelf,
    madeAt,
    isMadeByService,
    isMadeOfNames: isBoth(values),
    isInitial: false,
  };
}

/** Blanks around the names do not count: some calls of the service take them away. */
function isBoth({
  displayName,
  firstName,
  lastName,
}: Readonly<Record<"displayName" | "firstName" | "lastName", string>>): boolean {
  const [shown, first, last] = [displayName.trim(), firstName.trim(), lastName.trim()];
  const isMade = shown.startsWith(first) && shown.endsWith(last) && shown.length > first.length + last.length;
  return isMade && shown.slice(first.length, shown.length - last.length).trim() === "";
}

function squeezed(words: string): string {
  return words.split(/\s+/).filter(Boolean).join(" ");
}

const flags: Readonly<Record<string, readonly [FieldName, string]>> = {
  "user.human.email.verified": ["isEmailVerified", "yes"],
  "user.human.phone.verified": ["isPhoneVerified", "yes"],
  "user.locked": ["state", "locked"],
  "user.unlocked": ["state", "active"],
  "user.deactivated": ["state", "inactive"],
  "user.reactivated": ["state", "active"],
};

/** The display name is both names if it was set to them, until a name changes without it. */
function noteNames(seen: Seen, payload: SeenEvent["payload"]): void {
  const textOf = (name: FieldName): string => seen.fields.get(name)?.value ?? "";
  const [displayName, firstName, lastName] = [textOf("displayName"), textOf("firstName"), textOf("lastName")];
  if (at(payload, "displayName") !== undefined) seen.isMadeOfNames = isBoth({ displayName, firstName, lastName });
  else if (text(payload, "firstName") + text(payload, "lastName") !== "") seen.isMadeOfNames = false;
}

function change(seen: Seen, { type, payload, bySelf }: SeenEvent): void {
  const by = bySelf ? "self" : "other";
  const put = (name: FieldName, value: string): void => {
    seen.fields.set(name, { value, by });
    if (name === "displayName") seen.isMadeByService = false;
    // A user who was locked and unlocked counts as finished.
    if (name === "state") seen.isInitial = false;
  };
  const flag = flags[type];
  if (flag !== undefined) put(...flag);
  switch (type) {
    case "user.human.initialization.code.added":
      seen.isInitial = true;
      break;
    case "user.human.initialization.check.succeeded":
      seen.isInitial = false;
      break;
    case "user.username.changed":
      put("userName", text(payload, "userName"));
      break;
    case "user.human.profile.changed":
      for (const name of ["firstName", "lastName", "nickName", "displayName"] as const)
        if (at(payload, name) !== undefined) put(name, text(payload, name));
      noteNames(seen, payload);
      if (at(payload, "preferredLanguage") !== undefined) put("preferredLanguage", languageIn(payload));
      if (at(payload, "gender") !== undefined) put("gender", genderIn(payload));
      break;
    case "user.human.email.changed":
      put("email", text(payload, "email"));
      put("isEmailVerified", "no");
      break;
    case "user.human.phone.changed":
    case "user.human.phone.removed":
      put("phone", text(payload, "phone"));
      put("isPhoneVerified", "no");
      break;
    case "user.human.password.changed":
      put("hash", text(payload, "encodedHash"));
      break;
    case "user.metadata.set":
      seen.metadata.set(text(payload, "key"), { value: text(payload, "value"), by });
      break;
    case "user.metadata.removed":
      seen.metadata.set(text(payload, "key"), { value: "", by });
      break;
    default:
  }
}

function genderIn(payload: unknown): string {
  const gender = Number(at(payload, "gender") ?? 0);
  return String(Math.max(0, gender));
}

function languageIn(payload: unknown): string {
  const tag = text(payload, "preferredLanguage");
  return tag === "und" ? "" : tag;
}
