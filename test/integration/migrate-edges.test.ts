import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { makePipe } from "../helpers/pipes.ts";
import { type CliWorld, runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HASH = "$2b$10$abcdefghijklmnopqrstuv0123456789./ABCDEFGHIJKLMNOPQRS";
const USER = '{"user_id":"auth0|1","email":"ann@example.com","name":"Ann","email_verified":true}\n';
const PASSWORD = `{"_id":{"$oid":"1"},"passwordHash":"${HASH}"}\n`;

/** Runs `migrate auth0` in a folder that holds these files. */
async function migrate(files: Record<string, string | Buffer>, args: readonly string[] = [], world: CliWorld = {}) {
  const cwd = tempDir();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const result = await runCli(["migrate", "auth0", "--org", "1", ...args], { cwd, ...world });
  const left = readdirSync(cwd).filter((name) => !(name in files));
  return { ...result, cwd, left, read: (name: string) => readFileSync(join(cwd, name), "utf8") };
}

test.each<[string, Record<string, string | Buffer>, string[], string]>([
  ["a missing profile file", {}, [], "./users.json: no such file. Name the right file with --users."],
  [
    "a missing named password file",
    { "users.json": USER },
    ["--passwords", "p"],
    "p: no such file. Name the right file with --passwords.",
  ],
  ["a folder", { "users.json": USER }, ["--users", "."], ".: is a directory."],
  ["an empty file", { "users.json": "" }, [], "./users.json: contains no rows."],
  ["an empty password file", { "users.json": USER, "passwords.json": "" }, [], "./passwords.json: contains no rows."],
  ["an empty array", { "users.json": "[]" }, [], "./users.json: contains no rows."],
  ["blank lines only", { "users.json": "\n\n" }, [], "contains no rows."],
  [
    "a binary file",
    { "users.json": Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 89) % 251)) },
    [],
    "this is binary data, not text.",
  ],
  ["a CSV file", { "users.json": "Id,Email\nauth0|1,a@example.com\n" }, [], "this is a table."],
  ["another text", { "users.json": "no\nusers\n" }, [], "none of its 2 rows is a JSON object."],
  ["truncated gzip", { "users.json": gzipSync(USER.repeat(50)).subarray(0, 60) }, [], "the gzip data is incomplete."],
  [
    "damaged gzip",
    { "users.json": Buffer.concat([gzipSync(USER).subarray(0, 12), Buffer.alloc(40, 7)]) },
    [],
    "the gzip data is damaged.",
  ],
  [
    "an array that is cut off",
    { "users.json": `[${USER},\n{"user_id":` },
    [],
    "./users.json:3: the value that begins here never ends",
  ],
  [
    "a broken element of an array",
    { "users.json": `[\n${USER},\n{"user_id" 5}]` },
    [],
    "./users.json:4: invalid JSON.",
  ],
  [
    "a line that never ends",
    { "users.json": Buffer.alloc(20 * 2 ** 20, "x") },
    [],
    "./users.json:1: one row is longer than",
  ],
  ["an output in a place that is none", { "users.json": USER }, ["--output", "users.json/x"], "cannot be written"],
  [
    "an output where no folder can be made",
    { "users.json": USER },
    ["--output", "/proc/none/of/body.json"],
    "cannot be written",
  ],
  [
    "an output in a folder where no file can be made",
    { "users.json": USER },
    ["--output", "/proc/body.json"],
    "error: /proc/body.json: cannot be written (ENOENT). Choose a writable path with --output.",
  ],
  [
    "an output that is written as a folder",
    { "users.json": USER },
    ["--output", "new/"],
    "error: new/: is a directory. Name a file in it.",
  ],
  [
    "a report that is written as a folder",
    { "users.json": USER },
    ["--report", "new/"],
    "error: new/: is a directory. Name a file in it.",
  ],
  [
    "a file in the place of the default folder of rejects",
    { "users.json": USER, "importBody.json.rejects": "mine" },
    [],
    "importBody.json.rejects: is a file, and must be a folder. Choose a writable path with --output.",
  ],
  [
    "a folder of rejects where no folder can be made",
    { "users.json": USER },
    ["--rejects", "users.json/rejects"],
    "users.json/rejects: cannot be written (ENOTDIR). Choose a writable path with --rejects.",
  ],
  ["an output that is a folder", { "users.json": USER }, ["--output", "."], ".: is a directory. Name a file in it."],
])("%s is one line and exit 3, and nothing is left behind", async (_, files, args, text) => {
  const { exitCode, stdout, stderr, left } = await migrate(files, args);
  expect(exitCode, stderr).toBe(3);
  expect(stdout).toBe("");
  expect(stderr).toContain(text);
  expect(
    stderr
      .trimEnd()
      .split("\n")
      .filter((line) => line.startsWith("error:")),
  ).toHaveLength(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(left).toEqual([]);
});

test.each<[string, string[], string]>([
  [
    "both inputs from stdin",
    ["--users", "-", "--passwords", "-"],
    "--users - and --passwords - cannot be used together.",
  ],
  ["--split with stdout", ["--split", "5", "--output", "-"], "--split and --output - cannot be used together."],
  ["--json with stdout", ["--json", "--output", "-"], "--json and --output - cannot be used together."],
  [
    "an output that is an input",
    ["--output", "./../link/users.json"],
    "--output would overwrite the input ./users.json.",
  ],
  ["a report that is an input", ["--report", "passwords.json"], "--report would overwrite the input ./passwords.json."],
  [
    "rejects that are an input",
    ["--users", "r/users.ndjson", "--rejects", "r"],
    "--rejects would overwrite the input r/users.ndjson.",
  ],
  [
    "a folder of rejects that is the body",
    ["--output", "b", "--rejects", "./b"],
    "--output and --rejects would both write",
  ],
  [
    "a folder of rejects that is the report",
    ["--report", "b", "--rejects", "b"],
    "--report and --rejects would both write b",
  ],
  [
    "a folder of rejects that is an input",
    ["--rejects", "users.json"],
    "--rejects would overwrite the input ./users.json",
  ],
  [
    "a folder of rejects that is a part of the body",
    ["--output", "y.json", "--split", "1", "--rejects", "y-0003.json"],
    "--rejects and --split would both write y-0003.json",
  ],
])("%s is a usage error", async (_, args, text) => {
  const base = tempDir();
  const cwd = join(base, "real");
  mkdirSync(join(cwd, "r"), { recursive: true });
  symlinkSync(cwd, join(base, "link"));
  for (const name of ["users.json", "x-0002.json", "r/users.ndjson"]) writeFileSync(join(cwd, name), USER);
  writeFileSync(join(cwd, "passwords.json"), PASSWORD);
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", ...args], { cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(text) });
  expect(readFileSync(join(cwd, "users.json"), "utf8")).toBe(USER);
  expect(readFileSync(join(cwd, "passwords.json"), "utf8")).toBe(PASSWORD);
  expect(readdirSync(cwd).sort()).toEqual(["passwords.json", "r", "users.json", "x-0002.json"]);
});

test.each(["migrate", "import"])(
  "%s finds a file in the place of its folder of rejects before it does anything",
  async (command) => {
    const mock = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "One" } }] } });
    const cwd = tempDir();
    writeFileSync(join(cwd, "users.json"), USER);
    writeFileSync(join(cwd, "body.json"), testBody(testUsers(1), "1"));
    writeFileSync(join(cwd, "notes"), "mine");
    const args = command === "migrate" ? ["auth0", "--org", "1"] : ["body.json"];
    const { exitCode, stderr } = await runCli([command, ...args, "--rejects", "notes"], { cwd, env: mock.env });
    expect(exitCode).toBe(3);
    expect(stderr).toContain("notes: is a file, and must be a folder. Choose a writable path with --rejects.");
    expect(readdirSync(cwd).sort()).toEqual(["body.json", "notes", "users.json"]);
    expect(mock.requests.filter(({ path }) => path.endsWith("/import"))).toEqual([]);
  },
);

