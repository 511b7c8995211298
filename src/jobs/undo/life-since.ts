import type { AdminApi } from "../../admin/client.ts";
import { listEvents } from "../../admin/events.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { MACHINE_ADDED, readAgainFrom, USER_REMOVED } from "../../core/events/user-life.ts";
import { isLater } from "../../core/rules/moment.ts";

/** Why a user is not removed unless that is forced. */
export type Touch = "password-changed" | "signed-in" | "set-up" | "made-anew" | "existed-before";

/** What a user has come to since the job: there as the job left it, gone, or touched by somebody. */
export interface Life {
  /** How often it was added since the job began. */
  readonly added: number;
  readonly isGone: boolean;
  readonly touch: Touch | undefined;
  /** Of the event by which the user exists, as the log counts the events of a user; 0 when none was read. */
  readonly addedAs: number;
}

/** A job creates users with events of the later major versions only. */
const ADDED: readonly string[] = ["user.human.added", "user.human.selfregistered", MACHINE_ADDED];

/**
 * What the service writes when somebody signs in, changes the password, or sets up a way to sign in (service behaviour 0.40). A failed
 * attempt is none of them.
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

/** A session that somebody began for a user; it belongs to the instance, and names the user inside. */
const SESSION = "session.user.checked";

interface MutableLife {
  added: number;
  isGone: boolean;
  touch: Touch | undefined;
  addedAs: number;
  /** Of the newest event that was taken: an aggregate counts its events in a row, and some are read twice. */
  sequence: number;
}

/** The event log since a job began, as far as it is about some users; read again, it goes on where it was. */
export class LifeSince {
  readonly #lives = new Map<string, MutableLife>();
  readonly #mark: string | undefined;
  #after: string | undefined;

  /** @param after the target's newest event before the job; undefined: everything is read. */
  constructor(ids: Iterable<string>, after: string | undefined) {
    this.#mark = after;
    for (const id of ids) this.#lives.set(id, { added: 0, isGone: false, touch: undefined, addedAs: 0, sequence: 0 });
    this.#after = after;
  }

  /** Reads what has happened since the last time. Raises what reading events raises. */
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

  /** What was read of a user; undefined for one that no event since the job began names. */
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
      // Removed by the job, or beside it, before the job created the user: removing the user again would not bring back what there was.
      if (life.added === 0 && this.#isSinceMark(creationDate)) life.touch = "existed-before";
      life.isGone = true;
    } else if (ADDED.includes(type)) {
      life.added += 1;
      life.addedAs = Number(sequence);
      life.isGone = false;
      if (life.added > 1) life.touch = "made-anew";
    } else life.touch ??= TOUCHES[type];
  }

  /** A search may answer with the mark's own event, which is of before the job. */
  #isSinceMark(creationDate: string): boolean {
    return this.#mark !== undefined && isLater(creationDate, this.#mark);
  }
}

function userOf(payload: unknown): string {
  const { userID } = (payload ?? {}) as { userID?: unknown }; // any of its keys may be absent
  return typeof userID === "string" ? userID : "";
}
