import { listEvents } from "../../admin/events.ts";
import {
  GRANT_ADDED,
  type InactiveObject,
  InactiveObjects,
  inactiveEventTypes,
} from "../../core/events/inactive-objects.ts";
import { askingOf, type CallWorld } from "../shared/asking.ts";
import { ifOffered } from "../shared/not-offered.ts";
import { readLog } from "../shared/read-log.ts";

/** Above this many grants, the events of all grants are read. */
const ASKED_ONE_BY_ONE = 100;

const UNKNOWN_LINE =
  "it is unknown which role grants, projects and applications are deactivated at the source: an import makes them active.";

/**
 * The objects of an export that are deactivated at the source, which the export does not say. Prints a warning if the instance does not
 * offer its log. Raises net.*, auth.refused.
 */
export async function findInactive(
  call: CallWorld,
  { orgIds }: { readonly orgIds: readonly string[] },
): Promise<readonly InactiveObject[]> {
  if (orgIds.length === 0) return [];
  const asking = askingOf(call);
  const { api, retry, signal } = asking;
  const find = async (): Promise<readonly InactiveObject[]> => {
    const found = new InactiveObjects();
    const title = "looking for deactivated objects";
    await readLog(title, { eventTypes: inactiveEventTypes, orgIds }, asking, (event) => found.take(event));
    const eventTypes = [GRANT_ADDED];
    const grants = found.openGrants;
    if (grants.length > ASKED_ONE_BY_ONE)
      await readLog(title, { eventTypes, orgIds }, asking, (event) => found.describe(event));
    else
      for (const aggregateId of grants)
        for await (const event of listEvents(api, { eventTypes, aggregateId }, retry, signal)) found.describe(event);
    return found.all;
  };
  const inactive = await ifOffered(find);
  if (inactive === undefined) call.ui.warn(UNKNOWN_LINE);
  return inactive ?? [];
}
