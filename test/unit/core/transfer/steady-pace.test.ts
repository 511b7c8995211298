import { expect, test } from "vitest";
import { createPace, exactly } from "../../../../src/core/transfer/pace.ts";
import { simulate } from "../../../helpers/simulated-service.ts";

const best = { calls: 8, users: 250 };
const ranges = { calls: { min: 1, max: 8 }, users: { min: 10, max: 5_000 }, best };

/** Ends so many calls at once, in one way, after a duration. */
function end(pace: ReturnType<typeof createPace>, calls: number, ending: "answered" | "busy", ms = 100): void {
  const begun = Array.from({ length: calls }, () => pace.began(0, pace.users));
  for (const call of begun) pace.ended(call, ms, ending);
}

test("the best setting holds from the first call on, also where fewer calls would be faster", () => {
  const { trace, mostAtATime, calls } = simulate({ rate: (n) => 1_000 - 50 * n }, createPace(ranges), 10_000);
  expect(trace).toEqual([{ atMs: expect.any(Number), ...best }]);
  expect(mostAtATime).toBe(8);
  expect(calls).toBeLessThan(60);
});

test("refusals of calls of one setting halve the calls once, down to one", () => {
  const pace = createPace(ranges);
  end(pace, 8, "busy");
  expect(pace.calls).toBe(4);
  for (let n = 0; n < 5; n += 1) end(pace, 4, "busy");
  expect(pace.calls).toBe(1);
});

test("answers bring back the calls, and never more than at first", () => {
  const pace = createPace(ranges);
  end(pace, 8, "busy");
  end(pace, 31, "answered");
  expect(pace.calls).toBe(4);
  end(pace, 1, "answered");
  expect(pace.calls).toBe(5);
  end(pace, 1_000, "answered");
  expect(pace.calls).toBe(8);
});

test("long calls get fewer users, and a fixed number of users stays", () => {
  const pace = createPace(ranges);
  end(pace, 8, "answered", 20_000);
  expect(pace).toMatchObject({ calls: 8, users: 125 });
  for (let n = 0; n < 9; n += 1) end(pace, 1, "answered", 20_000);
  expect(pace.users).toBe(10);
  expect(createPace({ ...ranges, users: exactly(1) }).users).toBe(1);
});

test("the last calls share the rest", () => {
  const pace = createPace(ranges);
  expect([pace.share(10_000), pace.share(800), pace.share(3)]).toEqual([250, 100, 63]);
});
