import { expect, test } from "vitest";
import { exactly, Pace } from "../../../../../src/core/transfer/pace.ts";
import { createLanes } from "../../../../../src/jobs/import/ways/lane.ts";
import { ProblemError, type RunProblem } from "../../../../../src/problem.ts";

/** Lanes with a clock that advances only while a call sleeps. */
function lanesAt(maxCalls: number) {
  const slept: number[] = [];
  let nowMs = 0;
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    nowMs += ms;
  };
  const pace = () => new Pace({ calls: 2, users: exactly(10) });
  const paces = { import: pace(), users: pace() };
  const settings = { retry: { sleep }, signal: new AbortController().signal, clock: () => nowMs, maxCalls };
  return { lanes: createLanes(paces, settings), slept };
}

const fail = (problem: RunProblem) => async (): Promise<never> => {
  throw new ProblemError(problem);
};
const nothing = async (): Promise<void> => {};

test("if the service asks one call to wait, every lane waits once", async () => {
  const { lanes, slept } = lanesAt(16);
  const busy = fail({ code: "net.busy", host: "h", status: 429, retryAfterMs: 7_000 });
  await expect(lanes.import.call(10, busy)).rejects.toBeInstanceOf(ProblemError);
  await lanes.users.call(1, nothing);
  await lanes.import.call(10, nothing);
  expect(slept).toEqual([7_000]);
});

test("calls wait at most a minute, and not at all after other problems", async () => {
  const { lanes, slept } = lanesAt(16);
  await expect(lanes.import.call(10, fail({ code: "net.gateway", host: "h", status: 502 }))).rejects.toThrow();
  await lanes.import.call(10, nothing);
  expect(slept).toEqual([]);
  const forever = fail({ code: "net.busy", host: "h", status: 503, retryAfterMs: 3_600_000 });
  await expect(lanes.import.call(10, forever)).rejects.toThrow();
  await lanes.import.call(10, nothing);
  expect(slept).toEqual([60_000]);
});

test("a refusal lowers the number of concurrent calls", async () => {
  const { lanes } = lanesAt(16);
  expect(lanes.import.pace.calls).toBe(2);
  await expect(lanes.import.call(10, fail({ code: "net.busy", host: "h", status: 429 }))).rejects.toThrow();
  expect(lanes.import.pace.calls).toBe(1);
  expect(lanes.users.pace.calls).toBe(2);
});

test("all lanes together never exceed the limit of concurrent calls", async () => {
  const { lanes } = lanesAt(3);
  let [running, most] = [0, 0];
  const open: (() => void)[] = [];
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => open.push(resolve));
    running -= 1;
  };
  const all = [lanes.import, lanes.import, lanes.users, lanes.users].map((lane) => lane.turn(work));
  for (let ended = 0; ended < all.length; ) {
    await Promise.resolve();
    const next = open.shift();
    if (next !== undefined) ended += 1;
    next?.();
  }
  await Promise.all(all);
  expect(most).toBe(3);
});
