import { listEvents, newestEvent } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { Item } from "../../../core/document/items.ts";
import { machineIdOf, userIdOf } from "../../../core/document/user-id.ts";
import { isCreationOf } from "../../../core/events/own-creation.ts";
import { OTP_VERIFIED } from "../../../core/events/user-change.ts";
import { isAlive, MACHINE_ADDED, USER_REMOVED } from "../../../core/events/user-life.ts";
import { fieldsOf } from "../../../core/json/members.ts";
import type { BatchResult, Existing, Failure } from "../../../core/transfer/answer/batch-result.ts";
import type { Verdict } from "../../../core/transfer/answer/outcome.ts";
import type { Resolution } from "../../../core/transfer/job-state.ts";
import type { Asking } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { isOwn, lastLifeEvent, readSelf } from "../../shared/user-life.ts";
import type { Ledger } from "../ledger.ts";
import { findUsers, type Plan } from "../plan/plan.ts";
import { Replaced } from "./replaced.ts";
import { SameObjects } from "./same-object.ts";

/** Clocks of several servers behind one address differ a little. */
const CLOCK_MARGIN_MS = 5_000;
/** Of one answer, up to this many objects are looked up one by one. */
const LOOKED_UP = 200;
/** At the end, at most this many open items are looked up. */
const RESOLVED = 1_000;

/** The import does not report a JWT identity provider that exists (service behaviour 9.10). Its events belong to the organization. */
const PROVIDER = { type: "jwt_idp", added: "org.idp.config.added", removed: "org.idp.config.removed" } as const;

/**
 * The events that say whether an object of a type exists; the first one is its creation. Their aggregate is the object's id (service
 * behaviour 3). Other types have no events.
 */
const lifeOf: Readonly<Record<string, readonly string[]>> = {
  human_user: ["user.human.added", "user.human.selfregistered", "user.machine.added", USER_REMOVED],
  machine_user: ["user.machine.added", "user.human.added", USER_REMOVED],
  org: ["org.added", "org.removed"],
  project: ["project.added", "project.removed"],
  action: ["action.added", "action.removed"],
};

/**
 * "ours": an event that a call of this job with this item may have written, in its organization and with its content. "unsure": the same of
 * another account, which may be that of an earlier run.
 */
type JudgeEvent = (event: ServiceEvent, item: Item | undefined) => "ours" | "unsure" | "theirs";

/** Why an existing user is a failure: this job created it, and another account or job replaced it; or it may be this job's. */
export const failing = { taken: "taken-over", unsure: "there-or-ours" } as const;
type Judged = Verdict | keyof typeof failing;

type JudgeFor = (entry: Existing, event: ServiceEvent) => ReturnType<JudgeEvent>;

/** A user that the target says exists, and what its answer was about: the id, or a value of the user that must be unique. */
export interface ExistingUser {
  readonly item: Item;
  readonly taken: "id" | "value";
  readonly wasLost: boolean;
}

/**
 * Decides who created an object that exists: this job, in a call whose answer was lost, or another account. The target's events decide:
 * what a service user of this job created since the job began, in the organization that the input names, is this job's own, unless it is a
 * user with another content: another job created it. Without events about an object it is unknown.
 */
export class Provenance {
  readonly #asking: Asking;
  readonly #plan: Plan;
  readonly #ledger: Ledger;
  #self: Promise<string | undefined> | undefined;
  readonly #sameObjects: SameObjects;
  readonly replaced: Replaced;

