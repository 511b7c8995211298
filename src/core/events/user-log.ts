import { comparedFields, type UserView } from "../compared-fields.ts";
import { isSavedTable, RecordTable, type SavedRecords } from "../tables/record-table.ts";
import type { ComparedField } from "../user-fields.ts";
import type { Digest } from "./digest.ts";
import type { UserChange } from "./user-change.ts";
import { userKey } from "./user-life.ts";

/** A user on the target, as far as it decides about a change. */
export interface LoggedUser {
  readonly number: number;
  readonly isThere: boolean;
  /** The user has not finished registration: no password can be set before that (service behaviour 0.28). */
  readonly isInitial: boolean;
  /** Created by this job's service user. */
  readonly isOurs: boolean;
  /** Still locked by this job's service user, since before the registration was finished: an update does so to set a password. */
  readonly isLockedUnfinished: boolean;
  readonly state: UserState;
  /** Created since this job began. */
  readonly isNew: boolean;
  /** The fields that this job's service user has changed since the job began, and no other account since. */
  readonly touched: readonly ComparedField[];
  /** Removed by this job's service user since the job began. */
  readonly isRemovedByJob: boolean;
  /** Removed by another user than this job's service user, and not recreated. */
  readonly isRemovedByOther: boolean;
}

const userStates = ["active", "inactive", "locked"] as const;
export type UserState = (typeof userStates)[number];

/** A field whose value differs from the wanted one. */
export interface DifferentField {
  readonly field: ComparedField;
  /** Another user than this job's service user set its value. */
  readonly isForeign: boolean;
}

/** The effect of an event on a user: a change, the beginning or the end of the registration, or a machine user in the place of the user. */
export type LoggedChange = UserChange | "initial" | "initialized" | "replaced";

/** The author of an event, and whether it is later than the beginning of the job. */
export interface Actor {
  readonly isOurs: boolean;
  readonly isSince: boolean;
}

const FIELDS = comparedFields.length;
/**
 * Words of a record: a digest of two words per field, and of the hash that a sign-in has made of the same password; masks of the fields that
 * other users changed and that this job changed; marks.
 */
const REHASHED = FIELDS * 2;
const FOREIGN = REHASHED + 2;
const TOUCHED = FOREIGN + 1;
const MARKS = TOUCHED + 1;
/** The number of the organization's life in which the user was created. */
const LIFE = MARKS + 1;
const STRIDE = LIFE + 1;
const HASH = comparedFields.indexOf("hash");

const IS_THERE = 1;
const IS_OURS = 2;
const IS_INITIAL = 4;
const STATE_SHIFT = 3;
const STATE_MASK = 3 << STATE_SHIFT;
const IS_NEW = 32;
const IS_REMOVED_BY_JOB = 64;
const IS_TAKEN = 128;
/** The display name is the one that the service makes of both names. */
const IS_NAMED_BY_SERVICE = 256;
const IS_LOCKED_UNFINISHED = 512;
const IS_REMOVED_BY_OTHER = 1024;
/** The display name is both names, in any way. */
const IS_NAMED_BY_NAMES = 2048;
/** The first name is also the last name. */
const HAS_ONE_NAME = 4096;
/** The first name is also the last name and the display name. */
const IS_SHOWN_BY_ONE_NAME = 8192;
/** So many ids of created users are kept. */
const MOST_IDS = 20_000;
const OF_ONE_JOB = IS_NEW | IS_REMOVED_BY_JOB | IS_TAKEN;

/** A log outside of memory. */
export interface SavedUsers extends SavedRecords {
  readonly texts: {
    readonly orgLives: readonly (readonly [string, number])[];
    readonly endedLives: readonly number[];
    readonly users: readonly (readonly [string, number])[];
  };
}

/** True for a log that `save` may have given. */
export function isSavedUsers(saved: SavedUsers): boolean {
  return isSavedTable(saved, STRIDE);
}

/**
 * The users of an instance by its event log, as digests: some 170 bytes per user. The same events in the same order give the same log;
 * the last of them taken twice change nothing.
 */
export class UserLog {
  readonly #digest: (field: string, value: string) => Digest;
  readonly #records: RecordTable;
  /** An organization that is removed and created again has none of its former users (service behaviour 9.48). */
  readonly #orgLives: Map<string, number>;
  readonly #endedLives: Set<number>;
  readonly #users: Map<string, number>;
  /** Ids of the first users that the account created, by their places: only digests are kept of the others. */
  readonly #createdIds = new Map<number, string>();

  /** @param saved a log as `save` gave it, with digests under the same key; without one it is empty. */
  constructor(digest: (field: string, value: string) => Digest, saved?: SavedUsers) {
    this.#digest = digest;
    this.#records = new RecordTable(STRIDE, { saved });
    this.#orgLives = new Map(saved?.texts.orgLives);
    this.#endedLives = new Set(saved?.texts.endedLives);
    this.#users = new Map(saved?.texts.users);
  }

