import { parseDurationMs } from "../../../contract/duration.ts";
import { type Answer, jsonAnswer, LibraryError } from "../../http/answer.ts";
import { type JsonObject, listAt, textAt, valueAt } from "../../http/json.ts";
import { createPace, deadlineExceeded } from "../../http/pace.ts";
import { fromV1 } from "../../import/from-v1.ts";
import { checkInnerObjects } from "../../import/process-end.ts";
import { addRecoveryCodes } from "../../import/recovery-codes.ts";
import { importInto } from "../../import/run.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import { accept } from "../shared/accept.ts";
import { importFromStorage } from "./storage-calls.ts";

/** `POST /admin/v1/import`. Raises ProcessEnd for a body that ends the real service's process (service behaviour 0.1). */
export async function importData(call: Call, instance: Instance): Promise<Answer> {
  const { caller, request } = await accept(call, instance, "zitadel.admin.v1.ImportDataRequest", {
    permission: "iam.write",
  });
  if (instance.traits.knowsRecoveryCodes) addRecoveryCodes(request, call.body);
  const timeoutMs = timeoutOf(request);
  const { perUserMs, stopAfterUsers, signal } = call;
  const pace = createPace({ timeoutMs, perUserMs, stopAfterUsers, signal });
  const orgs = bodyOrgs(request);
  if (orgs === undefined) {
    importFromStorage(request, instance, { caller, timeoutMs });
    return jsonAnswer({});
  }
  if (timeoutMs <= 0) throw deadlineExceeded();
  checkInnerObjects(orgs);
  const orgId = headerOf(call, "x-zitadel-orgid");
  const events = request["dataOrgs"] !== undefined;
  return jsonAnswer(await importInto(instance, { orgs, caller, orgId, pace, events }));
}

/** `timeout` is a required duration of Go; its error is not wrapped, so it is a 500 (service behaviour 0.10). */
function timeoutOf(request: JsonObject): number {
  const text = textAt(request, "timeout");
  const ms = parseDurationMs(text);
  if (ms === undefined) throw new LibraryError("unknown", durationFault(text));
  return ms;
}

/** Go's error for a text that is not a duration (service behaviour 0.10; recordings 50–52). */
function durationFault(text: string): string {
  const quoted = JSON.stringify(text);
  const rest = text.replace(/^[+-]/, "").replace(/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+/, "");
  const [number = "", unit = ""] = /^(\d+\.?\d*|\.\d+)?([^\d.]*)/.exec(rest)?.slice(1) ?? [];
  if (number !== "" && unit === "") return `time: missing unit in duration ${quoted}`;
  if (number !== "") return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
  return `time: invalid duration ${quoted}`;
}

/** The organizations in the body; undefined for every other variant. */
function bodyOrgs(request: JsonObject): readonly JsonObject[] | undefined {
  if (valueAt(request, "dataOrgs") !== undefined) return listAt(request["dataOrgs"], "orgs");
  if (valueAt(request, "dataOrgsv1") === undefined) return undefined;
  return listAt(request["dataOrgsv1"], "orgs").map(fromV1);
}