  constructor(asking: Asking, plan: Plan, ledger: Ledger) {
    this.#asking = asking;
    this.#plan = plan;
    this.#ledger = ledger;
    this.#sameObjects = new SameObjects(asking, plan.scan);
    const isOwnMachine = (item: Item): Promise<boolean> => this.isOwnMachine(item);
    this.replaced = new Replaced({ asking, plan, ledger, isOwnUser: (item) => this.isOwnUser(item), isOwnMachine });
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

  /** True for a user whose last creation is this job's. Raises net.*, auth.refused. */
  async isOwnUser(item: Item): Promise<boolean> {
    if (this.#mark === undefined) return false;
    const last = await ifOffered(() => lastLifeEvent(userIdOf(item.bytes), this.#asking));
    return isAlive(last) && (await this.#judgeEvent())(last, item) === "ours";
  }

  /** The same for a machine user. */
  async isOwnMachine({ bytes, org }: Item): Promise<boolean> {
    if (this.#mark === undefined) return false;
    const last = await ifOffered(() => lastLifeEvent(machineIdOf(bytes), this.#asking));
    if (last?.type.type !== MACHINE_ADDED || last.aggregate.resourceOwner !== this.#plan.scan.orgs[org]?.orgId)
      return false;
    return (await this.#judgeEvent())(last, undefined) === "ours";
  }

  /**
   * Decides about the existing objects of an answer to a call with these items. Users of this job that another account or job replaced become
   * failures, and so do users of which it is unknown whether an earlier run created them. Raises net.*, auth.refused.
   */
  async decide<T extends BatchResult>(
    result: T,
    items: readonly Item[],
  ): Promise<{ readonly result: T; readonly whose: (entry: Existing) => Verdict }> {
    const judged = await this.#judged(result.existing, items);
    const whose = (entry: Existing): Verdict => {
      const verdict = judged(entry);
      return verdict === "taken" || verdict === "unsure" ? "theirs" : verdict;
    };
    const existing: Existing[] = [];
    const failures: Failure[] = [];
    for (const entry of result.existing) {
      const verdict = judged(entry);
      const isFailure = entry.type === "human_user" && entry.item !== undefined;
      if (isFailure && (verdict === "taken" || verdict === "unsure"))
        failures.push({ ...entry, cause: failing[verdict] });
      else existing.push(entry);
    }
    if (failures.length === 0) return { result, whose };
    return { result: { ...result, existing, failures: [...result.failures, ...failures] }, whose };
  }

  async #judged(existing: readonly Existing[], items: readonly Item[]): Promise<(entry: Existing) => Judged> {
    const someLost = items.some(({ index }) => this.#wasLost(index));
    const isCandidate = ({ item }: Existing): boolean => (item === undefined ? someLost : this.#wasLost(item));
    const hasEvent = ({ type }: Existing): boolean => Object.hasOwn(lifeOf, type);
    const candidates = existing.filter((entry) => isCandidate(entry) && hasEvent(entry));
    if (candidates.length === 0) return (entry) => (isCandidate(entry) ? "ours" : "theirs");
    const verdicts = new Map<string, Judged>();
    // If the events end before the last object, the verdicts up to there hold.
    await ifOffered(() => this.#judge(candidates, items, verdicts));
    return (entry) => {
      if (!isCandidate(entry)) return "theirs";
      return hasEvent(entry) ? (verdicts.get(keyOf(entry)) ?? "untold") : "ours";
    };
  }

  /**
   * Decides about one user that the users API says exists; "free": no user has the id, so another value of the user is taken. The event
   * log knows at once; `find`, which looks for the user, may come too early. Raises net.*, auth.refused.
   */
  async whoseUser(user: ExistingUser, existing: Existing, find: () => Promise<unknown>): Promise<Judged | "free"> {
    const { item, taken, wasLost } = user;
    if (taken === "id" && !wasLost) return "theirs";
    const mark = this.#mark;
    const last = mark === undefined ? undefined : await ifOffered(() => lastLifeEvent(existing.id, this.#asking));
    let verdict: Judged = wasLost ? "untold" : "theirs";
    if (isAlive(last)) verdict = wasLost ? await this.#whoseLast(last, item, existing) : "theirs";
    // Users of an instance import may have no events (spec: Events).
    else if (taken !== "id" && (await find()) === undefined) return "free";
    return verdict;
  }

  /** The users to which no earlier call of this job, whose answer was lost, has given an OTP secret. Raises what reading events raises. */
  async withoutOtpSecret(users: readonly Item[]): Promise<readonly Item[]> {
    const mark = this.#mark;
    // Without events it is unknown; a user who has a secret keeps it, and the service says so.
    if (mark === undefined || !users.some(({ index }) => this.#wasLost(index))) return users;
    const { api, retry, signal } = this.#asking;
    const given = new Set<string>();
    for await (const { aggregate } of listEvents(api, { eventTypes: [OTP_VERIFIED], after: mark }, retry, signal)) {
      given.add(aggregate.id);
    }
    return users.filter(({ index, bytes }) => !this.#wasLost(index) || !given.has(userIdOf(bytes)));
  }

  /**
   * Looks up what no answer mentions, before it is reported as unknown: the target's events decide (service behaviour 3). An object that
   * should have events and has none was not created, except in an instance import, which may leave no events. Raises net.*, auth.refused.
   */
  async resolveOpenItems(): Promise<void> {
    if (this.#mark === undefined) return;
    const { state } = this.#ledger;
    const resolveAll = async (): Promise<void> => {
      const ids = state.unknown.slice(0, RESOLVED);
      const items = await findUsers(this.#plan, new Set(ids), this.#asking.signal);
      for (const id of ids) {
        this.#ledger.resolveUser(id, await this.#look("human_user", id, items.get(id)));
      }
      for (const open of state.open.slice(0, RESOLVED)) {
        this.#ledger.resolveOpen(open, await this.#look(open.type, open.id));
      }
    };
    await ifOffered(resolveAll);
  }

  /** What the events say about an object that no answer mentions; `items`: the users of the input with this id. */
  async #look(type: string, id: string, items: readonly (Item | undefined)[] = [undefined]): Promise<Resolution> {
    const { carries, container, orgs } = this.#plan.scan;
    const types = lifeOf[type];
    const isProvider = type === PROVIDER.type;
    if ((types === undefined && !isProvider) || id === "") return "unknown";
    const last = isProvider ? await this.#newestOfProvider(id) : await this.#newest(id, types ?? []);
    if (last === undefined) return carries === "body" && container === "dataOrgs" ? "missing" : "unknown";
    if (last.type.type.endsWith(".removed")) return "missing";
    const isInInput = orgs.some(({ orgId }) => orgId === last.aggregate.resourceOwner);
    const judge = await this.#judgeEvent();
    const verdicts = new Set<Judged>();
    for (const item of items) {
      if (item !== undefined) verdicts.add(await this.#whoseLast(last, item, { type: "human_user", id, message: "" }));
      else if (isInInput) verdicts.add(judge(last, item));
    }
    if (verdicts.has("ours")) return "created";
    if (verdicts.has("unsure")) return "unknown";
    return verdicts.has("taken") ? "taken" : "alreadyThere";
  }

  /** The time of the target's newest event before the job; undefined if its events cannot be read. */
  get #mark(): string | undefined {
    return this.#ledger.state.job?.mark;
  }

  #wasLost(index: number): boolean {
    return this.#ledger.state.lost.has(index);
  }

  /** Tells the events of this job from others: later than its mark, by its service users, about its items. Raises net.*, auth.refused. */
  async #judgeEvent(): Promise<JudgeEvent> {
    const mark = this.#mark;
    if (mark === undefined) return () => "theirs";
    this.#self ??= readSelf(this.#asking);
    const self = await this.#self;
    const by = this.#ledger.state.job?.by;
    // Earlier runs of the job may have had another service user.
    const accounts = by ?? [self];
    const isOneUnknown = (by === undefined) !== (self === undefined);
    return (event, item) => {
      const orgId = item && this.#plan.scan.orgs[item.org]?.orgId;
      const isBy = (account: string | undefined): boolean => isOwn(event, { mark, self: account, orgId });
      if (item !== undefined && !isCreationOf(event, item.bytes)) return "theirs";
      if (accounts.some(isBy)) return "ours";
      return isOneUnknown && isBy(undefined) ? "unsure" : "theirs";
    };
  }

  /** The newest event of some types about an object; undefined without one. Raises what reading events raises. */
  async #newest(id: string, eventTypes: readonly string[]): Promise<ServiceEvent | undefined> {
    const { api, retry, signal } = this.#asking;
    const request = { aggregate_id: id, event_types: [...eventTypes] };
    return withRetry(() => newestEvent(api, signal, request), retry, signal);
  }

  /** The newest creation or removal of an identity provider; undefined without one. Raises what reading events raises. */
  async #newestOfProvider(id: string): Promise<ServiceEvent | undefined> {
    const { api, retry, signal } = this.#asking;
    const eventTypes = [PROVIDER.added, PROVIDER.removed];
    let last: ServiceEvent | undefined;
    for await (const event of listEvents(api, { eventTypes }, retry, signal)) {
      if (fieldsOf(event.payload)["idpConfigId"] === id) last = event;
    }
    return last;
  }

  /** Fills in who created each of these. Raises what reading events raises. */
  async #judge(entries: readonly Existing[], items: readonly Item[], verdicts: Map<string, Judged>): Promise<void> {
    const mark = this.#mark;
    if (mark === undefined) return;
    const { lostSince } = this.#ledger;
    const itemAt = new Map(items.map((item) => [item.index, item]));
    const judge = await this.#judgeEvent();
    const judgeFor: JudgeFor = ({ item = -1 }, event) => judge(event, itemAt.get(item));
    const created = await this.#createdSince(entries, later(mark, lostSince), judgeFor);
    const open = entries.filter(({ id }) => !created.has(id));
    for (const entry of entries) {
      const verdict = created.get(entry.id);
      if (verdict !== undefined) verdicts.set(keyOf(entry), verdict);
    }
    // A clock may be wrong: the rest is looked for without it.
    if (open.length > LOOKED_UP && lostSince !== undefined) {
      const createdAtAll = await this.#createdSince(open, mark, judgeFor);
      for (const entry of open) verdicts.set(keyOf(entry), createdAtAll.get(entry.id) ?? this.#withoutEvent());
      return;
    }
    for (const entry of open) {
      const last = await this.#newest(entry.id, lifeOf[entry.type] ?? []);
      const isCreated = last?.type.type === creationOf(entry);
      const verdict = isCreated ? judgeFor(entry, last) : "theirs";
      verdicts.set(keyOf(entry), last === undefined ? this.#withoutEvent() : verdict);
    }
  }

  /** The verdict on a user whose last life event is a creation; the answer to a call of this job was lost. */
  async #whoseLast(last: ServiceEvent, item: Item, existing: Existing): Promise<Judged> {
    const judge = await this.#judgeEvent();
    const verdict = judge(last, item);
    if (verdict !== "theirs") return verdict;
    const judgeFor: JudgeFor = (_, event) => judge(event, item);
    const created = await ifOffered(() => this.#createdSince([existing], this.#mark ?? "", judgeFor));
    return created?.has(existing.id) === true ? "taken" : "theirs";
  }

  /**
   * Which of these objects this job created after a time; "taken" if the object has a later event of its life, which is not this job's
   * creation. Raises what reading events raises.
   */
  async #createdSince(
    entries: readonly Existing[],
    after: string,
    judgeFor: JudgeFor,
  ): Promise<ReadonlyMap<string, "ours" | "unsure" | "taken">> {
    const { api, retry, signal } = this.#asking;
    const wanted = new Map(entries.map((entry) => [entry.id, entry]));
    const eventTypes = [...new Set(entries.flatMap(({ type }) => lifeOf[type] ?? []))];
    const created = new Map<string, "ours" | "unsure" | "taken">();
    const [only, ...others] = [...wanted.keys()];
    const aggregate = only === undefined || others.length > 0 ? {} : { aggregateId: only };
    for await (const event of listEvents(api, { eventTypes, after, ...aggregate }, retry, signal)) {
      const entry = wanted.get(event.aggregate.id);
      if (entry === undefined || lifeOf[entry.type]?.includes(event.type.type) !== true) continue;
      // The last event decides: the object may have been removed, and created again by another account.
      const verdict = event.type.type === creationOf(entry) ? judgeFor(entry, event) : "theirs";
      if (verdict !== "theirs") created.set(entry.id, verdict);
      else if (created.has(entry.id)) created.set(entry.id, "taken");
    }
    return created;
  }

  /** spec: Events; an object of an instance import may have no events, so their absence says nothing. */
  #withoutEvent(): Verdict {
    return this.#plan.scan.container === "dataOrgs" ? "theirs" : "untold";
  }
}

/** The creation event of an object whose type has events. */
function creationOf({ type }: Existing): string {
  return lifeOf[type]?.[0] ?? "";
}

function keyOf({ type, id }: Existing): string {
  return `${type} ${id}`;
}

function later(mark: string, clock: Date | undefined): string {
  const recent = clock === undefined ? undefined : new Date(clock.getTime() - CLOCK_MARGIN_MS);
  return recent !== undefined && recent.getTime() > Date.parse(mark) ? recent.toISOString() : mark;
}
