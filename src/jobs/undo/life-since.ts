import type { AdminApi } from "../../admin/client.ts";
import { listEvents } from "../../admin/events.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { MACHINE_ADDED, readAgainFrom, USER_REMOVED } from "../../core/events/user-life.ts";
import { isLater } from "../../core/rules/moment.ts";

/** The reason for which undo keeps a user, unless it is forced. */
export type Touch = "password-changed" | "signed-in" | "set-up" | "made-anew" | "existed-before";

/** A user since the job: unchanged, removed, or touched. */
export interface Life {
  /** How often it was created since the job began. */
  readonly added: number;
  /** Deleted. */
  readonly isGone: boolean;
  /** The first sign that the account is in use, or is another one. */
  readonly touch: Touch | undefined;
  /** The sequence of the event that created the user; 0 without one. */
  readonly addedAs: number;
}

/** A job creates users with events of the later major versions only. */
const ADDED: readonly string[] = ["user.human.added", "user.human.selfregistered", MACHINE_ADDED];

/**
 * The events of a sign-in, a change of the password, or the setup of a way to sign in (service behaviour 0.40). A failed attempt is not
 * among them.
 */
const TOUCHES: Readonly<Record<string, Touch>> = {
  "user.human.password.changed": "password-changed",
  "user.password.changed": "password-changed",
  "user.human.password.check.succeeded": "signed-in",
  "user.password.check.succeeded": "signed-in",
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
};

/** A session that was begun for a user; it belongs to the instance, and its payload names the user. */
const SESSION = "session.user.checked";

interface MutableLife {
  added: number;
  isGone: boolean;
  touch: Touch | undefined;
  addedAs: number;
  /** The sequence of the newest event that was taken: some events are read twice. */
  sequence: number;
}

/** The events about some users since a job began; a second reading goes on where the first ended. */
export class LifeSince {
  readonly #lives = new Map<string, MutableLife>();
  readonly #mark: string | undefined;
  #after: string | undefined;

  /** @param after the time of the target's newest event before the job; undefined: all events are read. */
  constructor(ids: Iterable<string>, after: string | undefined) {
    this.#mark = after;
    for (const id of ids) this.#lives.set(id, { added: 0, isGone: false, touch: undefined, addedAs: 0, sequence: 0 });
    this.#after = after;
  }

  /** Reads the events since the last reading. Raises what reading events raises. */
  async read(api: AdminApi, retry: RetryContext, signal: AbortSignal): Promise<void> {
    const eventTypes = [...ADDED, USER_REMOVED, ...Object.keys(TOUCHES), SESSION];
    // Sessions belong to the instance: asked by organization, they would be missing.
    const filter = { eventTypes, ...(this.#after === undefined ? {} : { after: this.#after }) };
    let newest = this.#after ?? "";
    for await (const event of listEvents(api, filter, retry, signal)) {
      if (event.creationDate > newest) newest = event.creationDate;
      this.#take(event);
    }
    const next = readAgainFrom(newest);
    if (next !== undefined && next > (this.#after ?? "")) this.#after = next;
  }

  /** The life of a user; undefined without events since the job began. */
  of(id: string): Life | undefined {
    const life = this.#lives.get(id);
    return life === undefined || (life.added === 0 && !life.isGone && life.touch === undefined) ? undefined : life;
  }

  #take({ aggregate, type: { type }, payload, sequence, creationDate }: ServiceEvent): void {
    const isSession = type === SESSION;
    const life = this.#lives.get(isSession ? userOf(payload) : aggregate.id);
    if (life === undefined) return;
    if (isSession) {
      life.touch ??= "signed-in";
      return;
    }
    if (Number(sequence) <= life.sequence) return;
    life.sequence = Number(sequence);
    if (type === USER_REMOVED) {
      // Removed before the job created the user: another removal would not restore the former user.
      if (life.added === 0 && this.#isSinceMark(creationDate)) life.touch = "existed-before";
      life.isGone = true;
    } else if (ADDED.includes(type)) {
      life.added += 1;
      life.addedAs = Number(sequence);
      life.isGone = false;
      if (life.added > 1) life.touch = "made-anew";
    } else life.touch ??= TOUCHES[type];
  }

  /** A search may return the event of the mark, which is older than the job. */
  #isSinceMark(creationDate: string): boolean {
    return this.#mark !== undefined && isLater(creationDate, this.#mark);
  }
}

function userOf(payload: unknown): string {
  const { userID } = (payload ?? {}) as { userID?: unknown }; // any of its keys may be absent
  return typeof userID === "string" ? userID : "";
}
