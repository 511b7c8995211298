import { Writable } from "node:stream";
import chalk from "chalk";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { duration } from "../../../../src/problem/format.ts";
import { createProgress } from "../../../../src/ui/terminal/progress.ts";
import { plainLine, terminalLine } from "../../../../src/ui/terminal/progress-line.ts";
import { type Amount, ProgressModel, type ProgressView } from "../../../../src/ui/terminal/progress-model.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

describe("the model", () => {
  test("work at a steady rate: the rate and the time left are what they are", () => {
    const model = new ProgressModel({ done: 0, total: 1_000 }, 0);
    for (let at = SECOND; at <= 50 * SECOND; at += SECOND) model.report({ done: at / 100, total: 1_000 }, at);
    const view = model.view(50 * SECOND);
    expect(view.perSecond).toBeCloseTo(10, 5);
    expect(view.leftMs).toBeCloseTo(50 * SECOND, -2);
    expect(view.share).toBeCloseTo(0.5, 5);
    expect(view.elapsedMs).toBe(50 * SECOND);
  });

  test("nothing is said of rate, share within, and time left before anything was done", () => {
    const model = new ProgressModel({ done: 0, total: 5_000, underWay: 5_000 }, 0);
    expect(model.view(3 * MINUTE)).toMatchObject({
      perSecond: undefined,
      leftMs: undefined,
      share: 0,
      elapsedMs: 3 * MINUTE,
    });
  });

  test("within a call the share moves on at the rate of before, without ever arriving", () => {
    const model = new ProgressModel({ done: 0, total: 20_000, underWay: 5_000 }, 0);
    model.report({ done: 5_000, total: 20_000, underWay: 5_000 }, 100 * SECOND);
    expect(model.view(100 * SECOND).share).toBeCloseTo(0.25);
    expect(model.view(150 * SECOND).share).toBeCloseTo(3 / 8);
    const late = model.view(300 * SECOND).share ?? 0;
    expect(late).toBeGreaterThan(9 / 20);
    expect(late).toBeLessThan(0.5);
  });

  test("what was done before this run is no achievement of it", () => {
    const model = new ProgressModel({ done: 90_000, total: 100_000 }, 0);
    model.report({ done: 91_000, total: 100_000 }, 10 * SECOND);
    expect(model.view(10 * SECOND).perSecond).toBeCloseTo(100);
    expect(model.view(10 * SECOND).share).toBeCloseTo(91 / 100);
  });

  test("a rate is that of the last while, not of one moment", () => {
    const model = new ProgressModel({ done: 0, total: 1e6 }, 0);
    for (let at = 1; at <= 60; at += 1) model.report({ done: at * 100, total: 1e6 }, at * SECOND);
    model.report({ done: 6_001, total: 1e6 }, 61 * SECOND);
    const { perSecond = 0 } = model.view(61 * SECOND);
    expect(perSecond).toBeGreaterThan(80);
    expect(perSecond).toBeLessThan(100);
  });

  test("users who are created one by one are in the time left from the beginning, at their own rate", () => {
    // 19,500 users in batches of 500 a second, then 500 users of 150 ms each: 39 s and 75 s.
    const total = 20_000;
    const amount = (done: number, byOne: number): Amount => ({
      done,
      total,
      oneByOne: { done: byOne, total: 500, expectedMs: 150 },
    });
    const model = new ProgressModel(amount(0, 0), 0);
    const errors: number[] = [];
    const look = (now: number): void => {
      const left = 39 * SECOND + 75 * SECOND - now;
      errors.push(Math.abs((model.view(now).leftMs ?? 0) - left) / left);
    };
    for (let at = SECOND; at <= 39 * SECOND; at += SECOND) {
      model.report(amount(at / 2, 0), at);
      if (at > 5 * SECOND) look(at);
    }
    for (let byOne = 1; byOne < 480; byOne += 1) {
      const at = 39 * SECOND + byOne * 150;
      model.report(amount(19_500 + byOne, byOne), at);
      look(at);
    }
    expect(Math.max(...errors)).toBeLessThan(0.1);
  });

  test("a rate that contradicts the time left is not shown", () => {
    const amount = (done: number, byOne: number, all: number): Amount => ({
      done,
      total: 10_000,
      oneByOne: { done: byOne, total: all, expectedMs: 300 },
    });
    const rates = (all: number): readonly (number | undefined)[] => {
      const model = new ProgressModel(amount(0, 0, all), 0);
      const before = 10_000 - all;
      for (let at = 1; at <= 10; at += 1) model.report(amount((at * before) / 20, 0, all), at * SECOND);
      const half = model.view(10 * SECOND).perSecond;
      for (let at = 11; at <= 20; at += 1) model.report(amount((at * before) / 20, 0, all), at * SECOND);
      model.report(amount(before + 1, 1, all), 20_300);
      return [half, model.view(20_300).perSecond];
    };
    // 9,000 users in batches, and 1,000 one by one, which take five minutes.
    expect(rates(1_000)).toEqual([undefined, expect.closeTo(1 / 0.3, 1)]);
    // Few users one by one change the time left by little.
    expect(rates(10)[0]).toBeCloseTo(499.5, 0);
  });

  test("both kinds at the same time: the time left is their sum", () => {
    const amount = (second: number): Amount => ({
      done: second * 101,
      total: 10_100,
      oneByOne: { done: second, total: 100, expectedMs: 500 },
    });
    const model = new ProgressModel(amount(0), 0);
    for (let second = 1; second <= 50; second += 1) {
      model.report(amount(second), second * SECOND);
      model.view(second * SECOND);
    }
    expect(model.view(50 * SECOND).leftMs).toBeCloseTo(50 * SECOND, -3);
  });

  test("a standstill shows", () => {
    const model = new ProgressModel({ done: 0, total: 1e6 }, 0);
    for (let at = 1; at <= 60; at += 1) model.report({ done: at * 100, total: 1e6 }, at * SECOND);
    expect(model.view(90 * SECOND).perSecond).toBeLessThan(30);
  });

  test("the time left does not jump with one slow call", () => {
    const model = new ProgressModel({ done: 0, total: 100_000 }, 0);
    for (let at = 1; at <= 60; at += 1) {
      model.report({ done: at * 100, total: 100_000 }, at * SECOND);
      model.view(at * SECOND);
    }
    const before = model.view(60 * SECOND).leftMs ?? 0;
    model.report({ done: 6_100, total: 100_000 }, 64 * SECOND);
    const after = model.view(64 * SECOND).leftMs ?? 0;
    expect(Math.abs(after - before)).toBeLessThan(before * 0.2);
  });

  test("after slow first calls, the time left fits the rate of now", () => {
    const total = 300;
    const model = new ProgressModel({ done: 0, total, underWay: 1 }, 0);
    let [now, done, size] = [0, 0, 1];
    while (done < total) {
      const callEnd = now + SECOND + size * 35;
      for (; now < callEnd; now += 100) {
        const { leftMs, perSecond = 0, share = 0 } = model.view(now);
        if (leftMs !== undefined && leftMs > SECOND)
          expect(leftMs).toBeLessThan((1.6 * SECOND * total * (1 - share)) / perSecond);
      }
      done = Math.min(total, done + size);
      size = Math.min(size * 2, 60);
      model.report({ done, total, underWay: Math.min(size, total - done) }, callEnd);
      now = callEnd;
    }
  });

  test("the share never goes back or beyond, and less than a second is never left", () => {
    const step = fc.record({ gain: fc.nat(500), underWay: fc.nat(5_000), pause: fc.nat(120_000), looks: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const total = 5_000;
        const model = new ProgressModel({ done: 0, total }, 0);
        let [now, done, last] = [0, 0, 0];
        for (const { gain, underWay, pause, looks } of steps) {
          for (let look = 0; look <= looks; look += 1) {
            now += pause / (looks + 1);
            const { share = 0, leftMs, perSecond = 0 } = model.view(now);
            expect(share).toBeGreaterThanOrEqual(last);
            expect(share).toBeLessThanOrEqual(1);
            if (done < total) expect(share).toBeLessThan(1);
            if (leftMs !== undefined) expect(leftMs).toBeGreaterThanOrEqual(SECOND);
            expect(perSecond).toBeGreaterThanOrEqual(0);
            last = share;
          }
          done = Math.min(total, done + gain);
          model.report({ done, total, underWay }, now);
        }
      }),
    );
  });
});

