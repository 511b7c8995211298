import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { type OutputOptions, openOutput } from "../../../../src/io/output/output.ts";
import { ownMark } from "../../../../src/io/process-mark.ts";
import { ProblemError } from "../../../../src/problem.ts";
import { hasPipes, makePipe } from "../../../helpers/pipes.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

function options(cwd: string, more: Partial<OutputOptions> = {}): OutputOptions {
  const { signal } = new AbortController();
  return { cwd, stdout: new PassThrough(), cleanUp: createCleanUp(), signal, ...more };
}

async function writeOut(path: string, content: string, settings: OutputOptions): Promise<void> {
  const output = openOutput(path, settings);
  try {
    await output.write(Buffer.from(content));
    await output.commit();
  } finally {
    output.discard();
  }
}

/** The number of a process that has ended. */
function deadPid(): number {
  return Number(execFileSync("sh", ["-c", "echo $$"]).toString());
}

function leftOver(name: string, mark: Partial<ReturnType<typeof ownMark>>): string {
  const { machine, pid, started } = { ...ownMark(), ...mark };
  return `.${name}.orgferry-${machine}-${pid}-${started}-0123abcd.tmp`;
}

test("the next run removes the files of a killed run, but not those of a living or unknown one", async () => {
  const cwd = tempDir();
  const gone = { pid: deadPid(), started: "7" };
  const left = {
    mine: leftOver("body.json", gone),
    other: leftOver("other.json", gone),
    living: leftOver("body.json", {}),
    elsewhere: leftOver("body.json", { ...gone, machine: "00000000" }),
    elsewhereOther: leftOver("other.json", { ...gone, machine: "00000000" }),
    notOurs: ".body.json.backup.tmp",
  };
  for (const name of Object.values(left)) writeFileSync(join(cwd, name), "hashes");
  const folder = leftOver("folder", gone);
  mkdirSync(join(cwd, folder));
  const told: string[] = [];
  await writeOut("body.json", "new", options(cwd, { onOrphan: (path) => told.push(path) }));
  const { living, elsewhere, elsewhereOther, notOurs } = left;
  expect(readdirSync(cwd).sort()).toEqual([living, elsewhere, elsewhereOther, notOurs, folder, "body.json"].sort());
  expect(told).toEqual([join(cwd, elsewhere)]);
});

test("the name of a temporary file identifies its process, and is valid for the longest name of an output", async () => {
  const cwd = tempDir();
  for (const name of ["body.json", `${"ü".repeat(125)}.json`]) {
    const output = openOutput(name, options(cwd));
    const [temporary] = readdirSync(cwd).filter((entry) => entry.endsWith(".tmp"));
    const { machine, pid, started } = ownMark();
    expect(temporary).toContain(`.orgferry-${machine}-${pid}-${started}-`);
    await output.commit();
    expect(existsSync(join(cwd, name))).toBe(true);
  }
  expect(readdirSync(cwd).some((entry) => entry.endsWith(".tmp"))).toBe(false);
});

test.skipIf(process.platform === "win32")("files and folders are for the user alone", async () => {
  const cwd = tempDir();
  await writeOut("deep/er/body.json", "x", options(cwd));
  const mode = (path: string): number => statSync(join(cwd, path)).mode & 0o777;
  expect([mode("deep"), mode("deep/er"), mode("deep/er/body.json")]).toEqual([0o700, 0o700, 0o600]);
});

test.runIf(process.geteuid?.() === 0)("nothing is written through a link that another user planted", async () => {
  const shared = tempDir();
  chmodSync(shared, 0o1777);
  const victim = join(tempDir(), "precious");
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(shared, "body.json"));
  await writeOut("body.json", "through my own link", options(shared));
  expect(readFileSync(victim, "utf8")).toBe("through my own link");
  lchownSync(join(shared, "body.json"), 12_345, 12_345);
  await expect(writeOut("body.json", "hashes", options(shared))).rejects.toMatchObject({
    problem: { code: "output.planted" },
  });
  expect(readFileSync(victim, "utf8")).toBe("through my own link");
  expect(readdirSync(shared)).toEqual(["body.json"]);
});

test.runIf(hasPipes)("a pipe with a late or slow reader is written to its end", async () => {
  const path = makePipe();
  const content = "row\n".repeat(200_000);
  const writing = writeOut(path, content, options("/"));
  const read = await readFile(path, "utf8");
  await writing;
  expect(read === content).toBe(true);
});

test.runIf(hasPipes)("a pipe without a reader is waited for until the run is interrupted", async () => {
  const controller = new AbortController();
  const reason = new ProblemError({ code: "run.aborted", signal: "SIGINT" });
  const waiting = writeOut(makePipe(), "x", options("/", { signal: controller.signal }));
  setImmediate(() => controller.abort(reason));
  await expect(waiting).rejects.toBe(reason);
});

test.runIf(hasPipes)("an interrupted run releases a pipe that is not read", async () => {
  const controller = new AbortController();
  const reason = new ProblemError({ code: "run.aborted", signal: "SIGINT" });
  const path = makePipe();
  // Holds the pipe open and reads nothing.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(fd));
  const waiting = writeOut(path, "x".repeat(1_000_000), options("/", { signal: controller.signal }));
  setImmediate(() => controller.abort(reason));
  await expect(waiting).rejects.toBe(reason);
});

test.runIf(hasPipes)("`commit` raises the failure of a write that was not awaited", async () => {
  const path = makePipe();
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const output = openOutput(path, options("/"));
  await output.write(Buffer.from("x"));
  closeSync(fd);
  void output.write(Buffer.from("y"));
  await expect(Promise.resolve(output.commit())).rejects.toMatchObject({ name: "ReaderGone" });
  output.discard();
});
