import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalEntry } from "../../src/core/transfer/journal-entries.ts";
import { readJournal } from "../../src/io/journal/journal.ts";
import { toRecord } from "../../src/io/journal/record.ts";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock } from "../helpers/start-mock.ts";

// Version 0.1.0 wrote this journal: a body of 12 users, five per call, and the answer to the second call was lost.
const FIXTURE = "fixtures/journals/version-5.ndjson";
const FLAGS = ["--batch-users", "5", "--concurrency", "1", "--no-mail", "--org-map", "org1=org2"];

/** The entries of the fixture, as a journal of a job on another target; `change` changes some. */
function journalFor(target: string, change: (entry: JournalEntry) => object = (entry) => entry): string {
  const entries: JournalEntry[] = [];
  readJournal(FIXTURE, (entry) => void entries.push(entry));
  let before = "";
  return entries
    .map((entry) => {
      const changed = change(entry.kind === "job" ? { ...entry, target } : entry) as JournalEntry; // or what no run writes
      const { line, checksum } = toRecord(changed, before);
      before = checksum;
      return `${line}\n`;
    })
    .join("");
}

/** The folder of the interrupted job, and a target that holds what its two calls created. */
async function interruptedJob() {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org2", org: { name: "Two" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(12)));
  const { cwd: other } = inFolder(testBody(testUsers(10)));
  await importJson([file, ...FLAGS], { cwd: other, env: mock.env });
  writeFileSync(join(cwd, "body.json.journal.ndjson"), journalFor(mock.url));
  return { mock, world: { cwd, env: mock.env }, args: [file, "--resume"] };
}

test("a journal of version 0.1.0 is continued with the same settings", async () => {
  const { mock, world, args } = await interruptedJob();
  const before = mock.requests.length;
  const { report } = await importJson([...args, ...FLAGS], world);
  expect(report).toMatchObject({ exitCode: 0, users: { read: 12, sent: 12, created: 12, alreadyThere: 0 } });
  const sent = mock.requests.slice(before).filter(({ path }) => path.endsWith("/import"));
  expect(sent).toHaveLength(2);
  const ids = readFileSync(join(world.cwd, "body.json.manifest.ndjson"), "utf8").match(/"id":"u\d+"/g);
  expect(ids).toHaveLength(12);
});

test.each([["--via", "users"], ["--org-map", "org3=org4"], ["--update"]])(
  "a journal of version 0.1.0 is refused with %s %s",
  async (...flags) => {
    const { mock, world, args } = await interruptedJob();
    const before = mock.requests.length;
    const { report } = await importJson([...args, ...FLAGS, ...flags.filter((flag) => flag !== undefined)], world);
    expect(report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.other-settings" }] });
    const [{ message }] = report.problems as [{ message: string }];
    expect(message).toContain(`other settings (${flags[0]}). Use the flags of that run, or start again with --restart`);
    expect(mock.requests.length).toBe(before);
  },
);

test("the problem of other settings has the command of the earlier run, which continues it", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(9)));
  const world = { cwd, env: mock.env };
  mock.addFault({ endpoint: "import", fault: "401", skip: 1, times: 1 });
  const flags = ["--batch-users", "2", "--concurrency", "1", "--no-mail"];
  expect((await importJson([file, ...flags], world)).report.exitCode).toBe(4);
  const path = join(cwd, `${file}.journal.ndjson`);
  const before = readFileSync(path, "utf8");
  const { report } = await importJson([file, "--resume"], world);
  const command = `orgferry import ${file} --target ${mock.url} --batch-users 2 --concurrency 1 --no-mail --json --resume`;
  const [{ message }] = report.problems as [{ message: string }];
  expect(message).toContain("belongs to a run with other settings (--no-mail).");
  expect(message).toContain(`Use the flags of that run (${command}), or start again with --restart`);
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(before).not.toContain(mock.token);
  const again = await importJson(command.split(" ").slice(2), world);
  expect(again.report).toMatchObject({ exitCode: 0, users: { read: 9, created: 9 } });
});

test.each([
  ["job", { mark: "soon" }, "journal.broken"],
  ["job", { mark: "+275760-09-13T00:00:00.001Z" }, "journal.broken"],
  ["sending", { from: 7, to: 2 }, "journal.broken"],
  ["sending", { from: 0.5, to: 2 }, "journal.broken"],
  ["sending", { to: 9_000_000 }, "journal.other-input"],
  ["done", { created: -9 }, "journal.broken"],
  ["done", { made: [[4, 1]] }, "journal.broken"],
  ["done", { made: [[900, 904]] }, "journal.broken"],
  ["done", { to: 1e9 }, "journal.other-input"],
])("a journal whose checksums are right and whose %s says %j is not continued", async (kind, wrong, code) => {
  const { mock, world, args } = await interruptedJob();
  const poison = (entry: JournalEntry): object => (entry.kind === kind ? { ...entry, ...wrong } : entry);
  writeFileSync(join(world.cwd, "body.json.journal.ndjson"), journalFor(mock.url, poison));
  const { report } = await importJson([...args, ...FLAGS], world);
  expect(report).toMatchObject({ exitCode: 3, problems: [{ code }] });
  const [file = ""] = args;
  const again = await importJson([file, "--restart", ...FLAGS], world);
  expect(again.report).toMatchObject({ exitCode: 0, users: { read: 12, unknown: 0 } });
});
