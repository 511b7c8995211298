import type { ChangeAnswer } from "../../admin/user-changes.ts";
import type { Touch, UserHistory } from "../../core/events/user-history.ts";
import { LISTED } from "../../problem/format.ts";
import type { UndoNumbers } from "../../ui/summary/undo-summary.ts";
import type { ListedUser } from "./read-manifest.ts";

/** Why a user is kept. */
export type KeptReason = Touch | "protected" | "not-in-log";

type Fate =
  | { readonly kind: "to-remove" | "removed" | "already-gone" | "under-way" }
  | { readonly kind: "kept"; readonly reason: KeptReason }
  | { readonly kind: "failed"; readonly message: string };

/** The state of each user of a manifest. Every user is counted in exactly one number. */
export class UndoAccount {
  readonly #users: readonly ListedUser[];
  readonly #inUse = new Map<string, KeptReason>();
  readonly #fates = new Map<string, Fate>();
  #cursor = 0;
  #done = 0;

  constructor(users: readonly ListedUser[]) {
    this.#users = users;
    for (const { id } of users) this.#fates.set(id, TO_REMOVE);
  }

  /** Decides about the users that are still to be deleted. */
  sort(history: UserHistory | undefined, members: ReadonlySet<string>, isForced: boolean): void {
    for (const { id } of this.#users) {
      if (!this.isToRemove(id)) continue;
      this.#fates.set(id, fateOf(id, history, members, isForced));
      const reason = isForced && this.isToRemove(id) ? whyNotDeleted(id, history, members, false) : undefined;
      if (reason !== undefined) this.#inUse.set(id, reason);
    }
  }

  /** Users that are deleted only because of `--force`: why they would be kept, and how many there are. */
  inUse(): ReadonlyMap<KeptReason, number> {
    const counts = new Map<KeptReason, number>();
    for (const [id, reason] of this.#inUse) if (this.isToRemove(id)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return counts;
  }

  /** Users that are deleted only because of `--force`, and would be kept for this reason. */
  inUseFor(reason: KeptReason): readonly string[] {
    return [...this.#inUse].filter(([id, why]) => why === reason && this.isToRemove(id)).map(([id]) => id);
  }

  /** The next users to delete, at most `most`; empty at the end. */
  next(most: number): readonly string[] {
    const found: string[] = [];
    for (; this.#cursor < this.#users.length && found.length < most; this.#cursor += 1) {
      const { id } = this.#users[this.#cursor] as ListedUser; // within its length
      if (this.isToRemove(id)) found.push(id);
    }
    return found;
  }

  isToRemove(id: string): boolean {
    return this.#fates.get(id)?.kind === "to-remove";
  }

  /** The call is made: the outcome is open. */
  begin(id: string): void {
    this.#fates.set(id, { kind: "under-way" });
  }

  /** The last check before the call found a reason to keep the user. */
  keep(id: string, reason: KeptReason): void {
    this.#fates.set(id, { kind: "kept", reason });
  }

  /** The last check before the first call found that the user was deleted. */
  gone(id: string): void {
    this.#fates.set(id, { kind: "already-gone" });
  }

  /** Takes the answer. A user who does not exist any more was deleted by a call whose answer was lost. */
  settle(id: string, answer: ChangeAnswer): void {
    this.#done += 1;
    this.#fates.set(id, answer.kind === "refused" ? { kind: "failed", message: answer.words } : { kind: "removed" });
  }

  done(): number {
    return this.#done;
  }

  all(): number {
    return this.#users.length;
  }

  numbers(): UndoNumbers {
    const count = { "to-remove": 0, removed: 0, "already-gone": 0, "under-way": 0, kept: 0, failed: 0 };
    for (const { kind } of this.#fates.values()) count[kind] += 1;
    return {
      listed: this.#users.length,
      removed: count.removed,
      alreadyGone: count["already-gone"],
      kept: count.kept,
      failed: count.failed,
      unknown: count["under-way"],
      toRemove: count["to-remove"],
    };
  }

  /** The first thousand kept users, and why. */
  kept(): readonly { readonly id: string; readonly reason: KeptReason; readonly line: number }[] {
    return this.#listed((fate) => (fate.kind === "kept" ? { reason: fate.reason } : undefined));
  }

  /** The first thousand users that are to be deleted. */
  toRemove(): readonly string[] {
    return this.#idsOf("to-remove");
  }

  /** The first thousand users that were deleted. */
  removed(): readonly string[] {
    return this.#idsOf("removed");
  }

  #idsOf(kind: Fate["kind"]): readonly string[] {
    return this.#listed((fate) => (fate.kind === kind ? {} : undefined)).map(({ id }) => id);
  }

  keptByReason(): ReadonlyMap<KeptReason, number> {
    const counts = new Map<KeptReason, number>();
    for (const fate of this.#fates.values())
      if (fate.kind === "kept") counts.set(fate.reason, (counts.get(fate.reason) ?? 0) + 1);
    return counts;
  }

  /** The first thousand users that the service refused to delete. */
  failures() {
    return this.#listed((fate) =>
      fate.kind === "failed" ? { type: "human_user", message: fate.message, cause: "other" } : undefined,
    );
  }

  #listed<T extends object>(pick: (fate: Fate) => T | undefined): (T & { id: string; line: number })[] {
    const found: (T & { id: string; line: number })[] = [];
    for (const { id, line } of this.#users) {
      const picked = pick(this.#fates.get(id) ?? TO_REMOVE);
      if (picked !== undefined) found.push({ id, ...picked, line });
      if (found.length === LISTED) break;
    }
    return found;
  }
}

const TO_REMOVE: Fate = { kind: "to-remove" };

function fateOf(id: string, history: UserHistory | undefined, members: ReadonlySet<string>, isForced: boolean): Fate {
  const reason = whyNotDeleted(id, history, members, isForced);
  if (reason !== undefined) return { kind: "kept", reason };
  return history?.of(id)?.isGone === true ? { kind: "already-gone" } : TO_REMOVE;
}

/** Not the user that the job created: recreated by another account, or by the job in place of an earlier user, or of another account. */
const ALWAYS_KEPT: ReadonlySet<Touch> = new Set<Touch>(["made-anew", "existed-before", "not-by-job"]);

/**
 * Why a user is kept: active or changed since the job, unless `isForced`; with a role on the instance (`members`), or not the user that the
 * job created, always. undefined: to be deleted, or gone.
 */
export function whyNotDeleted(
  id: string,
  history: UserHistory | undefined,
  members: ReadonlySet<string>,
  isForced: boolean,
): KeptReason | undefined {
  const life = history?.of(id);
  if (life?.isGone === true) return undefined;
  if (members.has(id)) return "protected";
  if (life?.touch !== undefined && ALWAYS_KEPT.has(life.touch)) return life.touch;
  if (isForced || history === undefined) return undefined;
  return life?.touch ?? (life === undefined || life.added === 0 ? "not-in-log" : undefined);
}
