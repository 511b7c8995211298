import { personEvents, type ServiceEvent, stateEvents } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { isLater } from "../rules/moment.ts";
import { RecordTable } from "../tables/record-table.ts";
import { isCreation, lifeEvents, ORG_REMOVED, USER_REMOVED } from "./user-life.ts";

/**
 * The events of a sign-in, a change of the password, or the setup of a way to sign in (service behaviour 0.40). A wrong password in the call
 * that begins the sign-in leaves no session, and no other event.
 */
const USES = {
  "user.human.password.changed": "password-changed",
  "user.password.changed": "password-changed",
  "user.human.password.check.succeeded": "signed-in",
  "user.password.check.succeeded": "signed-in",
  "user.human.password.check.failed": "signed-in",
  "user.human.password.hash.updated": "signed-in",
  "user.human.externallogin.check.succeeded": "signed-in",
  "user.human.passwordless.token.check.succeeded": "signed-in",
  "user.human.passwordless.token.signcount.changed": "signed-in",
  "user.human.mfa.u2f.token.check.succeeded": "signed-in",
  "user.human.mfa.otp.check.succeeded": "signed-in",
  "user.human.mfa.otp.sms.check.succeeded": "signed-in",
  "user.human.mfa.otp.email.check.succeeded": "signed-in",
  "user.human.refresh.token.added": "signed-in",
  "user.token.added": "signed-in",
  "user.human.signed.out": "signed-in",
  "user.human.initialization.check.succeeded": "set-up",
  "user.human.invite.check.succeeded": "set-up",
  "user.human.passwordless.token.verified": "set-up",
  "user.human.mfa.u2f.token.verified": "set-up",
} as const;

/** True for a sign-in, and for a failed attempt: the user did it, and it changes nothing. */
export function isSignIn({ type: { type } }: Pick<ServiceEvent, "type">): boolean {
  return USES[type as keyof typeof USES] === "signed-in" || type.endsWith(".check.failed");
}

/**
 * The events of a change that an administrator or the owner makes. Made by another account than the one that created the user, they say
 * that the user is in use. All versions know these types (service behaviour 9.23).
 */
export const changeEvents: readonly string[] = [
  "user.username.changed",
  "user.domain.claimed",
  "user.human.avatar.added",
  ...personEvents,
  ...stateEvents,
  "user.metadata.set",
  "user.metadata.removed",
  "user.metadata.removed.all",
  "user.human.externalidp.added",
  "user.human.externalidp.removed",
  "user.human.mfa.otp.added",
  "user.human.mfa.otp.sms.added",
  "user.human.mfa.otp.email.added",
  "user.human.mfa.u2f.token.added",
  "user.human.passwordless.token.added",
  "user.grant.added",
  "user.grant.changed",
  "org.member.added",
  "project.member.added",
  "project.grant.member.added",
];
/** The aggregate of these events is not the user: their payload names the user. */
const OF_OTHERS = /^(?:user\.grant|org\.member|project(?:\.grant)?\.member)\./;

/** A session that was begun for a user; it belongs to the instance, and its payload names the user. */
const SESSION = "session.user.checked";

/** All events of a history: one search takes at most 30 types (service behaviour 0.19). */
export const historyEvents: readonly string[] = [...lifeEvents, ORG_REMOVED, ...Object.keys(USES), SESSION];
/** The events that replace the hash of a password; by the latter, a sign-in rehashes the same password (service behaviour 0.28). */
export const PASSWORD_REHASHED = "user.human.password.hash.updated";
export const PASSWORD_CHANGED = "user.human.password.changed";
export const passwordEvents: readonly string[] = [PASSWORD_CHANGED, PASSWORD_REHASHED];

/** The first sign that an account is in use, or that it is another one than the first of its id. */
const touches = [
  "password-changed",
  "signed-in",
  "set-up",
  "made-anew",
  "existed-before",
  "changed",
  "not-by-job",
  "password-updated",
] as const;
export type Touch = (typeof touches)[number];

/** A user by the events of a log. */
export interface UserFacts {
  /** The organization of the user's last event. */
  readonly orgId: string;
  /** The last life event is a creation. */
  readonly isThere: boolean;
  /** The last life event is a removal, of the user or of the organization. */
  readonly isGone: boolean;
  /** The user was removed with the organization: the service keeps the id (service behaviour 9.48). */
  readonly isGoneWithOrg: boolean;
  /** How often the user was created. */
  readonly added: number;
  readonly touch: Touch | undefined;
}

