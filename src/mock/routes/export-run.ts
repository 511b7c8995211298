import type { Mimic } from "../import/import-context.ts";
import { isObject, type JsonObject, parseStored, valueAt } from "../protojson/json-value.ts";
import { type FieldType, type MessageTable, messageNamed } from "../protojson/message-table.ts";
import type { Org, State } from "../state/state.ts";

export interface ExportSettings {
  readonly state: State;
  readonly table: MessageTable;
  readonly mimic: Mimic;
  readonly orgIds: readonly string[];
  readonly excludedOrgIds: readonly string[];
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The export document `{"orgs":[…]}` in pieces of about 64 KiB, so that an instance of any size needs no more memory than that.
 * No organization ids mean all of them; unknown ones are left out. Hashes and OTP secrets only when asked for (spec: Export
 * request).
 */
export function* exportDocument(settings: ExportSettings): Generator<string> {
  const { state, orgIds, excludedOrgIds } = settings;
  const chosen = (orgIds.length === 0 ? [...state.orgs.keys()] : orgIds).flatMap((id) => {
    const org = state.orgs.get(id);
    return org === undefined || excludedOrgIds.includes(id) ? [] : [org];
  });
  if (chosen.length === 0) {
    yield "{}";
    return;
  }
  let chunk = '{"orgs":[';
  for (const [index, org] of chosen.entries()) {
    if (index > 0) chunk += ",";
    for (const piece of orgPieces(org, settings)) {
      chunk += piece;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = "";
    }
  }
  yield `${chunk}]}`;
}

function* orgPieces(org: Org, settings: ExportSettings): Generator<string> {
  yield `{"orgId":${JSON.stringify(org.id)},"org":${JSON.stringify({ name: org.name })}`;
  for (const field of messageNamed(settings.table, "DataOrg").fields) {
    const setting = org.settings.get(field.json);
    if (setting !== undefined) yield `,"${field.json}":${setting}`;
    if (field.repeated) yield* listPieces(org, field, settings);
  }
  yield "}";
}

function* listPieces(org: Org, { json }: FieldType, settings: ExportSettings): Generator<string> {
  let before = `,"${json}":[`;
  for (const entry of entriesOf(org, json, settings.mimic)) {
    yield before + (json === "humanUsers" ? withoutSecrets(entry, settings) : entry);
    before = ",";
  }
  if (before === ",") yield "]";
}

/**
 * The caller that created an organization is a member of it (service behaviour 2.3). The real service exports that membership,
 * though its user belongs to another instance; following the specification, it is left out so that an export can be repeated.
 */
function* entriesOf(org: Org, field: string, mimic: Mimic): Iterable<string> {
  if (field === "orgMembers" && mimic === "service") yield* org.lists.get("creators")?.values() ?? [];
  yield* org.lists.get(field)?.values() ?? [];
}

function withoutSecrets(entry: string, { withPasswords, withOtp }: ExportSettings): string {
  const hides = (key: string, shown: boolean): boolean => !shown && entry.includes(`"${key}":`);
  if (!hides("hashedPassword", withPasswords) && !hides("otpCode", withOtp)) return entry;
  const parsed = parseStored(entry);
  const user = valueAt(parsed, "user");
  if (!isObject(user)) return entry;
  const { hashedPassword, otpCode, ...rest } = user;
  const kept: JsonObject = {
    ...rest,
    ...(withPasswords && hashedPassword !== undefined ? { hashedPassword } : {}),
    ...(withOtp && otpCode !== undefined ? { otpCode } : {}),
  };
  return JSON.stringify({ ...parsed, user: kept });
}
