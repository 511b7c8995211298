import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { run } from "../../src/cli.ts";
import { declareMock, type MockCommandOptions } from "../../src/commands/mock/declare.ts";
import { commandEntry } from "../../src/commands/shared/command-entry.ts";
import { createCleanUp } from "../../src/io/clean-up.ts";
import { human, startMock } from "../helpers/mock-client.ts";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** The options that the command line makes of its arguments. */
async function parsed(...argv: string[]): Promise<MockCommandOptions | undefined> {
  let seen: MockCommandOptions | undefined;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const context = {
    stdin: Readable.from([]),
    stdout: nowhere,
    stderr: nowhere,
    env: {},
    cwd: ".",
    signal: new AbortController().signal,
    now: () => new Date(),
    self: { command: process.execPath, args: [] },
    cleanUp: createCleanUp(),
  };
  await run(["mock", ...argv], context, {
    commands: [
      commandEntry("mock", declareMock, async () => async (options) => {
        seen = options;
        return 0;
      }),
    ],
  });
  return seen;
}

test("without flags it listens on this machine alone, port 8080, following the specification", async () => {
  expect(await parsed()).toMatchObject({
    host: "127.0.0.1",
    port: 8080,
    fault: [],
    mimic: "specification",
    json: false,
    quiet: false,
  });
});

test("every flag arrives as it was given", async () => {
  const argv = "--host ::1 --port 0 --token t --seed s.json --data d --latency 5ms --mimic v4 --json";
  const faults = ["--fault", "import:429", "--fault", "export:503,times=1"];
  expect(await parsed(...argv.split(" "), ...faults)).toMatchObject({
    host: "::1",
    port: 0,
    token: "t",
    seed: "s.json",
    data: "d",
    latency: "5ms",
    mimic: "v4",
    json: true,
    fault: ["import:429", "export:503,times=1"],
  });
});

test.each([
  [["--port", "65536"], "a port from 0 to 65535"],
  [["--latency", "5"], "30s, 5m0s or 1h30m"],
  [["--mimic", "nobody"], "Allowed choices are specification, v2, v4, v4.13, v4.15, latest"],
  [["--fault", "import:boom"], "there is no such fault; write one of 401, 403, "],
])("%j is a usage error", async (argv, text) => {
  const { exitCode, stdout, stderr } = await runCli([
    "mock",
    ...(argv[0] === "--port" ? [] : ["--port", "0"]),
    ...argv,
  ]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(text);
});

test.each([
  ["import", "there is no such fault; write one of 401, "],
  ["nowhere:429", "there is no such endpoint; write one of import, export, "],
  ["import:429,often=1", "there is no key often; write one of times, skip, "],
  ["import:429,times=x", "times: "],
])("--fault %s says what to write", async (fault, text) => {
  const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--fault", fault]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
});

test("--data that names a file says that it must be a folder", async () => {
  const path = join(tempDir(), "file");
  writeFileSync(path, "");
  const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--data", path]);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining("is a file, and must be a folder.")]);
});

test("--limits arrives as it is read, and an unknown limit is a usage error", async () => {
  expect(await parsed("--limits", "bcrypt.minCost=4")).toMatchObject({ limits: { BCRYPT_MINCOST: 4 } });
  expect(await parsed("--limits", "BCRYPT_MINCOST=4,ARGON2_MINMEMORY=7168")).toMatchObject({
    limits: { BCRYPT_MINCOST: 4, ARGON2_MINMEMORY: 7168 },
  });
  for (const text of ["BCRYPT_COST=4", "BCRYPT_MINCOST=low"]) {
    const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--limits", text]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/write one of BCRYPT_MINCOST|write a whole number/)]);
  }
});

test("--verifiers and --without arrive as they are read", async () => {
  expect(await parsed("--verifiers", "argon2,pbkdf2", "--without", "users,orgs=501")).toMatchObject({
    verifiers: ["argon2", "pbkdf2"],
    without: { users: 404, orgs: 501 },
  });
  const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--verifiers", "md4"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("bcrypt, argon2, pbkdf2, scrypt")]);
});

test("its first lines can be pasted into a shell, and --org makes organizations", async () => {
  const stop = new AbortController();
  stop.abort();
  const dataDir = tempDir();
  const argv = ["mock", "--port", "0", "--data", dataDir, "--org", "acme=Acme Inc", "--org", "bolt"];
  const { exitCode, stderr } = await runCli(argv, { signal: stop.signal });
  expect(exitCode).toBe(0);
  const [toImport = "", toExport = ""] = stderr.split("\n");
  expect(toImport).toMatch(/^export ZITADEL_IMPORT_DOMAIN=http:\/\/127\.0\.0\.1:\d+ PAT_IMPORT_TOKEN=\S+$/);
  expect(toExport).toBe(toImport.replaceAll("IMPORT", "EXPORT"));
  const { exportAll } = await startMock({ dataDir });
  expect(await exportAll()).toMatchObject({
    orgs: [
      { orgId: "acme", org: { name: "Acme Inc" } },
      { orgId: "bolt", org: { name: "bolt" } },
    ],
  });
});

test.each(["", "=name", "1="])("--org %j says what to write", async (org) => {
  const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--org", org]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("write an id, or an id and a name such as 1=Acme")]);
});

test.each([
  ["{", "not a valid seed"],
  ['{"tokns":[]}', "tokns"],
  ['{"orgs":[{}]}', "orgs[0].orgId: write a text in double quotes"],
  [
    '{"tokens":[{"token":"t","expiresAt":"soon"}]}',
    "tokens[0].expiresAt: write a moment, such as 2030-01-01T00:00:00Z",
  ],
  ['{"faults":[{"endpoint":"import","fault":"boom"}]}', "faults[0].fault: must be one of 401, 403"],
  ['{"orgs":[{"orgId":"1"}]}', "ID=COMM-deLSk"],
  ['{"orgs":[{"orgId":"1","org":5}]}', "zitadel.management.v1.AddOrgRequest"],
])("a seed file with %s ends with exit 3", async (text, reason) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "seed.json"), text);
  const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--seed", "seed.json"], { cwd });
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining(reason)]);
  expect(stderr).toContain("seed.json");
});

