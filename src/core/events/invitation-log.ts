import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { isLater } from "../rules/moment.ts";
import { isCodeReturned } from "./user-change.ts";
import { isCreation, lifeEvents, USER_REMOVED } from "./user-life.ts";

/** Why a user gets no e-mail about a password; undefined: the user needs one. */
export type NotInvited =
  | "password-set"
  | "signs-in-otherwise"
  | "invited-before"
  | "inactive"
  | "gone"
  | "other-person";

/** Events after which a user has a password. */
const PASSWORD = new Set(["user.human.password.changed", "user.human.password.hash.updated"]);
/** E-mails by which a user can set a password: requested, and sent (service behaviour 9.38). */
const KINDS = ["password", "invite", "initialization"];
const REQUESTED = new Set(KINDS.map((kind) => `user.human.${kind}.code.added`));
const SENT = new Set(KINDS.map((kind) => `user.human.${kind}.code.sent`));
/** So long an e-mail may be on its way: the service tries again, and may send another one first (service behaviour 9.38). */
const ON_ITS_WAY_MS = 300_000;
/** Before all events. */
const NEVER = "1970-01-01T00:00:00Z";
const CLOSED = new Set(["user.deactivated", "user.locked"]);
const OPENED = new Set(["user.reactivated", "user.unlocked"]);
const LINKED = "user.human.externalidp.added";
const UNLINKED = new Set(["user.human.externalidp.removed", "user.human.externalidp.cascade.removed"]);
const PASSKEY = "user.human.passwordless.token.verified";
const EMAIL_CHANGED = "user.human.email.changed";
const RENAMED = new Set(["user.username.changed", EMAIL_CHANGED]);

/** The events that say whether a user needs a password: fewer than 30 types, as many as one search takes (service behaviour 0.19). */
export const invitationEvents: readonly string[] = [
  ...lifeEvents,
  ...PASSWORD,
  ...REQUESTED,
  ...SENT,
  ...CLOSED,
  ...OPENED,
  LINKED,
  ...UNLINKED,
  PASSKEY,
  ...RENAMED,
];

/** A followed user before any event. */
class State {
  readonly orgId: string;
  /** The user name and the e-mail address in the file, in lower case. */
  readonly names: readonly string[];
  /** The user has had one of these names. */
  isNamed = false;
  isThere = false;
  hasPassword = false;
  hasPasskey = false;
  /** The time of the last e-mail that was sent to the present address; "" without one. */
  invitedAt = "";
  /** The time at which an e-mail was requested that was not sent since; "" without one. */
  requestedAt = "";
  isClosed = false;
  links = 0;

  constructor(orgId: string, names: readonly string[]) {
    this.orgId = orgId;
    this.names = names;
  }
}

/** Who has a password, another way to sign in, or an invitation, by the event log. Events of one user come in their order. */
export class InvitationLog {
  readonly #states = new Map<string, State>();
  /** The last e-mail that was sent, and the latest time at which one of those that were sent was requested. */
  #sentAt = NEVER;
  #sentUpTo = NEVER;

  /** Follows a user of an organization. @param names the user name and the e-mail address in the file. */
  follow(userId: string, orgId: string, names: readonly string[]): void {
    this.#states.set(userId, new State(orgId, names));
  }

  take(event: ServiceEvent): void {
    const state = this.#states.get(event.aggregate.id);
    if (state === undefined) return;
    const { type } = event.type;
    const payload = fieldsOf(event.payload);
    const isNamed = ["userName", "email"].some((name) => state.names.includes(textMember(payload, name).toLowerCase()));
    if (type === USER_REMOVED) Object.assign(state, new State(state.orgId, state.names));
    else if (isCreation(event)) {
      const hasPassword = textMember(payload, "encodedHash") !== "" || payload["secret"] !== undefined;
      const isThere = event.aggregate.resourceOwner === state.orgId;
      Object.assign(state, new State(state.orgId, state.names), { isThere, hasPassword, isNamed });
    } else if (RENAMED.has(type)) {
      state.isNamed ||= isNamed;
      if (type === EMAIL_CHANGED) state.invitedAt = "";
    } else if (PASSWORD.has(type)) state.hasPassword = true;
    else if (SENT.has(type)) this.#send(state, event.creationDate);
    else if (REQUESTED.has(type) && !isCodeReturned(payload)) state.requestedAt = event.creationDate;
    else if (type === PASSKEY) state.hasPasskey = true;
    else if (type === LINKED) state.links += 1;
    else if (UNLINKED.has(type)) state.links -= 1;
    else if (CLOSED.has(type)) state.isClosed = true;
    else if (OPENED.has(type)) state.isClosed = false;
  }

  #send(state: State, at: string): void {
    if (isLater(at, this.#sentAt)) this.#sentAt = at;
    if (isLater(state.requestedAt, this.#sentUpTo)) this.#sentUpTo = state.requestedAt;
    Object.assign(state, { invitedAt: at, requestedAt: "" });
  }

  /** Requested a moment ago, or the service is still sending, and has sent none that was requested later. */
  #isOnItsWay({ requestedAt }: State, now: Date): boolean {
    const isRecent = (at: string): boolean => Date.parse(at) > now.getTime() - ON_ITS_WAY_MS;
    return isRecent(requestedAt) || (isRecent(this.#sentAt) && isLater(requestedAt, this.#sentUpTo));
  }

  /** @param again an earlier e-mail is no reason. @param now undefined: the service can send no e-mail, so none is on its way. */
  whyNot(userId: string, again: boolean, now: Date | undefined): NotInvited | undefined {
    const state = this.#states.get(userId);
    if (state === undefined || !state.isThere) return "gone";
    if (!state.isNamed && state.names.length > 0) return "other-person";
    if (state.hasPassword) return "password-set";
    if (state.hasPasskey || state.links > 0) return "signs-in-otherwise";
    if (state.isClosed) return "inactive";
    return (state.invitedAt !== "" || (now !== undefined && this.#isOnItsWay(state, now))) && !again
      ? "invited-before"
      : undefined;
  }

  /** When the last such e-mail was sent or requested: RFC 3339, "" for never. */
  invitedAt(userId: string): string {
    const { requestedAt = "", invitedAt = "" } = this.#states.get(userId) ?? {};
    return requestedAt || invitedAt;
  }

  /** True if an e-mail was requested, and none was ever sent. */
  isUnsent(userId: string): boolean {
    const { requestedAt = "", invitedAt = "" } = this.#states.get(userId) ?? {};
    return requestedAt !== "" && invitedAt === "";
  }
}