test("the files that are read are named, also one of a default path", async () => {
  const { exitCode, stderr } = await migrate({ "users.json": USER, "passwords.json": PASSWORD }, [
    "--users",
    "users.json",
  ]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(stderr).toMatch(/^input {10}users\.json, \.\/passwords\.json$/m);
});

test("the next command names what was written: all parts, these alone, and nothing that cannot be read again", async () => {
  const cwd = tempDir();
  const other = USER.replace("auth0|1", "auth0|2").replace("ann@", "bob@");
  writeFileSync(join(cwd, "users.json"), USER + other);
  const next = async (...args: string[]): Promise<string> => {
    const { stderr } = await runCli(["migrate", "auth0", "--org", "1", ...args], { cwd });
    return stderr.split("\n").find((line) => line.startsWith("Next")) ?? "";
  };
  expect(await next("--split", "1", "--output", "b.json")).toContain("import 'b-*.json' --dry-run");
  writeFileSync(join(cwd, "b-older.json"), "{}");
  expect(await next("--split", "1", "--output", "b.json")).toContain("import 'b-????.json' --dry-run");
  writeFileSync(join(cwd, "b-note.json"), "{}");
  expect(await next("--split", "1", "--output", "b.json")).toContain("import b-0001.json b-0002.json --dry-run");
  expect(await next("--output", "one.json")).toContain("import one.json --dry-run");
  expect(await next("--output", "/dev/null")).toBe("");
});

test("reads the password file from a pipe, and accounts for the rows that came through it", async () => {
  const unmatched = '{"_id":{"$oid":"2"},  "passwordHash":null}\n';
  const files = { "users.json": USER };
  const { exitCode, stderr, left, read } = await migrate(files, ["--passwords", "-"], { stdin: PASSWORD + unmatched });
  expect(exitCode, stderr).toBe(0);
  expect(read("importBody.json")).toContain(HASH);
  expect(read("importBody.json.rejects/passwords.ndjson")).toBe(unmatched);
  expect(JSON.parse(read("importBody.json.rejects/reasons.ndjson"))).toMatchObject({
    file: "-",
    line: 2,
    code: "password.unmatched",
  });
  expect(left.sort()).toEqual(["importBody.json", "importBody.json.rejects"]);
});

test("says, also with --quiet, that no password row belongs to a user", async () => {
  const other = `{"_id":{"$oid":"2"},"passwordHash":"${HASH}"}\n`;
  const { exitCode, stderr } = await migrate({ "users.json": USER, "passwords.json": other }, ["--quiet"]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain("warning: no password row (of 1) belongs to a written user.");
  expect(stderr).toContain("If these users have no password rows, use --passwords none.");
  const one = await migrate({ "users.json": USER, "passwords.json": PASSWORD + other }, ["--quiet"]);
  expect(one.stderr).not.toContain("belongs to a written user");
});

test("reads gzip from a pipe", async () => {
  const { exitCode, stderr } = await migrate({ "passwords.json": PASSWORD }, ["--users", "-"], {
    stdin: gzipSync(USER),
  });
  expect(exitCode, stderr).toBe(0);
});

test("refuses to wait for a terminal", async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const { exitCode, stderr } = await migrate({}, ["--users", "-"], { stdin });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining("stdin is a terminal") });
});

