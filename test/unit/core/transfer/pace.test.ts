import { describe, expect, test } from "vitest";
import { type Ending, exactly, Pace } from "../../../../src/core/transfer/pace.ts";
import { type SimulatedService, simulate } from "../../../helpers/simulated-service.ts";

/** Numbers in 0..1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A factor around 1 that changes now and then, as the speed of a machine does that has other things to do. */
function noise(seed: number, spread: number, everyMs: number): (nowMs: number) => number {
  const next = random(seed);
  const factors: number[] = [];
  return (nowMs) => {
    const at = Math.floor(nowMs / everyMs);
    while (factors.length <= at) factors.push(Math.exp(spread * (next() + next() + next() - 1.5) * 1.4));
    return factors[at] ?? 1;
  };
}

/** About what a real service did on two processors (4.x, users with a hash): it gains up to eight calls at a time. */
const REAL = [0, 110, 200, 270, 300, 320, 335, 345, 350];
const real = (calls: number): number => REAL[Math.min(calls, 8)] ?? 0;

const busy = { ending: "busy", pauseMs: 1_000, isForAll: true } as const;

/** A budget of users that is filled again all the time. */
function usersPerSecond(most: number): NonNullable<SimulatedService["refuse"]> {
  let budget = most;
  let lastMs = 0;
  return ({ nowMs, users }) => {
    budget = Math.min(25 * most, budget + ((nowMs - lastMs) * most) / 1000);
    lastMs = nowMs;
    if (budget <= 0) return busy;
    budget -= users;
    return undefined;
  };
}

function sometimes(share: number): NonNullable<SimulatedService["refuse"]> {
  const next = random(5);
  return () => (next() < share ? { ending: "overloaded", pauseMs: 400 } : undefined);
}

interface Case {
  readonly make: () => SimulatedService;
  readonly users?: number;
  /** At least this part of the speed of the best fixed size with as many calls. */
  readonly best: number;
}

const cases: Readonly<Record<string, Case>> = {
  "scales with calls": { make: () => ({ rate: (n) => 30 * n }), best: 0.95 },
  "works on one call after the other": { make: () => ({ rate: () => 150 }), best: 0.95 },
  "is like the real one": { make: () => ({ rate: real, fixedMs: 15 }), best: 0.95 },
  "is like the real one, noisy": { make: () => steady(noise(1, 0.5, 1_500)), best: 0.95 },
  "is like the real one, with slow minutes": { make: () => steady(noise(2, 0.5, 30_000)), users: 50_000, best: 0.95 },
  "is very fast": { make: () => ({ rate: () => 40_000, fixedMs: 2 }), users: 500_000, best: 0.9 },
  "is very slow": { make: () => ({ rate: (n) => 11 * Math.min(n, 2) }), best: 0.95 },
  "has a fixed cost of 200 ms a call": { make: () => ({ rate: (n) => 200 * Math.min(n, 4), fixedMs: 200 }), best: 0.9 },
  "refuses a third call (429)": {
    make: () => ({ rate: (n) => 30 * n, refuse: ({ calls }) => (calls >= 2 ? busy : undefined) }),
    best: 0.9,
  },
  "takes 200 users a second (429)": { make: () => ({ rate: (n) => 150 * n, refuse: usersPerSecond(200) }), best: 0.8 },
  "fails one call in fifty": { make: () => ({ rate: real, refuse: sometimes(1 / 50) }), best: 0.75 },
  "cuts calls off after five seconds": { make: () => ({ rate: () => 100, limitMs: 5_000 }), best: 0.8 },
  "becomes three times slower, and recovers": {
    make: () => ({ rate: (n, ms) => (ms > 20_000 && ms < 60_000 ? 0.3 : 1) * real(n) }),
    users: 20_000,
    best: 0.95,
  },
};

function steady(factor: (nowMs: number) => number): SimulatedService {
  return { rate: (calls, nowMs) => real(calls) * factor(nowMs), fixedMs: 15 };
}

const sizes = { min: 10, max: 5_000 };

function bestFixed(make: () => SimulatedService, calls: number, users: number): number {
  const speeds = [50, 100, 250, 1_000, 5_000].map(
    (size) => simulate(make(), new Pace({ calls, users: exactly(size) }), users).usersPerSecond,
  );
  return Math.max(...speeds);
}

describe.each(Object.entries(cases))("a service that %s", (_, { make, users = 10_000, best }) => {
  test.each([1, 8])("gets all users nearly as fast as with the best of five sizes, by up to %i calls", (calls) => {
    const found = simulate(make(), new Pace({ calls, users: sizes }), users);
    expect(found.usersPerSecond / bestFixed(make, calls, users)).toBeGreaterThanOrEqual(best);
    expect(found.mostAtATime).toBeLessThanOrEqual(calls);
    expect(found.firstDoneMs - (make().fixedMs ?? 0)).toBeLessThan(2_000);
    expect(found.longestCallMs).toBeLessThan(25_000);
  });
});

