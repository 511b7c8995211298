import { type Decide, withRetry } from "../../../admin/with-retry.ts";
import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { type BatchResult, countOne, type Existing, type Failure } from "../../../core/transfer/answer/batch-result.ts";
import type { Verdict } from "../../../core/transfer/answer/outcome.ts";
import { toBody } from "../../../core/transfer/batch-body.ts";
import { type Batch, type BatchLimits, countElements, halve } from "../../../core/transfer/batches.ts";
import { hasOtpSecret, withoutOtpSecret } from "../../../core/transfer/otp-secret.ts";
import type { RunProblem } from "../../../problem.ts";
import { lookQuickly } from "../../shared/fresh.ts";
import type { Settlement, Take } from "../ledger.ts";
import { settleContradicted } from "./contradicted.ts";
import { decideFor } from "./lane.ts";
import { sendOtpSecrets } from "./otp-secrets.ts";
import { readResult } from "./read-result.ts";
import type { Sender, SenderContext } from "./way.ts";

type OnSmaller = (problem: RunProblem, limits: BatchLimits) => void;

/** Sends batches to the import endpoint: in halves if they are too large, and again until there is an answer. */
export class ImportEndpoint implements Sender {
  readonly #context: SenderContext;
  readonly #onSmaller: OnSmaller;
  /** A size that was refused stays refused. */
  #maxBytes: number;

  /** @param onSmaller called when calls get smaller. */
  constructor(context: SenderContext, maxBytes: number, onSmaller: OnSmaller) {
    this.#context = context;
    this.#maxBytes = maxBytes;
    this.#onSmaller = onSmaller;
  }

  /** What the next call may hold. */
  get limits(): BatchLimits {
    return { users: this.#context.calling.lanes.import.pace.largest, bytes: this.#maxBytes };
  }

  async send(batch: Batch, take: Take): Promise<void> {
    const { users, bytes } = this.limits;
    const hasTooMany = countElements(batch) > users;
    const halves = hasTooMany || batch.bytes > bytes ? halve(batch, hasTooMany ? "count" : "bytes") : undefined;
    if (halves !== undefined) {
      for (const half of halves) await this.send(half, take);
      return;
    }
    const isAnswered = await this.#untilAnswered(batch, take);
    if (!isAnswered) await this.send(batch, take);
  }

  /** Calls until there is an answer; false when calls must be smaller from now on. */
  async #untilAnswered(batch: Batch, take: Take): Promise<boolean> {
    const { calling, ledger, owners } = this.#context;
    const { lanes, retry, signal } = calling;
    let isTooLarge = false;
    const decideOne = decideFor(batch.items, ledger, (problem, how) => {
      isTooLarge = this.#shrink(batch, problem, how);
      return isTooLarge;
    });
    const decide: Decide = (...failure) => {
      owners?.failed();
      return decideOne(...failure);
    };
    const users = Math.max(1, countElements(batch));
    const callOnce = async (): Promise<void> => {
      // Users may have been replaced while the call waited for its turn, or paused.
      const rest = await lookQuickly(() => this.#context.screen.screen(batch, take));
      if (rest !== undefined) take(await this.#callOnce(rest));
    };
    try {
      await withRetry(() => lanes.import.turn(() => lanes.import.call(users, callOnce)), retry, signal, decide);
      return true;
    } catch (error) {
      if (isTooLarge) return false;
      throw error;
    }
  }

  /** False for a batch that cannot be made smaller. */
  #shrink(batch: Batch, problem: RunProblem, how: "halve-by-count" | "halve-by-bytes"): boolean {
    const users = countElements(batch);
    if (users < 2) return false;
    if (how === "halve-by-count") this.#context.calling.lanes.import.pace.tookTooLong(users);
    else this.#maxBytes = Math.min(this.#maxBytes, Math.ceil(batch.bytes / 2));
    this.#onSmaller(problem, this.limits);
    return true;
  }

  /** One call: announce it, send it, read the answer, decide who created what exists, give the OTP secrets. */
  async #callOnce(batch: Batch): Promise<Settlement> {
    const { calling, plan, ledger, provenance, screen } = this.#context;
    const { items } = batch;
    const secrets = new Set(items.filter(hasOtpSecret));
    const sent = items.map((item) => (secrets.has(item) ? withoutOtpSecret(item) : item));
    const body = toBody({ ...batch, items: sent }, plan.scan, plan.timeout.text);
    const begun = ledger.clock;
    ledger.announce(items);
    ledger.begin(items, "import");
    const answer = await calling.api.importData(body, plan.timeout.ms, calling.signal);
    ledger.answered(answer.date);
    const read = provenance.leaveNamesOpen(
      await settleContradicted(await readResult(answer, batch, plan.scan), items, this.#context),
    );
    const answered = await provenance.failOtherObjects(await screen.failRemoved(read, items), items);
    const { result, whose } = await provenance.decide(answered, items);
    const created = createdUsers(items, result, whose).filter((item) => secrets.has(item));
    const refused = created.length === 0 ? [] : await this.#giveSecrets(created, batch, begun);
    const withheld = secretsWithheld(secrets, result, whose);
    return { items, way: "import", result: withFailures(result, [...refused, ...withheld]), whose };
  }

  /** The users exist by now: if this call fails, the outcome of the batch is open. */
  async #giveSecrets(users: readonly Item[], batch: Batch, begun: Date | undefined): Promise<readonly Failure[]> {
    try {
      return await sendOtpSecrets(users, this.#context);
    } catch (error) {
      this.#context.ledger.lose(batch.items, begun);
      throw error;
    }
  }
}

/** Users who may have been created by a lost call get no secret. It is reported, since no later call gives it either. */
function secretsWithheld(
  secrets: ReadonlySet<Item>,
  { created, existing, failures }: BatchResult,
  whose: (one: Existing) => Verdict,
): readonly Failure[] {
  const known = existing.filter((one) => whose(one) !== "untold");
  const settled = new Set([...created.map(({ index }) => index), ...[...known, ...failures].map(({ item }) => item)]);
  return [...secrets]
    .filter(({ index }) => !settled.has(index))
    .map(({ bytes, line }) => ({ type: "human_user_otp", id: userIdOf(bytes), message: "", cause: "otp", line }));
}

/** Users that this call, or an earlier call of the job, created. */
function createdUsers(
  items: readonly Item[],
  { created, existing }: BatchResult,
  whose: (one: Existing) => Verdict,
): Item[] {
  const indexes = new Set(created.map(({ index }) => index));
  for (const one of existing) {
    if (one.type === "human_user" && one.item !== undefined && whose(one) === "ours") indexes.add(one.item);
  }
  return items.filter(({ index, key }) => key === "humanUsers" && indexes.has(index));
}

function withFailures(result: BatchResult, failures: readonly Failure[]): BatchResult {
  const others = new Map(result.others);
  for (const { type } of failures) countOne(others, type, "failed");
  return { ...result, others, failures: [...result.failures, ...failures] };
}
