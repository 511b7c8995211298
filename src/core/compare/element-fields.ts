import { camelKey, orgMembers, rolesMember } from "../../contract/import-request.ts";
import type { UserView } from "../compared-fields.ts";
import { memberAt, fieldsOf as membersOf, textsMember } from "../json/members.ts";
import { unknownFields } from "../rules/elements.ts";
import { expectedView } from "./user-view.ts";

/** One field of an object of an export: its name, and its value as a text. */
export type NamedText = readonly [name: string, value: string];

/**
 * The compared fields of an element of a list, or of a setting of an organization, in the order of the document. Default values do not
 * count, because the service leaves them out; neither do times and counts, which an import cannot carry.
 */
export function fieldsOf(section: string, value: unknown): NamedText[] {
  if (section === "humanUsers") return fieldsOfUser(value);
  // Nothing changes a key.
  if (section === "machineKeys") return [];
  const fields: NamedText[] = [];
  if (section === "machineUsers") fields.push(...closedState(value));
  if (Array.isArray(value)) for (const element of value) fields.push([section, canonical(element)]);
  else if (typeof value === "object") addFields(fields, [], value);
  else addFields(fields, [section], value);
  const roles = rolesMember(section);
  const ofTheInstance = OF_THE_INSTANCE[section];
  const others = fields.filter(([name]) => name !== roles && ofTheInstance?.has(name) !== true);
  // Each role is a value, so that a comparison knows which side has more.
  return roles === undefined
    ? others
    : [...others, ...textsMember(membersOf(value), roles).map((role): NamedText => [roles, role])];
}

/** A service user who is closed can sign in on the target if that is not so there. Exports of 2.x have no states (service behaviour 0.19b). */
function closedState(value: unknown): readonly NamedText[] {
  const state = memberAt(value, ["state"]);
  return state === "USER_STATE_INACTIVE" || state === "USER_STATE_LOCKED" ? [["closed", state]] : [];
}

/**
 * The export of a machine user has no inner id; its state is compared as "closed". A link has the name and the type of its provider, which
 * no import takes. An organization has one grant of a project, which the service finds for a role grant without its id (service behaviour 9.47).
 */
const OF_THE_INSTANCE: Readonly<Record<string, ReadonlySet<string>>> = {
  machineUsers: new Set(["userId", "user.userId", "state"]),
  userLinks: new Set(["idpName", "idpType"]),
  userGrants: new Set(["projectGrantId"]),
};

/** A human user's fields, by the same names as in a comparison by events, and those that are not known. */
function fieldsOfUser(entry: unknown): NamedText[] {
  const view: UserView = expectedView(entry);
  const isShown = (name: string): boolean => name !== "passwordChangeRequired"; // not in an export
  // Only an export has the secret itself.
  const secret = String(memberAt(entry, ["user", "otpCode"]) ?? "")
    .replaceAll(/[\s=-]/g, "")
    .toUpperCase();
  const fields = Object.entries(view).flatMap(([name, value]): readonly NamedText[] =>
    !isShown(name) || (value === "" && name !== "hash") ? [] : [[name, name === "otp" ? secret : value]],
  );
  for (const [path, value] of unknownFields(entry, orgMembers.get("humanUsers"))) addFields(fields, [path], value);
  return fields;
}

function addFields(fields: NamedText[], path: readonly string[], value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (!isDefault(value)) fields.push([path.join("."), canonical(value)]);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const name = camelKey(key);
    if (!NOT_CARRIED.has(name)) addFields(fields, [...path, name], member);
  }
}

/** Sequence and times of an object belong to its instance. */
const NOT_CARRIED = new Set(["details"]);

function isDefault(value: unknown): boolean {
  if (value === null || value === false || value === "" || value === 0 || value === "0" || value === "0s") return true;
  if (typeof value === "string") return value.endsWith("_UNSPECIFIED");
  return Array.isArray(value) && value.length === 0;
}

/** The same text for equal values: members sorted by name, lists sorted, numbers as texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(String(value));
  const members = Object.entries(value)
    .map(([key, member]) => [camelKey(key), member] as const)
    .filter(([key, member]) => !NOT_CARRIED.has(key) && !isDefault(member))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.sort().join(",")}}`;
}
