import * as z from "zod";
import type { Notes } from "../checks/findings.ts";
import { accountsIn } from "./belongings.ts";
import type { SeenEvent } from "./seen.ts";

/** A manifest, and the events of the job that wrote it. */
export interface JobManifest {
  readonly ids: readonly string[];
  /** Places among all events: the first of the job, and the first after it. */
  readonly from: number;
  readonly to: number;
}

/** Every user of a manifest was created by its job. */
export function checkManifest({ ids, from, to }: JobManifest, events: readonly SeenEvent[], notes: Notes): void {
  const made = new Set(
    events.slice(from, to).flatMap(({ id, type, bySelf }) => (bySelf && type === "user.human.added" ? [id] : [])),
  );
  for (const id of ids) notes.expect(made.has(id), `${id} is in a manifest, and not created by its job`);
}

/** What an undo must come to, by ids. */
export interface Undoable {
  readonly gone: Set<string>;
  readonly kept: Set<string>;
}

/**
 * Users of a job who are still those that it created. Anything that another account did to them, a session, and a password that was set
 * after the creation are use.
 */
export function undoableOf(
  { ids, from, to }: JobManifest,
  events: readonly SeenEvent[],
  { untouchable, isForced }: { readonly untouchable: ReadonlySet<string>; readonly isForced: boolean },
): Undoable {
  const accounts = accountsIn(events);
  const lives = events.slice(from).filter(({ type }) => /^user\.(human\.added|machine\.added|removed)$/.test(type));
  const found: Undoable = { gone: new Set(), kept: new Set() };
  for (const id of ids) {
    const account = accounts.get(id);
    // The log of an instance that was reset does not have them.
    if (account === undefined && !isForced) found.kept.add(id);
    if (account?.isThere !== true) continue;
    const isOfJob = account.madeBySelf && account.madeAs >= from && account.madeAs < to;
    const isFirst = lives.filter((event) => event.id === id).length === 1;
    const since = events.slice(account.madeAs).filter((event) => event.id === id);
    const isUse = ({ type, bySelf }: SeenEvent): boolean =>
      !bySelf || type === "session.user.checked" || type === "user.human.password.changed";
    const isKept = !isOfJob || !isFirst || untouchable.has(id) || (!isForced && since.some(isUse));
    (isKept ? found.kept : found.gone).add(id);
  }
  return found;
}

/** The report of an undo. */
export const UndoReport = z.looseObject({
  users: z.object({
    listed: z.number(),
    removed: z.number(),
    alreadyGone: z.number(),
    kept: z.number(),
    failed: z.number(),
    unknown: z.number(),
    toRemove: z.number(),
  }),
  kept: z.array(z.object({ id: z.string(), reason: z.string() })),
});
export type UndoReport = z.infer<typeof UndoReport>;

/** Nothing else is done than deletions of users who may be deleted. */
export function checkUndone(done: readonly SeenEvent[], { gone }: Undoable, notes: Notes): void {
  for (const { id, type, bySelf } of done) {
    const isDeletion = type === "user.removed" || type.endsWith(".cascade.removed");
    if (bySelf) notes.expect(isDeletion && gone.has(id), `undo: ${type} of ${id}, who is to stay`);
  }
}

/** After the end: the others are kept, and named. */
export function checkUndoEnd(
  { exitCode, report }: { readonly exitCode: number; readonly report: UndoReport | undefined },
  { gone, kept }: Undoable,
  notes: Notes,
): void {
  notes.expect(gone.size === 0, `undo: not deleted: ${[...gone].join(" ")}`);
  notes.expect(exitCode === (kept.size > 0 ? 1 : 0), `undo: exit ${exitCode} with ${kept.size} who stay`);
  if (report === undefined) return;
  const { listed, removed, alreadyGone, failed, unknown, toRemove } = report.users;
  const sum = removed + alreadyGone + report.users.kept + failed + unknown + toRemove;
  notes.expect(listed === sum, `undo: sums: ${JSON.stringify(report.users)}`);
  const named = report.kept.map(({ id }) => id).sort();
  notes.expect(named.join() === [...kept].sort().join(), `undo: kept ${named.join(" ")}: ${[...kept].join(" ")}`);
}