test("writes files with hashes for their owner only, and through a symbolic link", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), USER + USER);
  writeFileSync(join(cwd, "target.json"), '{"dataOrgs":{}}');
  symlinkSync("target.json", join(cwd, "link.json"));
  await runCli(["migrate", "auth0", "--org", "1", "--output", "link.json"], { cwd });
  expect(readFileSync(join(cwd, "target.json"), "utf8")).toContain("ann@example.com");
  for (const name of ["target.json", "link.json.rejects/users.ndjson", "link.json.rejects/reasons.ndjson"]) {
    expect(statSync(join(cwd, name)).mode & 0o777, name).toBe(0o600);
  }
});

test("keeps the body of an earlier run when this one fails", async () => {
  const { exitCode, read } = await migrate({ "users.json": `[${USER}`, "importBody.json": "earlier" });
  expect(exitCode).toBe(3);
  expect(read("importBody.json")).toBe("earlier");
});

test("a run that fails leaves no folder that it made, and every folder that was there", async () => {
  const output = ["--output", "new/deep/body.json"];
  const broken = { "users.json": `[${USER},\n{"user_id" 5}]` };
  expect((await migrate(broken, output)).left).toEqual([]);
  // Rows were rejected before the run failed, so that there were rejects as well.
  const later = { "users.json": `[${USER},{},\n{"user_id" 5}]`, "passwords.json": `${PASSWORD}nothing\n` };
  expect((await migrate(later, output)).left).toEqual([]);
  expect((await migrate(later, [...output, "--rejects", "more/rejects/of/it"])).left).toEqual([]);
  const strict = { "users.json": `${USER}no object\n` };
  const { exitCode, cwd: kept } = await migrate(strict, [...output, "--strict", "--rejects", "new/rejects/of/it"]);
  expect([exitCode, readdirSync(join(kept, "new"))]).toEqual([3, ["rejects"]]);
  const cwd = tempDir();
  mkdirSync(join(cwd, "there"));
  writeFileSync(join(cwd, "users.json"), "[");
  expect((await runCli(["migrate", "auth0", "--org", "1", "--output", "there/deep/body.json"], { cwd })).exitCode).toBe(
    3,
  );
  expect(readdirSync(join(cwd, "there"))).toEqual([]);
});

test("rejects can be fixed and fed back, and the same input gives the same bytes", async () => {
  const long = `{"user_id":"auth0|2","email":"bo@example.com","name":"${"x".repeat(201)}"}`;
  const first = await migrate({
    "users.json": `${USER}${long}\n`,
    "passwords.json": `${PASSWORD}{"_id":{"$oid":"2"},"passwordHash":"${HASH}"}\n`,
  });
  expect(first.exitCode).toBe(1);
  const rejects = "importBody.json.rejects";
  expect(first.read(`${rejects}/users.ndjson`)).toBe(`${long}\n`);
  writeFileSync(join(first.cwd, "fixed.ndjson"), long.replace(/x{201}/, "Bo"));
  const args = ["--users", "fixed.ndjson", "--passwords", `${rejects}/passwords.ndjson`, "--output", "second.json"];
  const second = await runCli(["migrate", "auth0", "--org", "1", ...args], { cwd: first.cwd });
  expect(second.exitCode, second.stderr).toBe(0);
  const { humanUsers } = JSON.parse(first.read("second.json")).dataOrgs.orgs[0];
  expect(humanUsers).toHaveLength(1);
  expect(humanUsers[0].user.hashedPassword.value).toBe(HASH);
  const again = await runCli(["migrate", "auth0", "--org", "1", ...args.slice(0, 5), "third.json"], { cwd: first.cwd });
  expect(again.exitCode).toBe(0);
  expect(first.read("third.json")).toBe(first.read("second.json"));
});

