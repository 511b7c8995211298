import type { Caller } from "../../http/auth.ts";
import { isObject, type JsonObject, listAt, textAt, valueAt } from "../../http/json.ts";
import { createPace } from "../../http/pace.ts";
import { fromV1 } from "../../import/from-v1.ts";
import { importInto } from "../../import/run.ts";
import { messageType } from "../../messages/message-type.ts";
import type { Instance } from "../../state/instance.ts";
import type { ObjectLocation } from "../../state/object-storage.ts";

/** The object storage location in a field of a request, or undefined. */
export function locationIn(request: JsonObject, field: string): ObjectLocation | undefined {
  const value = valueAt(request, field);
  if (!isObject(value)) return undefined;
  return {
    bucket: textAt(value, "bucket"),
    path: textAt(value, "path"),
    serviceAccount: textAt(value, "serviceaccountJson"),
  };
}

/**
 * Starts the import of a file in object storage. The answer is `{}` at once; only the log has the result (service
 * behaviour 2.7). The content is decoded, but its rules are not checked, as in the real service.
 */
export function importFromStorage(
  request: JsonObject,
  instance: Instance,
  { caller, timeoutMs }: { caller: Caller; timeoutMs: number },
): void {
  const v1 = locationIn(request, "dataOrgsv1Gcs");
  const location = v1 ?? locationIn(request, "dataOrgsGcs");
  if (location === undefined) {
    if (Object.keys(request).length > 1) instance.note("import: the mock has neither S3 nor a disk to import from");
    return;
  }
  instance.background.start(`import from ${location.bucket}/${location.path}`, async () => {
    const content = await instance.storage.read(location);
    const type = await messageType(v1 === undefined ? "zitadel.admin.v1.ImportDataOrg" : "zitadel.v1.v1.ImportDataOrg");
    const decoded = listAt(type.toJson(type.decode(content)), "orgs");
    const orgs = v1 === undefined ? decoded : decoded.map(fromV1);
    const pace = createPace({ timeoutMs, perUserMs: 0, signal: instance.stopping });
    return summary(await importInto(instance, { orgs, caller, pace, events: false }));
  });
}

function summary(result: JsonObject): string {
  const errors = listAt(result, "errors");
  const orgs = listAt(result["success"], "orgs");
  const users = orgs.reduce((sum, org) => sum + [org["humanUserIds"]].flat().filter(Boolean).length, 0);
  const listed = errors.map(({ type, id, message }) => `; ${type} ${id}: ${message}`);
  return `${orgs.length} organizations, ${users} human users, ${errors.length} errors${listed.slice(0, 20).join("")}`;
}
