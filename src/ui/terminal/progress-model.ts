/** How far a piece of work is. */
export interface Amount {
  readonly done: number;
  /** undefined: unknown. */
  readonly total?: number | undefined;
  /** The amount of the current call, which reports nothing until it ends. */
  readonly underWay?: number | undefined;
  /** The part of it that is done one by one, at a rate of its own. */
  readonly oneByOne?: OneByOne | undefined;
}

/** Work that needs a call for each piece. */
export interface OneByOne {
  readonly done: number;
  readonly total: number;
  /** How long a piece probably takes, before one is measured; undefined: unknown. */
  readonly expectedMs?: number | undefined;
}

/** The state of a piece of work at a moment. */
export interface ProgressView extends Amount {
  readonly elapsedMs: number;
  /** From 0 to below 1, with an estimate for the current call; undefined without a total. */
  readonly share: number | undefined;
  /** undefined until the first progress, and if the time left follows from another rate. */
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
/** The most of a gap that counts for pieces done one by one, if others were done too. */
const MOST_BY_ONE = 0.95;

/** A rate that differs by more than this factor from that of the time left would contradict it. */
const MOST_APART = 1.5;

/** A rate, weighted by age. */
class Rate {
  #done = 0;
  #ms = 0;

  /** Both sums after a gap with an even gain. */
  after(gain: number, gapMs: number): readonly [done: number, ms: number] {
    const kept = 0.5 ** (gapMs / HALF_LIFE_MS);
    const weight = (HALF_LIFE_MS / Math.LN2) * (1 - kept);
    return [this.#done * kept + (gain / gapMs) * weight, this.#ms * kept + weight];
  }

  take(gain: number, gapMs: number): void {
    [this.#done, this.#ms] = this.after(gain, gapMs);
  }

  /** undefined: nothing was measured. */
  get perMs(): number | undefined {
    return this.#ms === 0 ? undefined : this.#done / this.#ms;
  }
}

/**
 * How far a piece of work is, how fast it goes and when it will be done, from what is reported of it: pure, the time is handed in (in
 * milliseconds, any origin). Reports may be as rare as calls of minutes; between them the share moves on at the rate of before, and never
 * back.
 */
export class ProgressModel {
  readonly #startedMs: number;
  #amount: Amount;
  #changedMs: number;
  readonly #all = new Rate();
  readonly #inBatches = new Rate();
  readonly #oneByOne = new Rate();
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
    const byOne = (amount.oneByOne?.done ?? 0) - (this.#amount.oneByOne?.done ?? 0);
    this.#amount = amount;
    if (gain <= 0) return;
    const gapMs = Math.max(1, nowMs - this.#changedMs);
    this.#all.take(gain, gapMs);
    this.#divide(gain, byOne, gapMs);
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
      perSecond: this.#perSecond(reached, perMs),
      leftMs:
        total === undefined || done >= total ? undefined : this.#left(this.#measuredMs(reached, total, perMs), nowMs),
    };
  }

  /** Divides a gap between what was done one by one and the rest: each piece took about as long as those before it. */
  #divide(gain: number, byOne: number, gapMs: number): void {
    const rest = gain - byOne;
    const byOneMs = rest <= 0 ? gapMs : Math.min(byOne * (this.#msOfOne() ?? gapMs / gain), gapMs * MOST_BY_ONE);
    if (byOne > 0) this.#oneByOne.take(byOne, byOneMs);
    if (rest > 0) this.#inBatches.take(rest, gapMs - byOneMs);
  }

  /** Milliseconds of a piece that is done by itself: measured, or expected. */
  #msOfOne(): number | undefined {
    const perMs = this.#oneByOne.perMs;
    return perMs === undefined ? this.#amount.oneByOne?.expectedMs : 1 / perMs;
  }

  /** The time for what is left of both kinds, if the work has both; otherwise by the one rate. */
  #measuredMs(reached: number, total: number, perMs: number | undefined): number {
    const { oneByOne } = this.#amount;
    const byOneLeft = oneByOne === undefined ? 0 : Math.max(0, oneByOne.total - oneByOne.done);
    const msOfOne = this.#msOfOne();
    const left = total - reached;
    if (oneByOne === undefined || msOfOne === undefined) return left / (perMs ?? 0);
    const rest = Math.max(0, left - byOneLeft);
    const restMs = rest === 0 ? 0 : rest / (this.#inBatches.perMs ?? perMs ?? 0);
    return restMs + Math.min(byOneLeft, left) * msOfOne;
  }

  /** The rate of the kind of pieces that is done now; undefined if the time left follows from another one. @param perMs of both kinds. */
  #perSecond(reached: number, perMs: number | undefined): number | undefined {
    const { total = 0, oneByOne } = this.#amount;
    if (perMs === undefined || oneByOne === undefined || reached >= total) return perMs && perMs * 1000;
    const rest = total - reached - Math.max(0, oneByOne.total - oneByOne.done);
    const now = (rest > 0 ? this.#inBatches.perMs : this.#oneByOne.perMs) ?? perMs;
    const fitting = (total - reached) / this.#measuredMs(reached, total, perMs);
    return Math.max(now / fitting, fitting / now) > MOST_APART ? undefined : now * 1000;
  }

  /** Per millisecond. A pause longer than any before counts, too: nothing is being done. */
  #rate(nowMs: number): number | undefined {
    const measured = this.#all.perMs;
    if (measured === undefined) return undefined;
    const gapMs = nowMs - this.#changedMs;
    if (gapMs <= STALLED_AFTER_MS || gapMs <= 2 * this.#longestGapMs) return measured;
    const [done, ms] = this.#all.after(0, gapMs);
    return done / ms;
  }

  /** The estimated progress of the current call, by the rate so far. */
  #guess(nowMs: number): number {
    const { underWay = 0 } = this.#amount;
    const perMs = this.#all.perMs;
    if (underWay === 0 || perMs === undefined) return 0;
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
    const smoothMs = foretold + ((said?.atMs ?? foretold) - foretold) * kept - nowMs;
    // The first calls are slow, and what they foretold would last to the end of a short run.
    const atMs = nowMs + Math.max(measuredMs / MOST_APART, Math.min(smoothMs, measuredMs * MOST_APART));
    this.#end = { atMs, saidMs: nowMs };
    return Math.max(1_000, atMs - nowMs);
  }
}
