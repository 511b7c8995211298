import { parseDurationMs } from "../../contract/duration.ts";
import { type Answer, jsonAnswer, Refusal } from "../http/answer.ts";
import { authorize, type Permission } from "../http/auth.ts";
import { createPace } from "../http/pace.ts";
import { fromV1 } from "../import/from-v1.ts";
import { importInto } from "../import/into.ts";
import { decodeBody } from "../protojson/decode.ts";
import { type JsonObject, listAt, textAt, valueAt } from "../protojson/json-value.ts";
import { messageNamed } from "../protojson/message-table.ts";
import { protoSize } from "../protojson/proto-size.ts";
import { validate } from "../protojson/validate.ts";
import { type Call, headerOf, type Instance } from "../state/instance.ts";
import { searchEvents } from "./event-search.ts";
import { exportDocument } from "./export-run.ts";
import { importFromStorage, locationIn } from "./storage-calls.ts";

/**
 * Authorization first, then the body: JSON, size, rules (service behaviour 2.8, 2.9; the real gateway reads the JSON before it
 * asks who is calling, which shows only to a caller without a token). Raises Refusal.
 */
function accept(call: Call, instance: Instance, expects: { message: string; permission: Permission }) {
  const { grants, now } = instance;
  const caller = authorize(headerOf(call, "authorization"), expects.permission, { grants, now: now() });
  checkOrgHeader(headerOf(call, "x-zitadel-orgid"), instance);
  const message = messageNamed(instance.table, expects.message);
  const request = decodeBody(message, requestText(call, instance));
  checkSize(protoSize(message, request), instance);
  validate(message, request);
  return { caller, request };
}

/** The context organization must be there (service behaviour 2.8). */
function checkOrgHeader(orgId: string | undefined, { store }: Instance): void {
  if (orgId === undefined || orgId === "" || store.state.orgs.has(orgId)) return;
  throw new Refusal("permissionDenied", "Organisation doesn't exist", "AUTH-Bs7Ds");
}

function checkSize(bytes: number, { maxRequestBytes }: Instance): void {
  if (bytes <= maxRequestBytes) return;
  throw new Refusal("resourceExhausted", `grpc: received message larger than max (${bytes} vs. ${maxRequestBytes})`);
}

function requestText({ body }: Call, { mimic }: Instance): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new Refusal("invalidArgument", "proto: syntax error (line 1:1): invalid UTF-8 in string");
  }
  return mimic === "specification" ? withExportAsObject(text) : text;
}

/**
 * spec: Import request types data_orgsv1 as a string with the exported content in it; the real service takes an object only and
 * refuses a string (service behaviour 2.4, 8). Both are read unless the service is mimicked.
 */
function withExportAsObject(text: string): string {
  if (!/"data_?[oO]rgs(?:v1)?"\s*:\s*"/.test(text)) return text;
  try {
    const body: JsonObject = JSON.parse(text);
    for (const key of ["data_orgsv1", "dataOrgsv1", "data_orgs", "dataOrgs"]) {
      const value = body[key];
      if (typeof value === "string") body[key] = JSON.parse(value);
    }
    return JSON.stringify(body);
  } catch {
    return text; // what is wrong with it is said where it is decoded
  }
}

/** `POST /admin/v1/import`. */
export async function importData(call: Call, instance: Instance): Promise<Answer> {
  const { caller, request } = accept(call, instance, { message: "ImportDataRequest", permission: "iam.write" });
  const timeoutMs = timeoutOf(request);
  const pace = createPace({
    timeoutMs,
    perUserMs: call.perUserMs,
    signal: call.signal,
    ...(call.stopAfterUsers === undefined ? {} : { stopAfterUsers: call.stopAfterUsers }),
  });
  const orgs = bodyOrgs(request, instance);
  if (orgs === undefined) {
    importFromStorage(request, instance, { caller, timeoutMs });
    return jsonAnswer({});
  }
  if (timeoutMs <= 0) throw new Refusal("unknown", "context deadline exceeded");
  return jsonAnswer(await importInto(instance, { orgs, caller, pace, events: request["dataOrgs"] !== undefined }));
}

/** `timeout` is required and Go's; its error is not wrapped, so it is a 500 (service behaviour 2.4). */
function timeoutOf(request: JsonObject): number {
  const text = textAt(request, "timeout");
  const ms = parseDurationMs(text);
  if (ms === undefined) throw new Refusal("unknown", `time: invalid duration ${JSON.stringify(text)}`);
  return ms;
}

/** The organizations that stand in the body itself; undefined for every other variant. */
function bodyOrgs(request: JsonObject, { table }: Instance): readonly JsonObject[] | undefined {
  if (valueAt(request, "dataOrgs") !== undefined) return listAt(request["dataOrgs"], "orgs");
  if (valueAt(request, "dataOrgsv1") === undefined) return undefined;
  return listAt(request["dataOrgsv1"], "orgs").map((org) => fromV1(org, table));
}

/**
 * `POST /admin/v1/export`: the data as the body, or, with gcs_output, a file in object storage and `{}` at once. The real
 * service of today ignores gcs_output and answers with the data (service behaviour 2.10).
 */
export async function exportData(call: Call, instance: Instance): Promise<Answer> {
  const { request } = accept(call, instance, { message: "ExportDataRequest", permission: "iam.read" });
  const document = exportDocument(exportSettings(request, instance));
  const location = locationIn(request, "gcsOutput");
  if (location === undefined || instance.mimic === "service") return { status: 200, body: document };
  instance.background.start(`export to ${location.bucket}/${location.path}`, async () => {
    await instance.storage.write(location, document);
    return "done";
  });
  return jsonAnswer({});
}

function exportSettings(request: JsonObject, { store, table, mimic }: Instance) {
  const ids = (key: string): readonly string[] => {
    const list = request[key];
    return Array.isArray(list) ? list.map(String) : [];
  };
  return {
    state: store.state,
    table,
    mimic,
    orgIds: ids("orgIds"),
    excludedOrgIds: ids("excludedOrgIds"),
    withPasswords: request["withPasswords"] === true,
    withOtp: request["withOtp"] === true,
  };
}

/** `POST /admin/v1/events/_search`. */
export async function listEvents(call: Call, instance: Instance): Promise<Answer> {
  const { request } = accept(call, instance, { message: "ListEventsRequest", permission: "events.read" });
  return jsonAnswer(searchEvents(request, instance.store.state));
}
