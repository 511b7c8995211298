import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { JournalEntry } from "../../../../src/core/transfer/journal-entries.ts";
import {
  createJournal,
  type Disk,
  hasJournal,
  type JournalEnd,
  openJournal,
  readJournal,
} from "../../../../src/io/journal/journal.ts";
import { ProblemError } from "../../../../src/problem.ts";
import { doneEntry, jobEntry } from "../../../helpers/journal-entries.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const sending = (from: number): JournalEntry => ({ kind: "sending", from, to: from + 9 });
const done = (from: number): JournalEntry =>
  doneEntry(from, from + 9, {
    created: 9,
    made: [[from, from + 8]],
    failed: 1,
    unknown: ["ü1"],
    others: { "2": { created: 1, alreadyThere: 0, failed: 0 }, org: { created: 0, alreadyThere: 1, failed: 0 } },
    failures: [
      { type: "human_user", id: "u1", message: 'a "message"\n\u2028', cause: "other" as never, item: 4, line: 5 },
    ],
  });
const entries = [jobEntry, sending(0), done(0), sending(10), done(10)];
const lock = { check() {} };

function journalPath(): string {
  return join(tempDir(), "journal.ndjson");
}

/** Writes a journal with these entries and returns its path. */
function written(steps: readonly JournalEntry[] = entries): string {
  const path = journalPath();
  const journal = createJournal(path, lock, []);
  for (const step of steps) journal.append(step);
  journal.close();
  return path;
}

function read(path: string): JournalEntry[] {
  const taken: JournalEntry[] = [];
  readJournal(path, (entry) => taken.push(entry));
  return taken;
}

function problemOf(work: () => unknown): ProblemError["problem"] | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

/** Where a journal ends that has something in it. */
function endOf(path: string): JournalEnd {
  const end = readJournal(path, () => {});
  if (end === undefined) throw new Error("an empty journal");
  return end;
}

