import { listInstanceMembers } from "../../../admin/org-lists.ts";
import type { UserAnswer, UsersApi } from "../../../admin/users-api.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { lateSignal } from "../../../context.ts";
import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import type { MetadataEntry, UserMetadata } from "../../../core/document/user-metadata.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import type { Existing, Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf } from "../../../core/transfer/answer/cause.ts";
import type { Verdict } from "../../../core/transfer/answer/outcome.ts";
import { hasOtpSecret } from "../../../core/transfer/otp-secret.ts";
import { laterState, toUsersRequest } from "../../../core/transfer/users-request.ts";
import { ProblemError } from "../../../problem.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { readSelf, sinceCreation } from "../../shared/user-life.ts";
import { refuseMails } from "../plan/messages.ts";
import { failing } from "../provenance/provenance.ts";
import { decideFor } from "./lane.ts";
import { sendOtpSecrets } from "./otp-secrets.ts";
import type { SenderContext } from "./way.ts";

/** The users API of the target, and what is sent with a user. */
export interface UsersAccess {
  readonly api: UsersApi;
  readonly metadata: UserMetadata;
  readonly noMail: boolean;
}

/** The outcome of one user. */
export type CreatedUser =
  | { readonly kind: "created"; readonly carried: readonly MetadataEntry[]; readonly failures: readonly Failure[] }
  | { readonly kind: "existing"; readonly existing: Existing; readonly verdict: Verdict }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** A user without an id, perhaps created by a call whose answer was lost. */
  | { readonly kind: "unknown" };

/** Another account deleted the user after a call without an answer: the call is not repeated. */
interface Gone {
  readonly kind: "gone";
  readonly cause: "gone" | "taken-over";
}

/** Metadata beyond this is sent to the import endpoint: the service takes 4 MiB per call (service behaviour 0.9). */
const CARRIED_CHARACTERS = 3 * 2 ** 20;
/** A new organization may not be known everywhere at once. */
const ORG_TRIES = 5;

/** After an interrupt, the time to make users inactive or locked who were just created. */
const CLOSING_MS = 2_000;

/** The user was not sent, because the run is about to stop. */
export class NeverSent extends Error {
  override readonly name = "NeverSent";
}

/** Creates single users through the users API, each with everything that belongs to the user. */
export class UserCreator {
  readonly #access: UsersAccess;
  readonly #context: SenderContext;
  /** Aborts some time after the run. */
  readonly #late: AbortSignal;
  #isStopping = false;
  #self: Promise<string | undefined> | undefined;

  constructor(access: UsersAccess, context: SenderContext) {
    this.#access = access;
    this.#context = context;
    this.#late = lateSignal(context.calling.signal, CLOSING_MS);
  }

