import { type Answer, jsonAnswer, ProcessEnd, Refusal } from "../../http/answer.ts";
import { type JsonObject, textsAt } from "../../http/json.ts";
import { type MessageType, messageType } from "../../messages/message-type.ts";
import type { Call, Instance } from "../../state/instance.ts";
import type { Org } from "../../state/state.ts";
import { lagOf } from "../../users/lag.ts";
import { accept, sizedAnswer } from "../shared/accept.ts";
import { exportedOrg } from "./exported-org.ts";
import { locationIn } from "./storage-calls.ts";

/**
 * `POST /admin/v1/export`: the data as the body, or, with gcs_output, a file in object storage and `{}` at once. The real
 * service ignores gcs_output and answers with the data (service behaviour 0.17).
 */
export async function exportData(call: Call, instance: Instance): Promise<Answer> {
  const { request } = await accept(call, instance, "zitadel.admin.v1.ExportDataRequest", { permission: "iam.read" });
  const location = locationIn(request, "gcsOutput");
  const { document, type } = await exportFor(request, call, instance);
  if (location === undefined || !instance.traits.writesObjectStorage) {
    return sizedAnswer(document, type, instance);
  }
  instance.background.start(`export to ${location.bucket}/${location.path}`, async () => {
    await instance.storage.write(location, JSON.stringify(document));
    return "done";
  });
  return jsonAnswer({});
}

/** An ExportDataResponse. */
export interface Export {
  readonly type: MessageType;
  readonly document: JsonObject;
}

/** The current contents of the requested organizations. Raises ProcessEnd (service behaviour 0.16). */
export async function exportFor(request: JsonObject, { lagUsers }: Call, instance: Instance): Promise<Export> {
  const type = await messageType("zitadel.admin.v1.ExportDataResponse");
  const { descriptor } = await messageType("zitadel.admin.v1.DataOrg");
  const { store, traits } = instance;
  const orgs = orgsOf(request, instance);
  const settings = {
    store,
    traits,
    descriptor,
    orgs,
    withPasswords: request["withPasswords"] === true,
    withOtp: request["withOtp"] === true,
    lag: lagOf(store.state, lagUsers),
  };
  return { type, document: orgs.length === 0 ? {} : { orgs: orgs.map((org) => exportedOrg(org, settings)) } };
}

/**
 * The organizations with the given ids, without duplicates and unknown ones; all without ids (service behaviour 0.17). Excluding an
 * organization ends the process only if the export would hold it (probed on v4).
 */
function orgsOf(request: JsonObject, { store, traits }: Instance): readonly Org[] {
  const wanted = new Set(textsAt(request, "orgIds"));
  const excluded = new Set(textsAt(request, "excludedOrgIds"));
  const asked = [...store.state.orgs.values()].filter(({ id }) => wanted.size === 0 || wanted.has(id));
  const left = asked.find(({ id }) => excluded.has(id));
  if (traits.exclusion === "ends the process" && left !== undefined) {
    throw new ProcessEnd(`excluded_org_ids names ${left.id}: the real service's process would have ended here`);
  }
  if (traits.exclusion === "fails" && left !== undefined) throw new Refusal("internal", "Errors.Internal", "RECOVER");
  return asked.filter(({ id }) => !excluded.has(id));
}
