import { expect, test } from "vitest";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

test("import and undo with --max-rate wait for each user's share of a second", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(4)));
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    pauses.push(ms);
  };
  const world = { cwd, env: mock.env, sleep };
  const imported = await runCli(["import", file, "--max-rate", "0.001"], world);
  expect(imported.exitCode, imported.stderr).toBe(0);
  const sizes = mock.requests
    .filter(({ path }) => path.endsWith("/import"))
    .map(({ body = "" }) => body.split('"userId"').length - 1);
  expect(sizes).toEqual([1, 1, 1, 1]);
  expect(pauses.filter((ms) => ms > 900_000)).toHaveLength(3);
  pauses.length = 0;
  const undone = await runCli(["undo", `${file}.manifest.ndjson`, "--yes", "--max-rate", "0.001"], world);
  expect(undone.exitCode, undone.stderr).toBe(0);
  expect(pauses.filter((ms) => ms > 900_000)).toHaveLength(3);
});

test.each(["0", "-1", "fast", ""])("--max-rate %j is refused", async (text) => {
  const { exitCode, stderr } = await runCli(["import", "x", `--max-rate=${text}`]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("It must be a number above 0."),
  });
});
