import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const GOOD = '{"user_id":"a","email":"a@example.com"}\n';
const BAD = '{"user_id":"b","email":"b@exa_mple.com"}\n';
const migrate = ["migrate", "auth0", "--org", "1", "--users", "users.json"];

test.each([
  ["replaced", `${GOOD}${BAD}`, 1],
  ["deleted", GOOD, 0],
])("corrections in the rejects folder of a migration are not %s by the next run", async (_, rows, expected) => {
  const { cwd } = inFolder(`${GOOD}${BAD}`, "users.json");
  const folder = join(cwd, "importBody.json.rejects");
  expect((await runCli(migrate, { cwd })).exitCode).toBe(1);
  const corrected = BAD.replace("exa_mple", "example");
  writeFileSync(join(folder, "users.ndjson"), corrected);
  writeFileSync(join(cwd, "users.json"), rows);
  const { exitCode, stderr } = await runCli(migrate, { cwd });
  expect(exitCode).toBe(expected);
  const words =
    "importBody.json.rejects has files that were changed or that another command or shard wrote, and keeps them";
  expect(stderr.includes(words)).toBe(expected === 1);
  expect(readFileSync(join(folder, "users.ndjson"), "utf8")).toBe(corrected);
  expect(existsSync(`${folder}-2`)).toBe(expected === 1);
});

test("unchanged rejects are replaced, and deleted by a run without rejects", async () => {
  const { cwd } = inFolder(`${GOOD}${BAD}`, "users.json");
  const folder = join(cwd, "importBody.json.rejects");
  for (const rows of [`${GOOD}${BAD}`, `${BAD}${GOOD}`, GOOD]) {
    writeFileSync(join(cwd, "users.json"), rows);
    expect((await runCli(migrate, { cwd })).stderr).not.toContain("were changed");
  }
  expect(readdirSync(cwd).filter((name) => name.includes("rejects"))).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

test("a corrected body of failed users is not replaced by the next import", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const users = [testUser(1), testUser(2, { phone: { phone: "+x", isPhoneVerified: true } })];
  const { cwd, file } = inFolder(testBody(users));
  const send = (): ReturnType<typeof runCli> => runCli(["import", file, "--rejects", "failed"], { cwd, env: mock.env });
  expect((await send()).exitCode).toBe(1);
  writeFileSync(join(cwd, "failed/body.json"), testBody([testUser(2)]));
  const { stderr } = await send();
  expect(stderr).toContain("rejected items go to failed-2");
  expect(readFileSync(join(cwd, "failed/body.json"), "utf8")).toBe(testBody([testUser(2)]));
  expect(readdirSync(join(cwd, "failed-2"))).toContain("body.json");
});

test("the rejects of an import from a folder of rejects go to another folder, and its input stays", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const users = [
    testUser(1),
    testUser(2, { phone: { phone: "+x", isPhoneVerified: true } }),
    testUser(3, { phone: { phone: "+y" } }),
  ];
  const { cwd, file } = inFolder(testBody(users));
  const send = (path: string, ...flags: readonly string[]): ReturnType<typeof runCli> =>
    runCli(["import", path, "--rejects", "failed", ...flags], { cwd, env: mock.env });
  expect((await send(file)).exitCode).toBe(1);
  const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
  const first = read("failed/body.json");
  // As the message says: with the same flags.
  const again = await send("failed/body.json", "--only", "u2");
  expect(again.exitCode, again.stderr).toBe(1);
  expect(again.stderr).toContain("rejected items go to failed-2");
  expect(read("failed/body.json")).toBe(first);
  const second = read("failed-2/body.json");
  expect((await send("failed-2/body.json")).stderr).toContain("rejected items go to failed-3");
  expect([read("failed/body.json"), read("failed-2/body.json")]).toEqual([first, second]);
  expect(JSON.parse(read("failed-3/body.json")).dataOrgs.orgs[0].humanUsers).toMatchObject([{ userId: "u2" }]);
});