test("a journal is read back, and a later run appends to it", () => {
  const path = written(entries.slice(0, 3));
  const end = endOf(path);
  const journal = openJournal(path, lock, end);
  for (const entry of entries.slice(3)) journal.append(entry);
  journal.close();
  expect(read(path)).toEqual(entries);
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(entries.length + 1);
  if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("every changed byte is detected, with its line", () => {
  const path = written();
  const good = readFileSync(path);
  let line = 1;
  for (let at = 0; at < good.length; at += 1) {
    const bad = Buffer.from(good);
    bad[at] = good[at] === 0x31 ? 0x32 : 0x31; // a digit where none was, or another one
    writeFileSync(path, bad);
    const taken: JournalEntry[] = [];
    const problem = problemOf(() => readJournal(path, (entry) => taken.push(entry)));
    if (good[at] === 0x0a) {
      // The last line without its end is taken for one that was being written.
      if (at === good.length - 1) expect(taken).toEqual(entries.slice(0, -1));
      else expect(problem).toEqual({ code: "journal.broken", journal: path, line });
      line += 1;
    } else if (problem?.code === "journal.broken") expect(problem.line).toBe(line);
    else expect(problem?.code).toMatch(/^journal\.(not-one|other-version)$/);
    expect(taken).toEqual(entries.slice(0, taken.length));
  }
});

test.each<[string, (lines: string[]) => string[], number]>([
  ["missing", (lines) => lines.toSpliced(2, 1), 3],
  ["there twice", (lines) => lines.toSpliced(2, 0, lines[1] as string), 3],
  ["out of order", ([a, b, c, ...rest]) => [a, c, b, ...rest] as string[], 2],
  ["empty", (lines) => lines.toSpliced(3, 0, ""), 4],
  ["not of ours", (lines) => lines.toSpliced(4, 0, "null"), 5],
  [
    "of another journal",
    (lines) =>
      lines.with(1, readFileSync(written([{ ...jobEntry, input: "cd" }, sending(0)]), "utf8").split("\n")[1] as string),
    2,
  ],
])("a line that is %s is detected", (_, damage, line) => {
  const path = written();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(path, `${damage(lines).join("\n")}\n`);
  expect(problemOf(() => read(path))).toEqual({ code: "journal.broken", journal: path, line });
});

test("an incomplete last record is cut off, and an incomplete first one is damage", () => {
  const path = written();
  const good = readFileSync(path);
  const ends = [...good.keys()].filter((at) => good[at] === 0x0a).map((at) => at + 1);
  for (let length = 0; length < good.length; length += 1) {
    writeFileSync(path, good.subarray(0, length));
    const whole = ends.filter((end) => end <= length).length;
    if (length > 0 && whole === 0) {
      expect(problemOf(() => read(path))).toEqual({ code: "journal.broken", journal: path, line: 1 });
      expect(statSync(path).size).toBe(length);
      continue;
    }
    expect(read(path)).toEqual(entries.slice(0, whole));
    expect(statSync(path).size).toBe(whole === 0 ? 0 : ends[whole - 1]);
  }
});

test("a temporarily full disk leaves no partial line", () => {
  const path = journalPath();
  let room = Number.POSITIVE_INFINITY;
  let syncs = true;
  const disk: Disk = {
    write(fd, bytes, from) {
      const part = bytes.subarray(from, from + Math.min(bytes.length - from, 7, room));
      room -= part.length;
      if (part.length === 0) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      return writeSync(fd, part);
    },
    sync() {
      if (!syncs) throw Object.assign(new Error("full"), { code: "EDQUOT" });
    },
  };
  const journal = createJournal(path, lock, [], disk);
  journal.append(jobEntry);
  room = 20;
  expect(problemOf(() => journal.append(sending(0)))).toEqual({ code: "output.full", file: path });
  room = Number.POSITIVE_INFINITY;
  journal.append(sending(10));
  syncs = false;
  expect(problemOf(() => journal.append(sending(20)))).toEqual({ code: "output.full", file: path });
  syncs = true;
  journal.append(sending(30));
  room = 3;
  expect(problemOf(() => journal.append(sending(40)))).toEqual({ code: "output.full", file: path });
  journal.close();
  expect(read(path)).toEqual([jobEntry, sending(10), sending(30)]);
});

test("a record that may wait reaches the disk with the next one, in one write and in order", () => {
  const path = journalPath();
  let syncs = 0;
  const disk: Disk = {
    write: (fd, bytes, from) => writeSync(fd, bytes, from),
    sync() {
      syncs += 1;
    },
  };
  const journal = createJournal(path, lock, [jobEntry], disk);
  journal.appendSoon(sending(0));
  journal.appendSoon(sending(10));
  expect(read(path)).toEqual([jobEntry]);
  journal.append(sending(20));
  expect(syncs).toBe(2);
  expect(read(path)).toEqual([jobEntry, sending(0), sending(10), sending(20)]);
  journal.appendSoon(sending(30));
  journal.close();
  expect(read(path).at(-1)).toEqual(sending(30));
});

test("a record that may wait reaches the disk at the end of the turn of the event loop", async () => {
  const path = journalPath();
  const journal = createJournal(path, lock, [jobEntry]);
  journal.appendSoon(sending(0));
  await new Promise((done) => setImmediate(done));
  expect(read(path)).toEqual([jobEntry, sending(0)]);
  journal.close();
});

test("the next record raises the failure of a waiting one, which is not lost", async () => {
  const path = journalPath();
  let isFull = false;
  const disk: Disk = {
    write(fd, bytes, from) {
      if (isFull) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      return writeSync(fd, bytes, from);
    },
    sync() {},
  };
  const journal = createJournal(path, lock, [jobEntry], disk);
  isFull = true;
  journal.appendSoon(sending(0));
  await new Promise((done) => setImmediate(done));
  expect(problemOf(() => journal.append(sending(10)))).toEqual({ code: "output.full", file: path });
  expect(problemOf(() => journal.flush())).toEqual({ code: "output.full", file: path });
  isFull = false;
  journal.flush();
  journal.close();
  expect(read(path)).toEqual([jobEntry, sending(0)]);
});

test("an older journal is replaced only when the first entries of the new one are on the disk", () => {
  const path = written([jobEntry, done(0)]);
  const earlier: JournalEntry = { kind: "earlier", made: [[0, 8]], lost: [] };
  let room = 200;
  const disk: Disk = {
    write(fd, bytes, from) {
      const part = bytes.subarray(from, from + Math.min(bytes.length - from, room));
      room -= part.length;
      if (part.length === 0) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      return writeSync(fd, part);
    },
    sync() {},
  };
  const begin = () => createJournal(path, lock, [{ ...jobEntry, id: "j2" }, earlier], disk);
  expect(problemOf(begin)).toEqual({ code: "output.full", file: path });
  expect(read(path)).toEqual([jobEntry, done(0)]);
  expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  room = Number.POSITIVE_INFINITY;
  const journal = begin();
  journal.append(sending(10));
  journal.close();
  expect(read(path)).toEqual([{ ...jobEntry, id: "j2" }, earlier, sending(10)]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a journal of an earlier version is refused, and replaced when the job starts over", () => {
  const path = journalPath();
  writeFileSync(path, '{"kind":"job","schemaVersion":1,"input":"ab","target":"https://t","container":"dataOrgs"}\n');
  expect(hasJournal(path)).toBe(true);
  expect(problemOf(() => read(path))).toEqual({ code: "journal.other-version", journal: path });
  const journal = createJournal(path, lock, []);
  journal.append(jobEntry);
  journal.close();
  expect(read(path)).toEqual([jobEntry]);
});

test("a link is refused", () => {
  const folder = tempDir();
  const real = written();
  const path = join(folder, "journal.ndjson");
  symlinkSync(real, path);
  for (const use of [() => hasJournal(path), () => read(path), () => createJournal(path, lock, [])]) {
    expect(problemOf(use)).toEqual({ code: "journal.link", journal: path });
  }
  const dangling = join(folder, "dangling");
  symlinkSync(join(folder, "nowhere"), dangling);
  expect(problemOf(() => createJournal(dangling, lock, []))).toEqual({ code: "journal.link", journal: dangling });
  expect(existsSync(join(folder, "nowhere"))).toBe(false);
});

test.runIf(process.geteuid?.() === 0)("a journal that another user put into a shared folder is not believed", () => {
  const shared = tempDir();
  chmodSync(shared, 0o1777);
  const path = join(shared, "journal.ndjson");
  writeFileSync(path, readFileSync(written()));
  chownSync(path, 12_345, 12_345);
  expect(problemOf(() => read(path))).toEqual({ code: "output.planted", file: path, at: path });
});

test("nothing is recorded or removed after another run took the lock", () => {
  const path = written();
  const end = endOf(path);
  const lost = {
    check() {
      throw new ProblemError({ code: "journal.locked", journal: path, lock: "", owner: undefined, isRunning: true });
    },
  };
  const journal = openJournal(path, lost, end);
  expect(problemOf(() => journal.append(sending(20)))?.code).toBe("journal.locked");
  expect(problemOf(() => journal.remove())?.code).toBe("journal.locked");
  expect(read(path)).toEqual(entries);
});

test("a journal that changed after it was read is not appended to", () => {
  const path = written();
  const end = endOf(path);
  writeFileSync(path, "\n", { flag: "a" });
  expect(problemOf(() => openJournal(path, lock, end))).toEqual({ code: "input.changed", file: path });
});
