import { camelKey, type KnownFields } from "../../contract/import-request.ts";
import { type Fields, fieldsOf, member } from "../json/members.ts";
import type { FieldFault } from "./human-user.ts";
import { optionalTextFault, textFault } from "./text.ts";

type Report = (field: string, fault: FieldFault["fault"]) => void;

/** Characters of a base64 text that holds 500,000 bytes, the most the service takes as one metadata value. */
const MAX_METADATA_CHARACTERS = Math.ceil(500_000 / 3) * 4;

/** Checks machine users and metadata by the service's rules (service behaviour 1.4, 1.5); other sections are left to the service. */
export function checkElement(section: string, element: unknown, report: Report): void {
  if (section === "machineUsers") checkMachineUser(fieldsOf(element), report);
  else if (section === "userMetadata") checkMetadata(fieldsOf(element), report);
}

function checkMachineUser(entry: Fields, report: Report): void {
  const user = fieldsOf(entry["user"]);
  check(member(user, "userName"), "user.userName", 200, textFault, report);
  check(user["name"], "user.name", 200, textFault, report);
  check(user["description"], "user.description", 500, optionalTextFault, report);
}

function checkMetadata(entry: Fields, report: Report): void {
  check(entry["id"], "id", 200, textFault, report);
  check(entry["key"], "key", 200, textFault, report);
  check(entry["value"], "value", MAX_METADATA_CHARACTERS, textFault, report);
}

function check(value: unknown, field: string, limit: number, rule: typeof textFault, report: Report): void {
  const text = value ?? "";
  const fault = typeof text === "string" ? rule(text, limit) : ({ code: "field.type", expected: "a text" } as const);
  if (fault !== undefined) report(field, fault);
}

/** A field that no known version has: its path in the value, such as `user.email.type`, and its value. */
export type UnknownField = readonly [path: string, value: unknown];

const NONE: readonly UnknownField[] = [];

/** The fields of a value, and of the values within it, that are not among the known ones. null means absent. */
export function unknownFields(value: unknown, known: KnownFields | undefined): readonly UnknownField[] {
  if (known === undefined || typeof value !== "object" || value === null) return NONE;
  if (Array.isArray(value)) return value.flatMap((element) => unknownFields(element, known));
  const fields = fieldsOf(value);
  let found = NONE;
  // Every element of a large body comes here: no list of pairs is made.
  for (const key of Object.keys(fields)) {
    const part = fields[key];
    if (part === null) continue;
    const name = camelKey(key);
    const inner = known.get(name);
    if (inner === undefined) {
      if (!known.has(name)) found = [...found, [key, part]];
      continue;
    }
    const within = unknownFields(part, inner);
    if (within.length > 0) found = [...found, ...within.map(([path, one]) => [`${name}.${path}`, one] as const)];
  }
  return found;
}
