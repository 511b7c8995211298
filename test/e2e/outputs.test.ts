import {
  chmodSync,
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { hasPipes } from "../helpers/pipes.ts";
import { programWith, runBin } from "../helpers/run-bin.ts";
import { ended, startLine, until } from "../helpers/start-line.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HASH = "$2b$10$abcdefghijklmnopqrstuv0123456789./ABCDEFGHIJKLMNOPQRS";
const hasShell = hasPipes && existsSync("/bin/bash");

function users(count: number): string {
  return Array.from({ length: count }, (_, n) => `{"user_id":"auth0|${n}","email":"u${n}@example.com"}\n`).join("");
}

function withInputs(profiles = `${users(3)}{}\n`): string {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), profiles);
  const passwords = `{"_id":{"$oid":"1"},"passwordHash":"${HASH}"}\n{"_id":{"$oid":"nobody"},"passwordHash":"${HASH}"}\n`;
  writeFileSync(join(cwd, "passwords.json"), passwords);
  return cwd;
}

const temporaryFiles = (cwd: string): string[] => readdirSync(cwd).filter((name) => name.endsWith(".tmp"));

test.runIf(hasShell)("what a killed run has left beside its output goes away with the next run", async () => {
  const cwd = withInputs();
  const child = startLine("migrate auth0 --org 1 --passwords - --report r.json", cwd);
  // It waits for password rows with its outputs open.
  await until(() => temporaryFiles(cwd).length === 2);
  child.kill("SIGKILL");
  expect(await ended(child)).toBe("SIGKILL");
  expect(temporaryFiles(cwd)).toHaveLength(2);
  const { exitCode, stderr } = await runBin(["migrate", "auth0", "--org", "1"], { cwd });
  expect(exitCode, stderr).toBe(1);
  expect(readdirSync(cwd).sort()).toEqual([
    "importBody.json",
    "importBody.json.rejects",
    "passwords.json",
    "tmp",
    "users.json",
  ]);
});

test.runIf(hasShell)("another run does not touch the temporary file of a run that continues", async () => {
  const cwd = withInputs();
  const child = startLine("migrate auth0 --org 1 --passwords -", cwd);
  await until(() => temporaryFiles(cwd).length === 1);
  const { exitCode } = await runBin(["migrate", "auth0", "--org", "1"], { cwd });
  expect(exitCode).toBe(1);
  expect(temporaryFiles(cwd)).toHaveLength(1);
  child.stdin?.end(`{"_id":{"$oid":"2"},"passwordHash":"${HASH}"}\n`);
  expect(await ended(child)).toBe(1);
  const { dataOrgs } = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
  expect(dataOrgs.orgs[0].humanUsers[2].user.hashedPassword).toEqual({ value: HASH });
});

test.runIf(hasShell)("outputs are for the user alone also under umask 000", async () => {
  const cwd = withInputs();
  const line = "migrate auth0 --org 1 --output out/body.json --report reports/r.json";
  expect(await ended(startLine(line, cwd, { before: "umask 000" }))).toBe(1);
  const mode = (path: string): string => (statSync(join(cwd, path)).mode & 0o777).toString(8);
  const rejects = "out/body.json.rejects";
  expect(["out", "reports", rejects].map(mode)).toEqual(["700", "700", "700"]);
  const files = [
    "out/body.json",
    "reports/r.json",
    ...["users", "passwords", "reasons"].map((n) => `${rejects}/${n}.ndjson`),
  ];
  expect(files.map(mode)).toEqual(files.map(() => "600"));
});

test.runIf(process.geteuid?.() === 0).each([
  ["body.json", ["--output", "body.json"]],
  ["r.json", ["--report", "r.json"]],
  ["rejects", ["--rejects", "rejects"]],
])("a link that another user planted in place of %s is not written through", async (name, flags) => {
  const cwd = withInputs();
  const victim = tempDir();
  writeFileSync(join(victim, "precious"), "precious");
  chmodSync(cwd, 0o1777);
  symlinkSync(name === "rejects" ? victim : join(victim, "precious"), join(cwd, name));
  lchownSync(join(cwd, name), 12_345, 12_345);
  const { exitCode, stderr } = await runBin(["migrate", "auth0", "--org", "1", ...flags], { cwd });
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("may have put"),
  });
  expect(readdirSync(victim)).toEqual(["precious"]);
  expect(readFileSync(join(victim, "precious"), "utf8")).toBe("precious");
  expect(readdirSync(cwd).sort()).toEqual([name, "passwords.json", "users.json"].sort());
});

test.runIf(hasShell && existsSync("/dev/fd"))("Ctrl-C ends a run whose output has no reader", async () => {
  const cwd = withInputs(users(20_000));
  const child = startLine("migrate auth0 --org 1 --output >(exec sleep 60) --report r.json", cwd);
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  await until(() => temporaryFiles(cwd).length === 1);
  const interrupted = performance.now();
  child.kill("SIGINT");
  expect(await ended(child), stderr).toBe(130);
  expect(performance.now() - interrupted).toBeLessThan(2_000);
  expect(JSON.parse(readFileSync(join(cwd, "r.json"), "utf8"))).toMatchObject({ exitCode: 130 });
});

test.runIf(hasShell && existsSync("/dev/fd"))("a process substitution takes the whole body", async () => {
  const cwd = withInputs(users(20_000));
  const child = startLine("migrate auth0 --org 1 --output >(sleep 0.3; cat > copy.json)", cwd);
  expect(await ended(child)).toBe(0);
  const isWhole = (): boolean =>
    existsSync(join(cwd, "copy.json")) && statSync(join(cwd, "copy.json")).size > 2_000_000;
  await until(isWhole);
  await until(() => readFileSync(join(cwd, "copy.json"), "utf8").endsWith("}\n"));
  expect(JSON.parse(readFileSync(join(cwd, "copy.json"), "utf8")).dataOrgs.orgs[0].humanUsers).toHaveLength(20_000);
});

test("a temporary file of a run that may continue on another machine is named and kept", async () => {
  const cwd = withInputs();
  const orphan = ".importBody.json.orgferry-00000000-1-2-0123abcd.tmp";
  writeFileSync(join(cwd, orphan), HASH);
  const { exitCode, stderr } = await runBin(["migrate", "auth0", "--org", "1"], { cwd });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`${orphan} is a temporary file of a run on another machine`);
  expect(readFileSync(join(cwd, orphan), "utf8")).toBe(HASH);
});

test.skipIf(!hasShell)(
  "a failed check of doctor is once in a file of both streams, and in each of two files",
  async () => {
    const cwd = tempDir();
    const run = async (redirect: string): Promise<void> => {
      const args = [
        "-c",
        `"$@" ${redirect}`,
        "sh",
        ...programWith(["doctor", "--target", "http://127.0.0.1:9"]).flat(),
      ];
      await execa("bash", args, { cwd, reject: false, env: { PAT_IMPORT_TOKEN: "pat" } });
    };
    const failed = (file: string) => readFileSync(join(cwd, file), "utf8").match(/^fail .*/gm)?.length;
    await run("> both 2>&1");
    await run("2>&1 | cat > pipe");
    await run("> out 2> err");
    expect(["both", "pipe", "out", "err"].map(failed)).toEqual([1, 1, 1, 1]);
  },
);
