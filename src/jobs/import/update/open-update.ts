import { createUserChanges, type UserChanges } from "../../../admin/user-changes.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { ProblemError } from "../../../problem.ts";
import { askingOf } from "../../shared/asking.ts";
import type { ImportRun } from "../import-run.ts";
import type { UpdateSettings } from "../settings.ts";

/** What an update needs beyond sending. */
export interface UpdateWay {
  readonly changes: UserChanges;
  /** The service user of the token: its changes are those of this job. */
  readonly self: string;
  readonly settings: UpdateSettings;
}

/** Checks that the target's users can be updated. Raises api.cannot-update. */
export async function openUpdate(
  target: Pick<ImportRun, "api" | "ui" | "context">,
  settings: UpdateSettings,
): Promise<UpdateWay> {
  const { api, retry, signal } = askingOf(target);
  const { host } = api.address;
  const changes = createUserChanges(api);
  const canChange = await withRetry(() => changes.probe(signal), retry, signal);
  if (!canChange) throw new ProblemError({ code: "api.cannot-update", host, lacks: "users-api" });
  const self = await withRetry(() => changes.self(signal), retry, signal);
  if (self === undefined) throw new ProblemError({ code: "api.cannot-update", host, lacks: "identity" });
  const isOfVersion4 = await withRetry(() => changes.knowsMetadata(signal), retry, signal);
  return { changes: isOfVersion4 ? changes : changes.withOlderMetadata(), self, settings };
}
