import { listEvents } from "../../../admin/events.ts";
import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import type { BatchResult, Existing, Failure } from "../../../core/transfer/answer/batch-result.ts";
import type { Verdict } from "../../../core/transfer/answer/outcome.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { isAlive, lastLifeEvent } from "../../shared/user-life.ts";
import type { Asking } from "../import-run.ts";
import type { Plan } from "../plan/plan.ts";
import type { JobProgress } from "../progress.ts";
import { type IsOwnEvent, JobEvents } from "./job-events.ts";
import { resolveOpenItems } from "./open-items.ts";
import { RepeatedIds } from "./repeated-ids.ts";
import { SameObjects } from "./same-object.ts";

/** The types whose creation leaves an event with the object's id as its aggregate (service behaviour 3). */
const creationEvents: Readonly<Record<string, string>> = {
  human_user: "user.human.added",
  machine_user: "user.machine.added",
  org: "org.added",
  project: "project.added",
  action: "action.added",
};
const OTP_ADDED = "user.human.mfa.otp.added";

/** Clocks of several servers behind one address differ a little. */
const CLOCK_MARGIN_MS = 5_000;
/** Up to this many objects are looked up one by one. */
const LOOKED_UP = 200;

/** A user that the target says exists, and what its answer was about: the id, or a value of the user that must be unique. */
export interface ExistingUser {
  readonly userId: string;
  readonly orgId: string;
  readonly taken: "id" | "value";
  readonly wasLost: boolean;
}

/**
 * Decides who created an object that exists: this job, in a call whose answer was lost, or another account. The target's events decide:
 * what this job's service user created since the job began, in the organization that the input names, is this job's own. Without events
 * about an object it is unknown.
 */
export class Provenance {
  readonly #asking: Asking;
  readonly #plan: Plan;
  readonly #progress: JobProgress;
  readonly #events: JobEvents;
  readonly #repeatedIds: RepeatedIds;
  readonly #sameObjects: SameObjects;

  constructor(asking: Asking, plan: Plan, progress: JobProgress) {
    this.#asking = asking;
    this.#plan = plan;
    this.#progress = progress;
    this.#events = new JobEvents(asking, progress.state);
    this.#repeatedIds = new RepeatedIds(plan, asking.signal, progress.state);
    this.#sameObjects = new SameObjects(asking, plan.scan);
  }

  /** An answer says that this user was created: no other user with the same id was. */
  noteCreated(item: Item): void {
    this.#repeatedIds.noteCreated(item);
  }

  /** Existing objects that are not the ones that were sent become failures. Raises net.*, auth.refused. */
  failOtherObjects<T extends BatchResult>(result: T, items: readonly Item[]): Promise<T> {
    return this.#sameObjects.failOthers(result, items);
  }

  /**
   * A user without an id never comes back as existing: sent a second time, its name is taken, perhaps by itself. After a lost answer
   * its outcome is therefore unknown.
   */
  leaveNamesOpen<T extends BatchResult>(result: T): T {
    const isOpen = ({ id, cause, item }: Failure): boolean =>
      id === "" && cause === "user-name-taken" && item !== undefined && this.#wasLost(item);
    const open = result.failures.filter(isOpen);
    if (open.length === 0) return result;
    const failures = result.failures.filter((failure) => !isOpen(failure));
    return { ...result, failures, unknown: [...result.unknown, ...open.map(({ id }) => id)] };
  }

