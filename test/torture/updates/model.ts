import { type Account, accountsIn } from "./belongings.ts";
import { genders, type Person } from "./person.ts";
import { deletedIn, type FieldName, type Seen, type SeenEvent, seenIn } from "./seen.ts";
import { ORG, OTHER_ORG } from "./side.ts";

/** What a run was asked for. */
export interface Wish {
  readonly prefer: "source" | "target" | undefined;
  readonly removals: "delete" | "deactivate" | undefined;
  readonly maxDeletes: number | undefined;
  /** The input says all of a user, as an export does; a body leaves unmentioned fields open. */
  readonly isWhole: boolean;
  /** The input comes with the source's event log: only then is a value emptied. */
  readonly hasLog: boolean;
}

/** What a run must come to, by ids; of those that change, the fields. */
export interface Expected {
  readonly create: Set<string>;
  readonly update: Map<string, Set<string>>;
  readonly conflict: Map<string, Set<string>>;
  /** Users of a conflict that --prefer target does not settle. */
  readonly unsettled: Set<string>;
  readonly gone: Set<string>;
  readonly tooMany: Set<string>;
  readonly notOurs: Set<string>;
  /** The service refuses every call for them: they want what another user has, or what the state does not allow. */
  readonly refused: Set<string>;
}

const LEAST_LIMIT = 10;

/**
 * What is to be done when the source has these people, has removed those, and the target has had these events. Written down from the issue
 * alone: it knows nothing of how the program decides. @param untouchable users with a role on the target's instance.
 * @param strangers users of `strangersIn`.
 */
export function expectedOf(
  { people, removed }: { readonly people: ReadonlyMap<string, Person>; readonly removed: ReadonlyMap<string, string> },
  events: readonly SeenEvent[],
  wish: Wish,
  untouchable: ReadonlySet<string>,
  strangers: ReadonlySet<string>,
): Expected {
  const there = seenIn(events);
  const all: Expected = {
    create: new Set(),
    update: new Map(),
    conflict: new Map(),
    unsettled: new Set(),
    gone: new Set(),
    tooMany: new Set(),
    notOurs: new Set(),
    refused: new Set(),
  };
  for (const person of people.values()) judge(person, there.get(person.id), wish, all);
  if (wish.prefer !== "source")
    for (const id of deletedIn(events)) if (all.create.delete(id)) all.conflict.set(id, new Set(["user"]));
  const accounts = accountsIn(events);
  for (const id of people.keys())
    if (isOthersId(accounts.get(id)) && !all.conflict.has(id)) {
      all.create.delete(id);
      all.refused.add(id);
    }
  const isFormer = (id: string): boolean => wish.hasLog && (there.get(id)?.madeAt ?? "9") < (removed.get(id) ?? "");
  const former = [...people.keys()].filter(isFormer);
  const others = [...people.values()].filter((person) => isOtherPerson(person, there.get(person.id), wish, strangers));
  // What would have been changed of them is in conflict instead.
  for (const id of [...untouchable, ...former, ...others.map(({ id }) => id)]) {
    const fields = new Set([...(all.update.get(id) ?? []), ...(all.conflict.get(id) ?? [])]);
    // The new user would have the former one's password.
    const hasNone = people.get(id)?.hash === "" && there.get(id)?.fields.get("hash")?.value !== "";
    if (hasNone && former.includes(id) && !untouchable.has(id)) fields.add("hash");
    if (fields.size > 0) all.conflict.set(id, fields);
    // Another person of the source has no account; what is kept of the others is settled by a decision for the target.
    if (fields.size > 0 && former.includes(id) && !untouchable.has(id)) all.unsettled.add(id);
    all.update.delete(id);
    if (there.has(id)) all.refused.delete(id);
  }
  judgeRemovals(
    [...removed.keys()].filter((id) => !people.has(id) && !untouchable.has(id)),
    there,
    wish,
    strangers,
    all,
  );
  if (wish.removals !== undefined)
    for (const id of removed.keys()) if (!people.has(id) && untouchable.has(id) && there.has(id)) all.notOurs.add(id);
  judgeNames(people, there, all, wish, namesOfOthers(events, accounts));
  return all;
}

