import type { Notes } from "../checks/findings.ts";
import { text } from "../instance/json.ts";
import type { Source } from "./changes.ts";
import type { SeenEvent } from "./seen.ts";
import { IDP, ORG } from "./side.ts";

/** A user of any organization and of any kind, as the target's events have the last one of an id. */
export interface Account {
  readonly orgId: string;
  readonly isMachine: boolean;
  readonly madeBySelf: boolean;
  /** ISO 8601. */
  readonly madeAt: string;
  /** Where the creation is among all events. */
  readonly madeAs: number;
  isThere: boolean;
  /** Another account deleted the user. */
  isRemovedByOther: boolean;
  /** Every user name, e-mail address and hash that the user has had. */
  readonly names: Set<string>;
  /** Identities at the provider. */
  readonly links: Set<string>;
  /** Those that another account took away. */
  readonly unlinked: Set<string>;
  isMember: boolean;
  /** A second user was written onto it (service behaviour 0.43): after its removal, the service still holds the name of the first. */
  readonly wasWrittenOver: boolean;
}

const LINKED = "user.human.externalidp.added";
const JOINED = "org.member.added";
const MACHINE = "user.machine.added";

/** Machine users, and what belongs to a user: decided in here alone. */
export function isBelonging({ type }: Pick<SeenEvent, "type">): boolean {
  return type === LINKED || type === JOINED || type === MACHINE;
}

/** All users that there have been, from all events in order; `each` is called before an event counts. */
export function accountsIn(
  events: readonly SeenEvent[],
  each: (event: SeenEvent, accounts: ReadonlyMap<string, Account>, at: number) => void = () => {},
): Map<string, Account> {
  const accounts = new Map<string, Account>();
  for (const [at, event] of events.entries()) {
    each(event, accounts, at);
    const { id, type, orgId, bySelf: madeBySelf, at: madeAt } = event;
    if (type === "user.human.added" || type === MACHINE) {
      const lists = { names: new Set<string>(), links: new Set<string>(), unlinked: new Set<string>() };
      const made = { orgId, madeBySelf, madeAt, madeAs: at, isMachine: type === MACHINE };
      const former = accounts.get(id);
      const wasWrittenOver = former?.wasWrittenOver === true || former?.isThere === true;
      // A user who is written over keeps the role in the organization.
      const isMember = former?.isThere === true && former.isMember;
      const state = { isThere: true, isRemovedByOther: false, isMember, wasWrittenOver };
      accounts.set(id, { ...made, ...lists, ...state });
    }
    const account = accounts.get(id);
    if (account !== undefined) change(account, event);
  }
  return accounts;
}

function change(account: Account, { type, payload, bySelf }: SeenEvent): void {
  for (const name of NAMES) if (text(payload, name) !== "") account.names.add(text(payload, name).toLowerCase());
  const external = text(payload, "userId");
  if (type === "user.removed") {
    account.isThere = false;
    account.isRemovedByOther = !bySelf;
  } else if (type === LINKED) account.links.add(external);
  else if (type === "user.human.externalidp.removed") {
    account.links.delete(external);
    if (!bySelf) account.unlinked.add(external);
  } else if (type === JOINED) account.isMember = true;
  else if (type.startsWith("org.member.") && type.endsWith("removed")) account.isMember = false;
}

/** What the rules know besides the target's events. */
export interface Circumstances {
  readonly source: Pick<Source, "people" | "removed" | "machines" | "members">;
  /** Users with a role on the target's instance. */
  readonly untouchable: ReadonlySet<string>;
  /** The input comes with the source's event log. */
  readonly hasLog: boolean;
  readonly prefer: "source" | "target" | undefined;
  /** Users of `strangersIn`, or without the source's log of `unlikeIn`. */
  readonly strangers: ReadonlySet<string>;
}

/**
 * Users of the target who have never had a user name, an e-mail address or a hash that the source's user with the id has had; a former user
 * of the id on the target does not count.
 */
export function strangersIn(source: readonly SeenEvent[], target: readonly SeenEvent[]): Set<string> {
  const [here, there] = [namesIn(source, () => false), namesIn(target, ({ type }) => CREATIONS.has(type))];
  const isKnown = (id: string): boolean => [...(here.get(id) ?? [])].some((name) => there.get(id)?.has(name) === true);
  return new Set([...there.keys()].filter((id) => here.has(id) && !isKnown(id)));
}

const CREATIONS = new Set(["user.human.added", "user.human.selfregistered", "user.machine.added"]);