test("a seed file that is not there ends with exit 3", async () => {
  const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--seed", "no.json"], { cwd: tempDir() });
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining("no.json: no such file")]);
});

test("a port that is taken ends with exit 6 and says what to do", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const { exitCode, stderr } = await runCli(["mock", "--port", String(port)]);
  taken.close();
  expect([exitCode, stderr]).toEqual([6, expect.stringContaining("Choose another port with --port")]);
});

test.each(["0.0.0.0x", "192.0.2.1"])("a host that is no address of this machine is named: %s", async (host) => {
  const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--host", host]);
  expect([exitCode, stderr]).toEqual([6, expect.stringContaining("Choose another address with --host")]);
});

test("a signal ends it with exit 0, and --json has printed one line", async () => {
  const stop = new AbortController();
  stop.abort();
  const argv = ["mock", "--port", "0", "--json", "--token", "my-secret"];
  const { exitCode, stdout, stderr } = await runCli(argv, { signal: stop.signal });
  expect(exitCode).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), token: "my-secret", pid: process.pid }]);
  expect(stderr).not.toContain("my-secret");
});

test("a request in flight is finished before the server stops; new ones are not taken", async () => {
  const { mock, post } = await startMock({ faults: [{ endpoint: "import", fault: "latency", delay: "60ms" }] });
  const dataOrgs = { orgs: [{ orgId: "1", org: { name: "A" }, humanUsers: [human("a")] }] };
  const reply = post("/admin/v1/import", { dataOrgs, timeout: "1m" });
  await expect.poll(async () => (await fetch(`${mock.url}/_mock/faults`)).text()).toContain('"struck":1');
  await mock.close();
  expect((await reply).body).toMatchObject({ success: { orgs: [{ humanUserIds: ["a"] }] } });
  await expect(fetch(mock.url)).rejects.toThrow();
});

test("a token in a path stays out of the log", async () => {
  const { mock } = await startMock();
  await fetch(`${mock.url}/tokens/${mock.token}?t=${mock.token}`);
  expect(mock.requests).toEqual([expect.objectContaining({ path: "/tokens/[redacted]", status: 404 })]);
});

test("a reset over HTTP empties the instance and its request log", async () => {
  const { mock, importOrgs, exportAll } = await startMock();
  await importOrgs({ orgId: "1", org: { name: "A" } });
  expect((await fetch(`${mock.url}/_mock/reset`, { method: "POST" })).status).toBe(200);
  expect(await exportAll()).toEqual({});
  const { requests } = (await (await fetch(`${mock.url}/_mock/requests`)).json()) as { requests: { path: string }[] };
  expect(requests.map(({ path }) => path)).toEqual(["/_mock/reset", "/admin/v1/export"]);
});

test("users and organizations are removed over HTTP", async () => {
  const { mock, importOrgs, exportAll } = await startMock();
  const org = (id: string) => ({ orgId: id, org: { name: id }, humanUsers: [human(`auth0|${id}`)] });
  await importOrgs(org("1"), org("2"));
  await fetch(`${mock.url}/_mock/users/${encodeURIComponent("auth0|1")}`, { method: "DELETE" });
  await fetch(`${mock.url}/_mock/orgs/2`, { method: "DELETE" });
  const { orgs } = (await exportAll()) as { orgs: object[] };
  expect(orgs).toEqual([expect.objectContaining({ orgId: "1", org: { name: "1" } })]);
  expect(orgs[0]).not.toHaveProperty("humanUsers");
});