test("a clean run removes the rejects that an earlier one left, and a shorter split its last files", async () => {
  const { cwd, read } = await migrate({ "users.json": USER + USER.replaceAll("1", "2").replace("ann", "bo") + USER }, [
    "--split",
    "1",
  ]);
  expect(readdirSync(cwd).sort()).toEqual([
    "importBody-0001.json",
    "importBody-0002.json",
    "importBody.json.rejects",
    "users.json",
  ]);
  writeFileSync(join(cwd, "importBody.json.rejects/notes.txt"), "mine");
  writeFileSync(join(cwd, "users.json"), USER);
  await runCli(["migrate", "auth0", "--org", "1", "--split", "1"], { cwd });
  expect(readdirSync(cwd).sort()).toEqual(["importBody-0001.json", "importBody.json.rejects", "users.json"]);
  expect(readdirSync(join(cwd, "importBody.json.rejects"))).toEqual(["notes.txt"]);
  expect(JSON.parse(read("importBody-0001.json")).dataOrgs.orgs[0].humanUsers).toHaveLength(1);
});

test("--json prints the report, whose numbers add up", async () => {
  const files = { "users.json": `${USER}{"user_id":"auth0|2","email":"no"}\n`, "passwords.json": PASSWORD + PASSWORD };
  const { exitCode, stdout, read } = await migrate(files, ["--json", "--report", "report.json", "--quiet"]);
  expect(exitCode).toBe(1);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({
    schemaVersion: 1,
    command: "migrate auth0",
    exitCode: 1,
    users: { read: 2, written: 1, rejected: 1, withHash: 1, withoutHash: 0, nameFromEmail: 0 },
    passwords: { read: 2, used: 1, superseded: 1, unmatched: 0, rejected: 0 },
    reasons: { "field.email": 1 },
    outputs: [{ path: "./importBody.json", users: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    rejects: "./importBody.json.rejects",
    problems: [{ code: "field.email", file: "./users.json", line: 2, field: "email" }],
  });
  expect(JSON.parse(read("report.json"))).toMatchObject({ exitCode: 1, users: report.users });
});

test("the report is written when the run fails, too", async () => {
  const { exitCode, read } = await migrate({ "users.json": "[" }, ["--report", "report.json"]);
  expect(exitCode).toBe(3);
  expect(JSON.parse(read("report.json"))).toMatchObject({
    exitCode: 3,
    problems: [{ code: "input.unclosed", file: "./users.json", line: 1 }],
  });
});

test("with --output - stdout holds the body alone, and rejects go only where --rejects says", async () => {
  const files = { "users.json": USER + USER };
  const without = await migrate(files, ["--output", "-"]);
  expect(without.exitCode).toBe(1);
  expect(JSON.parse(without.stdout).dataOrgs.orgs[0].humanUsers).toHaveLength(1);
  expect(without.left).toEqual([]);
  const named = await migrate(files, ["--output", "-", "--rejects", "r"]);
  expect(named.left).toEqual(["r"]);
});

test("--strict lets nothing reach stdout when a row is rejected", async () => {
  const strict = await migrate({ "users.json": USER + USER }, ["--output", "-", "--strict"]);
  expect(strict).toMatchObject({ exitCode: 3, stdout: "" });
  const clean = await migrate({ "users.json": USER }, ["--output", "-", "--strict"]);
  expect(clean.exitCode).toBe(0);
  expect(JSON.parse(clean.stdout).timeout).toBe("5m0s");
});

test("no message, report or summary holds a hash or another part of a row, but for the id and login name in the report", async () => {
  const secret = "$2b$10$SECRETsecretSECRETsecretSECRETsecretSECRETsecretSECRET";
  const rows = [
    `{"_id":{"$oid":"1"},"passwordHash":"${secret}!"}`,
    `{"_id":{"$oid":"2"},"passwordHash":"${secret}"`,
    `{"_id":{"$oid":5},"passwordHash":"${secret}"}`,
    `{"tenant":"confidential","passwordHash":"${secret}"}`,
    `{"_id":{"$oid":"9"},"email":"private@example.com","passwordHash":"${secret}"}`,
  ].join("\n");
  const users = `${USER}{"user_id":"auth0|2","email":"private@","name":"Confidential"}\n{"user_id":"auth0|3","email":\n`;
  const { exitCode, stdout, stderr, read } = await migrate({ "users.json": users, "passwords.json": rows }, [
    "--json",
    "--verbose",
  ]);
  expect(exitCode).toBe(1);
  const { problems, loginNames, ...report } = JSON.parse(stdout) as {
    readonly problems: readonly { readonly code: string; readonly id?: string }[];
    readonly loginNames: Readonly<Record<string, string>>;
  };
  expect(loginNames).toEqual({ "auth0|1": "ann@example.com", "auth0|2": "private@" });
  expect(problems.filter(({ id }) => id !== undefined)).toMatchObject([
    { code: "user.bad-hash", id: "auth0|1" },
    { code: "field.email", id: "auth0|2" },
  ]);
  const said = JSON.stringify([report, problems.map((one) => ({ ...one, id: "" }))]);
  for (const text of [said, stderr, read("importBody.json.rejects/reasons.ndjson")]) {
    expect(text).not.toMatch(/secret|confidential|private|auth0\|/i);
  }
});

test("files of other programs are kept: in the rejects folder, and after the split files", async () => {
  const files = { "users.json": USER, "users.ndjson": "mine", "importBody-0002.json": "mine too" };
  const { exitCode, stderr, read } = await migrate(files, ["--rejects", ".", "--split", "5"]);
  expect(exitCode, stderr).toBe(0);
  expect([read("users.ndjson"), read("importBody-0002.json")]).toEqual(["mine", "mine too"]);
});

test("a report that cannot be written is known before the work", async () => {
  const { exitCode, left } = await migrate({ "users.json": USER }, ["--report", "users.json/report.json"]);
  expect({ exitCode, left }).toEqual({ exitCode: 3, left: [] });
});

test("of users that share an id or a name the first wins, also when all of an array stands on one line", async () => {
  const row = (id: number, email: string, name: unknown): string =>
    JSON.stringify({ user_id: `auth0|${id}`, email, name });
  const users = [row(1, "a@x.com", "A"), row(1, "a@x.com", 5), row(3, "A@x.com", "C"), row(4, "d@x.com", "D")];
  const password = (id: number, email: string): string =>
    `{"_id":{"$oid":"${id}"},"email":"${email}","passwordHash":"${HASH}"}\n`;
  const passwords = password(9, "a@x.com") + password(3, "c@x.com");
  const args = ["--output", "-", "--quiet", "--same-email", "first"];
  const lines = await migrate({ "users.json": users.join("\n"), "passwords.json": passwords }, args);
  const array = await migrate({ "users.json": `[${users.join(",")}]`, "passwords.json": passwords }, args);
  const idsOf = ({ stdout }: { stdout: string }): string[] =>
    JSON.parse(stdout).dataOrgs.orgs[0].humanUsers.map(({ userId }: { userId: string }) => userId);
  expect(idsOf(lines)).toEqual(["auth0|4", "auth0|1"]);
  expect(idsOf(array)).toEqual(idsOf(lines));
});

test("the report names what ended the run, however many rows were at fault before it", async () => {
  const files = { "users.json": `${USER}${"{}\n".repeat(600)}` };
  const { exitCode, read } = await migrate(files, ["--strict", "--report", "report.json", "--quiet"]);
  expect(exitCode).toBe(3);
  const { problems } = JSON.parse(read("report.json"));
  expect(problems).toHaveLength(1_001);
  expect(problems.at(-1)).toMatchObject({ code: "run.strict" });
});

test("a file that an option names is never written over, and one that is a pipe is refused instead of waited for", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), USER);
  const table = "auth0|1,5\n";
  writeFileSync(join(cwd, "orgs.csv"), table);
  const run = (...args: string[]) => runCli(["migrate", "auth0", "--org", "1", ...args], { cwd });
  expect((await run("--org-by", "orgs.csv", "--output", "orgs.csv")).exitCode).toBe(2);
  expect((await run("--org-by", "orgs.csv", "--report", "orgs.csv")).exitCode).toBe(2);
  expect(readFileSync(join(cwd, "orgs.csv"), "utf8")).toBe(table);
  // Also a file that cannot be used: the report of that fault must not replace it.
  const unusable = "no,table,of,users\n";
  writeFileSync(join(cwd, "orgs.csv"), unusable);
  expect((await run("--org-by", "orgs.csv")).exitCode).toBe(2);
  expect((await run("--org-by", "orgs.csv", "--report", "orgs.csv")).exitCode).toBe(2);
  expect(readFileSync(join(cwd, "orgs.csv"), "utf8")).toBe(unusable);
  makePipe("pipe.csv", cwd);
  const { exitCode, stderr } = await run("--org-by", "pipe.csv");
  expect(exitCode).toBe(3);
  expect(stderr).toContain("pipe.csv: cannot be read");
});