test("the rejects of another input are kept, also without an edit", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const bad = { phone: { phone: "+x", isPhoneVerified: true } };
  const { cwd, file } = inFolder(testBody([testUser(1, bad)]));
  writeFileSync(join(cwd, "b.json"), testBody([testUser(2, bad)]));
  const send = (path: string): ReturnType<typeof runCli> =>
    runCli(["import", path, "--rejects", "failed"], { cwd, env: mock.env });
  await send(file);
  expect((await send("b.json")).stderr).toContain("rejected items go to failed-2");
  expect((await send(`./${file}`)).stderr).not.toContain("rejected items go to");
  const idsIn = (folder: string): string[] =>
    JSON.parse(readFileSync(join(cwd, folder, "body.json"), "utf8")).dataOrgs.orgs[0].humanUsers.map(
      ({ userId }: { readonly userId: string }) => userId,
    );
  expect([idsIn("failed"), idsIn("failed-2")]).toEqual([["u1"], ["u2"]]);
});

test("corrected rows in a numbered folder of rejects do not replace the body of the others", async () => {
  const { cwd } = await afterFirstRun();
  mkdirSync(join(cwd, "importBody.json.rejects-2"));
  writeFileSync(join(cwd, "importBody.json.rejects-2/users.ndjson"), GOOD);
  const argv = ["migrate", "auth0", "--org", "1", "--users", "importBody.json.rejects-2/users.ndjson"];
  const { exitCode, stderr } = await runCli(argv, { cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("would overwrite the input") });
});

/** A folder with the rejects of a first run, and the path of the rejected users. */
async function afterFirstRun(): Promise<{ readonly cwd: string; readonly folder: string; readonly users: string }> {
  const { cwd } = inFolder(`${GOOD}${BAD}`, "users.json");
  expect((await runCli(migrate, { cwd })).exitCode).toBe(1);
  const folder = join(cwd, "importBody.json.rejects");
  return { cwd, folder, users: join(folder, "users.ndjson") };
}

const CORRECTED = BAD.replace("exa_mple", "exa-mple");

test.each<[string, (path: string, before: Stats) => void]>([
  ["the time of the file that it replaces", (path, { atime, mtime }) => utimesSync(path, atime, mtime)],
  ["a time in whole seconds", (path) => utimesSync(path, 1_700_000_000, 1_700_000_000)],
  ["the time of another rejects file", (path) => copyTime(join(dirname(path), "reasons.ndjson"), path)],
])("a correction of the same length with %s is kept", async (_, setTime) => {
  const { cwd, folder, users } = await afterFirstRun();
  const before = statSync(users);
  writeFileSync(users, CORRECTED);
  setTime(users, before);
  expect((await runCli(migrate, { cwd })).stderr).toContain("rejected items go to ./importBody.json.rejects-2");
  expect(readFileSync(users, "utf8")).toBe(CORRECTED);
  expect(readFileSync(`${folder}-2/users.ndjson`, "utf8")).toBe(BAD);
});

test("corrections whose files all got one time in whole seconds, as from an archive, are kept", async () => {
  const { cwd, folder, users } = await afterFirstRun();
  writeFileSync(users, CORRECTED);
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000);
  await runCli(migrate, { cwd });
  expect(readFileSync(users, "utf8")).toBe(CORRECTED);
});

test("a copy of the folder with its times counts as written by orgferry", async () => {
  const { cwd, folder } = await afterFirstRun();
  cpSync(folder, `${folder}.copy`, { recursive: true });
  for (const name of readdirSync(folder)) copyTime(join(folder, name), join(`${folder}.copy`, name));
  rmSync(folder, { recursive: true });
  renameSync(`${folder}.copy`, folder);
  expect((await runCli(migrate, { cwd })).stderr).not.toContain("were changed");
  expect(existsSync(`${folder}-2`)).toBe(false);
});