function view(given: Partial<ProgressView>): ProgressView {
  return { done: 0, elapsedMs: 0, share: undefined, perSecond: undefined, leftMs: undefined, ...given };
}

const midway = view({
  done: 158_000,
  total: 352_406,
  share: 0.452,
  perSecond: 152.4,
  leftMs: 21.4 * MINUTE,
  elapsedMs: 17.3 * MINUTE,
});

describe("what is drawn", () => {
  test("a plain line has amount, percentage, rate, time left and time so far", () => {
    const line = plainLine({ title: "importing", unit: "users", view: midway, note: "" });
    expect(line).toBe("importing: 158,000 of 352,406 users (45 %), 152/s, 21 min left, 17 min 18 s so far");
  });

  test("a line without a total, and one of which nothing is known", () => {
    const reading = view({ done: 12_400_000, perSecond: 3_000_000, elapsedMs: 4_000 });
    expect(plainLine({ title: "exporting", unit: "bytes", view: reading, note: "" })).toBe(
      "exporting: 12.4 MB, 3.0 MB/s, 4.0 s so far",
    );
    const silent = view({ elapsedMs: 15_000 });
    expect(plainLine({ title: "looking at the target", unit: "events", view: silent, note: "" })).toBe(
      "looking at the target: 15 s so far",
    );
  });

  test("the users of the first call are shown", () => {
    const first = view({ total: 5_000, underWay: 5_000, share: 0, elapsedMs: 72_000 });
    expect(plainLine({ title: "importing", unit: "users", view: first, note: "" })).toBe(
      "importing: 0 of 5,000 users, 5,000 in progress (0 %), 72 s so far",
    );
  });

  test("percentage and amount agree during a call, whose amount is an estimate", () => {
    const amount: Amount = { done: 10, total: 77, underWay: 67 };
    const during = view({ ...amount, share: 0.535, elapsedMs: 72_000 });
    expect(plainLine({ title: "importing", unit: "users", view: during, note: "" })).toBe(
      "importing: about 41 of 77 users (53 %), 72 s so far",
    );
  });

  test.each([
    [120, "importing ██████████░░░░░░░░░░░░░░ 45 % 158,000 of 352,406 users · 152/s · 21 min left · 17 min 18 s"],
    [80, "importing 45 % 158,000 of 352,406 users · 152/s · 21 min left · 17 min 18 s"],
  ])("a terminal of %i columns has room for it", (columns, line) => {
    const drawn = terminalLine({ title: "importing", unit: "users", view: midway, note: "" }, columns);
    expect(drawn.length).toBeLessThanOrEqual(columns - 3);
    expect(drawn).toBe(line);
  });

  test("no line is ever wider than the terminal", () => {
    const amounts = fc.record({
      done: fc.nat(1e9),
      total: fc.option(fc.nat(1e9), { nil: undefined }),
      elapsedMs: fc.nat(1e9),
    });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 10, max: 200 }), fc.string(), (amount, columns, note) => {
        const state = { title: "looking at the target", unit: "users" as const, view: view(amount), note };
        expect(terminalLine(state, columns).length).toBeLessThanOrEqual(columns - 3);
      }),
    );
  });

  test("hours are hours", () => {
    expect(duration(58_824_000)).toBe("16 h 20 min");
    expect(duration(3_599_600)).toBe("1 h 0 min");
    expect(duration(3_540_000)).toBe("59 min");
    expect(duration(185_000)).toBe("3 min 5 s");
  });
});