const DEEP = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;

test.each<[string, Record<string, string>, string[], object]>([
  [
    "a profile row",
    { "users.json": `{"user_id":"auth0|2","email":"bob@example.com","user_metadata":{"x":${DEEP}}}\n${USER}` },
    ["--metadata", "user"],
    { code: "row.too-deep", file: "./users.json", line: 1 },
  ],
  [
    "a password row",
    { "users.json": USER, "passwords.json": `{"_id":${DEEP}}\n${PASSWORD}` },
    [],
    { code: "row.too-deep", file: "./passwords.json", line: 1 },
  ],
])("%s of too many levels is rejected", async (_, files, args, problem) => {
  const { exitCode, stderr, cwd, read } = await migrate(files, [...args, "--report", "report.json"]);
  expect(exitCode, stderr).toBe(1);
  expect(JSON.parse(read("report.json")).problems).toEqual([expect.objectContaining(problem)]);
  expect(stderr).toContain("nested more than 1,000 levels. Fix the row, or export it again.");
  expect(JSON.parse(read("importBody.json")).dataOrgs.orgs[0].humanUsers).toHaveLength(1);
  expect(readdirSync(join(cwd, "importBody.json.rejects"))).toContain("reasons.ndjson");
});

test("users whose value was dropped are named by id, also on the fast path: in the report, not on the terminal", async () => {
  const users = Array.from({ length: 7 }, (_, at) => ({
    ...{ id: `id-${at}`, username: `u${at}`, email: `u${at}@example.com`, enabled: true, credentials: [] },
    ...{ firstName: "Ada", lastName: "Byron", emailVerified: true },
    attributes: { locale: [at === 3 ? "de" : "klingon"] },
  }));
  const { cwd } = inFolder(JSON.stringify({ realm: "r", users }), "realm.json");
  const run = await runCli(
    ["migrate", "keycloak", "--users", "realm.json", "--org", "1", "--output", "b.json", "--json", "--html", "p.html"],
    { cwd },
  );
  expect(run.exitCode, run.stderr).toBe(0);
  const ids = users.filter((_, at) => at !== 3).map(({ id }) => id);
  expect(JSON.parse(run.stdout).remarkedUsers).toEqual({ "language-lost": ids });
  for (const id of ids) expect(run.stderr).not.toContain(id);
  expect(run.stderr).toContain("(--report and --html name the users of these remarks)");
  expect(readFileSync(join(cwd, "p.html"), "utf8")).toContain("id-0");
});

