import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrateEntry } from "../../src/commands/migrate/declare.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("help goes to stdout and is a success", async () => {
  const { exitCode, stdout, stderr } = await runCli(["migrate", "auth0", "--help"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Usage: orgferry migrate auth0");
  expect(stderr).toBe("");
});

test.each(
  [
    "migrate auth0",
    "migrate keycloak",
    "fetch auth0",
    "mock",
    "export",
    "import",
    "copy",
    "verify",
    "report merge",
  ].concat("undo", "doctor", "completion"),
)("%s has the flags that the help of the whole program knows", async (name) => {
  // A command that is named is declared alone; for `help` all of them are.
  const alone = await runCli([...name.split(" "), "--help"]);
  const among = await runCli(["help", ...name.split(" ")]);
  expect(alone.exitCode).toBe(0);
  expect(alone.stdout).toContain(`Usage: orgferry ${name} `);
  expect(among.stdout).toBe(alone.stdout);
});

test.each([
  [[], "Usage: orgferry"],
  [["migrate"], "auth0"],
  [["migrate", "acme"], "unknown provider 'acme'"],
  [["migrate", "auth0"], "required option '--org <id>'"],
  [["migrate", "csv", "--org", "1", "people.csv"], "such as --users people.csv"],
  [["migrate", "auth0", "--org", "1", "--email-verified", "false"], "'false' has no flag"],
  [["migrate", "auth0", "keycloak"], "'keycloak' has no flag"],
  [["migrate", "auth0", "--org"], "argument missing"],
  [["migrate", "auth0", "--org", "1", "--timeout", "5"], "30s, 5m0s or 1h30m"],
  [["migrate", "auth0", "--org", "1", "--split", "0"], "whole number"],
  [["migrate", "auth0", "--org", "1", "--email-verified", "--no-email-verified"], "cannot be used together"],
  [["migrate", "auth0", "--org", "1", "--output"], "argument missing"],
  [
    ["migrate", "auth0", "--org", "1", "--multiline=perhaps"],
    "--multiline is a switch: give it alone, or with =true or =false",
  ],
  [["migrate", "auth0", "--org", "1", "--email-verified=true", "--email-verified=false"], "cannot be used together"],
])("%j is a usage error", async (argv, text) => {
  const { exitCode, stdout, stderr } = await runCli(argv as string[]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(text);
});

test.each([
  [["--email-verified=false"], { emailVerified: false, multiline: false }],
  [["--email-verified=true"], { emailVerified: true, multiline: false }],
  [["--email-verified=F", "--multiline=1"], { emailVerified: false, multiline: true }],
  [["--no-email-verified=false"], { emailVerified: true, multiline: false }],
  [["--multiline=false"], { multiline: false }],
  [["--multiline=TRUE", "--output=import"], { multiline: true, output: "import" }],
  [["--output=--multiline=false"], { output: "--multiline=false", multiline: false }],
])("%j is read as the old tools read it", async (flags, expected) => {
  let options: object | undefined;
  const migrate = migrateEntry(async () => async (_, given) => {
    options = given;
    return 0;
  });
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", ...flags], {
    parts: { commands: [migrate] },
  });
  expect(exitCode, stderr).toBe(0);
  expect(options).toMatchObject(expected);
});

test.each([
  ["an array", '[\n{"user_id":"auth0|1","email":"a@example.com"},\n{"user_id":"auth0|2","email":"b@example.com"}\n]\n'],
  ["objects that span lines", '{\n  "user_id": "auth0|1",\n  "email": "a@example.com"\n}\n'],
])("--multiline with %s says that the flag is the cause, and writes nothing", async (_, users) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), users);
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", "--multiline"], { cwd });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("Remove --multiline");
  expect(readdirSync(cwd)).toEqual(["users.json"]);
});

test.each(["--token-file", "--target-token-file", "--source-token-file"])(
  "a token in place of its file (%s) is not printed, and is to be revoked",
  async (flag) => {
    const token = "6501qOXoEIrqtVXh4v1kU0e8BfQyZS1QAUnqYb3JvR7";
    const command = flag === "--token-file" ? "import" : "copy";
    for (const given of [[flag, token], [`${flag}=${token}`], [flag, token.slice(0, 32)]]) {
      const { stdout, stderr, exitCode } = await runCli([command, "x.json", ...given, "--json"], { cwd: tempDir() });
      expect(exitCode).toBe(2);
      expect(stdout + stderr).not.toContain(token.slice(0, 8));
      expect(stderr).toContain("not the token itself. If the command line had a token, revoke it");
    }
  },
);

