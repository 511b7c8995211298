import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLimiter } from "../../../../src/jobs/shared/limiter.ts";

test("at most the allowed number run at a time, everything runs, and a failure makes room", async () => {
  const limiter = createLimiter(() => 3);
  let running = 0;
  let most = 0;
  const work = async (number: number): Promise<number> => {
    running += 1;
    most = Math.max(most, running);
    await setTimeout(1);
    running -= 1;
    if (number % 5 === 0) throw new Error("odd");
    return number;
  };
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, number) => limiter.run(() => work(number))));
  expect(most).toBe(3);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(16);
});