  /** A copy from which the same log can be created, without the marks of one job. */
  save(): SavedUsers {
    const { ids, records } = this.#records.save();
    for (let base = 0; base < records.length; base += STRIDE) {
      records[base + TOUCHED] = 0;
      records[base + MARKS] = (records[base + MARKS] as number) & ~OF_ONE_JOB;
    }
    const texts = { orgLives: [...this.#orgLives], endedLives: [...this.#endedLives], users: [...this.#users] };
    return { ids, records, texts };
  }

  /** The number of existing users of an organization. */
  usersOf(orgId: string): number {
    return this.#users.get(orgId) ?? 0;
  }

  apply(orgId: string, userId: string, change: LoggedChange, actor: Actor): void {
    const base = this.#records.placeOf(userKey(orgId, userId));
    if (change === "initial") this.#mark(base, IS_INITIAL);
    else if (change === "initialized") this.#finish(base, actor);
    else if (change === "replaced") this.#leave(base, orgId);
    else this.#change(base, orgId, change, actor);
    const isCreation = typeof change === "object" && change.kind === "added" && actor.isOurs;
    if (isCreation && this.#createdIds.size < MOST_IDS) this.#createdIds.set(base, userId);
  }

  #change(base: number, orgId: string, change: UserChange, actor: Actor): void {
    switch (change.kind) {
      case "added":
        this.#add(base, orgId, actor);
        this.#write(base, change.view);
        if (isNamedByService(change.view)) this.#mark(base, IS_NAMED_BY_SERVICE);
        if (isNamedByNames(change.view)) this.#mark(base, IS_NAMED_BY_NAMES);
        this.#noteNames(base, change.view);
        return;
      case "changed":
        if (change.view.state !== undefined) this.#noteState(base, change.view.state, actor);
        this.#write(base, change.view);
        if (change.view.hash !== undefined && actor.isOurs) this.#unmark(base, IS_LOCKED_UNFINISHED);
        if (change.view.displayName !== undefined) this.#noteDisplayName(base, change.view.displayName);
        else if (namesOf(change.view) !== " ") this.#unmark(base, IS_NAMED_BY_NAMES);
        this.#noteNames(base, change.view);
        this.#noteActor(base, change.view, actor);
        return;
      case "rehashed":
        this.#setDigest(base + REHASHED, this.#digest("hash", change.hash));
        return;
      case "removed":
        this.#remove(base, orgId, actor);
        return;
      case "mailed":
        return;
      default:
        change satisfies never;
    }
  }

  /** The user has finished registration, and is active, also after a deactivation or a lock. */
  #finish(base: number, actor: Actor): void {
    this.#unmark(base, IS_INITIAL | IS_LOCKED_UNFINISHED);
    if (!this.#records.has(base + MARKS, STATE_MASK)) return;
    const view: UserView = { state: "active" };
    this.#write(base, view);
    this.#noteActor(base, view, actor);
  }

  /** Removes an organization with its users, who get no events. Later ones with their ids are other users. */
  removeOrg(orgId: string): void {
    const life = this.#orgLives.get(orgId);
    if (life !== undefined) this.#endedLives.add(life);
    this.#orgLives.delete(orgId);
    this.#users.delete(orgId);
  }

  /** undefined for a user without events. */
  find(orgId: string, userId: string): LoggedUser | undefined {
    const base = this.#records.find(userKey(orgId, userId));
    if (base === undefined) return undefined;
    const marks = this.#records.word(base + MARKS);
    const has = (mark: number): boolean => (marks & mark) !== 0;
    return {
      number: base / STRIDE,
      isThere: this.#isThere(base),
      isInitial: has(IS_INITIAL),
      isOurs: has(IS_OURS),
      isLockedUnfinished: has(IS_LOCKED_UNFINISHED),
      state: userStates[(marks & STATE_MASK) >>> STATE_SHIFT] ?? "active",
      isNew: has(IS_NEW),
      touched: comparedFields.filter((_, index) => this.#records.has(base + TOUCHED, 1 << index)),
      isRemovedByJob: has(IS_REMOVED_BY_JOB),
      isRemovedByOther: has(IS_REMOVED_BY_OTHER),
    };
  }

  /** True the first time: of two entries with one id, the first counts. */
  take({ number }: LoggedUser): boolean {
    const base = number * STRIDE;
    const isFirst = !this.#records.has(base + MARKS, IS_TAKEN);
    this.#mark(base, IS_TAKEN);
    return isFirst;
  }

  /**
   * The existing users that the account created before this job and of which no entry was taken: their number, and the ids of those whose
   * creation this log has read.
   */
  get notTaken(): { readonly count: number; readonly ids: readonly string[] } {
    const isLeft = (base: number): boolean =>
      this.#isThere(base) && (this.#records.word(base + MARKS) & (IS_OURS | IS_NEW | IS_TAKEN)) === IS_OURS;
    const left = [...this.#records.places()].filter(isLeft);
    return { count: left.length, ids: left.flatMap((base) => this.#createdIds.get(base) ?? []) };
  }

  /** Clears the marks of `take`, so that the input can be read once more. */
  giveBack(): void {
    for (const base of this.#records.places()) this.#unmark(base, IS_TAKEN);
  }

  /** The fields of a user that differ from the wanted ones; fields that are absent in `wanted` do not count. */
  differences({ number }: LoggedUser, wanted: UserView): DifferentField[] {
    const base = number * STRIDE;
    const isNamed = this.#records.has(base + MARKS, IS_NAMED_BY_SERVICE);
    return comparedFields.flatMap((field, index) => {
      const value = wanted[field];
      if (value === undefined || this.#has(base, index, this.#digest(field, value))) return [];
      if (field === "displayName" && value === "" && isNamed) return [];
      return [{ field, isForeign: this.#records.has(base + FOREIGN, 1 << index) }];
    });
  }

  /** True when the log says that the value of a field is this one. */
  hasValue({ number }: LoggedUser, field: ComparedField, value: string): boolean {
    return this.#has(number * STRIDE, comparedFields.indexOf(field), this.#digest(field, value));
  }

  /** True when another user of these organizations has a user name, in this spelling or in small letters. */
  hasOtherOfName({ number }: LoggedUser, name: string): boolean {
    const index = comparedFields.indexOf("userName");
    const digests = [name, name.toLowerCase()].map((text) => this.#digest("userName", text));
    const isOther = (base: number): boolean => base !== number * STRIDE && this.#isThere(base);
    for (const base of this.#records.places())
      if (isOther(base) && digests.some((digest) => this.#has(base, index, digest))) return true;
    return false;
  }

  /** True when the display name is both names. */
  isNamedByNames({ number }: LoggedUser): boolean {
    return this.#records.has(number * STRIDE + MARKS, IS_NAMED_BY_NAMES);
  }

  /** True when one text is the first name and the last name. */
  hasOneName({ number }: LoggedUser): boolean {
    return this.#records.has(number * STRIDE + MARKS, HAS_ONE_NAME);
  }

  /** True when one text is the first name, the last name and the display name. */
  isShownByOneName({ number }: LoggedUser): boolean {
    return this.#records.has(number * STRIDE + MARKS, IS_SHOWN_BY_ONE_NAME);
  }

  /** True when the user has a password that the account set last. */
  hasOwnHash({ number }: LoggedUser): boolean {
    const base = number * STRIDE;
    const isNone = this.#has(base, HASH, this.#digest("hash", "")) || !this.#isSet(base + HASH * 2);
    return !isNone && !this.#records.has(base + FOREIGN, 1 << HASH);
  }

  /** True when the user has the password of this digest. */
  hasHash({ number }: LoggedUser, digest: Digest): boolean {
    return this.#has(number * STRIDE, comparedFields.indexOf("hash"), digest);
  }

  #add(base: number, orgId: string, { isOurs, isSince }: Actor): void {
    if (!this.#isThere(base)) this.#users.set(orgId, (this.#users.get(orgId) ?? 0) + 1);
    const kept = this.#records.word(base + MARKS) & (IS_REMOVED_BY_JOB | IS_TAKEN);
    this.#records.clear(base, base + STRIDE);
    this.#mark(base, kept | IS_THERE | (isOurs ? IS_OURS : 0) | (isSince ? IS_NEW : 0));
    this.#records.set(base + LIFE, this.#lifeOf(orgId));
  }

  #leave(base: number, orgId: string): void {
    if (this.#isThere(base)) this.#users.set(orgId, (this.#users.get(orgId) ?? 1) - 1);
    this.#unmark(base, IS_THERE);
  }

  #remove(base: number, orgId: string, { isOurs, isSince }: Actor): void {
    this.#leave(base, orgId);
    if (isOurs) this.#unmark(base, IS_REMOVED_BY_OTHER);
    else this.#mark(base, IS_REMOVED_BY_OTHER);
    if (isOurs && isSince) this.#mark(base, IS_REMOVED_BY_JOB);
  }

  #write(base: number, view: UserView): void {
    for (const [index, field] of comparedFields.entries()) {
      const value = view[field];
      if (value === undefined) continue;
      this.#setDigest(base + index * 2, this.#digest(field, value));
      if (field === "hash") this.#records.clear(base + REHASHED, base + REHASHED + 2);
      if (field !== "state") continue;
      const state = Math.max(0, userStates.indexOf(value as UserState)); // an unknown state counts as active
      this.#unmark(base, STATE_MASK);
      this.#mark(base, state << STATE_SHIFT);
    }
  }

  /** A lock ends the state in which the service takes no password (service behaviour 0.28). One that is read twice changes nothing. */
  #noteState(base: number, state: string, { isOurs }: Actor): void {
    const marks = this.#records.word(base + MARKS);
    const isLocked = (marks & STATE_MASK) >>> STATE_SHIFT === userStates.indexOf("locked");
    const isUnfinished = (marks & IS_INITIAL) !== 0;
    this.#unmark(base, IS_INITIAL);
    if (state === "locked" && isOurs && isUnfinished) this.#mark(base, IS_LOCKED_UNFINISHED);
    else if (state !== "locked" || !isLocked) this.#unmark(base, IS_LOCKED_UNFINISHED);
  }

  #noteActor(base: number, view: UserView, { isOurs, isSince }: Actor): void {
    for (const [index, field] of comparedFields.entries()) {
      if (view[field] === undefined) continue;
      if (isOurs) this.#records.unmark(base + FOREIGN, 1 << index);
      else this.#records.mark(base + FOREIGN, 1 << index);
      if (!isOurs) this.#records.unmark(base + TOUCHED, 1 << index);
      else if (isSince) this.#records.mark(base + TOUCHED, 1 << index);
    }
  }

  /** The event may lack a name that did not change. */
  #noteNames(base: number, { firstName, lastName, displayName }: UserView): void {
    const isAll = (fields: readonly ComparedField[], text: string): boolean =>
      fields.every((field) => this.#has(base, comparedFields.indexOf(field), this.#digest(field, text)));
    const set = (mark: number, isSet: boolean): void => (isSet ? this.#mark(base, mark) : this.#unmark(base, mark));
    const name = firstName ?? lastName;
    if (name !== undefined) set(HAS_ONE_NAME, isAll(["firstName", "lastName"], name));
    const shown = displayName ?? name;
    if (shown !== undefined) set(IS_SHOWN_BY_ONE_NAME, isAll(["firstName", "lastName", "displayName"], shown));
  }

  /** As `isNamedByNames`. The event may lack a name that did not change: the text is divided at each blank. */
  #noteDisplayName(base: number, displayName: string): void {
    const text = displayName.trim();
    const isName = (field: ComparedField, part: string): boolean =>
      this.#has(base, comparedFields.indexOf(field), this.#digest(field, part.trim()));
    const isMade = [...text.matchAll(/ /g)].some(
      ({ index }) => isName("firstName", text.slice(0, index)) && isName("lastName", text.slice(index + 1)),
    );
    this.#unmark(base, IS_NAMED_BY_SERVICE | IS_NAMED_BY_NAMES);
    if (isMade) this.#mark(base, IS_NAMED_BY_NAMES);
  }

  #isThere(base: number): boolean {
    return this.#records.has(base + MARKS, IS_THERE) && !this.#endedLives.has(this.#records.word(base + LIFE));
  }

  #lifeOf(orgId: string): number {
    const life = this.#orgLives.get(orgId) ?? this.#orgLives.size + this.#endedLives.size;
    this.#orgLives.set(orgId, life);
    return life;
  }

  #isSet(place: number): boolean {
    return this.#records.word(place) !== 0 || this.#records.word(place + 1) !== 0;
  }

  #setDigest(place: number, [first, second]: Digest): void {
    this.#records.set(place, first);
    this.#records.set(place + 1, second);
  }

  #has(base: number, index: number, [first, second]: Digest): boolean {
    const isAt = (place: number): boolean =>
      this.#records.word(place) === first && this.#records.word(place + 1) === second;
    return isAt(base + index * 2) || (index === HASH && isAt(base + REHASHED));
  }

  #mark(base: number, bits: number): void {
    this.#records.mark(base + MARKS, bits);
  }

  #unmark(base: number, bits: number): void {
    this.#records.unmark(base + MARKS, bits);
  }
}

/** Without a display name, the service makes one of both names. */
function isNamedByService(view: UserView): boolean {
  const words = (text = ""): string => text.trim().replaceAll(/\s+/g, " ");
  return words(view.displayName) === words(namesOf(view));
}

/** The display name is both names with blanks between. A view has the names without outer blanks, which a display name keeps (0.34). */
function isNamedByNames({ displayName = "", firstName = "", lastName = "" }: UserView): boolean {
  const text = displayName.trim();
  const isMade =
    text.startsWith(firstName) && text.endsWith(lastName) && text.length > firstName.length + lastName.length;
  return isMade && text.slice(firstName.length, text.length - lastName.length).trim() === "";
}

function namesOf({ firstName = "", lastName = "" }: UserView): string {
  return `${firstName} ${lastName}`;
}