/** What is known of the job that created the users. */
export interface JobProof {
  /** The time before the job: a removal after it is one of a user who existed before. A search may return the event of the mark itself. */
  readonly mark?: string | undefined;
  /** The accounts of the job; undefined: unknown. */
  readonly by?: ReadonlySet<string> | undefined;
  /** The time after the job; undefined: unknown. */
  readonly until?: string | undefined;
}

/** Words of a record: numbers of the organization and of the creator, creations, sequences of the last creation and event, marks. */
const ORG = 0;
const ADDED = 1;
const ADDED_AS = 2;
const LAST = 3;
const MARKS = 4;
const CREATOR = 5;
const STRIDE = 6;

/** Clocks of several servers behind one address differ a little. */
const CLOCK_MARGIN_MS = 5_000;

const IS_THERE = 1;
const IS_GONE = 2;
/** The position in `touches` and one; 0 for none. */
const TOUCH_SHIFT = 2;
const TOUCH_MASK = 15 << TOUCH_SHIFT;

/**
 * The facts about users by the events of a log, in some 50 bytes per user. The events of a user have ascending sequences in all
 * organizations (service behaviour 0.40), so a log may be read organization by organization, and an event may be taken twice.
 */
export class UserHistory {
  readonly #records = new RecordTable(STRIDE);
  readonly #job: JobProof;
  /** Ids of organizations and of creators. */
  readonly #ids: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** The last removal of each organization, and the numbers that ended with one: an organization that is created again has another number. */
  readonly #removals = new Map<string, string>();
  readonly #ended = new Set<number>();
  /** The numbers of the events by which the job itself recreated users. */
  readonly #recreated = new Map<string, number>();
  /** Accounts that changed a user whose creator is unknown until now, by the place of the user. */
  readonly #early = new Map<number, Set<string>>();

  /** @param userIds the users to follow. */
  constructor(userIds: Iterable<string>, job: JobProof = {}) {
    this.#job = job;
    for (const id of userIds) this.follow(id);
  }

  /** Adds a user to follow; `createdAs`: the number of the event by which the job itself recreated the user. */
  follow(userId: string, createdAs?: number): void {
    this.#records.placeOf(userId);
    if (createdAs !== undefined) this.#recreated.set(userId, createdAs);
  }

  /** Takes an event of the log; events of users that are not followed are ignored. */
  take(event: ServiceEvent): void {
    const { aggregate, type, payload, sequence } = event;
    if (type.type === ORG_REMOVED) {
      this.#removeOrg(event);
      return;
    }
    const isSession = type.type === SESSION;
    const id = isSession ? textMember(fieldsOf(payload), "userID") : aggregate.id;
    const base = this.#records.find(id);
    if (base === undefined) return;
    if (isSession) {
      this.#touch(base, "signed-in");
      return;
    }
    const number = wordOf(sequence);
    const last = this.#records.word(base + LAST);
    if (number < last || (number === last && number > 0)) return;
    this.#records.set(base + LAST, number);
    this.#records.set(base + ORG, this.#numberOf(aggregate.resourceOwner));
    if (type.type === USER_REMOVED) this.#remove(base, event);
    else if (isCreation(event)) this.#add(base, event, this.#recreated.get(id) === number);
    else {
      const use = USES[type.type as keyof typeof USES];
      // A later run with the account of the job did it, not the user.
      const isByJob = use === "password-changed" && event.editor?.userId && this.#isByCreator(base, event);
      this.#touch(base, isByJob ? "password-updated" : use);
    }
  }

  /** Takes one of `changeEvents`, in any order with the events that `take` wants: the two may be read at the same time. */
  takeChange({ aggregate, type, payload, editor }: ServiceEvent): void {
    const id = OF_OTHERS.test(type.type) ? textMember(fieldsOf(payload), "userId") : aggregate.id;
    const base = this.#records.find(id);
    if (base === undefined) return;
    const isByCreator = this.#isByCreator(base, { editor });
    if (isByCreator === false) this.#touch(base, "changed");
    const early = this.#early.get(base) ?? new Set();
    if (isByCreator === undefined) this.#early.set(base, early.add(editor?.userId ?? ""));
  }

  /** Counts the changes that were taken before the creation of their user. */
  #countEarly(base: number): void {
    const early = this.#early.get(base) ?? [];
    for (const userId of early)
      if (this.#isByCreator(base, { editor: { userId } }) === false) this.#touch(base, "changed");
    if (this.#isByCreator(base, {}) !== undefined) this.#early.delete(base);
  }

  /** undefined if the creation of the user is unknown. */
  #isByCreator(base: number, { editor }: Pick<ServiceEvent, "editor">): boolean | undefined {
    const creator = this.#ids[this.#records.word(base + CREATOR) - 1];
    return creator === undefined ? undefined : creator === (editor?.userId ?? "");
  }

