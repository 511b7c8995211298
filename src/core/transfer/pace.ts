import type { Ending, Pace, PacedCall, PaceRanges, Range, Setting } from "./pace-types.ts";
import { fixedCost, type Measure, PaceWindow } from "./pace-window.ts";
import { SteadyPace } from "./steady-pace.ts";

export type { Ending, Pace, PaceRanges, Range } from "./pace-types.ts";

/** A pace that never changes; for a number that was given. */
export const exactly = (value: number): Range => ({ min: value, max: value });

const FIRST_CALLS = 2;
/** Concurrent calls differ by half in size: calls of one size would begin and end together, and the service would be idle in between. */
const UNEVEN = 0.5;
/** Multiples of it are spread evenly between whole numbers, however many there are. */
const GOLDEN = 0.618;
/** A shorter call may hold more, at any cost per user. */
const SHORT_MS = 500;
/** A call of very few users that took so long says enough. */
const LONG_LOOK_MS = 400;
/** A call that is longer holds less, so that Ctrl-C and a new setting need not wait long: unless most of it is fixed cost. */
const LONG_MS = 4_000;
const LONG_IN_FIXED_COSTS = 8;
/** Calls that are shorter cost both ends more than they need to: larger ones are kept when they are not slower. */
const COMFORTABLE_MS = 1_000;
const NOT_SLOWER = 0.97;
/** What counts as faster. */
const FASTER = 1.05;
const CLEARLY_FASTER = 1.15;
/** While calls at a time are doubled: two times less than that in a row is the end of it. */
const GAIN = 1.02;
const CLEARLY_SLOWER = 0.7;
/** Within that much of the best, fewer calls are better. */
const AS_FAST = 0.97;
/** A speed that falls below this share of what it was, or rises above its inverse, is that of another service, as it were. */
const DRIFT = 0.6;
/** With nothing under way for longer than that after an answer, there was nothing to do. */
const IDLE_MS = 1_000;
/** How long a repeatedly useless move is not tried again, in windows. */
const MAX_REST = 64;
/** How long a service must be quiet before more calls than it refused are tried again, in windows. */
const FIRST_PATIENCE = 4;
const MAX_PATIENCE = 64;

/** In the order in which they are tried. */
const MOVES = ["more calls", "larger calls", "fewer calls", "smaller calls"] as const;
type Move = (typeof MOVES)[number];

type Phase =
  /** Calls grow while that makes them cheaper; `before`: what smaller ones came to. */
  | { readonly kind: "growing"; readonly before?: Measure & Setting }
  /** More and more calls at a time; what each number gave. */
  | { readonly kind: "climbing"; readonly steps: readonly Step[] }
  /** The setting stays; after some windows something else is tried. */
  | { readonly kind: "holding" }
  /** Something else is tried, which is then compared with `before`, and if need be with what comes after. */
  | {
      readonly kind: "trying";
      readonly move: Move;
      readonly from: Setting;
      readonly before: number;
      readonly goal: number;
    }
  | {
      readonly kind: "comparing";
      readonly move: Move;
      readonly to: Setting;
      readonly before: number;
      readonly tried: number;
    };
type Trying = Extract<Phase, { kind: "trying" }>;
type Comparing = Extract<Phase, { kind: "comparing" }>;
type Step = Setting & { readonly rate: number };

/** What follows a window. */
interface Next {
  readonly setting: Setting;
  readonly phase: Phase;
}

