import { randomBytes } from "node:crypto";
import { newestEvent } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { EditLog } from "../../../core/events/edit-log.ts";
import { applyEvent, createInstanceLog, loggedEventTypes } from "../../../core/events/instance-log.ts";
import { ProblemError } from "../../../problem.ts";
import { askingOf } from "../../shared/asking.ts";
import { notOffered } from "../../shared/not-offered.ts";
import { readLog } from "../../shared/read-log.ts";
import type { ImportRun } from "../import-run.ts";
import { beforeMark, type ReadLog, toMark } from "./mark.ts";
import type { UpdateWay } from "./open-update.ts";
import type { SavedState } from "./state.ts";

/**
 * Reads the target's events about the users of the input's organizations: all events, or those that are new since the state. Raises
 * api.cannot-update if they cannot be read.
 */
export async function readTargetLog(
  target: Pick<ImportRun, "api" | "ui" | "context">,
  { orgs }: Pick<BodyScan, "orgs">,
  { self }: UpdateWay,
  since: string,
  saved: SavedState | undefined,
): Promise<ReadLog> {
  const reading = askingOf(target);
  const { api, retry, signal } = reading;
  const key = saved?.key ?? randomBytes(16).toString("hex");
  const log = createInstanceLog(key, saved?.log);
  const after = saved === undefined ? undefined : beforeMark(saved.target.mark);
  const filter = { eventTypes: loggedEventTypes, orgIds: orgs.map(({ orgId }) => orgId), after };
  const edits = new EditLog();
  const take = (event: ServiceEvent): void => {
    applyEvent(log, event, { self, since });
    if (event.editor?.userId !== self) edits.take(event);
  };
  try {
    const newest = await withRetry(() => newestEvent(api, signal), retry, signal);
    await readLog("reading the target's events", filter, reading, take);
    return {
      log,
      key,
      readUntil: newest?.creationDate,
      mark: newest === undefined ? undefined : toMark(newest, log.digest),
      edits,
    };
  } catch (error) {
    if (notOffered(error) === undefined) throw error;
    throw new ProblemError({ code: "api.cannot-update", host: api.address.host, lacks: "events" }, { cause: error });
  }
}
