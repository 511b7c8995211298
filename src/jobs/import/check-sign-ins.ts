import { ProblemError } from "../../problem.ts";
import { describe } from "../../ui/describe.ts";
import { LISTED_PROBLEMS } from "../../ui/report.ts";
import { cannotSignInLines, signInsUnknownLine } from "../../ui/summary/sign-ins.ts";
import { createRetry } from "../shared/create-retry.ts";
import { settledListing } from "../shared/sign-in-names.ts";
import { withProgress } from "../shared/with-progress.ts";
import type { ImportRun } from "./import-run.ts";
import { madeUsers, writeUsers } from "./manifest.ts";
import type { Prepared } from "./prepare.ts";
import type { JobProgress } from "./progress.ts";

/**
 * Looks whether everybody whom the job has created can be found by a login name: whom the service forgot cannot sign in, though every
 * answer said that the user was created (service behaviour 0.41). Who cannot is said, and is in a file that undo takes, beside the manifest.
 * True when everybody can, as far as the instance tells. Raises run.aborted, output.unwritable and output.full.
 */
export async function checkSignIns(
  run: ImportRun,
  prepared: Prepared,
  { state }: Pick<JobProgress, "state">,
  manifest: string | undefined,
): Promise<boolean> {
  const { api, context, ui, report } = run;
  const orgIds = [...new Set(prepared.scan.orgs.flatMap(({ orgId }) => (orgId === "" ? [] : [orgId])))];
  const { created } = state.users;
  if (created === 0 || orgIds.length === 0 || state.job === undefined) return true;
  const listing = await withProgress(ui, "looking whether everybody can sign in", () =>
    settledListing(
      { api, retry: createRetry(ui, context), signal: context.signal },
      orgIds,
      ({ nameless, listed }) => nameless.length === 0 && listed >= created,
    ),
  ).catch((error: unknown) => {
    // Everything was sent: only an interrupt, or a bug, ends the run for a question that nobody asked.
    if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
    ui.warn(signInsUnknownLine(describe(error.problem).message));
    return undefined;
  });
  if (listing === undefined) return true;
  const nameless = new Set(listing.nameless.map(({ userId }) => userId));
  const ours: { readonly id: string; readonly orgId?: string }[] = [];
  if (nameless.size > 0) {
    for await (const user of madeUsers(run.input, prepared, state)) if (nameless.has(user.id)) ours.push(user);
  }
  const unlisted = Math.max(0, created - listing.listed);
  const count = ours.length + unlisted;
  report.set({ cannotSignIn: ours.slice(0, LISTED_PROBLEMS).map(({ id }) => id), cannotSignInCount: count });
  if (count === 0) return true;
  const file =
    manifest === undefined || ours.length === 0
      ? undefined
      : (await writeUsers(besides(manifest), state.job, inOrder(ours), {}, context)).path;
  if (file !== undefined) report.set({ cannotSignInFile: file });
  const lines = cannotSignInLines({ ids: ours.map(({ id }) => id), unlisted, file });
  for (const line of lines) ui.warn(line);
  report.why(lines[0] ?? "");
  return false;
}

/** `a.json.manifest.ndjson` has `a.json.cannot-sign-in.ndjson` beside it. */
function besides(manifest: string): string {
  return `${manifest.replace(/(\.manifest)?\.ndjson$/, "")}.cannot-sign-in.ndjson`;
}

async function* inOrder<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
