import { userIdOf } from "../../../core/document/user-id.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import type { ImportRun } from "../import-run.ts";
import type { Items } from "../plan/plan.ts";
import { existingUsers } from "../provenance/other-org.ts";
import { createdUsers } from "./manifest.ts";

/** A copy has no journal, so it does not know what its killed runs created: users who exist may be lost, too. */
export function looksAtExisting({ source }: Pick<ImportRun, "source">): boolean {
  return source !== undefined;
}

/** The ids of the users that the service may have lost. */
export async function* mayBeLost(
  run: Pick<ImportRun, "source" | "context">,
  items: Items,
  state: JobState,
): AsyncGenerator<string> {
  for await (const { id } of createdUsers(items, state)) yield id;
  if (!looksAtExisting(run)) return;
  for await (const { bytes } of existingUsers(items, state, run.context.signal)) yield userIdOf(bytes);
}
