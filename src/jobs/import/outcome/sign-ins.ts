import { LISTED_PROBLEMS } from "../../../ui/report.ts";
import { cannotSignInLines } from "../../../ui/summary/sign-ins.ts";
import { lookAtSignIns } from "../../shared/sign-in-names.ts";
import type { ImportRun } from "../import-run.ts";
import type { Plan } from "../plan/plan.ts";
import type { JobProgress } from "../progress.ts";
import { createdUsers, writeUsers } from "./manifest.ts";

/**
 * Finds users of the job that have no login name: they cannot sign in, although the service answered that they were created (service
 * behaviour 0.41). Reports them, and writes them beside the manifest into a file that undo takes. True if there are none, or the instance
 * cannot be asked. Raises run.aborted, output.unwritable, output.full.
 */
export async function checkSignIns(
  run: ImportRun,
  plan: Plan,
  { state }: JobProgress,
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
    for await (const user of createdUsers(plan, state)) if (nameless.has(user.id)) ours.push(user);
  }
  const count = ours.length + unlisted;
  report.set({ cannotSignIn: ours.slice(0, LISTED_PROBLEMS).map(({ id }) => id), cannotSignInCount: count });
  if (count === 0) return true;
  const file =
    manifest === undefined || ours.length === 0
      ? undefined
      : (await writeUsers(pathBeside(manifest), state.job, inOrder(ours), {}, context)).path;
  if (file !== undefined) report.set({ cannotSignInFile: file });
  const lines = cannotSignInLines({ ids: ours.map(({ id }) => id), unlisted, file });
  for (const line of lines) ui.warn(line);
  // Failed and unknown users are reported as the reason before.
  if (state.failed === 0 && state.open.length === 0 && state.unknown.length === 0) report.why(lines[0] ?? "");
  return false;
}

/** `a.json.cannot-sign-in.ndjson` for `a.json.manifest.ndjson`. */
function pathBeside(manifest: string): string {
  return `${manifest.replace(/(\.manifest)?\.ndjson$/, "")}.cannot-sign-in.ndjson`;
}

async function* inOrder<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
