import { spawn } from "node:child_process";
import { createWriteStream, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, inject, test } from "vitest";
import { whenFolders } from "../helpers/folder-change.ts";
import { programWith, runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HASH = "$2b$10$abcdefghijklmnopqrstuv0123456789./ABCDEFGHIJKLMNOPQRS";

function profiles(count: number): string {
  return Array.from({ length: count }, (_, n) =>
    JSON.stringify({ user_id: `auth0|${n}`, email: `u${n}@example.com`, name: `User ${n}`, email_verified: true }),
  ).join("\n");
}

test("the packed program merges two files into a body", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), profiles(3));
  writeFileSync(join(cwd, "passwords.json"), `{"_id":{"$oid":"1"},"passwordHash":"${HASH}"}\n`);
  const { exitCode, stdout, stderr } = await runBin(["migrate", "auth0", "--org", "42"], { cwd });
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toBe("");
  expect(stderr).toContain("read 3 = written 3 + rejected 0");
  const { dataOrgs, timeout } = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
  expect(dataOrgs.orgs[0].orgId).toBe("42");
  expect(dataOrgs.orgs[0].humanUsers[1].user.hashedPassword).toEqual({ value: HASH });
  expect(timeout).toBe("5m0s");
});

test("a reader that has seen enough (| head -1) ends the run quietly with success", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), profiles(30_000));
  const command = `${programWith([]).flat().join(" ")} migrate auth0 --org 1 --output - --quiet; echo "exit $?" >&2`;
  const { stdout, stderr } = await execa("bash", ["-c", `{ ${command}; } | head -1`], { cwd });
  expect(stdout).toContain('{"dataOrgs"');
  expect(stderr).toBe("exit 0");
});

test.skipIf(!existsSync("/dev/full"))("a full disk is one line and exit 3", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), profiles(10));
  const { exitCode, stderr } = await runBin(["migrate", "auth0", "--org", "1", "--output", "/dev/full", "--quiet"], {
    cwd,
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: expect.stringMatching(/^error: \/dev\/full: no space left/),
  });
});

test("takes an array of 100 MB on one line, and refuses an object of that size", async () => {
  const cwd = tempDir();
  const array = createWriteStream(join(cwd, "array.json"));
  const filler = "f".repeat(20_000);
  for (let n = 0; n < 5_000; n += 1) {
    array.write(
      `${n === 0 ? "[" : ","}{"user_id":"auth0|${n}","email":"u${n}@example.com","app_metadata":"${filler}"}`,
    );
  }
  await new Promise((done) => array.end("]", () => done(undefined)));
  const good = await runBin(["migrate", "auth0", "--org", "1", "--users", "array.json", "--json"], { cwd });
  expect(good.exitCode, good.stderr).toBe(0);
  expect(JSON.parse(good.stdout).users.written).toBe(5_000);
  writeFileSync(join(cwd, "line.json"), `{"user_id":"${"x".repeat(100 * 2 ** 20)}`);
  const bad = await runBin(["migrate", "auth0", "--org", "1", "--users", "line.json", "--quiet"], { cwd });
  expect(bad).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(/^error: line.json:1: one row is longer than/),
  });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s half-way stops cleanly: no output, no temporary file, exit %i", async (signal, code) => {
  const cwd = tempDir();
  const temporary = tempDir();
  writeFileSync(join(cwd, "users.json"), profiles(20_000));
  // The password pipe stays open: the program is in the middle of its work and waits for more.
  const child = spawn(...programWith(["migrate", "auth0", "--org", "1", "--passwords", "-"]), {
    cwd,
    env: { PATH: process.env["PATH"], TMPDIR: temporary },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.write(`{"_id":{"$oid":"1"},"passwordHash":"${HASH}"}\n`);
  // From 22 on Node keeps its own compile cache there.
  const copies = (): string[] => readdirSync(temporary).filter((name) => name !== "node-compile-cache");
  const hasTemporary = (): boolean => readdirSync(cwd).some((name) => name.endsWith(".tmp"));
  await whenFolders([cwd], hasTemporary);
  child.kill(signal);
  const exitCode = await new Promise((done) => child.on("close", done));
  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: "error: interrupted; nothing was written.\n" });
  expect(readdirSync(cwd)).toEqual(["users.json"]);
  expect(copies()).toEqual([]);
});

test("a bad password file ends the run also when a second thread waits with the profiles", async () => {
  const cwd = tempDir();
  const padding = "p".repeat(1_000);
  const row = (n: number): string => `{"user_id":"auth0|${n}","email":"u${n}@example.com","x":"${padding}"}`;
  writeFileSync(join(cwd, "users.json"), Array.from({ length: 27_000 }, (_, n) => row(n)).join("\n"));
  writeFileSync(join(cwd, "passwords.json"), "");
  const { exitCode, stderr } = await runBin(["migrate", "auth0", "--org", "1"], { cwd });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: "error: ./passwords.json: contains no rows. Is it the right file?",
  });
});

test.skipIf(!existsSync("/dev/stdout"))("--strict lets nothing through a pipe that is named as a file", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), `${profiles(2)}\n{}`);
  const { exitCode, stdout } = await runBin(["migrate", "auth0", "--org", "1", "--strict", "--output", "/dev/stdout"], {
    cwd,
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "" });
});

test("the built program knows nothing of the folder it was built in", () => {
  const dist = join(inject("packedDir"), "dist");
  const built = readdirSync(dist, { recursive: true }).map(String);
  expect(built.filter((name) => name.endsWith(".cjs")).length).toBeGreaterThan(5);
  for (const name of built) expect(readFileSync(join(dist, name), "utf8")).not.toContain(process.cwd());
});
