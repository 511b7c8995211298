import type { Failure } from "../../core/transfer/answer/batch-result.ts";
import { ProblemError } from "../../problem.ts";
import type { ImportRun } from "./import-run.ts";
import { allowMessages } from "./plan/messages.ts";
import type { UpdateWay } from "./update/open-update.ts";
import { compareOthers, leaveWhatIsThere } from "./update/other-objects.ts";
import { reviveMetadata } from "./update/revive-metadata.ts";
import { applyUpdate, noteCreated, planUpdate, sayMessages } from "./update/update-users.ts";
import type { SenderContext } from "./ways/way.ts";

/**
 * Updates the existing users of the input; the rest of the input is sent afterwards. Returns what is to be done after that: metadata of
 * recreated users, the list of created users, and at last the state file, which holds what was read.
 */
export async function updateUsers(
  run: ImportRun,
  way: UpdateWay,
  { calling, plan, progress }: SenderContext,
  onFailures: (failures: readonly Failure[]) => void,
): Promise<() => Promise<void>> {
  const { host } = run.api.address;
  const mark = progress.state.job?.mark;
  if (mark === undefined) throw new ProblemError({ code: "api.cannot-update", host, lacks: "events" });
  const planned = await planUpdate(run, plan, way, mark);
  sayMessages(planned, run);
  await allowMessages(planned.messages, run.settings, run);
  const context = { ...calling, onFailure: (failure: Failure) => onFailures([failure]) };
  await applyUpdate(planned, way, run, context, progress);
  const others = await compareOthers(run, plan);
  if (others !== undefined) await leaveWhatIsThere(others, run, plan, progress);
  return async () => {
    await reviveMetadata(planned.stale, way.changes, context, progress);
    noteCreated(planned, progress);
    await planned.saveState();
  };
}