class AdaptivePace implements Pace {
  readonly #ranges: PaceRanges;
  #setting: Setting;
  #phase: Phase = { kind: "growing" };
  #epoch = 0;
  #window = new PaceWindow(0, 0);
  #inFlight = 0;
  /** Calls that were given a size. */
  #shared = 0;
  #lastEndMs: number | undefined;
  /** Users a second, of the setting that is held. */
  #rate: number | undefined;
  #callMs = 0;
  #longMs = LONG_MS;
  /** More calls than that have been refused, until the service has been quiet for a while. */
  #ceiling: number;
  #quiet = 0;
  #patience = FIRST_PATIENCE / 2;
  /** Windows of holding so far. */
  #held = 0;
  /** Since when each move may be tried, counted in windows of holding, and how often in a row it was in vain. */
  readonly #moves: Record<Move, { due: number; misses: number }> = {
    "more calls": { due: 2, misses: 0 },
    "larger calls": { due: 3, misses: 0 },
    "fewer calls": { due: 4, misses: 0 },
    "smaller calls": { due: 5, misses: 0 },
  };

  constructor(ranges: PaceRanges) {
    this.#ranges = ranges;
    this.#ceiling = ranges.calls.max;
    this.#setting = this.#within({ calls: FIRST_CALLS, users: ranges.users.min });
  }

  get calls(): number {
    return this.#setting.calls;
  }

  get users(): number {
    return this.#setting.users;
  }

  share(left: number): number {
    this.#shared += 1;
    const share = this.calls === 1 ? 1 : 1 + UNEVEN * (((this.#shared * GOLDEN) % 1) - 0.5);
    return within(Math.round(Math.min(this.users * share, Math.ceil(left / this.calls))), this.#ranges.users);
  }

  began(nowMs: number, users: number): PacedCall {
    const isIdle = this.#inFlight === 0 && nowMs - (this.#lastEndMs ?? Number.NEGATIVE_INFINITY) > IDLE_MS;
    if (isIdle) this.#window = new PaceWindow(nowMs, 0);
    this.#inFlight += 1;
    this.#window.inFlight(this.#inFlight, nowMs);
    return { beganMs: nowMs, users, epoch: this.#epoch };
  }

  ended({ beganMs, users, epoch }: PacedCall, nowMs: number, ending: Ending): void {
    this.#inFlight -= 1;
    this.#window.inFlight(this.#inFlight, nowMs);
    this.#lastEndMs = ending === "answered" ? nowMs : Number.POSITIVE_INFINITY;
    if (epoch !== this.#epoch) return; // of an earlier setting, also when it went wrong
    const isFailed = ending === "overloaded";
    this.#window.end({ ms: nowMs - beganMs, users: ending === "answered" ? users : 0, isFailed });
    if (ending === "busy" || (isFailed && this.#isTrouble())) this.#go(this.#stepBack(ending), nowMs);
    else if (this.#isFull()) this.#go(this.#judge(this.#window.measure()), nowMs);
  }

  /** One call that fails among many that do not is none; where something new is tried it is. */
  #isTrouble(): boolean {
    const { ended, failed } = this.#window;
    return this.#phase.kind === "trying" || (failed > 1 && failed > ended / 10);
  }

  /** Enough calls of one setting to say something about it. */
  #isFull(): boolean {
    const { kind } = this.#phase;
    const { ended, ms } = this.#window;
    if (kind === "growing") return ended >= this.calls || ms >= LONG_LOOK_MS;
    if (ended > 1 && this.#window.measure().usersPerSecond < CLEARLY_SLOWER * this.#toBeat()) return true;
    return kind === "climbing" ? ended >= this.calls && ms >= SHORT_MS : ended >= 2 * this.calls && ms >= 2 * SHORT_MS;
  }

  /** What was reached before something new was tried: to be far below it needs no long look. */
  #toBeat(): number {
    if (this.#phase.kind === "trying") return this.#phase.before;
    return this.#phase.kind === "climbing" ? bestOf(this.#phase.steps) : 0;
  }

  #judge(measure: Measure): Next {
    this.#callMs = measure.callMs;
    const phase = this.#phase;
    const rate = measure.usersPerSecond;
    switch (phase.kind) {
      case "growing":
        return this.#grow(measure, phase.before);
      case "climbing":
        return this.#climb([...phase.steps, { ...this.#setting, rate }]);
      case "holding":
        return this.#hold(rate);
      case "trying":
        return this.#try(rate, phase);
      case "comparing":
        return this.#compare(rate, phase);
      default:
        return phase satisfies never;
    }
  }

  #grow(now: Measure, before: (Measure & Setting) | undefined): Next {
    const { calls, users } = this.#setting;
    const climb = (setting: Setting): Next => ({ setting, phase: { kind: "climbing", steps: [] } });
    if (users >= this.#ranges.users.max) return climb(this.#setting);
    const phase: Phase = { kind: "growing", before: { ...now, ...this.#setting } };
    if (before === undefined) return { setting: { calls, users: users * 4 }, phase };
    const gain = now.usersPerCallMs / before.usersPerCallMs;
    if (gain < 0.8) {
      // Dearer in large calls, or a bad moment: that is looked at again.
      this.#moves["larger calls"].due = 0;
      return climb({ calls, users: (before.users + users) / 2 });
    }
    const fixedMs = fixedCost(before, now);
    this.#longMs = Math.max(LONG_MS, LONG_IN_FIXED_COSTS * fixedMs);
    const wanted = cheapSize(now, fixedMs);
    if (wanted < 1.3 * users) return climb(this.#setting);
    const most = now.callMs > 2 * SHORT_MS && gain > 1.5 ? 16 : 4;
    return { setting: { calls, users: Math.round(Math.min(wanted, users * most)) }, phase };
  }

  /** No gain twice in a row, or a clear loss once, is the end of it. */
  #climb(steps: readonly Step[]): Next {
    const hasGained = (at: number): boolean => (steps[at]?.rate ?? 0) >= GAIN * bestOf(steps.slice(0, at));
    const last = steps.length - 1;
    const isEnd =
      this.calls >= Math.min(this.#ranges.calls.max, this.#ceiling) ||
      (steps[last]?.rate ?? 0) < CLEARLY_SLOWER * bestOf(steps.slice(0, last)) ||
      (last > 0 && !hasGained(last) && !hasGained(last - 1));
    if (!isEnd) {
      const calls = Math.min(this.#ceiling, this.calls * 2);
      return { setting: { ...this.#setting, calls }, phase: { kind: "climbing", steps } };
    }
    const at = steps.findIndex(({ rate }) => rate >= AS_FAST * bestOf(steps));
    if (at === 0 && last > 0) this.#moves["fewer calls"].due = this.#held;
    return this.#settle(steps[at] ?? this.#setting, at === last ? steps[at]?.rate : undefined);
  }

  #hold(rate: number): Next {
    this.#held += 1;
    this.#recover();
    const before = this.#rate ?? rate;
    const isDrift = rate < DRIFT * before || rate > before / DRIFT;
    if (isDrift) for (const move of MOVES) this.#moves[move] = { due: this.#held, misses: 0 };
    this.#rate = isDrift ? rate : (before + rate) / 2;
    const [move] = MOVES.filter((one) => this.#moves[one].due <= this.#held && this.#canMove(one)).sort(
      (a, b) => this.#moves[a].due - this.#moves[b].due,
    );
    if (move === undefined) return this.#settle(this.#setting, this.#rate);
    const goal = move === "larger calls" && this.#callMs < COMFORTABLE_MS ? NOT_SLOWER : FASTER;
    const phase: Phase = { kind: "trying", move, from: this.#setting, before: this.#rate, goal };
    return { setting: this.#moved(move), phase };
  }

  #canMove(move: Move): boolean {
    const { calls, users } = this.#within(this.#moved(move));
    return calls !== this.calls || users !== this.users;
  }

  #moved(move: Move): Setting {
    const { calls, users } = this.#setting;
    switch (move) {
      case "more calls":
        return { calls: Math.min(this.#ceiling, Math.max(calls + 1, Math.round(calls * 1.5))), users };
      case "fewer calls":
        return { calls: Math.min(calls - 1, Math.round(calls / 1.5)), users };
      case "larger calls":
        return { calls, users: this.#callMs < this.#longMs / 2 ? users * 2 : users };
      case "smaller calls":
        return { calls, users: Math.ceil(users / 2) };
      default:
        return move satisfies never;
    }
  }

  #try(rate: number, { move, from, before, goal }: Trying): Next {
    if (rate >= CLEARLY_FASTER * before || (goal < 1 && rate >= goal * before))
      return this.#keep(move, this.#setting, rate);
    if (rate < before) return this.#giveUp(move, from);
    return { setting: from, phase: { kind: "comparing", move, to: this.#setting, before, tried: rate } };
  }

  #compare(rate: number, { move, to, before, tried }: Comparing): Next {
    const around = (before + rate) / 2;
    if (tried >= FASTER * around) return this.#keep(move, to, undefined);
    this.#rate = around;
    return this.#giveUp(move, this.#setting);
  }

  #keep(move: Move, setting: Setting, rate: number | undefined): Next {
    this.#moves[move] = { due: this.#held, misses: 0 };
    return this.#settle(setting, rate);
  }

  #giveUp(move: Move, setting: Setting): Next {
    const misses = this.#moves[move].misses + 1;
    this.#moves[move] = { due: this.#held + Math.min(MAX_REST, 2 ** (misses + 1)), misses };
    return this.#settle(setting, this.#rate);
  }

  #settle(setting: Setting, rate: number | undefined): Next {
    this.#rate = rate;
    return { setting, phase: { kind: "holding" } };
  }

  /** A refusal asks for fewer calls, which may be larger; trouble for fewer. From there it climbs again, but not as high. */
  #stepBack(ending: Ending): Next {
    const { calls, users } = this.#setting;
    if (this.#phase.kind === "trying") return this.#giveUp(this.#phase.move, this.#phase.from);
    this.#ceiling = Math.max(2, Math.min(this.#ceiling, calls - 1));
    this.#patience = Math.min(MAX_PATIENCE, this.#patience * 2);
    this.#quiet = 0;
    const mayGrow = ending === "busy" && this.#callMs < LONG_MS;
    const setting = { calls: Math.floor(calls / 2), users: mayGrow ? users * 2 : users };
    return { setting, phase: { kind: "climbing", steps: [] } };
  }

  #recover(): void {
    this.#quiet += 1;
    if (this.#quiet < this.#patience) return;
    this.#quiet = 0;
    this.#ceiling = Math.min(this.#ranges.calls.max, this.#ceiling + Math.ceil(this.#ceiling / 4));
  }

  /** From here on with this setting: calls of another one that are under way no longer count. */
  #go({ setting, phase }: Next, nowMs: number): void {
    const isTooLong = phase.kind !== "growing" && this.#callMs > this.#longMs;
    if (isTooLong) this.#callMs /= 2;
    const { calls, users } = this.#within({ ...setting, users: Math.ceil(setting.users / (isTooLong ? 2 : 1)) });
    if (calls !== this.calls || users !== this.users) this.#epoch += 1;
    this.#setting = { calls, users };
    this.#phase = phase;
    this.#window = new PaceWindow(nowMs, this.#inFlight);
  }

  #within({ calls, users }: Setting): Setting {
    return { calls: within(calls, this.#ranges.calls), users: within(users, this.#ranges.users) };
  }
}

function bestOf(steps: readonly Step[]): number {
  return Math.max(0, ...steps.map(({ rate }) => rate));
}

/** Users that make a call last a while, and its fixed cost a fifth of it at most. */
function cheapSize({ callMs, callUsers }: Measure, fixedMs: number): number {
  const eachMs = (callMs - fixedMs) / callUsers;
  return Math.max(4 * fixedMs, SHORT_MS - fixedMs) / Math.max(eachMs, 1e-3);
}

function within(value: number, { min, max }: Range): number {
  return Math.min(max, Math.max(min, value));
}

/** A pace within these ranges: one that keeps the best setting, or finds out what the service takes best. */
export function createPace(ranges: PaceRanges): Pace {
  return ranges.best === undefined ? new AdaptivePace(ranges) : new SteadyPace(ranges, ranges.best);
}
