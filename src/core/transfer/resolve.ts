import { addCounts, type Failure, type Open } from "./answer/batch-result.ts";
import { foldFailure, type JobState } from "./job-state.ts";

/** What a look at the target said of something that no answer mentions. */
export type Resolution = "created" | "alreadyThere" | "missing" | "unknown";

/** Settles a user whose outcome was open. */
export function resolveUser(state: JobState, id: string, resolution: Resolution): void {
  if (resolution === "unknown") return;
  state.unknown.splice(state.unknown.indexOf(id), 1);
  if (resolution !== "missing") {
    state.users[resolution] += 1;
    if (resolution === "created") state.madeIds.push(id);
    return;
  }
  state.users.failed += 1;
  foldFailure(state, { type: "human_user", id, message: "", cause: "not-made" });
}

/** Settles anything else whose outcome was open. */
export function resolveOpen(state: JobState, open: Open, resolution: Resolution): void {
  if (resolution === "unknown") return;
  state.open.splice(state.open.indexOf(open), 1);
  const counts = { created: 0, alreadyThere: 0, failed: 0, unknown: -1 };
  counts[resolution === "missing" ? "failed" : resolution] = 1;
  state.others.set(open.type, addCounts(state.others.get(open.type), counts));
  if (resolution !== "missing") return;
  const { type, id, item, line } = open;
  const failure: Failure = { type, id, message: "", cause: "not-made", item, line };
  foldFailure(state, failure);
}
