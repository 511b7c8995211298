import { resolve } from "node:path";
import { newestEvent } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import type { JobEntry } from "../../../core/transfer/journal-entries.ts";
import {
  MANIFEST_VERSION,
  type ManifestEnd,
  type ManifestHead,
  type ManifestUser,
} from "../../../core/transfer/manifest-entries.ts";
import { attempt, outputProblem } from "../../../io/attempt.ts";
import { bufferedOutput } from "../../../io/output/buffered-output.ts";
import { openOutput, tryOutput } from "../../../io/output/output.ts";
import { describe } from "../../../problem/describe.ts";
import { sentences } from "../../../problem/description.ts";
import { ProblemError } from "../../../problem.ts";
import { manifestLine, noManifestLine } from "../../../ui/summary/import-summary.ts";
import { askingOf } from "../../shared/asking.ts";
import { manifestHeadOf, numberedManifest } from "../../shared/manifest-head.ts";
import type { ImportRun } from "../import-run.ts";
import { type Items, type Plan, readSection } from "../plan/plan.ts";

/**
 * Writes the manifest: every user that a run of this job has created, once (design: The manifest). The file is whole or not there; there is
 * none if the job created no user. A manifest of another job is kept, and this one gets a numbered name. `isOver`: the job has ended.
 * Returns its path. Raises output.unwritable, output.full.
 */
export async function writeManifest(
  run: ImportRun,
  plan: Plan,
  state: JobState,
  isOver: boolean,
): Promise<string | undefined> {
  const { manifest } = run.files;
  const { job } = state;
  if (job === undefined || !(await hasCreated(plan, state))) return undefined;
  if (manifest === undefined) {
    run.ui.say(noManifestLine(state.users.created));
    return undefined;
  }
  const users = healedUsers(createdUsers(plan, state), state);
  const known = { ...job, until: isOver ? await newestTime(run) : undefined };
  const written = await warnIfOptional(run, writeUsers(manifest.path, known, users, createdOthers(state), run.context));
  if (written === undefined) return undefined;
  run.report.set({ manifest: written.path });
  run.ui.say(manifestLine(written.path, written));
  return written.path;
}

/** True if the job created a user that was not replaced. */
async function hasCreated(plan: Plan, state: JobState): Promise<boolean> {
  for await (const _ of createdUsers(plan, state)) return true;
  return false;
}

/** The time of the target's newest event; undefined if it cannot be read. */
async function newestTime(run: ImportRun): Promise<string | undefined> {
  const { api, retry, signal } = askingOf(run);
  try {
    return (await withRetry(() => newestEvent(api, signal), retry, signal))?.creationDate;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return undefined;
  }
}

/** Finds a place of the manifest that cannot be written before anything is sent. Raises output.unwritable, output.full, output.planted. */
export async function checkManifestPlace(run: ImportRun): Promise<void> {
  const { manifest } = run.files;
  if (manifest !== undefined) await warnIfOptional(run, tryPlace(manifest.path, run));
}

async function tryPlace(path: string, { context }: ImportRun): Promise<void> {
  tryOutput(freePath(path, "", context.cwd), context);
}

/** For a manifest that the command line does not name, a problem with its place is a warning. */
async function warnIfOptional<T>({ files: { manifest }, ui }: ImportRun, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!manifest?.isOptional || !(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
    ui.warn(`no manifest, so undo will not know the created users: ${sentences(describe(error.problem))}`);
    return undefined;
  }
}

/**
 * Writes users as a manifest, which `orgferry undo` takes; users without an id are counted. A file of another job is kept, and this one
 * gets a numbered name. Raises output.unwritable, output.full.
 */
export async function writeUsers(
  wanted: string,
  { id, target, input, mark, by, until }: JobEntry & { readonly until?: string | undefined },
  users: AsyncIterable<ManifestUser>,
  others: ManifestEnd["others"],
  context: ImportRun["context"],
): Promise<{ readonly path: string; readonly users: number; readonly withoutId: number }> {
  const path = freePath(wanted, id, context.cwd);
  const lines = bufferedOutput(openOutput(path, context));
  try {
    const proof = {
      ...(mark === undefined ? {} : { mark }),
      ...(by === undefined ? {} : { by }),
      ...(until === undefined ? {} : { until }),
    };
    lines.line({
      kind: "manifest",
      schemaVersion: MANIFEST_VERSION,
      job: id,
      target,
      input,
      ...proof,
    } satisfies ManifestHead);
    const end = { users: 0, withoutId: 0 };
    for await (const user of users) {
      if (user.id === "") end.withoutId += 1;
      else {
        lines.line(user satisfies ManifestUser);
        end.users += 1;
      }
    }
    lines.line({ kind: "end", ...end, others } satisfies ManifestEnd);
    await lines.commit();
    return { path, ...end };
  } finally {
    lines.discard();
  }
}

/** Every user that a run of the job has created, and that no other account has replaced; the id is "" if the input has none. */
export async function* createdUsers(
  plan: Items,
  { made, madeIds, takenIds }: Pick<JobState, "made" | "madeIds" | "takenIds">,
): AsyncGenerator<{ readonly id: string; readonly orgId?: string }> {
  // An id that occurs several times in the input may be among these more than once, and among `made`.
  const found = new Set(madeIds);
  const isCreated = (first: number, count: number): boolean => made.intersects(first, count);
  for await (const items of readSection(plan, "humanUsers", undefined, isCreated)) {
    for (const { bytes, org } of items) {
      const orgId = plan.scan.orgs[org]?.orgId;
      const id = userIdOf(bytes);
      found.delete(id);
      if (!takenIds.has(id)) yield { id, ...(orgId === undefined ? {} : { orgId }) };
    }
  }
  for (const id of found) if (!takenIds.has(id)) yield { id };
}

/** The ids of these users. */
export async function* createdIds(
  plan: Items,
  state: Pick<JobState, "made" | "madeIds" | "takenIds">,
): AsyncGenerator<string> {
  for await (const { id } of createdUsers(plan, state)) yield id;
}

/** Users that the job recreated have the number of the event that did it: undo tells them from users that others recreated. */
async function* healedUsers(users: AsyncIterable<ManifestUser>, { healed }: JobState): AsyncGenerator<ManifestUser> {
  for await (const user of users) {
    const createdAs = healed.get(user.id);
    yield createdAs === undefined ? user : { ...user, createdAs };
  }
}

function createdOthers({ others }: JobState): Record<string, number> {
  return Object.fromEntries(
    [...others].filter(([, { created }]) => created > 0).map(([type, { created }]) => [type, created]),
  );
}

/** The path, or its first numbered name, that is free or has this job's manifest. */
function freePath(path: string, job: string, cwd: string): string {
  for (let number = 1; ; number += 1) {
    const name = numberedManifest(path, number);
    const head = attempt(() => manifestHeadOf(resolve(cwd, name)), outputProblem(name));
    if (head === undefined || (head !== "none" && head.job === job)) return name;
  }
}
