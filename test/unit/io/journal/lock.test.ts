import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { type JournalLock, lockJournal } from "../../../../src/io/journal/lock.ts";
import { ownMark } from "../../../../src/io/process-mark.ts";
import { ProblemError } from "../../../../src/problem.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const since = "2030-01-01T00:00:00.000Z";
const options = { cleanUp: createCleanUp(), now: () => new Date(since) };

function journalPath(): string {
  return join(tempDir(), "journal.ndjson");
}

function take(journal: string): JournalLock {
  const lock = lockJournal(journal, options);
  onTestFinished(() => lock.release());
  return lock;
}

function problemOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

/** A lock file as another run would have left it, so long ago. */
function leave(journal: string, content: string, agoMs = 0): void {
  writeFileSync(`${journal}.lock`, content);
  const at = (Date.now() - agoMs) / 1_000;
  utimesSync(`${journal}.lock`, at, at);
}

const owner = (fields: object): string => JSON.stringify({ ...ownMark(), host: "h", since, ...fields });
const elsewhere = owner({ machine: "00000000" });

test("a second run is refused with the owner of the lock until the first releases it", () => {
  const journal = journalPath();
  const lock = take(journal);
  lock.check();
  const content = readFileSync(`${journal}.lock`, "utf8");
  expect(JSON.parse(content)).toEqual({ ...ownMark(), host: hostname(), since });
  expect(problemOf(() => lockJournal(journal, options))).toMatchObject({
    code: "journal.locked",
    journal,
    lock: `${journal}.lock`,
    owner: { pid: process.pid, host: hostname(), since },
    isRunning: true,
  });
  expect(readFileSync(`${journal}.lock`, "utf8")).toBe(content);
  lock.release();
  lock.release();
  expect(readdirSync(dirname(journal))).toEqual([]);
  take(journal).check();
});

test("the lock of a dead process is taken over", () => {
  const journal = journalPath();
  const pid = Number(execFileSync("sh", ["-c", "echo $$"]).toString());
  leave(journal, owner({ pid }));
  take(journal).check();
  expect(JSON.parse(readFileSync(`${journal}.lock`, "utf8"))).toMatchObject({ pid: process.pid });
  expect(readdirSync(dirname(journal))).toEqual(["journal.ndjson.lock"]);
});

test.each([
  ["of a run elsewhere", elsewhere, { pid: process.pid, host: "h", since }],
  ["that says nothing", "", undefined],
])("a lock %s holds until it has been silent for two minutes", (_, content, named) => {
  const journal = journalPath();
  leave(journal, content, 100_000);
  const problem = problemOf(() => lockJournal(journal, options)) as { owner: unknown; isRunning: boolean };
  expect(problem).toMatchObject({ code: "journal.locked", isRunning: false });
  if (named === undefined) expect(problem.owner).toBeUndefined();
  else expect(problem.owner).toMatchObject(named);
  leave(journal, content, 125_000);
  take(journal).check();
});

test("a run that lost its lock notices, and keeps the lock of the other run", () => {
  const journal = journalPath();
  const lock = take(journal);
  rmSync(`${journal}.lock`);
  leave(journal, elsewhere);
  expect(problemOf(() => lock.check())).toMatchObject({ code: "journal.locked", isRunning: false });
  lock.release();
  expect(existsSync(`${journal}.lock`)).toBe(true);
  rmSync(`${journal}.lock`);
});

test("is released when the run stops at once", () => {
  const journal = journalPath();
  const cleanUp = createCleanUp();
  lockJournal(journal, { ...options, cleanUp });
  cleanUp.runAll();
  expect(readdirSync(dirname(journal))).toEqual([]);
});

test("a read-only folder is reported", () => {
  expect(problemOf(() => lockJournal("/proc/journal", options))).toMatchObject({ code: "output.unwritable" });
});

test("the next run removes files of a run that died while it created its lock, but not those of a living run", () => {
  const journal = journalPath();
  const pid = Number(execFileSync("sh", ["-c", "echo $$"]).toString());
  writeFileSync(`${journal}.lock.0a1b2c3d`, owner({ pid }));
  writeFileSync(`${journal}.lock.aaaaaaaa`, owner({}));
  writeFileSync(`${journal}.lock.bbbbbbbb`, "");
  writeFileSync(`${journal}.lock.mine`, owner({ pid }));
  symlinkSync("nowhere", `${journal}.lock.cccccccc`);
  take(journal).check();
  expect(readdirSync(dirname(journal)).sort()).toEqual(
    ["", ".aaaaaaaa", ".bbbbbbbb", ".cccccccc", ".mine"].map((end) => `journal.ndjson.lock${end}`),
  );
});
