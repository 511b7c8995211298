import { type Attempts, mayHaveWorked, remedyFor, remedyForSmallest } from "../../../admin/retry.ts";
import type { Absence, UserAnswer } from "../../../admin/users-api.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { Item } from "../../../core/document/items.ts";
import type { MetadataEntry } from "../../../core/document/user-metadata.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import type { Existing, Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf } from "../../../core/transfer/answer/cause.ts";
import type { Verdict } from "../../../core/transfer/answer/outcome.ts";
import { toBatch } from "../../../core/transfer/batches.ts";
import { ByteStore } from "../../../core/transfer/buffer-pool.ts";
import { hasOtpSecret } from "../../../core/transfer/otp-secret.ts";
import { laterState, toUsersRequest } from "../../../core/transfer/users-request.ts";
import { ProblemError } from "../../../problem.ts";
import { isNotTold } from "../../shared/not-offered.ts";
import { isAlive, isOwn, lastLifeEvent } from "../../shared/user-life.ts";
import type { JobProgress } from "../progress.ts";
import { firstOfItsId } from "../provenance/provenance.ts";
import { sendOtpSecrets } from "./otp-secrets.ts";
import { isStillGone } from "./screen.ts";
import type { SendContext, UsersWay } from "./way.ts";

/** What came of one user. */
export type MadeUser =
  | { readonly kind: "created"; readonly carried: readonly MetadataEntry[]; readonly failures: readonly Failure[] }
  | { readonly kind: "existing"; readonly existing: Existing; readonly verdict: Verdict }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** Somebody without an id, made perhaps by a call whose answer was lost. */
  | { readonly kind: "unknown" }
  /** The target turns out not to know users this way. */
  | { readonly kind: "no-api"; readonly why: Absence };

/** Metadata beyond that goes its own way: the service takes 4 MiB a call (service behaviour 0.9). */
const CARRIED_CHARACTERS = 3 * 2 ** 20;
/** A new organization may not be known everywhere at once. */
const ORG_TRIES = 5;

/** The user was never sent, because the run is about to stop. */
export class NeverSent extends Error {
  override readonly name = "NeverSent";
}

/** Makes one user through the users API, with everything that belongs to the user. Raises what retries do not get over, and NeverSent. */
export async function makeUser(
  item: Item,
  way: UsersWay,
  context: SendContext,
  progress: JobProgress,
): Promise<MadeUser> {
  const entry: unknown = JSON.parse(item.bytes.toString());
  const userId = textMember(fieldsOf(entry), "userId");
  const carried = await metadataOf(item, userId, way);
  const orgId = context.scan.orgs[item.org]?.orgId ?? "";
  const body = Buffer.from(JSON.stringify(toUsersRequest(entry, orgId, carried, way)));
  const answer = await askUntilOrgIsKnown(() => send(item, body, way, context, progress), context);
  const person = { type: "human_user", id: userId, message: "", item: item.index, line: item.line };
  switch (answer.kind) {
    case "made":
      return {
        kind: "created",
        carried,
        failures: await setState(userId || answer.userId, entry, person, way, context),
      };
    case "there":
    case "taken": {
      const wasLost = progress.state.lost.has(item.index);
      if (userId === "") return wasLost ? { kind: "unknown" } : failed(person, answer);
      if (await isStillGone(item.index, userId, context, progress)) {
        return { kind: "failed", failure: { ...person, message: answer.words, cause: "user-removed" } };
      }
      const isSure = answer.kind === "there" && !wasLost;
      const found = isSure
        ? "theirs"
        : await whoseUser({ userId, orgId }, answer.kind, way, context, progress, wasLost);
      if (found === "nobody") return failed(person, answer);
      const existing = { ...person, message: answer.words };
      if (found !== "ours") return { kind: "existing", existing, verdict: found };
      const isFirst = await firstOfItsId([existing], context, progress);
      if (!isFirst(existing)) return { kind: "existing", existing, verdict: "theirs" };
      // It may have been made through the import endpoint, without what goes along here: metadata go their own way, and a secret follows.
      const failures = await giveSecret(item, context, progress);
      return {
        kind: "created",
        carried: [],
        failures: [...failures, ...(await setState(userId, entry, person, way, context))],
      };
    }
    case "refused":
      return failed(person, answer);
    case "absent":
      if (way.noMail) {
        const { host } = context.api.address;
        throw new ProblemError({ code: "api.no-mail-impossible", host, why: answer.why });
      }
      // It has made users before: what says otherwise now is no reason to mail the others through the import endpoint.
      if (progress.hasUsersApi) throw new ProblemError(answer.problem);
      return { kind: "no-api", why: answer.why };
    default:
      return answer satisfies never;
  }
}

async function metadataOf({ org }: Item, userId: string, { metadata }: UsersWay): Promise<readonly MetadataEntry[]> {
  const entries = userId === "" ? [] : await metadata.of(org, userId);
  let characters = 0;
  return entries.filter(({ value }) => {
    characters += value.length;
    return characters <= CARRIED_CHARACTERS;
  });
}

