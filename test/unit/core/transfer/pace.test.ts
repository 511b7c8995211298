import { describe, expect, test } from "vitest";
import { createPace, exactly } from "../../../../src/core/transfer/pace.ts";
import { type Simulated, type SimulatedService, simulate } from "../../../helpers/simulated-service.ts";

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

/** Never more than so many calls in a second. */
function callsPerSecond(most: number): NonNullable<SimulatedService["refuse"]> {
  const begun: number[] = [];
  return ({ nowMs }) => {
    while ((begun[0] ?? nowMs) < nowMs - 1_000) begun.shift();
    if (begun.length >= most) return busy;
    begun.push(nowMs);
    return undefined;
  };
}

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
  /** Of the best fixed setting. */
  readonly best: number;
}

const cases: Readonly<Record<string, Case>> = {
  "scales with calls": { make: () => ({ rate: (n) => 30 * n }), best: 0.85 },
  "works on one call after the other": { make: () => ({ rate: () => 150 }), best: 0.95 },
  "is like the real one": { make: () => ({ rate: real, fixedMs: 15 }), best: 0.95 },
  "is like the real one, noisy": { make: () => steady(noise(1, 0.5, 1_500)), best: 0.9 },
  "is like the real one, with slow minutes": { make: () => steady(noise(2, 0.5, 30_000)), users: 50_000, best: 0.9 },
  "is like the real one, very noisy": { make: () => steady(noise(3, 0.8, 1_000)), best: 0.85 },
  "gets slower beyond four calls": {
    make: () => ({ rate: (n) => (n <= 4 ? 80 * n : 320 * (4 / n) ** 1.5) }),
    best: 0.85,
  },
  "is best with a single call": { make: () => ({ rate: (n) => 100 / Math.max(n, 1) }), users: 100_000, best: 0.95 },
  "is very fast": { make: () => ({ rate: () => 40_000, fixedMs: 2 }), users: 500_000, best: 0.95 },
  "is very slow": { make: () => ({ rate: (n) => 11 * Math.min(n, 2) }), best: 0.95 },
  "has a fixed cost of 200 ms a call": {
    make: () => ({ rate: (n) => 200 * Math.min(n, 4), fixedMs: 200 }),
    best: 0.85,
  },
  "has a fixed cost of 500 ms a call, and works on calls in order": {
    make: () => ({ rate: () => 200, fixedMs: 500 }),
    users: 30_000,
    best: 0.95,
  },
  "has a fixed cost of 3 s a call": { make: () => ({ rate: () => 1_000, fixedMs: 3_000 }), users: 100_000, best: 0.7 },
  "is slower with large calls": {
    make: () => ({ rate: (n) => 100 * Math.min(n, 4), cost: (s) => 1 + s / 200 }),
    best: 0.9,
  },
  "refuses a fifth call (429)": {
    make: () => ({ rate: (n) => 30 * n, refuse: ({ calls }) => (calls >= 4 ? busy : undefined) }),
    best: 0.85,
  },
  "takes two calls a second (429)": {
    make: () => ({ rate: (n) => 150 * Math.min(n, 2), refuse: callsPerSecond(2) }),
    best: 0.7,
  },
  "takes 200 users a second (429)": { make: () => ({ rate: (n) => 150 * n, refuse: usersPerSecond(200) }), best: 0.85 },
  "falls over with more than six calls": {
    make: () => ({
      rate: (n) => (n <= 6 ? 40 * n : 20),
      refuse: ({ calls }) => (calls >= 10 ? { ending: "overloaded", pauseMs: 500 } : undefined),
    }),
    best: 0.75,
  },
  "fails one call in fifty": { make: () => ({ rate: real, refuse: sometimes(1 / 50) }), best: 0.75 },
  "cuts calls off after five seconds": { make: () => ({ rate: () => 100, limitMs: 5_000 }), best: 0.9 },
  "becomes three times slower, and recovers": {
    make: () => ({ rate: (n, ms) => (ms > 20_000 && ms < 60_000 ? 0.3 : 1) * real(n) }),
    users: 20_000,
    best: 0.9,
  },
};

function steady(factor: (nowMs: number) => number): SimulatedService {
  return { rate: (calls, nowMs) => real(calls) * factor(nowMs), fixedMs: 15 };
}

const auto = { calls: { min: 1, max: 16 }, users: { min: 10, max: 5_000 } };