test("a password row whose hash is null counts as used, and once more as a row without a password", async () => {
  const users = '{"user_id":"auth0|1","email":"ann@example.com","name":"Ann"}\n';
  const { cwd } = inFolder(users, "users.json");
  writeFileSync(join(cwd, "passwords.json"), '{"_id":{"$oid":"1"},"passwordHash":null}\n');
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1"], { cwd });
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain(
    "password rows  read 1 = used 1 + superseded 0 + unmatched 0 + rejected 0\n               1 row without a password: no hash, or a hash that was dropped\n",
  );
});

test("a full profile reads a locale object, and counts users with one metadata key in both sources", async () => {
  const row = (id: number, more: object): string =>
    JSON.stringify({ user_id: `auth0|${id}`, email: `u${id}@example.com`, email_verified: true, name: "Ann", ...more });
  const rows = [
    row(1, { locale: { country: "US", language: "en" } }),
    row(2, { locale: { country: "US" } }),
    row(3, { user_metadata: { lang: "de" }, app_metadata: { lang: "fr" } }),
    row(4, { user_metadata: { lang: "de" }, app_metadata: { lang: "de" } }),
  ];
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), rows.join("\n"));
  const args = ["migrate", "auth0", "--org", "1", "--profile", "full", "--metadata", "user,app", "--json"];
  const { stdout, stderr } = await runCli(args, { cwd });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { written: 4, rejected: 0 } });
  expect(JSON.parse(stdout).remarkedUsers).toMatchObject({
    "language-lost": ["auth0|2"],
    "metadata-doubled": ["auth0|3"],
  });
  const body = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
  expect(body.dataOrgs.orgs[0].humanUsers[0].user.profile.preferredLanguage).toBe("en-US");
});

test("users who sign in with a converted domain are counted, and named in the report and on the page", async () => {
  const row = (id: number, more: object): string =>
    JSON.stringify({ user_id: `auth0|${id}`, email_verified: true, name: "Ann", username: "ann", ...more });
  const rows = [
    row(1, { email: "ann@müller.de" }),
    row(2, { email: "bob@xn--mller-kva.de" }),
    row(3, { email: " cy@example.com" }),
  ];
  const { cwd } = inFolder(rows.join("\n"), "users.json");
  const args = ["migrate", "auth0", "--org", "1", "--json", "--html", "p.html"];
  const { stdout, stderr } = await runCli(args, { cwd });
  expect(stderr).toContain("1 user signs in with an e-mail address whose international domain was converted");
  expect(JSON.parse(stdout)).toMatchObject({
    remarks: { "domain-converted": 1 },
    remarkedUsers: { "domain-converted": ["auth0|1"] },
    loginNames: { "auth0|1": "ann@xn--mller-kva.de" },
  });
  expect(readFileSync(join(cwd, "p.html"), "utf8")).toContain("new login name: auth0|1 (ann@xn--mller-kva.de)");

  // With another login name, it is not converted.
  const others = await runCli([...args, "--profile", "full", "--user-name", "username"], { cwd });
  expect(JSON.parse(others.stdout).remarks, others.stderr).not.toHaveProperty("domain-converted");

  const table = inFolder("id,email,login\n1,ann@müller.de,\n2,bob@müller.de,bob@müller.de\n", "u.csv");
  const map = ["--users", "u.csv", "--map", "userId=id,email=email,userName=login"];
  const csv = await runCli(["migrate", "csv", "--org", "1", "--json", ...map], { cwd: table.cwd });
  expect(JSON.parse(csv.stdout).remarkedUsers, csv.stderr).toMatchObject({ "domain-converted": ["1"] });
});

