/** How far a piece of work is. */
export interface Amount {
  readonly done: number;
  /** undefined: unknown. */
  readonly total?: number | undefined;
  /** The amount of the current call, which reports nothing until it ends. */
  readonly underWay?: number | undefined;
}

/** The state of a piece of work at a moment. */
export interface ProgressView extends Amount {
  readonly elapsedMs: number;
  /** From 0 to below 1, with an estimate for the current call; undefined without a total. */
  readonly share: number | undefined;
  /** undefined until the first progress. */
  readonly perSecond: number | undefined;
  /** At least a second; undefined where it is unknown, and when all is done. */
  readonly leftMs: number | undefined;
}

/** A rate counts half as much after this time. */
const HALF_LIFE_MS = 15_000;
/** The half-life of the estimated end. */
const END_HALF_LIFE_MS = 4_000;
/** Before that, the remaining time would be a guess. */
const MEASURED_AFTER_MS = 2_000;
/** Beyond this share, the current call is assumed to be slower than estimated. */
const STEADY_UNTIL = 0.8;
const STALLED_AFTER_MS = 5_000;

/**
 * How far a piece of work is, how fast it goes and when it will be done, from what is reported of it: pure, the time is handed in (in
 * milliseconds, any origin). Reports may be as rare as calls of minutes; between them the share moves on at the rate of before, and never
 * back.
 */
export class ProgressModel {
  readonly #startedMs: number;
  #amount: Amount;
  #changedMs: number;
  /** Done and time, both weighted by age. */
  #weightedDone = 0;
  #weightedMs = 0;
  #longestGapMs = 0;
  #share = 0;
  #end: { readonly atMs: number; readonly saidMs: number } | undefined;

  /** @param amount the start: what is done before does not count for the rate. */
  constructor(amount: Amount, nowMs: number) {
    this.#amount = amount;
    this.#startedMs = nowMs;
    this.#changedMs = nowMs;
  }

  report(amount: Amount, nowMs: number): void {
    const gain = amount.done - this.#amount.done;
    this.#amount = amount;
    if (gain <= 0) return;
    const gapMs = Math.max(1, nowMs - this.#changedMs);
    [this.#weightedDone, this.#weightedMs] = this.#sums(gain, gapMs);
    this.#longestGapMs = Math.max(this.#longestGapMs, gapMs);
    this.#changedMs = nowMs;
  }

  view(nowMs: number): ProgressView {
    const { done, total } = this.#amount;
    const perMs = this.#rate(nowMs);
    const reached = done + this.#guess(nowMs);
    const share = this.#shareOf(reached);
    return {
      ...this.#amount,
      elapsedMs: nowMs - this.#startedMs,
      share,
      perSecond: perMs === undefined ? undefined : perMs * 1000,
      leftMs: total === undefined || done >= total ? undefined : this.#left((total - reached) / (perMs ?? 0), nowMs),
    };
  }

  /** Both sums after a gap with an even gain. */
  #sums(gain: number, gapMs: number): readonly [done: number, ms: number] {
    const kept = 0.5 ** (gapMs / HALF_LIFE_MS);
    const weight = (HALF_LIFE_MS / Math.LN2) * (1 - kept);
    return [this.#weightedDone * kept + (gain / gapMs) * weight, this.#weightedMs * kept + weight];
  }

  /** Per millisecond. A pause longer than any before counts, too: nothing is being done. */
  #rate(nowMs: number): number | undefined {
    if (this.#weightedMs === 0) return undefined;
    const gapMs = nowMs - this.#changedMs;
    const isStalled = gapMs > STALLED_AFTER_MS && gapMs > 2 * this.#longestGapMs;
    const [done, ms] = isStalled ? this.#sums(0, gapMs) : [this.#weightedDone, this.#weightedMs];
    return done / ms;
  }

  /** The estimated progress of the current call, by the rate so far. */
  #guess(nowMs: number): number {
    const { underWay = 0 } = this.#amount;
    if (underWay === 0 || this.#weightedMs === 0) return 0;
    const perMs = this.#weightedDone / this.#weightedMs;
    const part = (perMs * (nowMs - this.#changedMs)) / underWay;
    const rest = 1 - STEADY_UNTIL;
    return underWay * (part < STEADY_UNTIL ? part : 1 - rest * Math.exp((STEADY_UNTIL - part) / rest));
  }

  #shareOf(reached: number): number | undefined {
    const { done, total } = this.#amount;
    if (total === undefined || total <= 0) return undefined;
    if (done >= total) return 1;
    this.#share = Math.max(this.#share, Math.min(reached / total, 0.995));
    return this.#share;
  }

  #left(measuredMs: number, nowMs: number): number | undefined {
    if (!Number.isFinite(measuredMs) || nowMs - this.#startedMs < MEASURED_AFTER_MS) return undefined;
    const foretold = nowMs + measuredMs;
    const said = this.#end;
    const kept = said === undefined ? 0 : 0.5 ** ((nowMs - said.saidMs) / END_HALF_LIFE_MS);
    const atMs = foretold + ((said?.atMs ?? foretold) - foretold) * kept;
    this.#end = { atMs, saidMs: nowMs };
    return Math.max(1_000, atMs - nowMs);
  }
}
