import { expect, test } from "vitest";
import { readRetryAfterMs } from "../../../src/admin/refusal.ts";
import { mayHaveWorked, remedyFor } from "../../../src/admin/retry.ts";
import type { RunProblem } from "../../../src/problem.ts";

const none = { busy: 0, network: 0 };
const host = "h";
const middle = (): number => 0.5;

test.each<[RunProblem, string]>([
  [{ code: "net.gateway", host, status: 502 }, "again"],
  [{ code: "net.cut-off", host }, "again"],
  [{ code: "net.broken-answer", host, detail: "" }, "again"],
  [{ code: "net.unreachable", host, reason: "reset", detail: "" }, "again"],
  [{ code: "net.unreachable", host, reason: "dns", detail: "" }, "stop"],
  [{ code: "net.unreachable", host, reason: "tls", detail: "" }, "stop"],
  [{ code: "net.service-timeout", host }, "halve-by-count"],
  [{ code: "net.timeout", host, afterMs: 1 }, "halve-by-count"],
  [{ code: "api.too-large", host, sentBytes: 1 }, "halve-by-bytes"],
  [{ code: "auth.refused", host, message: "" }, "stop"],
  [{ code: "api.nothing-done", host }, "stop"],
])("%j: %s", (problem, kind) => expect(remedyFor(problem, none, middle).kind).toBe(kind));

test("Retry-After applies, up to a minute", () => {
  const busy = (retryAfterMs?: number): RunProblem => ({
    code: "net.busy",
    host,
    status: 429,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  expect(remedyFor(busy(7_000), none, middle)).toMatchObject({ pauseMs: 7_000 });
  expect(remedyFor(busy(0), { busy: 3, network: 0 }, middle)).toMatchObject({ pauseMs: 3_000 });
  expect(remedyFor(busy(3_600_000), none, middle)).toMatchObject({ pauseMs: 60_000 });
  expect(remedyFor(busy(), none, middle)).toMatchObject({ pauseMs: 375 });
  expect(remedyFor(busy(0), { busy: 15, network: 0 }, middle).kind).toBe("stop");
});

test("broken connections are retried three times, with pauses that double up to a limit", () => {
  const problem: RunProblem = { code: "net.cut-off", host };
  const pauses = [0, 1, 2].map((network) => remedyFor(problem, { busy: 0, network }, () => 1));
  expect(pauses).toMatchObject([{ pauseMs: 500 }, { pauseMs: 1_000 }, { pauseMs: 2_000 }]);
  expect(remedyFor(problem, { busy: 0, network: 3 }, middle).kind).toBe("stop");
});

test("after a refusal no work was done; after a lost answer the outcome is unknown", () => {
  expect(mayHaveWorked({ code: "net.cut-off", host })).toBe(true);
  expect(mayHaveWorked({ code: "run.aborted", signal: "SIGINT" })).toBe(true);
  expect(mayHaveWorked({ code: "api.rejected", host, status: 400, message: "" })).toBe(false);
  for (const status of [500, 499, 408]) {
    expect(mayHaveWorked({ code: "api.rejected", host, status, message: "" })).toBe(true);
  }
  expect(mayHaveWorked({ code: "net.busy", host, status: 503 })).toBe(true);
  expect(mayHaveWorked({ code: "net.busy", host, status: 429 })).toBe(false);
  expect(mayHaveWorked({ code: "net.broken-answer", host, detail: "" })).toBe(true);
  expect(mayHaveWorked({ code: "api.answer-too-large", host, limitBytes: 1 })).toBe(true);
  for (const reason of ["refused", "reset"] as const) {
    expect(mayHaveWorked({ code: "net.unreachable", host, reason, detail: "" })).toBe(false);
  }
});

test("Retry-After comes as seconds or as a date", () => {
  const now = new Date("2026-11-21T00:00:00Z");
  expect(readRetryAfterMs("3", now)).toBe(3_000);
  expect(readRetryAfterMs("Sat, 21 Nov 2026 00:00:10 GMT", now)).toBe(10_000);
  expect(readRetryAfterMs("Fri, 20 Nov 2026 00:00:10 GMT", now)).toBe(0);
  for (const text of ["soon", "-1", "1.5", ""]) expect(readRetryAfterMs(text, now)).toBeUndefined();
});
