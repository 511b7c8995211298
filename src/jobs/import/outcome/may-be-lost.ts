import { userIdOf } from "../../../core/document/user-id.ts";
import type { ImportRun } from "../import-run.ts";
import type { Ledger } from "../ledger.ts";
import type { Items } from "../plan/plan.ts";
import { existingUsers } from "../provenance/other-org.ts";
import { createdUsers } from "./manifest.ts";

/** A copy has no journal, so it does not know what its killed runs created: users who exist may be lost, too. */
export function looksAtExisting({ source }: Pick<ImportRun, "source">): boolean {
  return source !== undefined;
}

/** The ids of the users that the service may have lost. A user that another account deleted on the target does not exist. */
export async function* mayBeLost(
  run: Pick<ImportRun, "source" | "context">,
  items: Items,
  { state, updates }: Pick<Ledger, "state" | "updates">,
): AsyncGenerator<string> {
  for await (const { id } of createdUsers(items, state)) yield id;
  if (!looksAtExisting(run)) return;
  const removed = updates?.conflict.filter(({ reason }) => reason === "removed").map(({ userId }) => userId);
  const absent = new Set(removed);
  for await (const { bytes } of existingUsers(items, state, run.context.signal))
    if (!absent.has(userIdOf(bytes))) yield userIdOf(bytes);
}