function judge(person: Person, seen: Seen | undefined, wish: Wish, all: Expected): void {
  if (seen === undefined) {
    all.create.add(person.id);
    return;
  }
  const different = differences(person, seen, wish);
  const conflicts = new Set(wish.prefer === "source" ? [] : contested(different, seen));
  const { id } = person;
  // A lock, also that of a deactivation, ends the state in which no password is taken; without one in the source, it is set only for users of
  // the copy itself.
  const getsLocked = different.has("state") && person.state !== "active";
  const takesPassword = different.has("hash") && !conflicts.has("hash") && (getsLocked || seen.madeBySelf);
  if (different.has("hash") && seen.isInitial && !takesPassword) conflicts.add("hash");
  const fields = new Set<string>([...different].filter((name) => !conflicts.has(name)));
  // A user of the copy who never finished is active once the address is verified: by a lock and an unlock.
  const isFinished = person.state === "active" && !(wish.isWhole && person.neverFinished);
  const isReady = seen.isInitial && seen.madeBySelf && isFinished;
  const isContested = (["hash", "email", "isEmailVerified"] as const).some((name) => conflicts.has(name));
  if (isReady && person.isEmailVerified && !isContested) fields.add("state");
  const contestedKeys = metadataOf(person, seen, wish, fields);
  const contestedOnes = [...conflicts, ...contestedKeys];
  if (contestedOnes.length > 0) all.conflict.set(id, new Set(contestedOnes));
  if (fields.size > 0) all.update.set(id, fields);
}

/** The id is a machine user's, or a user's of another organization, to which the service would also take a deleted one back. */
function isOthersId(account: Account | undefined): boolean {
  return account !== undefined && (account.orgId !== ORG || (account.isThere && account.isMachine));
}

/** User names of users who are not in the organization, and of machine users. */
function namesOfOthers(events: readonly SeenEvent[], accounts: ReadonlyMap<string, Account>): Set<string> {
  const away = [...seenIn(events, OTHER_ORG).values()].map(({ fields }) => fields.get("userName")?.value.toLowerCase());
  const machines = [...accounts.values()].filter(({ isThere, isMachine }) => isThere && isMachine);
  return new Set([...away, ...machines.flatMap(({ names }) => [...names])].map((name) => name ?? ""));
}

/** Created by another account, or by the own one for another person, with nothing by which the source's user is known. */
function isOtherPerson(
  person: Person,
  seen: Seen | undefined,
  { prefer }: Wish,
  strangers: ReadonlySet<string>,
): boolean {
  if (seen === undefined || prefer === "source") return false;
  if (seen.madeBySelf && !strangers.has(person.id)) return false;
  return !(["userName", "email", "hash"] as const).some(
    (name) => person[name] !== "" && seen.fields.get(name)?.value.toLowerCase() === person[name].toLowerCase(),
  );
}

/** Users of the input who have neither the phone number nor both names of the target's user: without the source's log, strangers. */
export function unlikeIn(people: ReadonlyMap<string, Person>, events: readonly SeenEvent[]): Set<string> {
  const there = seenIn(events);
  const isUnlike = (person: Person): boolean => {
    const seen = there.get(person.id);
    return seen !== undefined && !hasPersonOf(person, seen);
  };
  return new Set([...people.values()].filter(isUnlike).map(({ id }) => id));
}

function hasPersonOf(person: Person, { fields }: Seen): boolean {
  const isSame = (name: "phone" | "firstName" | "lastName"): boolean =>
    person[name] !== "" && fields.get(name)?.value === person[name];
  return isSame("phone") || (isSame("firstName") && isSame("lastName"));
}

const yesNo = (flag: boolean): string => (flag ? "yes" : "no");

/** The fields that differ from the source, and can be changed. */
function differences(
  person: Person,
  { fields, isMadeByService, isMadeOfNames }: Seen,
  { isWhole, hasLog }: Wish,
): Set<FieldName> {
  const wanted: Record<FieldName, string> = {
    userName: person.userName,
    email: person.email,
    isEmailVerified: yesNo(person.isEmailVerified),
    firstName: person.firstName,
    lastName: person.lastName,
    nickName: person.nickName,
    displayName: person.displayName,
    preferredLanguage: person.preferredLanguage,
    gender: String(genders.indexOf(person.gender)),
    phone: person.phone,
    isPhoneVerified: yesNo(person.isPhoneVerified),
    hash: person.hash,
    state: person.state,
  };
  const isSame = (name: FieldName, value: string): boolean =>
    trimmed.has(name) ? value.trim() === wanted[name].trim() : value === wanted[name];
  const names = [...fields].filter(([name, { value }]) => !isSame(name, value)).map(([name]) => name);
  const found = new Set(names);
  // Without a display name, the service makes one; it is distinguished from a given one.
  if (person.displayName === "" && isMadeByService) found.delete("displayName");
  // An export has no other state of a user who never finished.
  if (isWhole && person.neverFinished) found.delete("state");
  const isUnsaid = (name: FieldName): boolean => wanted[name] === "" || (name === "gender" && wanted[name] === "0");
  for (const name of names) if (!hasLog && isUnsaid(name)) found.delete(name);
  // In a body, one name may stand for both: with one that differs, the profile stays.
  const isOneName = person.firstName !== "" && person.firstName === person.lastName;
  if (!isWhole && isOneName && found.has("firstName") !== found.has("lastName"))
    for (const name of profile) found.delete(name as FieldName);
  // A display name that is both names follows them, if the body has none.
  const isRenamed = found.has("firstName") || found.has("lastName");
  if (!isWhole && person.displayName === "" && isMadeOfNames && isRenamed) found.add("displayName");
  if (!hasLog && person.phone === "") found.delete("isPhoneVerified");
  // No call takes a password or a verification away.
  if (person.hash === "") found.delete("hash");
  if (!found.has("email") && !person.isEmailVerified) found.delete("isEmailVerified");
  if (found.has("phone") ? person.phone === "" : !person.isPhoneVerified) found.delete("isPhoneVerified");
  return found;
}