function namesIn(events: readonly SeenEvent[], isBeginning: (event: SeenEvent) => boolean): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const event of events) {
    const { id, payload } = event;
    if (isBeginning(event)) names.delete(id);
    const given = NAMES.map((name) => text(payload, name).toLowerCase()).filter((name) => name !== "");
    if (given.length > 0) names.set(id, new Set([...(names.get(id) ?? []), ...given]));
  }
  return names;
}

const NAMES = ["userName", "email", "encodedHash"] as const;

/** A machine user that another account deleted stays deleted, unless the source is preferred. */
function staysDeleted(account: Account | undefined, { prefer }: Pick<Circumstances, "prefer">): boolean {
  return account?.isThere === false && account.isRemovedByOther && prefer !== "source";
}

/** The user of the target is the one of the source, by what both have. */
function isSame(
  id: string,
  account: Account | undefined,
  { source, hasLog, strangers }: Circumstances,
): account is Account {
  if (account?.isThere !== true || account.orgId !== ORG) return false;
  const [person, machine] = [source.people.get(id), source.machines.get(id)];
  if (account.isMachine) return machine !== undefined && (account.madeBySelf || account.names.has(machine));
  if (person === undefined || (hasLog && account.madeAt < (source.removed.get(id) ?? ""))) return false;
  const { userName, email, hash } = person;
  const isOwn = account.madeBySelf && !strangers.has(id);
  return isOwn || [userName, email, hash].some((name) => account.names.has(name.toLowerCase()));
}

/** No other person gets what belongs to a user of the source: no identity to sign in with, and no right. */
export function checkBelongings(
  events: readonly SeenEvent[],
  from: number,
  circumstances: Circumstances,
  notes: Notes,
): void {
  const { source, untouchable } = circumstances;
  accountsIn(events, (event, accounts, at) => {
    const { id, type, bySelf, payload } = event;
    if (at < from || !bySelf || !isBelonging(event)) return;
    const account = accounts.get(id);
    const isTheirs = isSame(id, account, circumstances) && !untouchable.has(id);
    const external = text(payload, "userId");
    const isMeant = {
      [MACHINE]: () => source.machines.has(id) && !staysDeleted(account, circumstances),
      [JOINED]: () => isTheirs && source.members.has(id),
      [LINKED]: () =>
        isTheirs &&
        account.madeBySelf &&
        source.people.get(id)?.links.has(external) === true &&
        !account.unlinked.has(external),
    }[type];
    const why = untouchable.has(id) ? "who has a role on the instance" : "which nothing asks for";
    notes.expect(isMeant?.() === true, `${type} of ${id}, ${why}`);
  });
}

/** Machine users, links and memberships that the target lacks, by names for people. */
export interface Open {
  /** The service refuses them. */
  readonly blocked: Set<string>;
  readonly open: Set<string>;
  /** They must not be given, to a user with a role on the instance; how the run ends is not promised. */
  readonly fenced: Set<string>;
}

export function openBelongings(events: readonly SeenEvent[], since: number, circumstances: Circumstances): Open {
  const { source, untouchable } = circumstances;
  const accounts = accountsIn(events);
  const [blocked, open, fenced] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const id of source.machines.keys()) {
    const account = accounts.get(id);
    if (account === undefined) open.add(`machine ${id}`);
    else if (account.orgId !== ORG || (account.isThere && !account.isMachine)) blocked.add(id);
    else if (staysDeleted(account, circumstances)) blocked.add(id);
    else if (!account.isThere && account.wasWrittenOver) blocked.add(id);
    else if (!account.isThere) open.add(`machine ${id}`);
  }
  const taken = new Set([...accounts.values()].flatMap(({ isThere, links }) => (isThere ? [...links] : [])));
  for (const [id, { links }] of source.people) {
    const account = accounts.get(id);
    if (!isSame(id, account, circumstances) || !account.madeBySelf) continue;
    for (const external of links) {
      if (account.links.has(external) || account.unlinked.has(external)) continue;
      if (untouchable.has(id)) fenced.add(`link of ${id}`);
      else if (taken.has(external)) blocked.add(`${IDP} ${external}`);
      else if (account.madeAs >= since) open.add(`link of ${id}`);
    }
  }
  for (const id of source.members) {
    const account = accounts.get(id);
    const isMachine = account?.isThere === true && account.isMachine && account.orgId === ORG;
    if (isSame(id, account, circumstances)) {
      if (!account.isMember) (untouchable.has(id) ? fenced : open).add(`member ${id}`);
    } else if (isMachine && source.machines.has(id)) blocked.add(`member ${id}`);
  }
  return { blocked, open, fenced };
}
