import { expect, test } from "vitest";
import type { AdminApi } from "../../../../../src/admin/client.ts";
import { Rest } from "../../../../../src/jobs/import/ways/rest.ts";
import { ProblemError } from "../../../../../src/problem.ts";

test("the note is shown while calls wait, all of them wait once, and nothing waits without a lost answer", async () => {
  const noted: string[] = [];
  const unanswered = async (): Promise<never> => {
    throw new ProblemError({ code: "net.gateway", host: "h", status: 502 });
  };
  const api = { request: unanswered, searchEvents: async () => ({ events: [] }) } as unknown as AdminApi; // all that it asks
  const sleep = async (): Promise<void> => void noted.push(rest.note());
  const rest = new Rest(
    { api, retry: { sleep, random: () => 0, onPause() {} }, signal: new AbortController().signal },
    false,
  );
  await rest.wait();
  expect(noted).toEqual([]);
  rest.due();
  await Promise.all([rest.wait(), rest.wait()]);
  expect(noted).toEqual(Array(4).fill("waiting for an abandoned call to end"));
  expect(rest.note()).toBe("");
});
