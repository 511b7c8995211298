import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasTerminal, keys, type OnTerminal, runOnTerminal } from "../helpers/on-terminal.ts";
import { runBin } from "../helpers/run-bin.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HASH = `$2b$10$${"a".repeat(53)}`;
const USERS = [
  { user_id: "auth0|1", email: "ann@example.com", email_verified: true, name: "Ann", user_metadata: { plan: "gold" } },
  { user_id: "google-oauth2|2", email: "ben@example.com", email_verified: true, name: "Ben" },
];

/** A question, and the keys that answer it. */
type Step = readonly [question: string, ...answer: readonly string[]];

async function world() {
  const mock = await startMock();
  await mock.importOrgs([{ orgId: "o1", org: { name: "Acme" } }]);
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), JSON.stringify(USERS));
  writeFileSync(join(cwd, "hashes.json"), JSON.stringify({ _id: { $oid: "1" }, passwordHash: HASH }));
  return { mock, cwd };
}

function stepsTo(target: string, token: string): readonly Step[] {
  return [
    ["File or folder with the users", "users.json", keys.enter],
    ["Address of the target instance", target, keys.enter],
    ["Access token", token, keys.enter],
    ["What is the file?", keys.enter],
    ["Organization of the target", keys.enter],
    ["File with the password hashes", "hashes.json", keys.enter],
    ["Not carried over yet", keys.space, keys.enter],
    ["google-oauth2: 1. Link them to", keys.enter],
    ["Import these users now?", keys.down, keys.enter],
  ];
}

async function answer(terminal: OnTerminal, steps: readonly Step[]): Promise<void> {
  for (const [question, ...answers] of steps) {
    await terminal.until(question);
    terminal.send(...answers);
  }
}

describe.skipIf(!hasTerminal)("orgferry start", () => {
  test("leads from a file to imported and verified users, and shows each command", async () => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, stepsTo(mock.url, mock.token));
    expect(await terminal.ended, terminal.output).toBe(0);
    expect(terminal.output).toContain("verified: 2 of 2 found, 2 identical");
    expect(terminal.output).not.toContain(mock.token);
    const ran = [...terminal.output.matchAll(/^ran: orgferry (.*?)\r?$/gm)].map(([, line]) => line);
    expect(existsSync(join(cwd, "importBody.json.manifest.ndjson"))).toBe(true);
    expect(ran).toEqual([
      expect.stringContaining("migrate auth0 --org o1 --users users.json --passwords hashes.json"),
      expect.stringContaining("--metadata user"),
      "import importBody.json --dry-run",
      "import importBody.json --verify --no-mail",
    ]);
  });

  test("without a file of password hashes, migrate runs without one", async () => {
    const { mock, cwd } = await world();
    rmSync(join(cwd, "hashes.json"));
    const terminal = runOnTerminal(["start"], { cwd });
    const steps = stepsTo(mock.url, mock.token);
    await answer(terminal, [...steps.slice(0, 5), ["File with the password hashes", keys.enter]]);
    await answer(terminal, [["Not carried over yet", keys.ctrlC]]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: orgferry migrate auth0 --org o1 --users users\.json\s/);
  });

  // A question of each kind: text, secret, choice, several choices, and the last one before anything is sent.
  test.each([0, 2, 3, 6, 8])("Ctrl-C at question %i ends it, and nothing is sent", async (at) => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    const steps = stepsTo(mock.url, mock.token);
    await answer(terminal, steps.slice(0, at));
    await answer(terminal, [[steps[at]?.[0] ?? "", keys.ctrlC]]);
    expect(await terminal.ended, terminal.output).toBe(130);
    // A dry run asks with empty bodies whether the token may create users.
    const writes = mock.requests.filter(({ path, requestBytes }) => !path.endsWith("/_search") && requestBytes > 100);
    expect(writes).toEqual([]);
  });

  test("a token that the instance refuses is asked for again", async () => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ["File or folder with the users", "users.json", keys.enter],
      ["Address of the target instance", mock.url, keys.enter],
      ["Access token", "expired-1234", keys.enter],
      ["does not accept the token", ""],
      ["Address of the target instance", keys.enter],
      ["Access token", mock.token, keys.enter],
      ["What is the file?", keys.ctrlC],
    ]);
    expect(await terminal.ended).toBe(130);
    expect(terminal.output).not.toContain("expired-1234");
  });
});

test("without a terminal nothing is asked", async () => {
  const { exitCode, stderr } = await runBin(["start"], { cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("needs a terminal") });
});
