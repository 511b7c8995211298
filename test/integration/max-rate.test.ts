import { expect, test } from "vitest";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const COMMANDS = {
  import: ["body.json"],
  verify: ["body.json"],
  undo: ["body.json.manifest.ndjson", "--yes"],
  export: [],
  copy: ["--dry-run"],
} as const;

test("with --max-rate, every call to an instance but the first waits for its part of a second", async () => {
  const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
  const [mock, source] = [await startMock({ seed }), await startMock({ seed })];
  const { cwd } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  for (const [command, args] of Object.entries(COMMANDS)) {
    const before = mock.requests.length + source.requests.length;
    const pauses: number[] = [];
    const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
    const { exitCode, stderr } = await runCli([command, ...args, "--max-rate", "0.001"], { cwd, env, sleep });
    expect(exitCode, `${command}\n${stderr}`).toBe(0);
    const calls = mock.requests.length + source.requests.length - before;
    const instances = command === "copy" ? 2 : 1;
    // A million milliseconds for each call; the time of the calls themselves is a part of it.
    expect(
      pauses.filter((ms) => ms > 900_000),
      command,
    ).toHaveLength(calls - instances);
  }
});

test("without --max-rate no call waits", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  expect((await runCli(["import", file], { cwd, env: mock.env, sleep })).exitCode).toBe(0);
  expect(pauses.filter((ms) => ms > 900_000)).toEqual([]);
});

test.each(["0", "-1", "fast", ""])("--max-rate %j is refused", async (text) => {
  const { exitCode, stderr } = await runCli(["import", "x", `--max-rate=${text}`]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("It must be a number above 0."),
  });
});
