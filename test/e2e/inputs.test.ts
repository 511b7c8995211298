import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { execa } from "execa";
import { expect, test } from "vitest";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { openSpools } from "../helpers/open-spools.ts";
import { hasPipes, makePipe } from "../helpers/pipes.ts";
import { programWith, runBin } from "../helpers/run-bin.ts";
import { ended, startLine, until } from "../helpers/start-line.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HASH = "$2b$10$abcdefghijklmnopqrstuv0123456789./ABCDEFGHIJKLMNOPQRS";
const MARK = "\ufeff";
const USERS = '{"user_id":"auth0|1","email":"ada@example.com","name":"Ada"}\n';
const PASSWORDS = `{"_id":{"$oid":"1"},"passwordHash":"${HASH}"}\n`;
const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const hasSubstitution = existsSync("/dev/fd") && existsSync("/bin/bash");

const hasReport = (cwd: string) => (): boolean => readdirSync(cwd).some((name) => name.startsWith(".r.json."));

const silent = [
  ["migrate auth0 --org 1 --users pipe", "a profile pipe without a writer"],
  ["migrate auth0 --org 1 --passwords pipe", "a password pipe without a writer"],
  ["migrate auth0 --org 1 --passwords -", "a silent stdin"],
  ["migrate auth0 --org 1 --users <(exec sleep 60)", "a process that says nothing"],
  ["import pipe --target http://127.0.0.1:1", "an import from a pipe without a writer"],
  ["import - --target http://127.0.0.1:1", "an import from a silent stdin"],
  ["import users.json --target http://127.0.0.1:1 --token-file pipe", "a token pipe without a writer"],
  ["verify <(exec sleep 60) --target http://127.0.0.1:1", "a verify of what a silent process writes"],
] as const;

test.runIf(hasSubstitution).each(silent)("Ctrl-C ends `%s` at once (%s)", async (line) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), USERS);
  makePipe("pipe", cwd);
  const child = startLine(`${line} --report r.json`, cwd, { env: { PAT_IMPORT_TOKEN: "x" } });
  await until(hasReport(cwd));
  const interrupted = performance.now();
  child.kill("SIGINT");
  expect(await ended(child)).toBe(130);
  expect(performance.now() - interrupted).toBeLessThan(2_000);
  expect(JSON.parse(readFileSync(join(cwd, "r.json"), "utf8"))).toMatchObject({
    exitCode: 130,
    problems: [{ code: "run.aborted" }],
  });
  expect(readdirSync(cwd).sort()).toEqual(["pipe", "r.json", "tmp", "users.json"]);
  expect(readdirSync(join(cwd, "tmp")).filter((name) => name !== "node-compile-cache")).toEqual([]);
});

test.runIf(hasSubstitution)(
  "process substitutions are read to their end, gzip and byte order marks as well",
  async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "u"), gzipSync(MARK + USERS));
    writeFileSync(join(cwd, "p"), MARK + PASSWORDS);
    const child = startLine("migrate auth0 --org 1 --users <(cat u) --passwords <(sleep 0.1; cat p)", cwd);
    expect(await ended(child)).toBe(0);
    const body = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
    expect(body.dataOrgs.orgs[0].humanUsers[0].user.hashedPassword).toEqual({ value: HASH });
  },
);

const body = MARK + testBody(testUsers(2));