test("users who lose second factors, links or a hash are named, on the fast path and off it", async () => {
  const user = (at: number, more: object): object => ({
    ...{ id: `id-${at}`, username: `u${at}`, email: `u${at}@example.com`, enabled: true, emailVerified: true },
    ...{ firstName: "Ada", lastName: "Byron", credentials: [] as object[], ...more },
  });
  const passkey = { type: "webauthn-passwordless", secretData: "{}", credentialData: "{}" };
  const link = { identityProvider: "google", userId: "g1", userName: "g@example.com" };
  const users = [user(0, {}), user(1, { credentials: [passkey] }), user(2, { federatedIdentities: [link] })];
  const realm = inFolder(JSON.stringify({ realm: "r", users }), "realm.json");
  const keycloak = await runCli(["migrate", "keycloak", "--users", "realm.json", "--org", "1", "--json"], realm);
  expect(JSON.parse(keycloak.stdout), keycloak.stderr).toMatchObject({
    remarkedUsers: { "factors-lost": ["id-1"], "link-lost": ["id-2"] },
    loginNames: { "id-1": "u1", "id-2": "u2" },
  });

  const rows = ["auth0|1", "google-oauth2|2", "auth0|3"].map((id, at) =>
    JSON.stringify({
      ...{ user_id: id, email: `u${at}@example.com`, name: "Ann", multifactor: at === 0 ? ["guardian"] : [] },
    }),
  );
  const { cwd } = inFolder(rows.join("\n"), "users.json");
  const argon = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI";
  writeFileSync(join(cwd, "passwords.json"), `{"_id":{"$oid":"3"},"passwordHash":"${argon}"}\n`);
  const auth0 = await runCli(["migrate", "auth0", "--org", "1", "--unverifiable", "drop", "--json"], { cwd });
  expect(JSON.parse(auth0.stdout), auth0.stderr).toMatchObject({
    remarkedUsers: { "factors-lost": ["auth0|1"], "link-lost": ["google-oauth2|2"], "hash-dropped": ["auth0|3"] },
    loginNames: { "auth0|1": "u0@example.com", "google-oauth2|2": "u1@example.com" },
  });
});

test("--quiet prints the same lines of rejected rows as a run without it", async () => {
  const row = (at: number): string =>
    JSON.stringify({ user_id: `auth0|${at}`, blocked: false, ...(at % 2 === 0 ? {} : { email: "x" }) });
  const files = { "users.json": [...Array.from({ length: 30 }, (_, at) => row(at)), USER].join("\n") };
  const linesOf = (stderr: string): readonly string[] => stderr.split("\n").filter((line) => line.startsWith("  "));
  const [loud, quiet] = await Promise.all([migrate(files), migrate(files, ["--quiet"])]);
  const lines = linesOf(quiet.stderr);
  expect(lines).toHaveLength(13);
  expect(lines[10]).toBe("  … and 20 more:");
  expect(linesOf(loud.stderr).slice(0, 13)).toEqual(lines);
  expect(quiet.stderr).toMatch(/^warning: 30 users of 31 and 0 password rows were rejected/);
});

test("keys of metadata that the service does not accept are named, and no value", async () => {
  const user = { ...JSON.parse(USER), user_metadata: { plan: "gold", essay: "secret".repeat(90_000) } };
  const args = ["--metadata", "user", "--report", "r.json"];
  const { stderr, read } = await migrate({ "users.json": JSON.stringify(user) }, args);
  expect(stderr).toContain("\nnot accepted   essay 1\n");
  expect(stderr).toContain("a value of more than 500,000 bytes");
  expect(stderr).not.toContain("secret");
  expect(JSON.parse(read("r.json")).leftBehind.metadata).toEqual({ essay: 1 });
});

test("a picture of a user who became part of another is not counted", async () => {
  const [email, picture] = ["ann@example.com", "https://example.com/a.png"];
  const own = { user_id: "auth0|1", email, email_verified: true, name: "Ann", picture };
  const linked = { ...own, user_id: "google-oauth2|7" };
  const args = ["--same-email", "link", "--idp", "google-oauth2=1", "--report", "r.json"];
  const { stderr, read } = await migrate(
    { "users.json": [own, linked].map((row) => JSON.stringify(row)).join("\n") },
    args,
  );
  expect(stderr).toContain("1 user has a picture");
  expect(JSON.parse(read("r.json"))).toMatchObject({
    users: { written: 1 },
    leftOut: { linked: 1 },
    remarks: { "picture-lost": 1 },
    remarkedUsers: { "picture-lost": ["auth0|1"] },
  });
});

test.each(["anna@müller.example", "Anna@XN--MLLER-KVA.example"])(
  "--only finds an address in both forms: %s",
  async (only) => {
    const anna = { user_id: "auth0|9", email: "anna@müller.example", email_verified: true, name: "Anna" };
    const { exitCode, stderr, read } = await migrate({ "users.json": [JSON.stringify(anna), USER].join("\n") }, [
      "--only",
      only,
    ]);
    expect(exitCode, stderr).toBe(0);
    const { humanUsers } = JSON.parse(read("importBody.json")).dataOrgs.orgs[0];
    expect(humanUsers).toMatchObject([{ user: { userName: "anna@xn--mller-kva.example" } }]);
  },
);

