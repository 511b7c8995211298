import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_";
const BCRYPT = (cost: string): string => `$2b$${cost}$abcdefghijklmnopqrstuv0123456789./ABCDEFGHIJKLMNOPQRS`;
const ids = ["1", "2", "3"];
const USERS = ids.map((id) => `{"user_id":"auth0|${id}","email":"u${id}@example.com","name":"Ann"}\n`).join("");
const PASSWORDS = ids
  .map((id) => `{"_id":{"$oid":"${id}"},"passwordHash":"${BCRYPT(id === "1" ? "10" : "04")}"}\n`)
  .join("");

async function migrate(args: readonly string[]) {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), USERS);
  writeFileSync(join(cwd, "passwords.json"), PASSWORDS);
  const result = await runCli(["migrate", "auth0", "--org", "1", "--report", "report.json", ...args], { cwd });
  const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
  const written = (read("importBody.json").match(/"value":/g) ?? []).length;
  return { ...result, read, written, report: JSON.parse(read("report.json")) };
}

// service behaviour 9.4
test("without a named target every hash is written, and the summary says what the newest version refuses", async () => {
  const { exitCode, stderr, written, report } = await migrate([]);
  expect({ exitCode, written }).toEqual({ exitCode: 0, written: 3 });
  expect(stderr).toContain("2 bcrypt with cost down to 4 (limit 10)");
  expect(stderr).toContain(`set on the target: ${SETTING}BCRYPT_MINCOST=4`);
  expect(report.hashesOutOfLimits).toEqual([{ cost: "bcrypt", value: 4, users: 2 }]);
});

test("for a named newest target the users are rejected, and each reject names the flags", async () => {
  const { exitCode, stderr, read, written, report } = await migrate(["--target-version", "4.15"]);
  expect({ exitCode, written }).toEqual({ exitCode: 1, written: 1 });
  expect(read("importBody.json.rejects/reasons.ndjson")).toMatch(
    /--target-version.*--target-limits.*--unverifiable drop/,
  );
  expect(stderr).toContain(`set on the target: ${SETTING}BCRYPT_MINCOST=4`);
  const [, flag = "", limits = ""] = /(--target-limits) (\S+)$/m.exec(stderr.replace(/\n {4,}/g, " ")) ?? [];
  expect((await migrate(["--target-version", "4.15", flag, limits])).written).toBe(3);
  expect(report).toMatchObject({ targetVersion: "4.15", hashesOutOfLimits: [{ cost: "bcrypt", value: 4, users: 2 }] });
});

test("--unverifiable drop writes these users without a password", async () => {
  const { exitCode, written, report } = await migrate(["--target-version", "4.15", "--unverifiable", "drop"]);
  expect({ exitCode, written }).toEqual({ exitCode: 0, written: 1 });
  expect(report.users).toMatchObject({ written: 3, withHash: 1 });
});

test.each([
  ["an older target", ["--target-version", "v4.13.1"]],
  ["a changed target", ["--target-limits", "none"]],
  ["a changed newest target", ["--target-version", "4.15", "--target-limits", "bcrypt.minCost=4"]],
])("%s gets them all, without a word", async (_, args) => {
  const { exitCode, stderr, written } = await migrate(args);
  expect({ exitCode, written }).toEqual({ exitCode: 0, written: 3 });
  expect(stderr).not.toContain("hash limits");
});

test.each([
  ["--target-version", "4.99"],
  ["--target-version", "new"],
  ["--target-limits", "bcrypt"],
  ["--target-limits", "md5.minCost=1"],
])("%s %s is a usage error", async (flag, value) => {
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", flag, value], { cwd: tempDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(flag);
});
