import { type Answer, jsonAnswer, ProcessEnd } from "../../http/answer.ts";
import type { JsonObject } from "../../protojson/json-value.ts";
import type { Call, Instance } from "../../state/instance.ts";
import type { Org } from "../../state/state.ts";
import { lagOf } from "../../users/lag.ts";
import { accept, checkSize } from "../accept.ts";
import { exportDocument, exportSize } from "./export-document.ts";
import type { ExportSettings } from "./exported-org.ts";
import { locationIn } from "./storage-calls.ts";

/**
 * `POST /admin/v1/export`: the data as the body, or, with gcs_output, a file in object storage and `{}` at once. The real
 * service of today ignores gcs_output and answers with the data (service behaviour 0.17).
 */
export async function exportData(call: Call, instance: Instance): Promise<Answer> {
  const { request } = accept(call, instance, { message: "ExportDataRequest", permission: "iam.read" });
  const settings = exportSettings(request, call, instance);
  const location = locationIn(request, "gcsOutput");
  if (location === undefined || !instance.traits.writesObjectStorage) return documentAnswer(settings, instance);
  instance.background.start(`export to ${location.bucket}/${location.path}`, async () => {
    await instance.storage.write(location, exportDocument(settings));
    return "done";
  });
  return jsonAnswer({});
}

/** What an export is about; a lag is what it was when the call came. Raises ProcessEnd (service behaviour 0.16). */
export function exportSettings(request: JsonObject, { lagUsers }: Call, instance: Instance): ExportSettings {
  const { store, table, traits } = instance;
  return {
    state: store.state,
    table,
    traits,
    orgs: orgsOf(request, instance),
    withPasswords: request["withPasswords"] === true,
    withOtp: request["withOtp"] === true,
    lag: lagOf(store.state, lagUsers),
  };
}

/**
 * All organizations without ids; those that are not there are left out, one that is named twice comes once (service behaviour
 * 0.17). Only an excluded one that would be in the export ends the process (probed on v4).
 */
function orgsOf(request: JsonObject, { store, traits }: Instance): readonly Org[] {
  const wanted = idsAt(request, "orgIds");
  const excluded = idsAt(request, "excludedOrgIds");
  const asked = [...store.state.orgs.values()].filter(({ id }) => wanted.size === 0 || wanted.has(id));
  const left = asked.find(({ id }) => excluded.has(id));
  if (traits.exclusionEndsProcess && left !== undefined) {
    throw new ProcessEnd(`excluded_org_ids names ${left.id}: the real service's process would have ended here`);
  }
  return asked.filter(({ id }) => !excluded.has(id));
}

function idsAt(request: JsonObject, key: string): ReadonlySet<string> {
  const list = request[key];
  return new Set(Array.isArray(list) ? list.map(String) : []);
}

/**
 * Refused when the message is larger than the limit. A JSON text is never shorter than the message it tells, so that only what is
 * longer than the limit has to be measured.
 */
function documentAnswer(settings: ExportSettings, { maxResponseBytes }: Instance): Answer {
  const pieces: string[] = [];
  let bytes = 0;
  for (const piece of exportDocument(settings)) {
    pieces.push(piece);
    bytes += Buffer.byteLength(piece);
    if (bytes > maxResponseBytes) {
      checkSize(exportSize(settings), maxResponseBytes);
      return { status: 200, body: exportDocument(settings) };
    }
  }
  return { status: 200, body: pieces.join("") };
}
