import { expect, test } from "vitest";
import { parseAddress } from "../../src/admin/address.ts";
import { createClient } from "../../src/admin/client.ts";
import { newestEvent } from "../../src/admin/events.ts";
import { createRedactor, Secret } from "../../src/admin/secret.ts";
import { createCleanUp } from "../../src/io/clean-up.ts";
import { openDocument } from "../../src/io/input/document.ts";
import { scanInput } from "../../src/jobs/shared/scan-input.ts";
import { compareAlreadyThere } from "../../src/jobs/verify/already-there.ts";
import type { Comparison } from "../../src/jobs/verify/by-events.ts";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

test("users who were there before and differ are named; those that were made since are not", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const before = inFolder(testBody([testUser(1), testUser(2)]));
  await runCli(["import", before.file], { cwd: before.cwd, env: mock.env });
  const signal = new AbortController().signal;
  const api = createClient({
    address: parseAddress(mock.url, "target", false),
    credentials: { kind: "token", token: new Secret(mock.token) },
    redactor: createRedactor(),
    env: {},
    now: () => new Date(),
    log: () => {},
  });
  const mark = (await newestEvent(api, signal)) ?? "";
  // As the file has them now: u1 is the same, u2 has moved, u3 is new and was made otherwise.
  const moved = testUser(2, { email: { email: "moved@example.com", isEmailVerified: true } });
  const now = inFolder(testBody([testUser(1), moved, testUser(3)]));
  const other = inFolder(testBody([testUser(3, { userName: "three" })]));
  await runCli(["import", other.file], { cwd: other.cwd, env: mock.env });
  const said: string[] = [];
  const ui = { warn: (line: string) => said.push(line), say() {}, progress: () => ({ update() {}, stop() {} }) };
  const context = { cwd: now.cwd, signal, cleanUp: createCleanUp(), stdin: process.stdin };
  const input = await openDocument(now.file, context);
  const run = { api, input, ui, context } as unknown as Comparison; // what a comparison uses of them
  const { scan } = await scanInput(input, { onFault() {} }, run.ui, signal);
  expect(await compareAlreadyThere(run, scan, mark)).toEqual({
    users: [{ userId: "u2", fields: ["email"] }],
    count: 1,
  });
  expect(said.join("\n")).toContain("u2: email");
  await input.close();
  await api.close();
});
