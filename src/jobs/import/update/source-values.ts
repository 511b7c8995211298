import { randomBytes } from "node:crypto";
import type { AdminApi } from "../../../admin/client.ts";
import { listEvents } from "../../../admin/events.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { comparedUserFields } from "../../../core/compared-fields.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { applyEvent, createInstanceLog, loggedEventTypes } from "../../../core/events/instance-log.ts";
import { userKey } from "../../../core/events/user-life.ts";
import type { ComparedField } from "../../../core/user-fields.ts";
import { askingOf } from "../../shared/asking.ts";
import { readLog } from "../../shared/read-log.ts";
import { LOOKED_UP } from "../../shared/user-life.ts";
import type { ImportRun } from "../import-run.ts";

/** What a user of the source does not have, by the source's log. A value of which the log says nothing counts as not removed. */
export interface SourceLacks {
  field(field: ComparedField): boolean;
  metadata(key: string): boolean;
}

/** Asks the source's log about a user; undefined for a user that the log does not know. Organizations by their ids on the target. */
export type AskSourceLacks = (orgId: string, userId: string) => Promise<SourceLacks | undefined>;

const EMPTY = new Map<ComparedField, string>(
  comparedUserFields.flatMap(({ compared, empty }) =>
    empty === undefined ? [] : [[compared, empty.compared] as const],
  ),
);
/** The editor of the events does not matter here. */
const NOT_ASKED = { self: "", since: "" };

/**
 * Reads the source's log only for users with a value that the export lacks: one by one, or for many users the whole log of the
 * organizations. The function raises what reading events raises.
 */
export function createSourceLacks(
  source: AdminApi,
  { ui, context }: Pick<ImportRun, "ui" | "context">,
  { orgs }: Pick<BodyScan, "orgs">,
): AskSourceLacks {
  const reading = askingOf({ api: source, ui, context });
  const { retry, signal } = reading;
  const sourceIds = new Map(orgs.map(({ orgId, sourceId = orgId }) => [orgId, sourceId]));
  const log = createInstanceLog(randomBytes(16).toString("hex"));
  const take = (event: ServiceEvent): void => applyEvent(log, event, NOT_ASKED);
  const known = new Set<string>();
  let isWhole = false;
  const read = async (orgId: string, userId: string): Promise<void> => {
    const key = userKey(orgId, userId);
    if (isWhole || known.has(key)) return;
    if (known.size < LOOKED_UP) {
      const filter = { eventTypes: loggedEventTypes, orgId, aggregateId: userId };
      for await (const event of listEvents(source, filter, retry, signal)) take(event);
      known.add(key);
      return;
    }
    // Events that were taken before are taken once more, in order: the log stays the same.
    const filter = { eventTypes: loggedEventTypes, orgIds: [...sourceIds.values()] };
    await readLog("reading the source's events", filter, reading, take);
    isWhole = true;
  };
  return async (targetOrg, userId) => {
    const orgId = sourceIds.get(targetOrg) ?? targetOrg;
    await read(orgId, userId);
    const user = log.users.find(orgId, userId);
    if (user?.isThere !== true) return undefined;
    return {
      field: (field) => log.users.hasValue(user, field, EMPTY.get(field) ?? ""),
      metadata: (key) => !log.metadata.has(user.number, key),
    };
  };
}