test.each([
  ["migrate", "csv", "--org", "1", "--org", "2"],
  ["import", "x.json", "--target=a.example", "--target", "b.example"],
  ["export", "--output", "a.json", "--output=b.json"],
  ["migrate", "auth0", "--users", "a.json", "--users", "a.json"],
  ["migrate", "auth0", "--passwords", "a.json", "--passwords", "b.json"],
  ["migrate", "auth0", "--org-by", "connection", "--org-by", "app_metadata.org"],
  ["import", "x.json", "--max-mails", "1", "--max-mails=2"],
])("a flag that is given twice is refused: %s %s …", async (...argv) => {
  const { stderr, exitCode } = await runCli(argv, { cwd: tempDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("is given twice");
});

test.each([
  [["migrate", "auth0", "--org", "--users", "a.json"], "--org needs a value: '--users' behind it is a flag"],
  [["migrate", "csv", "--org", "1", "--map", "--output=a.json"], "--map needs a value: '--output' behind it"],
  [["import", "a.json", "--target", "--token-file", "b"], "--target needs a value: '--token-file' behind it"],
  [["import", "--report", "-q", "a.json"], "--report needs a value: '-q' behind it"],
])("a value that was forgotten is missed, and the next flag is not taken for it: %j", async (argv, text) => {
  const { stderr, exitCode } = await runCli(argv, { cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(text) });
});

test.each([
  ["migrate", "auth0", "--org", "https://acme.example.com"],
  ["export", "--org-id", "https://acme.example.com"],
])("an address in place of an id is refused: %s %s …", async (...argv) => {
  const { stderr, exitCode } = await runCli(argv, { cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("this is an address. Were the values of two flags swapped?"),
  });
});

test("a number below the smallest is refused with the flag and the smallest", async () => {
  const { stderr, exitCode } = await runCli(["import", "a.json", "--max-mails", "-1"], { cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("'--max-mails <n>' argument '-1' is invalid. It must be a whole number from 0."),
  });
});

test.each(["--org-id", "--org"])("several organizations can be named (%s)", async (flag) => {
  const { stderr } = await runCli(["export", flag, "1", flag, "2"], { cwd: tempDir() });
  expect(stderr).not.toContain("is given twice");
});

test("copy does not take --token-file, which could be that of either side", async () => {
  const { stderr, exitCode } = await runCli(["copy", "--token-file", "token"], { cwd: tempDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("there are --source-token-file and --target-token-file");
});

test("flags are accepted under the name that another command has for them", async () => {
  const mock = await startMock();
  const cwd = tempDir();
  writeFileSync(join(cwd, "token"), mock.token, { mode: 0o600 });
  const doctor = await runCli(["doctor", "--target", mock.url, "--token-file", "token"], { cwd });
  expect(doctor.exitCode, doctor.stderr).toBe(0);
  const migrate = await runCli(["migrate", "auth0", "--org-id=1"], { cwd });
  expect(migrate.stderr).not.toContain("--org");
  const undo = await runCli(["import", "none.json", "-y", "--target-token-file", "token", "--target", mock.url], {
    cwd,
  });
  expect(undo.exitCode, undo.stderr).toBe(3);
});

test.each([
  [["import", "x.json", "--token", "abc"], "--token-file"],
  [["copy", "--token=abc"], "--target-token-file"],
  [["doctor", "--token", "abc"], "--target-token-file"],
  [["copy", "--target-token", "abc"], "--target-token-file"],
  [["copy", "--source-token=abc"], "--source-token-file"],
  [["import", "x.json", "--target-token", "abc"], "--token-file"],
  [["export", "--source-token", "abc"], "--token-file"],
  [["import", "x.json", "--pat", "abc"], "--token-file"],
  [["copy", "--source-pat=abc"], "--source-token-file"],
] as const)("a token in the command line is refused with the flag to use: %j", async (argv, flag) => {
  const { exitCode, stderr } = await runCli(argv, { cwd: tempDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/unknown option '--(source-|target-)?(token|pat)': a token is never the value of a flag/);
  expect(stderr).toContain(`Use ${flag} <path>, or an environment variable`);
  expect(stderr).not.toContain("abc");
});
