import { LISTED_PROBLEMS } from "../../ui/report.ts";
import { cannotSignInLines } from "../../ui/summary/sign-ins.ts";
import { lookAtSignIns } from "../shared/sign-in-names.ts";
import type { ImportRun } from "./import-run.ts";
import { madeUsers, writeUsers } from "./manifest.ts";
import type { Plan } from "./plan/plan.ts";
import type { JobProgress } from "./progress.ts";

/**
 * Looks whether everybody whom the job has created can be found by a login name: whom the service forgot cannot sign in, though every
 * answer said that the user was created (service behaviour 0.41). Who cannot is said, and is in a file that undo takes, beside the manifest.
 * True when everybody can, as far as the instance tells. Raises run.aborted, output.unwritable and output.full.
 */
export async function checkSignIns(
  run: ImportRun,
  plan: Plan,
  { state }: Pick<JobProgress, "state">,
  manifest: string | undefined,
): Promise<boolean> {
  const { context, ui, report } = run;
  const { created } = state.users;
  if (created === 0 || state.job === undefined) return true;
  const trouble = await lookAtSignIns(run, plan.scan.orgs, created);
  if (trouble === undefined) return true;
  const { unlisted } = trouble;
  const nameless = new Set(trouble.nameless.map(({ userId }) => userId));
  const ours: { readonly id: string; readonly orgId?: string }[] = [];
  if (nameless.size > 0) {
    for await (const user of madeUsers(run.input, plan, state)) if (nameless.has(user.id)) ours.push(user);
  }
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
  // Who failed, or is unknown, has been given as the reason already.
  if (state.failed === 0 && state.open.length === 0 && state.unknown.length === 0) report.why(lines[0] ?? "");
  return false;
}

/** `a.json.manifest.ndjson` has `a.json.cannot-sign-in.ndjson` beside it. */
function besides(manifest: string): string {
  return `${manifest.replace(/(\.manifest)?\.ndjson$/, "")}.cannot-sign-in.ndjson`;
}

async function* inOrder<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