/**
 * One call, tried again as the retry policy says; what is left open on the way is noted. While it pauses nobody else takes its turn: what
 * keeps one user waiting keeps all.
 */
function send(
  item: Item,
  body: Buffer,
  { api }: UsersWay,
  { lanes: { users: lane }, retry, signal }: SendContext,
  progress: JobProgress,
): Promise<UserAnswer> {
  return lane.turn(async () => {
    // It may have waited its turn while everything else came to an end.
    if (signal.aborted || progress.isStopping) throw new NeverSent();
    const begun = progress.clock;
    let attempts: Attempts = { busy: 0, network: 0 };
    for (;;) {
      try {
        const answer = await lane.call(1, () => {
          if (progress.isStopping) throw new NeverSent(); // it may have been told to wait
          progress.begin(item, "users");
          progress.calls += 1;
          return api.add(body, signal);
        });
        if (answer.kind === "made") {
          progress.clock = answer.date ?? progress.clock;
          progress.hasUsersApi = true;
          progress.noteMade(item);
        } else if (answer.kind === "absent" && answer.why === "nonsense") progress.lose([item], begun);
        return answer;
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        const { problem } = error;
        if (mayHaveWorked(problem)) progress.lose([item], begun);
        else progress.forget([item]);
        const remedy = remedyFor(problem, attempts, retry.random);
        const again = remedy.kind === "again" ? remedy : remedyForSmallest(problem, attempts, retry.random);
        if (again.kind !== "again" || remedy.kind === "stop") {
          progress.isStopping = true; // before somebody else takes the turn
          throw error;
        }
        attempts = { ...attempts, [again.reason]: attempts[again.reason] + 1 };
        retry.onPause(problem, again.pauseMs);
        await retry.sleep(again.pauseMs, signal);
      }
    }
  });
}

async function askUntilOrgIsKnown(ask: () => Promise<UserAnswer>, { retry, signal }: SendContext): Promise<UserAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask();
    if (answer.kind !== "refused" || answer.code !== "AUTH-Bs7Ds" || attempt === ORG_TRIES) return answer;
    await retry.sleep(200 * attempt, signal);
  }
}

/** The call that follows the making of somebody who is inactive or locked; a refusal is told, and the user counts as made. */
async function setState(
  userId: string,
  entry: unknown,
  { type, id, line }: Existing,
  { api }: UsersWay,
  { lanes, retry, signal }: SendContext,
): Promise<readonly Failure[]> {
  const state = laterState(entry);
  if (state === undefined) return [];
  const answer = await withRetry(() => lanes.users.turn(() => api.setState(userId, state, signal)), retry, signal);
  if (answer.kind !== "refused") return [];
  return [{ type, id, message: answer.words, cause: "state", ...(line === undefined ? {} : { line }) }];
}

/** Gives a user the OTP secret, unless the events say that it was given. */
async function giveSecret(item: Item, context: SendContext, progress: JobProgress): Promise<readonly Failure[]> {
  if (!hasOtpSecret(item)) return [];
  const { lanes, retry, signal } = context;
  const alone = toBatch([item], { items: new ByteStore(), body: new ByteStore() });
  const give = (): Promise<readonly Failure[]> =>
    lanes.import.turn(() => sendOtpSecrets([item], alone, context, progress));
  return withRetry(give, retry, signal);
}

function failed(person: Existing, answer: Extract<UserAnswer, { words: string }>): MadeUser {
  const { words } = answer;
  const found = causeOf("human_user", { code: answer.kind === "refused" ? answer.code : "", key: words });
  const cause = answer.kind === "taken" && found === "name-taken" ? "user-name-taken" : found;
  return { kind: "failed", failure: { ...person, message: words, cause } };
}

/**
 * Whose somebody is who is there: the event log knows at once, where it may be read; a look at the user may come too early.
 * "nobody": the id is free, so it is something else of the user that is taken.
 */
async function whoseUser(
  { userId, orgId }: { readonly userId: string; readonly orgId: string },
  answer: "there" | "taken",
  { api }: UsersWay,
  context: SendContext,
  { state }: JobProgress,
  wasLost: boolean,
): Promise<Verdict | "nobody"> {
  const { retry, signal } = context;
  const mark = state.job?.mark;
  const last = mark === undefined ? undefined : await lastOfLife(userId, context);
  if (mark !== undefined && isAlive(last)) {
    return wasLost && isOwn(last, { mark, self: await context.self(), orgId }) ? "ours" : "theirs";
  }
  // Objects of an instance import may come without events (spec: Events).
  const isThere = answer === "there" || (await withRetry(() => api.find(userId, signal), retry, signal)) !== undefined;
  if (!isThere) return "nobody";
  return wasLost ? "untold" : "theirs";
}

/** The last event that says whether somebody is there; undefined when there is none, or the target does not tell. */
async function lastOfLife(userId: string, context: SendContext): Promise<ServiceEvent | undefined> {
  try {
    return await lastLifeEvent(userId, context);
  } catch (error) {
    if (error instanceof ProblemError && isNotTold(error.problem.code)) return undefined;
    throw error;
  }
}