test("a number that was given stays as it is", () => {
  const both = new Pace({ calls: 3, users: exactly(70) });
  const found = simulate({ rate: (calls) => 30 * calls }, both, 5_000);
  expect(found.trace).toEqual([{ atMs: expect.any(Number), calls: 3, users: 70 }]);
});

/** Ends so many calls at once, in one way, after a duration. */
function end(pace: Pace, calls: number, ending: Ending, ms = 5_000): void {
  const begun = Array.from({ length: calls }, () => pace.began(0, pace.users));
  for (const call of begun) pace.ended(call, ms, ending);
}

const PACE = { calls: 8, users: { min: 10, max: 250 } };

test("calls grow while they are short, up to the limit", () => {
  const pace = new Pace(PACE);
  const trace = [100, 600, 4_500, 600, 100, 100].map((ms) => {
    end(pace, 1, "answered", ms);
    return pace.users;
  });
  expect(trace).toEqual([40, 80, 80, 160, 250, 250]);
});

test("a short call with fewer users than the pace allows says nothing", () => {
  const pace = new Pace(PACE);
  pace.ended(pace.began(0, 3), 100, "answered");
  expect(pace.users).toBe(10);
});

test("refusals of calls of one setting halve the calls once, down to one", () => {
  const pace = new Pace(PACE);
  end(pace, 8, "busy");
  expect(pace.calls).toBe(4);
  for (let n = 0; n < 5; n += 1) end(pace, 4, "busy");
  expect(pace.calls).toBe(1);
});

test("trouble with a single call halves its users, a refusal does not", () => {
  const pace = new Pace({ calls: 1, users: { min: 10, max: 250 } });
  for (let n = 0; n < 3; n += 1) end(pace, 1, "answered", 100);
  end(pace, 1, "busy");
  expect(pace.users).toBe(250);
  end(pace, 1, "overloaded");
  expect(pace.users).toBe(125);
  end(pace, 3, "answered", 100);
  expect(pace.users).toBe(125);
});

test("answers bring back the calls, later after each refusal, and never more than at first", () => {
  const pace = new Pace({ calls: 2, users: exactly(10) });
  for (const answers of [16, 32, 64]) {
    end(pace, 1, "busy");
    expect(pace.calls).toBe(1);
    end(pace, answers - 1, "answered");
    expect(pace.calls).toBe(1);
    end(pace, 1, "answered");
    expect(pace.calls).toBe(2);
  }
  end(pace, 1_000, "answered");
  expect(pace.calls).toBe(2);
});

test("long calls get fewer users, and an end that says nothing changes nothing", () => {
  const pace = new Pace(PACE);
  for (let n = 0; n < 3; n += 1) end(pace, 1, "answered", 100);
  end(pace, 8, "answered", 20_000);
  expect(pace).toMatchObject({ calls: 8, users: 125 });
  end(pace, 1, "other", 20_000);
  expect(pace).toMatchObject({ calls: 8, users: 125 });
  for (let n = 0; n < 9; n += 1) end(pace, 1, "answered", 20_000);
  expect(pace.users).toBe(10);
});

test("the last calls share the rest", () => {
  const pace = new Pace(PACE);
  for (let n = 0; n < 3; n += 1) end(pace, 1, "answered", 100);
  expect([pace.share(10_000), pace.share(800), pace.share(3)]).toEqual([250, 100, 63]);
});

test("a call that ran into its time limit halves what follows, also below the range, and it grows back after eight answers", () => {
  const pace = new Pace({ calls: 1, users: exactly(100) });
  end(pace, 50, "answered");
  expect(pace).toMatchObject({ largest: 100, users: 100 });
  pace.tookTooLong(100);
  expect([pace.largest, pace.share(1_000)]).toEqual([50, 50]);
  end(pace, 7, "answered");
  expect(pace.largest).toBe(50);
  end(pace, 1, "answered");
  expect([pace.largest, pace.share(1_000)]).toEqual([100, 100]);
});

test("each further time limit doubles the number of answers that it takes to grow", () => {
  const pace = new Pace({ calls: 1, users: exactly(100) });
  pace.tookTooLong(100);
  pace.tookTooLong(50);
  expect(pace.largest).toBe(25);
  end(pace, 15, "answered");
  expect(pace.largest).toBe(25);
  end(pace, 1, "answered");
  expect(pace.largest).toBe(50);
});

test("a call smaller than the limit that took too long does not raise it", () => {
  const pace = new Pace({ calls: 1, users: exactly(100) });
  pace.tookTooLong(3);
  pace.tookTooLong(50);
  expect(pace.largest).toBe(2);
});
