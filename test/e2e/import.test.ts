import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { isExecutable, programWith, runBin } from "../helpers/run-bin.ts";
import { startMock } from "../helpers/start-mock.ts";

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };

/** Starts an import and resolves when the mock has finished `calls` import calls of it. */
async function startImport(
  args: readonly string[],
  cwd: string,
  mock: Awaited<ReturnType<typeof startMock>>,
  calls: number,
): Promise<ChildProcess> {
  const answered = mock.answered("/import", calls);
  const child = spawn(...programWith(["import", ...args]), {
    cwd,
    env: { PATH: process.env["PATH"], ...mock.env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const early = ended(child).then((code) => Promise.reject(new Error(`the import ended with ${code} before that`)));
  await Promise.race([answered, early]);
  early.catch(() => {}); // it ends later, as it should
  return child;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((done) => child.once("exit", done));
}

test.each([
  ["calls of one size, several at a time", ["--batch-users", "200", "--concurrency", "auto"]],
  ["calls as the service works best, several at a time", ["--concurrency", "auto"]],
  ["one call at a time", []],
])("a run of %s that is killed twice and resumed ends with the numbers of an undisturbed one", async (_, size) => {
  const mock = await startMock({ seed, keepBodies: false });
  const { cwd, file } = inFolder(testBody(testUsers(2_000)));
  mock.addFault({ endpoint: "import", fault: "latency", delay: "60ms" });
  const flags = [file, ...size];
  for (const again of [[], ["--resume"]]) {
    const child = await startImport([...flags, ...again], cwd, mock, 2);
    child.kill("SIGKILL");
    await ended(child);
    expect(existsSync(join(cwd, "body.json.journal.ndjson"))).toBe(true);
  }
  const { stdout, exitCode } = await runBin(["import", ...flags, "--resume", "--verify", "--json"], {
    cwd,
    env: mock.env,
  });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    users: { read: 2_000, sent: 2_000, created: 2_000, alreadyThere: 0, failed: 0, unknown: 0 },
    otherObjects: { org: { alreadyThere: 1 } },
    found: 2_000,
  });
  expect(readdirSync(cwd)).toEqual([file, `${file}.manifest.ndjson`]);
});

test("Ctrl-C ends a run with 130, its report and the command that continues", async () => {
  const mock = await startMock({ seed, keepBodies: false });
  const { cwd, file } = inFolder(testBody(testUsers(60)));
  mock.addFault({ endpoint: "import", fault: "latency", delay: "400ms" });
  const child = await startImport([file, "--batch-users", "20", "--report", "r.json"], cwd, mock, 1);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.kill("SIGINT");
  expect(await ended(child)).toBe(130);
  expect(stderr).toContain(`orgferry import body.json --target ${mock.url} --batch-users 20 --report r.json --resume`);
  const report = JSON.parse(readFileSync(join(cwd, "r.json"), "utf8"));
  expect(report).toMatchObject({ exitCode: 130, resume: expect.stringContaining("--resume") });
  expect(report.users.read).toBe(report.users.sent + report.users.notSent);
});

test("migrate pipes into import", async () => {
  const mock = await startMock({ seed });
  const { cwd } = inFolder('{"user_id":"auth0|1","email":"ada@example.com","name":"Ada"}\n', "users.json");
  const body = await runBin(["migrate", "auth0", "--org", "org1", "--output", "-", "-q"], { cwd });
  const { stdout, exitCode } = await runBin(["import", "-", "--yes", "--json"], {
    cwd,
    env: mock.env,
    input: body.stdout,
  });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).users).toMatchObject({ read: 1, created: 1 });
});

test.skipIf(isExecutable).each([[["--help"]], [["migrate", "auth0", "--users", "body.json", "--org", "1"]]])(
  "%j does not load the HTTP client",
  async (args) => {
    const { cwd } = inFolder('{"user_id":"auth0|1","email":"ann@example.com","email_verified":true}');
    const hook = join(cwd, "hook.mjs");
    const loaded = join(cwd, "loaded.json");
    writeFileSync(
      hook,
      `import { writeFileSync } from "node:fs";
       import { createRequire } from "node:module";
       const { cache } = createRequire(import.meta.url);
       process.on("exit", () => writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(Object.keys(cache))));`,
    );
    const { exitCode, stderr } = await runBin(args, { cwd, env: { NODE_OPTIONS: `--import ${hook}` } });
    expect(exitCode, stderr).toBe(0);
    const files: string[] = JSON.parse(readFileSync(loaded, "utf8"));
    expect(files.join()).toContain("main.cjs");
    expect(files.filter((file) => readFileSync(file, "utf8").includes("EnvHttpProxyAgent"))).toEqual([]);
  },
);