  /** Decides about the existing objects of an answer to a call with these items. Raises net.*, auth.refused. */
  async whose(existing: readonly Existing[], items: readonly Item[]): Promise<(entry: Existing) => Verdict> {
    const someLost = items.some(({ index }) => this.#wasLost(index));
    const isCandidate = ({ item }: Existing): boolean => (item === undefined ? someLost : this.#wasLost(item));
    const hasEvent = ({ type }: Existing): boolean => Object.hasOwn(creationEvents, type);
    const candidates = existing.filter((entry) => isCandidate(entry) && hasEvent(entry));
    if (candidates.length === 0) return (entry) => (isCandidate(entry) ? "ours" : "theirs");
    const verdicts = new Map<string, Verdict>();
    // If the events end before the last object, the verdicts up to there hold.
    await ifOffered(() => this.#judge(candidates, items, verdicts));
    const isFirst = await this.#repeatedIds.firstOfItsId(candidates);
    return (entry) => {
      if (!isCandidate(entry)) return "theirs";
      if (!hasEvent(entry)) return "ours";
      const verdict = verdicts.get(keyOf(entry)) ?? "untold";
      return verdict === "theirs" || isFirst(entry) ? verdict : "theirs";
    };
  }

  /**
   * Decides about one user that the users API says exists; "free": no user has the id, so another value of the user is taken. The event
   * log knows at once; `find`, which looks for the user, may come too early. Raises net.*, auth.refused.
   */
  async whoseUser(user: ExistingUser, existing: Existing, find: () => Promise<unknown>): Promise<Verdict | "free"> {
    const { userId, orgId, taken, wasLost } = user;
    if (taken === "id" && !wasLost) return "theirs";
    const { mark } = this.#events;
    const last = mark === undefined ? undefined : await ifOffered(() => lastLifeEvent(userId, this.#asking));
    let verdict: Verdict = wasLost ? "untold" : "theirs";
    if (isAlive(last)) verdict = wasLost && (await this.#events.isOwn())(last, orgId) ? "ours" : "theirs";
    // Users of an instance import may have no events (spec: Events).
    else if (taken !== "id" && (await find()) === undefined) return "free";
    if (verdict !== "ours") return verdict;
    const isFirst = await this.#repeatedIds.firstOfItsId([existing]);
    return isFirst(existing) ? "ours" : "theirs";
  }

  /** The users to which no earlier call of this job, whose answer was lost, has given an OTP secret. Raises what reading events raises. */
  async withoutOtpSecret(users: readonly Item[]): Promise<readonly Item[]> {
    const { mark } = this.#events;
    // Without events it is unknown; a user who has a secret keeps it, and the service says so.
    if (mark === undefined || !users.some(({ index }) => this.#wasLost(index))) return users;
    const { api, retry, signal } = this.#asking;
    const given = new Set<string>();
    for await (const { aggregate } of listEvents(api, { eventTypes: [OTP_ADDED], after: mark }, retry, signal)) {
      given.add(aggregate.id);
    }
    return users.filter(({ index, bytes }) => !this.#wasLost(index) || !given.has(userIdOf(bytes)));
  }

  /** Settles what no answer mentions, as far as the events say. Raises net.*, auth.refused. */
  resolveOpenItems(): Promise<void> {
    return resolveOpenItems(this.#events, this.#repeatedIds, this.#plan.scan, this.#progress.state);
  }

  #wasLost(index: number): boolean {
    return this.#progress.state.lost.has(index);
  }

  /** Fills in who created each of these. Raises what reading events raises. */
  async #judge(entries: readonly Existing[], items: readonly Item[], verdicts: Map<string, Verdict>): Promise<void> {
    const { mark } = this.#events;
    if (mark === undefined) return;
    const { lostSince } = this.#progress;
    const orgOf = new Map(items.map(({ index, org }) => [index, this.#plan.scan.orgs[org]?.orgId]));
    const isOwn = await this.#events.isOwn();
    const isOwnFor =
      ({ item = -1 }: Existing): IsOwnEvent =>
      (event) =>
        isOwn(event, orgOf.get(item));
    const created = await this.#createdSince(entries, later(mark, lostSince), isOwnFor);
    const open = entries.filter(({ id }) => !created.has(id));
    for (const entry of entries) if (created.has(entry.id)) verdicts.set(keyOf(entry), "ours");
    // A clock may be wrong: the rest is looked for without it.
    if (open.length > LOOKED_UP && lostSince !== undefined) {
      const createdAtAll = await this.#createdSince(open, mark, isOwnFor);
      for (const entry of open) verdicts.set(keyOf(entry), createdAtAll.has(entry.id) ? "ours" : this.#withoutEvent());
      return;
    }
    for (const entry of open) {
      const last = await this.#events.newest(entry.id, [creationEvents[entry.type] as string]); // filtered by the caller
      const verdict = last === undefined ? this.#withoutEvent() : isOwnFor(entry)(last) ? "ours" : "theirs";
      verdicts.set(keyOf(entry), verdict);
    }
  }

  /** Which of these objects this job created after a time. Raises what reading events raises. */
  async #createdSince(
    entries: readonly Existing[],
    after: string,
    isOwnFor: (entry: Existing) => IsOwnEvent,
  ): Promise<ReadonlySet<string>> {
    const { api, retry, signal } = this.#asking;
    const wanted = new Map(entries.map((entry) => [entry.id, entry]));
    const eventTypes = [...new Set(entries.map(({ type }) => creationEvents[type] as string))]; // filtered by the caller
    const created = new Set<string>();
    for await (const event of listEvents(api, { eventTypes, after }, retry, signal)) {
      const entry = wanted.get(event.aggregate.id);
      if (entry !== undefined && isOwnFor(entry)(event)) created.add(entry.id);
      if (created.size === wanted.size) break;
    }
    return created;
  }

  /** spec: Events; an object of an instance import may have no events, so their absence says nothing. */
  #withoutEvent(): Verdict {
    return this.#plan.scan.container === "dataOrgs" ? "theirs" : "untold";
  }
}

function keyOf({ type, id }: Existing): string {
  return `${type} ${id}`;
}

function later(mark: string, clock: Date | undefined): string {
  const recent = clock === undefined ? undefined : new Date(clock.getTime() - CLOCK_MARGIN_MS);
  return recent !== undefined && recent.getTime() > Date.parse(mark) ? recent.toISOString() : mark;
}