test("a correction that is saved while the next migration runs is kept", async () => {
  const { cwd, folder, users } = await afterFirstRun();
  async function* rows(): AsyncGenerator<Buffer> {
    yield Buffer.from(GOOD);
    writeFileSync(users, CORRECTED);
    yield Buffer.from(BAD);
  }
  const stdin = Readable.from(rows());
  const { stderr } = await runCli([...migrate.slice(0, -1), "-"], { cwd, stdin });
  expect(stderr).toContain("rejected items go to ./importBody.json.rejects-2");
  expect(stderr).toContain("rejected and unmatched rows, with reasons: ./importBody.json.rejects-2");
  expect(readFileSync(users, "utf8")).toBe(CORRECTED);
  expect(readFileSync(`${folder}-2/users.ndjson`, "utf8")).toBe(BAD);
  expect(readdirSync(folder).sort()).toEqual(["reasons.ndjson", "users.ndjson"]);
});

test("a correction that is saved while the next import runs is kept, and the report names the other folder", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const users = [testUser(1), testUser(2, { phone: { phone: "+x", isPhoneVerified: true } })];
  const { cwd, file } = inFolder(testBody(users));
  const command = ["import", file, "--rejects", "failed"];
  expect((await runCli(command, { cwd, env: mock.env })).exitCode).toBe(1);
  const body = join(cwd, "failed/body.json");
  const corrected = testBody([testUser(2)]);
  const url = await startFront(mock, (path) => {
    if (path.endsWith("/import")) writeFileSync(body, corrected);
    return undefined;
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stderr } = await runCli(command, { cwd, env });
  expect(stderr).toContain("rejected items go to failed-2");
  expect(readFileSync(body, "utf8")).toBe(corrected);
  expect(readdirSync(join(cwd, "failed-2")).sort()).toEqual(["body.json", "reasons.ndjson"]);
});

test("an import neither replaces nor deletes the rejects of a migration, also if it rejects nothing", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "One" } }] } });
  const { cwd, folder } = await afterFirstRun();
  const before = readdirSync(folder);
  const send = () => runCli(["import", "importBody.json", "--rejects", folder], { cwd, env: mock.env });
  const { exitCode, stderr } = await send();
  expect(exitCode, stderr).toBe(0);
  expect(readdirSync(folder)).toEqual(before);
  const csv = ["migrate", "csv", "--org", "1", "--users", "u.csv", "--rejects", folder];
  writeFileSync(join(cwd, "u.csv"), "id,email\n1,ann@example.com\n");
  expect((await runCli([...csv, "--preset", "generic"], { cwd })).exitCode).toBe(0);
  expect(readdirSync(folder)).toEqual(before);
});

test("a folder that the user made is not deleted by a run that rejects nothing", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "One" } }] } });
  const { cwd } = inFolder(GOOD, "users.json");
  mkdirSync(join(cwd, "mine"));
  const runs = [
    [...migrate, "--rejects", "mine"],
    ["import", "importBody.json", "--rejects", "mine"],
  ];
  for (const argv of runs) expect((await runCli(argv, { cwd, env: mock.env })).exitCode).toBe(0);
  expect(existsSync(join(cwd, "mine"))).toBe(true);
});

test.each([".", "./"])("--rejects %s: the other folder has a name that is not hidden", async (dir) => {
  const { cwd } = inFolder(BAD, "in.json");
  writeFileSync(join(cwd, "reasons.ndjson"), "mine");
  const argv = ["migrate", "auth0", "--org", "1", "--users", "in.json", "--rejects", dir];
  const { exitCode, stderr } = await runCli(argv, { cwd });
  expect(exitCode, stderr).toBe(1);
  expect(stderr).toContain("rejected items go to rejects-2.");
  expect(readdirSync(cwd).sort()).toEqual(["importBody.json", "in.json", "reasons.ndjson", "rejects-2"]);
});

function copyTime(from: string, to: string): void {
  const { atimeMs, mtimeMs } = statSync(from);
  utimesSync(to, atimeMs / 1000, mtimeMs / 1000);
}
