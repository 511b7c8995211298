import { expect, test } from "vitest";
import type { JournalEntry } from "../../src/core/transfer/journal-entries.ts";
import { ProblemError } from "../../src/problem.ts";
import { testBody, testUsers } from "../helpers/bodies.ts";
import { sendJob } from "../helpers/send-job.ts";

test("created users are counted when the disk is full as the journal is written", async () => {
  const append = ({ kind }: JournalEntry): void => {
    if (kind === "done") throw new ProblemError({ code: "output.full", file: "journal" });
  };
  const answer = '{"success":{"orgs":[{"orgId":"org1","humanUserIds":["u1","u2"]}]}}';
  const { error, ledger, settled } = await sendJob(testBody(testUsers(2)), [answer], append);
  expect(error).toMatchObject({ problem: { code: "output.full" } });
  expect(ledger.state.users).toMatchObject({ settled: 2, created: 2 });
  expect(ledger.inFlight.size).toBe(0);
  expect(settled).toEqual([[]]);
});
