import { newestEvent } from "../../admin/events.ts";
import { createUserChanges } from "../../admin/user-changes.ts";
import { creationEvents } from "../../core/events/user-life.ts";
import { OTHER_RUN_LINE } from "../../ui/summary/import-plan.ts";
import type { Asking } from "../shared/asking.ts";
import type { ImportRun } from "./import-run.ts";
import { ifAnswered, type Rest } from "./ways/rest.ts";

/** Between two looks; a run that writes creates users in less. */
const BETWEEN_LOOKS_MS = 2_000;

/**
 * Warns if another run creates users with the same token before this one has sent anything, on a version where that leaves users without a
 * login name (service behaviour 9.2). It looks twice at the newest creation of a user. Raises the signal's reason.
 */
export async function warnOfOtherRuns(
  { ui }: Pick<ImportRun, "ui">,
  { api, retry, signal }: Asking,
  rest: Rest | undefined,
): Promise<void> {
  await rest?.wait(); // an abandoned call of this job is no other run
  await ifAnswered(async () => {
    const self = await createUserChanges(api).self(signal);
    if (self === undefined) return;
    const request = { editor_user_id: self, event_types: [...creationEvents] };
    const newest = async (): Promise<string | undefined> => (await newestEvent(api, signal, request))?.aggregate.id;
    const before = await newest();
    if (before === undefined) return;
    await retry.sleep(BETWEEN_LOOKS_MS, signal);
    if ((await newest()) !== before) ui.warn(OTHER_RUN_LINE);
  });
}