/** Spaces around names are taken away by some calls of the service and not by others. */
const trimmed: ReadonlySet<FieldName> = new Set(["firstName", "lastName"]);

const profile: ReadonlySet<FieldName> = new Set([
  "firstName",
  "lastName",
  "nickName",
  "displayName",
  "preferredLanguage",
  "gender",
]);

/** Those of them that another account has set on the target. */
function contested(different: ReadonlySet<FieldName>, { fields }: Seen): FieldName[] {
  const isForeign = (name: FieldName): boolean => different.has(name) && fields.get(name)?.by === "other";
  // A profile is changed with both names, or not at all.
  const isNameForeign = isForeign("firstName") || isForeign("lastName");
  return [...different].filter((name) => {
    if (name === "isEmailVerified" && different.has("email")) return isForeign("email");
    if (name === "isPhoneVerified" && different.has("phone")) return isForeign("phone");
    return isForeign(name) || (profile.has(name) && isNameForeign);
  });
}

/** Adds what is to be changed; returns what is contested. */
function metadataOf({ metadata }: Person, seen: Seen, { prefer, hasLog }: Wish, fields: Set<string>): string[] {
  const contestedOnes: string[] = [];
  for (const [key, value] of metadata) {
    const there = seen.metadata.get(key);
    if (there?.value === value) continue;
    if (there?.by === "other" && prefer !== "source") contestedOnes.push(`metadata.${key}`);
    else fields.add(`metadata.${key}`);
  }
  for (const [key, { value, by }] of hasLog ? seen.metadata : []) {
    if (!metadata.has(key) && value !== "" && by !== "other") fields.add(`metadata.${key}`);
  }
  return contestedOnes;
}

function judgeRemovals(
  removed: readonly string[],
  there: ReadonlyMap<string, Seen>,
  { removals, maxDeletes }: Wish,
  strangers: ReadonlySet<string>,
  all: Expected,
): void {
  if (removals === undefined) return;
  const stateOf = (id: string): string | undefined => there.get(id)?.fields.get("state")?.value;
  const isDone = (id: string): boolean => removals === "deactivate" && stateOf(id) === "inactive";
  const found = removed.filter((id) => there.has(id) && !isDone(id));
  for (const id of found) if (there.get(id)?.madeBySelf === false || strangers.has(id)) all.notOurs.add(id);
  const ours = found.filter((id) => !all.notOurs.has(id));
  const limit = maxDeletes ?? Math.max(LEAST_LIMIT, Math.floor(there.size / 100));
  for (const id of ours) (ours.length > limit ? all.tooMany : all.gone).add(id);
  if (removals === "deactivate") for (const id of all.gone) if (there.get(id)?.isInitial) all.refused.add(id);
}

/** A user who wants the name of a user who keeps it is refused, and keeps the former one. */
function judgeNames(
  people: ReadonlyMap<string, Person>,
  there: ReadonlyMap<string, Seen>,
  all: Expected,
  { removals }: Wish,
  namesOutside: ReadonlySet<string>,
): void {
  const nameOf = (id: string): string => there.get(id)?.fields.get("userName")?.value.toLowerCase() ?? "";
  const gets = (id: string): string | undefined =>
    all.create.has(id) || all.update.get(id)?.has("userName") === true
      ? people.get(id)?.userName.toLowerCase()
      : undefined;
  const leaves = (id: string): boolean => (removals === "delete" && all.gone.has(id)) || gets(id) !== undefined;
  const isOut = new Set<string>();
  for (let before = -1; before !== isOut.size; ) {
    before = isOut.size;
    const inside = [...there.keys()].filter((id) => !leaves(id) || isOut.has(id)).map(nameOf);
    const kept = new Set([...inside, ...namesOutside]);
    for (const id of people.keys()) if (kept.has(gets(id) ?? "") && nameOf(id) !== gets(id)) isOut.add(id);
  }
  for (const id of isOut) all.refused.add(id);
}