/** A user with a password (the first) and one of Google, with the same address. */
const shared = (own: object, google: object) => {
  const user = { email: "ann@example.com", name: "Ann" };
  return [
    { ...user, user_id: "auth0|1", ...own },
    { ...user, user_id: "google-oauth2|7", ...google },
  ].map((row) => JSON.stringify(row));
};
const [PROVED, UNPROVED] = [{ email_verified: true }, { email_verified: false }];

test.each<[string, object, object, string[], string]>([
  ["the kept address is not verified", UNPROVED, PROVED, [], "user.better-rejected"],
  ["the kept user has no such field", {}, PROVED, [], "user.better-rejected"],
  ["the kept user is blocked", { ...PROVED, blocked: true }, PROVED, [], "user.better-rejected"],
  ["the first user of the file is kept", UNPROVED, PROVED, ["--same-email", "first"], "user.better-rejected"],
  [
    "accounts are linked",
    UNPROVED,
    PROVED,
    ["--same-email", "link", "--idp", "google-oauth2=1"],
    "user.better-rejected",
  ],
  ["the join is kept in parts", UNPROVED, PROVED, ["--memory", "192MiB"], "user.better-rejected"],
  ["both are verified", PROVED, PROVED, [], "user.duplicate-name"],
  ["none is verified", UNPROVED, UNPROVED, [], "user.duplicate-name"],
  ["the rejected one is not verified", PROVED, UNPROVED, [], "user.duplicate-name"],
  ["the rejected one is blocked", UNPROVED, { ...PROVED, blocked: true }, [], "user.duplicate-name"],
  ["all count as verified", UNPROVED, PROVED, ["--email-verified"], "user.duplicate-name"],
])(
  "of two users with one name, a rejected one who is verified has a reason of its own: %s",
  async (_, own, google, args, code) => {
    const rows = shared(own, google);
    for (const users of [rows, rows.toReversed()]) {
      const isReversed = users !== rows;
      // With the first of the file, the order decides.
      if (isReversed && args.includes("first")) continue;
      for (const text of [users.join("\n"), `[${users.join(",")}]`]) {
        const files = { "users.json": text, "passwords.json": PASSWORD.replace("{", '{"email":"ann@example.com",') };
        const { exitCode, stderr, read } = await migrate(files, [...args, "--report", "r.json"]);
        expect(exitCode, stderr).toBe(1);
        const expected = isReversed && code === "user.duplicate-name" ? "user.passed-over" : code;
        expect(JSON.parse(read("r.json"))).toMatchObject({
          users: { written: 1, rejected: 1 },
          reasons: { [expected]: 1 },
        });
        if (code === "user.better-rejected") expect(stderr).toContain("this user is open and has a verified address");
      }
    }
  },
);

test("a verified user of a realm who is rejected has this reason, too", async () => {
  const cwd = tempDir();
  const users = [false, true].map((emailVerified, at) => ({
    id: `${at}`,
    username: "ann",
    email: "ann@example.com",
    firstName: "Ann",
    lastName: "Lee",
    enabled: true,
    emailVerified,
    credentials: [],
  }));
  writeFileSync(join(cwd, "realm.json"), JSON.stringify({ realm: "r", users }));
  const { stdout } = await runCli(["migrate", "keycloak", "--org", "1", "--users", "realm.json", "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ users: { written: 1 }, reasons: { "user.better-rejected": 1 } });
});

const account = { user_id: "auth0|1", email: "ann@example.com", name: "Ann" };
const NOT_BLOCKED = "no row has blocked or identities";
const NOT_VERIFIED = "no row has email_verified";

test.each<[object, readonly string[], readonly string[]]>([
  [account, [], [NOT_BLOCKED, NOT_VERIFIED]],
  [account, ["--profile", "full"], [NOT_BLOCKED, NOT_VERIFIED]],
  [account, ["--unblock", "--no-email-verified"], []],
  [{ ...account, email_verified: false, blocked: false }, [], []],
  // Auth0 has blocked only of users who are or were blocked.
  [{ ...account, email_verified: false, identities: [] }, [], []],
  [
    { ...account, email: null, identifiers: [{ type: "email", value: "a@example.com", verified: true }] },
    [],
    [NOT_BLOCKED],
  ],
])("what users lose by fields that no row of an export has is a warning: %j, %j", async (row, args, expected) => {
  const { stdout } = await migrate({ "users.json": JSON.stringify(row) }, ["--json", ...args]);
  const { warnings: warned = [] } = JSON.parse(stdout) as { readonly warnings?: readonly string[] };
  expect(warned.map((line) => [NOT_BLOCKED, NOT_VERIFIED].find((text) => line.startsWith(text)))).toEqual(expected);
});
