import { expect, test } from "vitest";
import { createBodyScanner } from "../../src/core/document/body-scan.ts";
import { planParts } from "../../src/core/document/items.ts";
import { createHalvingPolicy } from "../../src/core/transfer/batch-policy.ts";
import { createJobState } from "../../src/core/transfer/job-state.ts";
import type { JournalEntry } from "../../src/core/transfer/journal-entries.ts";
import { JobProgress } from "../../src/jobs/import/progress.ts";
import { sendAll } from "../../src/jobs/import/send-all.ts";
import type { SendContext } from "../../src/jobs/import/send-context.ts";
import { ProblemError } from "../../src/problem.ts";
import { testBody, testUsers } from "../helpers/bodies.ts";
import { fakeApi, textAnswer } from "../helpers/fake-api.ts";

test("users that were made are counted when the disk is full as the journal is told", async () => {
  const body = Buffer.from(testBody(testUsers(2)));
  const scanner = createBodyScanner({ file: "body.json", onFault() {} });
  scanner.push(body);
  const scan = scanner.end();
  const append = ({ kind }: JournalEntry): void => {
    if (kind === "done") throw new ProblemError({ code: "output.full", file: "journal" });
  };
  const told: number[] = [];
  const context: SendContext = {
    api: fakeApi({
      importData: async () => textAnswer('{"success":{"orgs":[{"orgId":"org1","humanUserIds":["u1","u2"]}]}}'),
    }),
    scan,
    parts: planParts(scan),
    async *read({ start, end }) {
      yield body.subarray(start, end);
    },
    journal: { append, close() {}, remove() {} },
    timeout: { text: "5m0s", ms: 300_000 },
    concurrency: 1,
    failOnExisting: false,
    retry: { sleep: async () => {}, random: () => 0, onPause() {} },
    signal: new AbortController().signal,
    onDone: ({ created }) => told.push(created),
    onSmaller() {},
  };
  const progress = new JobProgress(createJobState(), false);
  const policy = createHalvingPolicy({ users: 10, bytes: 10_000 });
  await expect(sendAll(context, progress, policy)).rejects.toThrow("output.full");
  expect(progress.state.users).toMatchObject({ settled: 2, created: 2 });
  expect(progress.inFlight.size).toBe(0);
  expect(told).toEqual([2]);
});