  /** undefined for a user without events. */
  of(userId: string): UserFacts | undefined {
    const base = this.#records.find(userId);
    if (base === undefined) return undefined;
    this.#countEarly(base);
    const marks = this.#records.word(base + MARKS);
    const added = this.#records.word(base + ADDED);
    if (marks === 0 && added === 0) return undefined;
    const org = this.#records.word(base + ORG);
    const isGoneWithOrg = (marks & IS_THERE) !== 0 && this.#ended.has(org);
    return {
      orgId: this.#ids[org - 1] ?? "",
      isThere: (marks & IS_THERE) !== 0 && !isGoneWithOrg,
      isGone: (marks & IS_GONE) !== 0 || isGoneWithOrg,
      isGoneWithOrg,
      added,
      touch: touchOf(marks),
    };
  }

  /** The organization in which a user exists; undefined without one. */
  homeOf(userId: string): string | undefined {
    const facts = this.of(userId);
    return facts?.isThere === true ? facts.orgId : undefined;
  }

  /** True for the event that is the user's last creation. */
  isLastCreation({ aggregate, sequence }: ServiceEvent): boolean {
    const base = this.#records.find(aggregate.id);
    return base !== undefined && this.#records.word(base + ADDED_AS) === wordOf(sequence);
  }

  #add(base: number, event: ServiceEvent, isRecreation: boolean): void {
    const { sequence, editor } = event;
    const isByJob = this.#mayBeByJob(event);
    const added = this.#records.word(base + ADDED) + 1;
    this.#records.set(base + ADDED, added);
    this.#records.set(base + ADDED_AS, wordOf(sequence));
    if (added === 1) this.#records.set(base + CREATOR, this.#numberOf(editor?.userId ?? ""));
    this.#records.unmark(base + MARKS, IS_GONE);
    this.#records.mark(base + MARKS, IS_THERE);
    const touch = touchOf(this.#records.word(base + MARKS));
    if (isRecreation && isByJob && touch !== "existed-before" && touch !== "not-by-job")
      this.#records.unmark(base + MARKS, TOUCH_MASK);
    else if (added > 1) this.#retouch(base, "made-anew");
    else if (!isByJob && touch !== "existed-before") this.#retouch(base, "not-by-job");
  }

  #mayBeByJob({ editor, creationDate }: ServiceEvent): boolean {
    const { by, until } = this.#job;
    return (
      (by === undefined || by.has(editor?.userId ?? "")) &&
      (until === undefined || Date.parse(creationDate) <= Date.parse(until) + CLOCK_MARGIN_MS)
    );
  }

  #remove(base: number, { creationDate }: ServiceEvent): void {
    // Removed before the job created the user: another removal would not restore the former user.
    const { mark } = this.#job;
    const isBefore = this.#records.word(base + ADDED) === 0 && mark !== undefined;
    if (isBefore && isLater(creationDate, mark)) this.#retouch(base, "existed-before");
    this.#records.unmark(base + MARKS, IS_THERE);
    this.#records.mark(base + MARKS, IS_GONE);
  }

  /** An event may be taken twice: then it ends no later life of the organization. */
  #removeOrg({ aggregate: { id }, creationDate }: ServiceEvent): void {
    const known = this.#removals.get(id);
    const number = this.#numbers.get(id);
    if (known !== undefined && !isLater(creationDate, known)) return;
    this.#removals.set(id, creationDate);
    if (number !== undefined) this.#ended.add(number);
    this.#numbers.delete(id);
  }

  #touch(base: number, touch: Touch | undefined): void {
    const before = touchOf(this.#records.word(base + MARKS));
    if (touch !== undefined && (before === undefined || before === "password-updated")) this.#retouch(base, touch);
  }

  #retouch(base: number, touch: Touch): void {
    this.#records.unmark(base + MARKS, TOUCH_MASK);
    this.#records.mark(base + MARKS, (touches.indexOf(touch) + 1) << TOUCH_SHIFT);
  }

  #numberOf(id: string): number {
    const number = this.#numbers.get(id) ?? this.#ids.push(id);
    this.#numbers.set(id, number);
    return number;
  }
}

function touchOf(marks: number): Touch | undefined {
  return touches[((marks & TOUCH_MASK) >>> TOUCH_SHIFT) - 1];
}

/** A sequence as a word: it counts the events of one user. */
function wordOf(sequence: string): number {
  return Number(sequence) >>> 0;
}