test.runIf(hasPipes)("import and verify take gzip, stdin, pipes and byte order marks", async () => {
  const mock = await startMock({ seed });
  const { cwd } = inFolder(gzipSync(body), "body.json.gz");
  writeFileSync(join(cwd, "body.json"), body);
  const run = async (command: string, input: string | Buffer): Promise<unknown> => {
    const { exitCode, stdout, stderr } = await runBin([...command.split(" "), "--json"], { cwd, env: mock.env, input });
    expect(exitCode, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const there = { users: { read: 2, alreadyThere: 2 } };
  expect(await run("import body.json.gz", "")).toMatchObject({ users: { read: 2, created: 2 } });
  expect(await run("import body.json", "")).toMatchObject(there);
  expect(await run("import -", gzipSync(body))).toMatchObject(there);
  expect(await run("import -", body)).toMatchObject(there);
  expect(await run("verify -", gzipSync(body))).toMatchObject({ found: 2 });
  expect(await run("verify body.json.gz", "")).toMatchObject({ found: 2 });
  const pipe = makePipe("pipe", cwd);
  const writing = execa("bash", ["-c", `cat body.json.gz > pipe`], { cwd });
  expect(await run(`verify ${pipe}`, "")).toMatchObject({ found: 2 });
  await writing;
});

test.runIf(existsSync("/proc/self/fd"))(
  "a large input from a pipe is kept in an encrypted file without a name",
  async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "users.json"), USERS);
    const lines = { migrate: "migrate auth0 --org 1 --passwords -", import: "import - --target http://127.0.0.1:1" };
    for (const line of Object.values(lines)) {
      const child = startLine(line, cwd, { env: { PAT_IMPORT_TOKEN: "x" } });
      const said = Buffer.from(PASSWORDS.repeat(20_000));
      child.stdin?.write(said);
      const pid = child.pid as number;
      const spooled = (): Buffer[] => openSpools(pid).map((path) => readFileSync(path));
      await until(() => spooled().some(({ length }) => length >= 2 ** 19));
      for (const bytes of spooled()) expect(bytes.includes("passwordHash")).toBe(false);
      expect(readdirSync(join(cwd, "tmp")).filter((name) => name !== "node-compile-cache")).toEqual([]);
      child.kill("SIGKILL");
      await ended(child);
    }
  },
);

test("gzip that was cut off anywhere is exit 3 with the report, and nothing is left", async () => {
  const cwd = tempDir();
  const rows = Array.from({ length: 3_000 }, (_, n) => USERS.replace("|1", `|${n}`).replace("ada", `ada${n}`)).join("");
  const whole = { users: gzipSync(rows), passwords: gzipSync(PASSWORDS) };
  writeFileSync(join(cwd, "users.json"), rows);
  const lengths = (bytes: Buffer): number[] => [2, 10, 17, bytes.length >> 2, bytes.length >> 1, bytes.length - 1];
  for (const flag of ["users", "passwords"] as const) {
    for (const length of lengths(whole[flag])) {
      writeFileSync(join(cwd, "cut.gz"), whole[flag].subarray(0, length));
      const { exitCode, stderr } = await runBin(
        ["migrate", "auth0", "--org", "1", `--${flag}`, "cut.gz", "--report", "r.json"],
        { cwd },
      );
      expect({ exitCode, stderr }).toEqual({
        exitCode: 3,
        stderr: expect.stringContaining("cut.gz: the gzip data is incomplete"),
      });
      expect(JSON.parse(readFileSync(join(cwd, "r.json"), "utf8"))).toMatchObject({ exitCode: 3 });
      expect(readdirSync(cwd).sort()).toEqual(["cut.gz", "r.json", "users.json"]);
    }
  }
});

test.skipIf(process.platform === "win32")("a folder may hold more files than may be open at a time", async () => {
  const cwd = tempDir();
  const credentials: readonly object[] = [];
  for (let file = 0; file < 200; file += 1) {
    const users = [{ id: `id-${file}`, username: `user-${file}`, email: `user-${file}@example.com`, credentials }];
    writeFileSync(join(cwd, `acme-users-${file}.json`), JSON.stringify({ realm: "acme", users }));
  }
  const args = ["migrate", "keycloak", "--org", "1", "--users", ".", "--output", "out.json", "--json"];
  const line = 'ulimit -n 64 && exec "$@"';
  const { stdout, stderr } = await execa("sh", ["-c", line, "sh", ...programWith(args).flat()], { cwd });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { written: 200 } });
});
