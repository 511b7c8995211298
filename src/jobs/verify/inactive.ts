import { listEvents } from "../../admin/events.ts";
import {
  grantsAdded,
  type InactiveObject,
  InactiveObjects,
  inactiveEventTypes,
} from "../../core/events/inactive-objects.ts";
import { askingOf, type CallWorld } from "../shared/asking.ts";
import { ifOffered } from "../shared/not-offered.ts";
import { readLog } from "../shared/read-log.ts";

/** Above this many grants, the events of all grants are read. */
const ASKED_ONE_BY_ONE = 100;

/**
 * The objects of these organizations that are deactivated, which no export says; undefined if the instance does not offer its log. Raises
 * net.*, auth.refused.
 *
 * @param hasOrg of an export, which has only project grants to its own organizations (service behaviour 9.41).
 */
export async function findInactive(
  call: CallWorld,
  { orgIds, hasOrg = () => true }: { readonly orgIds: readonly string[]; readonly hasOrg?: (orgId: string) => boolean },
): Promise<readonly InactiveObject[] | undefined> {
  if (orgIds.length === 0) return [];
  const asking = askingOf(call);
  const { api, retry, signal } = asking;
  const find = async (): Promise<readonly InactiveObject[]> => {
    const found = new InactiveObjects();
    const title = "looking for deactivated objects";
    await readLog(title, { eventTypes: inactiveEventTypes, orgIds }, asking, (event) => found.take(event));
    const eventTypes = grantsAdded;
    const grants = found.openGrants;
    if (grants.length > ASKED_ONE_BY_ONE)
      await readLog(title, { eventTypes, orgIds }, asking, (event) => found.describe(event));
    else
      for (const aggregateId of grants)
        for await (const event of listEvents(api, { eventTypes, aggregateId }, retry, signal)) found.describe(event);
    return found.all.filter(({ grantedOrgId }) => grantedOrgId === undefined || hasOrg(grantedOrgId));
  };
  return ifOffered(find);
}