describe("when it is drawn", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function screen(): { stderr: Writable; text: () => string } {
    let text = "";
    const stderr = new Writable({
      write(chunk, _, done) {
        text += chunk;
        done();
      },
    });
    return { stderr, text: () => text };
  }

  test("without a terminal a line comes every 15 seconds, also while a call runs", () => {
    const { stderr, text } = screen();
    const amount: Amount = { done: 0, total: 5_000, underWay: 5_000 };
    const settings = { stderr, quiet: false, animated: false, hasColour: false, stamp: () => "12:00:00 " };
    const progress = createProgress("importing", settings, { unit: "users", amount: () => amount });
    vi.advanceTimersByTime(14_000);
    expect(text()).toBe("");
    vi.advanceTimersByTime(32_000);
    progress.stop();
    vi.advanceTimersByTime(60_000);
    const under = "importing: 0 of 5,000 users, 5,000 in progress (0 %)";
    expect(text().split("\n")).toEqual([15, 30, 45].map((at) => `12:00:00 ${under}, ${at} s so far`).concat(""));
  });

  test.each([true, false])("the spinner has a colour only if all texts have: %s", async (hasColour) => {
    chalk.level = 1;
    const { stderr, text } = screen();
    const terminal = Object.assign(stderr, {
      isTTY: true,
      columns: 80,
      cursorTo() {},
      clearLine() {},
      moveCursor() {},
    });
    const progress = createProgress("x", {
      stderr: terminal,
      quiet: false,
      animated: true,
      hasColour,
      stamp: () => "",
    });
    await vi.advanceTimersByTimeAsync(400);
    await import("ora");
    await vi.advanceTimersByTimeAsync(1_000);
    progress.stop();
    expect(text()).toContain(" x");
    expect(text().includes("\u001b[36m")).toBe(hasColour);
  });

  test("with --quiet nothing is drawn", () => {
    const { stderr, text } = screen();
    createProgress("x", { stderr, quiet: true, animated: false, hasColour: false, stamp: () => "" });
    vi.advanceTimersByTime(60_000);
    expect(text()).toBe("");
  });
});
