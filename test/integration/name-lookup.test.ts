import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// A name service that does not answer: this machine has none to ask.
beforeAll(() => {
  vi.spyOn(dns, "lookup").mockImplementation(() => new Promise(() => {}));
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test("doctor waits for the name service no longer than --timeout, and continues", async () => {
  const mock = await startMock();
  const env = { PAT_IMPORT_TOKEN: mock.token };
  const args = ["doctor", "--target", mock.url, "--timeout", "2s"];
  const { stdout } = await runCli(args, { cwd: tempDir(), env });
  expect(stdout).toContain("the name service of this machine did not answer in time");
  expect(stdout).toContain("target clock");
});