function fixed(service: SimulatedService, calls: number, users: number, all: number): Simulated {
  return simulate(service, createPace({ calls: exactly(calls), users: exactly(users) }), all);
}

function bestFixed(make: () => SimulatedService, users: number): number {
  const settings = [1, 2, 4, 8, 16].flatMap((calls) => [50, 100, 250, 1_000, 5_000].map((size) => ({ calls, size })));
  return Math.max(...settings.map(({ calls, size }) => fixed(make(), calls, size, users).usersPerSecond));
}

describe.each(Object.entries(cases))("a service that %s", (_, { make, users = 10_000, best }) => {
  const found = simulate(make(), createPace(auto), users);

  test("gets all users no slower than by sequential calls of 5,000", () => {
    const plain = fixed(make(), 1, 5_000, users);
    // Four per cent: two calls in lockstep pay their fixed cost at the same moment.
    expect(found.usersPerSecond).toBeGreaterThanOrEqual((plain.usersPerSecond * 96) / 100);
  });

  test("gets all users nearly as fast as with the best of 25 fixed settings", () => {
    expect(found.usersPerSecond / bestFixed(make, users)).toBeGreaterThanOrEqual(best);
  });

  test("is never given more calls at a time than allowed, and answers the first one soon", () => {
    expect(found.mostAtATime).toBeLessThanOrEqual(16);
    const { fixedMs = 0 } = make();
    expect(found.firstDoneMs - fixedMs).toBeLessThan(2_000);
  });
});

test("a call is a few seconds long at most, where it is not fixed cost that makes it long", () => {
  const found = simulate({ rate: real, fixedMs: 15 }, createPace(auto), 50_000);
  expect(found.longestCallMs).toBeLessThan(5_000);
});

test("single users, of which one goes in a call, are made as many at a time as the service gains by", () => {
  const users = { calls: { min: 1, max: 16 }, users: exactly(1) };
  const scaling = simulate({ rate: (calls) => 12 * calls, fixedMs: 5 }, createPace(users), 5_000);
  expect(scaling.final).toEqual({ calls: 16, users: 1 });
  const flat = simulate({ rate: () => 50 }, createPace(users), 5_000);
  expect(flat.final.calls).toBeLessThanOrEqual(3);
});

test("what was given as a number stays as it is", () => {
  const both = createPace({ calls: exactly(3), users: exactly(70) });
  expect(simulate({ rate: (calls) => 30 * calls }, both, 5_000).trace).toEqual([
    { atMs: expect.any(Number), calls: 3, users: 70 },
  ]);
  const onlyCalls = createPace({ calls: exactly(3), users: { min: 10, max: 5_000 } });
  expect(simulate({ rate: (calls) => 30 * calls }, onlyCalls, 5_000).final.calls).toBe(3);
});

test("after a refusal the calls that are under way count only once", () => {
  const pace = createPace({ calls: { min: 1, max: 16 }, users: exactly(100) });
  let now = 0;
  const answer = (): void => {
    const calls = Array.from({ length: pace.calls }, () => pace.began(now, 100));
    now += 600;
    for (const call of calls) pace.ended(call, now, "answered");
  };
  while (pace.calls < 16) answer();
  const underWay = Array.from({ length: 16 }, () => pace.began(now, 100));
  for (const call of underWay) pace.ended(call, now + 10, "busy");
  expect(pace.calls).toBe(8);
});

test("calls at a time are not all of one size, so that they do not all wait for their fixed cost at once", () => {
  const pace = createPace({ calls: exactly(4), users: { min: 1, max: 5_000 } });
  for (let nowMs = 0; pace.users < 100; nowMs += 20) pace.ended(pace.began(nowMs, pace.users), nowMs + 20, "answered");
  const sizes = Array.from({ length: 8 }, () => pace.share(1_000_000));
  expect(new Set(sizes).size).toBeGreaterThan(4);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(Math.floor(pace.users * 0.75));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.ceil(pace.users * 1.25));
  const alone = createPace({ calls: exactly(1), users: { min: 10, max: 5_000 } });
  expect([1, 2, 3].map(() => alone.share(1_000_000))).toEqual([10, 10, 10]);
});

test("the last calls share what is left", () => {
  const pace = createPace({ calls: exactly(4), users: { min: 10, max: 5_000 } });
  expect(pace.share(8)).toBe(10);
  const large = createPace({ calls: exactly(4), users: { min: 1, max: 5_000 } });
  expect(large.share(2)).toBe(1);
});
