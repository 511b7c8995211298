import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testBody, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** A text from outside that would begin lines with commands of a CI runner, and has the older form, which may stand anywhere. */
const EVIL =
  "x\n::add-mask::a\r\n  ::error::forged\n::stop-commands::t\u2028::error::u\u0085##[add-mask]b ##vso[task.x]";

/** What a CI runner would obey: `::` at the beginning of a line, `##[` anywhere. */
function commandsIn(text: string): readonly string[] {
  return text.split(/[\n\r\u2028\u2029\u0085]/).filter((line) => /^\s*::/.test(line) || /##(?:vso)?\[/i.test(line));
}

/** The annotations of orgferry itself. */
const OWN = /^::(?:error(?: file=[^:\n]*)?|add-mask)::/;

interface World {
  readonly args: readonly string[];
  /** Default: all of them. */
  readonly outputs?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

const csv = (column: string, id: string): string =>
  `${[column, "email"].map(quoted).join(",")}\n${[id, "not an address"].map(quoted).join(",")}\n`;

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const worlds: readonly (readonly [string, World])[] = [
  [
    "an id of a table",
    { args: ["migrate", "csv", "--org", "1", "--preset", "generic"], files: { "users.csv": csv("id", EVIL) } },
  ],
  [
    "the name of a column",
    { args: ["migrate", "csv", "--org", "1", "--map", "userId=id"], files: { "users.csv": csv(`id ${EVIL}`, "1") } },
  ],
  [
    "--map",
    {
      args: ["migrate", "csv", "--org", "1", "--preset", "generic", "--map", `userId=${EVIL}`],
      files: { "users.csv": csv("id", "1") },
    },
  ],
  ["the name of a file", { args: ["migrate", "csv", "--org", "1", "--users", EVIL] }],
  [
    "the name of a file at the beginning of a line",
    {
      args: ["migrate", "csv", "--org", "1", "--preset", "generic", "--users", "::error::x"],
      files: { "::error::x": csv("id", "1") },
    },
  ],
  [
    "the name of a realm",
    {
      args: ["migrate", "keycloak", "--org", "1", "--users", "r.json", "--realm", EVIL],
      files: { "r.json": JSON.stringify({ realm: `r${EVIL}`, users: [{ id: "1", username: "a" }] }) },
    },
  ],
  ["an unknown flag", { args: ["migrate", "csv", `--${EVIL}`] }],
  ["the value of a flag", { args: ["migrate", "csv", `--timeout=${EVIL}`] }],
  ["the name of a command", { args: [EVIL] }],
  ["the name of a command that is asked for", { args: ["help", EVIL], outputs: [] }],
  ["an address", { args: ["doctor", "--target", `https://${EVIL}`], env: { PAT_IMPORT_TOKEN: "a-token-of-a-test" } }],
];

test.each(worlds)(
  "%s begins no line and is no command in any output",
  async (_, { args, files = {}, env = {}, outputs = ["--json", "--html", "page.html"] }) => {
    const cwd = tempDir();
    for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
    for (const quiet of [[], ["--quiet"]]) {
      const runner = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
      const result = await runCli([...args, ...quiet, ...outputs], { cwd, env: { ...env, ...runner } });
      expect(result.exitCode).not.toBe(0);
      expect(result.exitCode).not.toBe(70);
      expect(commandsIn(result.stderr).filter((line) => !OWN.test(line))).toEqual([]);
      expect(commandsIn(result.stderr).filter((line) => line.includes("##["))).toEqual([]);
      expect(commandsIn(result.stdout)).toEqual([]);
      expect(commandsIn(read(cwd, "summary.md"))).toEqual([]);
      expect(commandsIn(read(cwd, "page.html"))).toEqual([]);
    }
  },
);

/** The text of a file; "" for none: a wrong flag ends a run before its page. */
function read(cwd: string, name: string): string {
  try {
    return readFileSync(join(cwd, name), "utf8");
  } catch {
    return "";
  }
}

test("what a service says begins no line", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const cwd = tempDir();
  const user = { ...testUser(1, { profile: { firstName: "", lastName: "" } }), userId: `u${EVIL}` };
  writeFileSync(join(cwd, "body.json"), testBody([user, testUser(2)]));
  const env = { PAT_IMPORT_TOKEN: mock.token, GITHUB_ACTIONS: "true" };
  for (const more of [[], ["--skip-invalid"], ["--dry-run"]]) {
    const { stderr } = await runCli(["import", "body.json", "--target", mock.url, ...more], { cwd, env });
    expect(stderr).toContain("add-mask");
    expect(commandsIn(stderr).filter((line) => !OWN.test(line))).toEqual([]);
  }
});