  /** True when a problem ends the run. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Users that wait for their turn are not sent any more. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Creates one user. Raises the problem that retries do not solve, and NeverSent. */
  async create(item: Item): Promise<CreatedUser> {
    const { calling, plan } = this.#context;
    const entry: unknown = JSON.parse(item.bytes.toString());
    const userId = textMember(fieldsOf(entry), "userId");
    const carried = await this.#metadataOf(item, userId);
    const orgId = plan.scan.orgs[item.org]?.orgId ?? "";
    const body = Buffer.from(JSON.stringify(toUsersRequest(entry, orgId, carried, this.#access)));
    const user = { type: "human_user", id: userId, message: "", item: item.index, line: item.line };
    let failures: readonly Failure[] = [];
    const close = async (made: string): Promise<void> => {
      failures = await this.#setState(userId || made, entry, user);
    };
    const isClosed = laterState(entry) !== undefined;
    const answer = await this.#untilOrgIsKnown(() => this.#send(item, body, isClosed ? close : undefined));
    switch (answer.kind) {
      case "made":
        return { kind: "created", carried, failures };
      case "there":
      case "taken":
        return this.#judge(item, entry, user, answer);
      case "refused":
        // The service checks a hash before it looks for the id: an earlier call, without an answer, may have created the user.
        if (this.#context.ledger.state.lost.has(item.index)) return this.#judge(item, entry, user, answer);
        return failed(user, answer);
      case "absent":
        refuseMails(this.#access.noMail, calling.api.address.host, answer.why);
        // It answered the probe: what it says now is no reason to send users, with e-mails, to the import endpoint.
        throw new ProblemError(answer.problem);
      case "gone":
        return { kind: "failed", failure: { ...user, cause: answer.cause } };
      default:
        return answer satisfies never;
    }
  }

  /** The outcome of a user who exists, has a value that another user has, or is refused after a lost answer. */
  async #judge(
    item: Item,
    entry: unknown,
    user: Existing & { readonly item: number; readonly line: number },
    answer: Extract<UserAnswer, { words: string }>,
  ): Promise<CreatedUser> {
    const { calling, ledger, provenance, screen } = this.#context;
    const { retry, signal } = calling;
    const userId = user.id;
    const wasLost = ledger.state.lost.has(item.index);
    if (userId === "") return wasLost ? { kind: "unknown" } : failed(user, answer);
    const existing = { ...user, message: answer.words };
    if (answer.kind !== "taken" && (await screen.isStillRemoved(item.index, userId))) {
      return { kind: "failed", failure: { ...existing, cause: "user-removed" } };
    }
    const found = await provenance.whoseUser(
      { item, taken: answer.kind === "there" ? "id" : "value", wasLost },
      existing,
      () => withRetry(() => this.#access.api.find(userId, signal), retry, signal),
    );
    if (found === "free" || (found === "theirs" && answer.kind === "refused")) return failed(user, answer);
    if (found === "taken" || found === "unsure")
      return { kind: "failed", failure: { ...existing, cause: failing[found] } };
    if (found !== "ours") return { kind: "existing", existing, verdict: found };
    // The import endpoint may have created the user, without the carried metadata: it is sent later, and so is a secret.
    const orgId = this.#context.plan.scan.orgs[item.org]?.orgId ?? "";
    const failures = await this.#closeLate(userId, orgId, entry, user);
    return { kind: "created", carried: [], failures: [...failures, ...(await this.#giveSecret(item))] };
  }

  async #metadataOf({ org }: Item, userId: string): Promise<readonly MetadataEntry[]> {
    const entries = userId === "" ? [] : await this.#access.metadata.of(org, userId);
    let characters = 0;
    return entries.filter(({ value }) => {
      characters += value.length;
      return characters <= CARRIED_CHARACTERS;
    });
  }

  /**
   * One call, repeated as the retry policy says. It keeps its turn while it pauses: what delays one user delays all. `close` ends the turn of
   * a user who is created and must not stay active: until then, the user can sign in. So an interrupt waits for the answer, and for `close`.
   */
  #send(item: Item, body: Buffer, close?: (userId: string) => Promise<void>): Promise<UserAnswer | Gone> {
    const { calling, ledger, provenance } = this.#context;
    const { lanes, retry, signal } = calling;
    let isRepeated = false;
    return lanes.users.turn(async () => {
      // The run may have come to an end before this turn.
      if (signal.aborted || this.#isStopping) throw new NeverSent();
      const begun = ledger.clock;
      const call = async (): Promise<UserAnswer | Gone> => {
        // The call before may have created the user, and another account may have deleted the user since.
        const cause = isRepeated ? (await provenance.replaced.goneOf([item])).get(item) : undefined;
        if (cause !== undefined) return { kind: "gone", cause };
        isRepeated = true;
        const answer = await lanes.users.call(1, () => {
          if (this.#isStopping) throw new NeverSent(); // the lane may have waited
          ledger.begin([item], "users");
          return this.#access.api.add(body, close === undefined ? signal : this.#late);
        });
        if (answer.kind === "made") {
          ledger.answered(answer.date);
          refuseOtherId(answer.userId, item, ledger, begun, calling.api.address.host);
        } else if (answer.kind === "absent" && answer.why === "nonsense") {
          ledger.lose([item], begun);
          lanes.users.noteLost();
        }
        return answer;
      };
      const decide = decideFor([item], ledger, () => false);
      const answer = await withRetry(call, retry, signal, (problem, attempts, random) => {
        const remedy = decide(problem, attempts, random);
        if (remedy.kind === "stop") this.stop(); // before another user takes the turn
        return remedy;
      });
      if (answer.kind === "made") await close?.(answer.userId);
      return answer;
    });
  }

  async #untilOrgIsKnown(ask: () => Promise<UserAnswer | Gone>): Promise<UserAnswer | Gone> {
    const { retry, signal } = this.#context.calling;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask();
      if (answer.kind !== "refused" || answer.code !== "AUTH-Bs7Ds" || attempt === ORG_TRIES) return answer;
      await retry.sleep(200 * attempt, signal);
    }
  }

  /**
   * Makes a user inactive or locked that this job created by a call without an answer, perhaps of a killed run. A user who was changed
   * or given rights by another account since is not changed, and is reported if the user can sign in.
   */
  async #closeLate(userId: string, orgId: string, entry: unknown, user: Existing): Promise<readonly Failure[]> {
    if (laterState(entry) === undefined) return [];
    const { calling } = this.#context;
    const since = await this.#sinceCreation(userId, orgId);
    if (since === "closed") return [];
    if (since === "changed") return [staysOpen(user, "state-changed")];
    return await calling.lanes.users.turn(() => this.#setState(userId, entry, user, true), true);
  }

  async #sinceCreation(userId: string, orgId: string): Promise<"untouched" | "closed" | "changed"> {
    const { calling } = this.#context;
    this.#self ??= readSelf(calling);
    const self = await this.#self;
    if (self === undefined) return "changed";
    // Earlier runs of the job may have had another service user.
    const accounts = new Set([self, ...(this.#context.ledger.state.job?.by ?? [])]);
    const since = await ifOffered(() => sinceCreation(userId, orgId, accounts, calling));
    if (since !== "untouched") return since ?? "changed";
    const members = await ifOffered(() => listInstanceMembers(calling.api, calling.retry, calling.signal));
    return members?.includes(userId) === false ? since : "changed";
  }

  /** Makes a created user inactive or locked, within a turn. A refusal is reported, and the user counts as created. */
  async #setState(userId: string, entry: unknown, user: Existing, isLate = false): Promise<readonly Failure[]> {
    const state = laterState(entry);
    if (state === undefined) return [];
    const change = () => this.#access.api.setState(userId, state, this.#late);
    const answer = await withRetry(change, this.#context.calling.retry, this.#late);
    if (answer.kind === "changed" && isLate)
      this.#context.ledger.closedNow.set(userId, textMember(fieldsOf(member(fieldsOf(entry), "user")), "userName"));
    if (answer.kind !== "refused") return [];
    return [staysOpen({ ...user, message: answer.words }, "state")];
  }

  /** Gives a user the OTP secret, unless the events say that it was given. */
  async #giveSecret(item: Item): Promise<readonly Failure[]> {
    if (!hasOtpSecret(item)) return [];
    const { lanes, retry, signal } = this.#context.calling;
    const give = (): Promise<readonly Failure[]> => lanes.import.turn(() => sendOtpSecrets([item], this.#context));
    return withRetry(give, retry, signal);
  }
}

/** Raises api.unexpected for an answer about another user than the one that was sent; its outcome is then unknown. */
function refuseOtherId(
  answered: string,
  item: Item,
  ledger: SenderContext["ledger"],
  begun: Date | undefined,
  host: string,
): void {
  const sent = userIdOf(item.bytes);
  if (sent === "" || sent === answered) return;
  ledger.lose([item], begun);
  throw new ProblemError({ code: "api.unexpected", host, what: "the id of another user than the one that was sent" });
}

/** A failure of a user who counts as created: of a type of its own, as that of an OTP secret, and without the place of the user. */
function staysOpen({ id, message, line }: Existing, cause: "state" | "state-changed"): Failure {
  return { type: "human_user_state", id, message, cause, ...(line === undefined ? {} : { line }) };
}

function failed(user: Existing, answer: Extract<UserAnswer, { words: string }>): CreatedUser {
  const { words } = answer;
  const found = causeOf("human_user", { code: answer.kind === "refused" ? answer.code : "", key: words });
  const cause = answer.kind === "taken" && found === "name-taken" ? "user-name-taken" : found;
  return { kind: "failed", failure: { ...user, message: words, cause } };
}
