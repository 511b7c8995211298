import type { OrgMap } from "../../core/document/org-map.ts";
import { type InactiveObject, inactiveKey } from "../../core/events/inactive-objects.ts";
import { askingOf, type CallWorld } from "../shared/asking.ts";
import { ifOffered } from "../shared/not-offered.ts";
import { findInactive } from "../verify/inactive.ts";
import { RemovedObjects } from "./plan/removed-objects.ts";

/** Objects that are deactivated at the source, and active on the target, or will be: not those that were removed there. Role grants are not given. */
export async function activeThere(
  inactive: readonly InactiveObject[],
  target: CallWorld,
  orgMap: OrgMap,
): Promise<readonly InactiveObject[]> {
  const orgIds = [...new Set(inactive.map(({ orgId }) => orgMap.get(orgId) ?? orgId))];
  const there = new Set(((await findInactive(target, { orgIds })) ?? []).map(inactiveKey));
  const open = inactive.filter((object) => !there.has(inactiveKey(object)));
  const orgs = orgIds.map((orgId) => ({ orgId }));
  const removals = new RemovedObjects(askingOf(target), { scan: { orgs } }, []);
  const found: InactiveObject[] = [];
  for (const object of open) {
    const element = elementOf[object.type]?.(object);
    const isRemoved = element && (await ifOffered(() => removals.has({ ...element, org: 0 })));
    if (isRemoved !== true) found.push(object);
  }
  return found;
}

/** An object as an element of an export has it. */
const elementOf: {
  readonly [Type in InactiveObject["type"]]?: (object: InactiveObject) => {
    readonly key: string;
    readonly bytes: Buffer;
  };
} = {
  project: ({ id }) => element("projects", { projectId: id }),
  project_grant: ({ id, projectId }) => element("projectGrants", { grantId: id, projectGrant: { projectId } }),
  application: ({ id, projectId }) => element("oidcApps", { appId: id, app: { projectId } }),
  action: ({ id }) => element("actions", { actionId: id }),
  identity_provider: ({ id }) => element("oidcIdps", { idpId: id }),
};

function element(key: string, value: object): { readonly key: string; readonly bytes: Buffer } {
  return { key, bytes: Buffer.from(JSON.stringify(value)) };
}
