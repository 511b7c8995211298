import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { lifeOf, ownMark } from "../../../src/io/process-mark.ts";
import { until } from "../../helpers/start-line.ts";

test("this process runs, and its mark does not change", () => {
  expect(lifeOf(ownMark())).toBe("running");
  expect(ownMark()).toEqual(ownMark());
});

test("a process that has ended is gone", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  const mark = { ...ownMark(), pid: child.pid as number, started: "0" };
  expect(lifeOf(mark)).toBe("running");
  await once(child, "exit");
  expect(lifeOf(mark)).toBe("gone");
});

test("the life of a process on another machine, or before its last start, is unknown", () => {
  expect(lifeOf({ ...ownMark(), machine: "00000000" })).toBe("unknown");
});

test.runIf(process.platform === "linux")("a number that another process has by now is no mark of the first one", () => {
  expect(ownMark().started).not.toBe("0");
  expect(lifeOf({ ...ownMark(), started: "1" })).toBe("gone");
});

test.runIf(process.platform === "linux")("a zombie is gone", async () => {
  // Its parent, a shell that becomes `sleep` while it waits for a word on descriptor 3, never takes note of its end.
  const script = "sh -c 'read word <&3' & echo $!; exec sleep 30";
  const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit", "pipe"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = (await once(parent.stdout as Readable, "data")) as [Buffer];
  const mark = { ...ownMark(), pid: Number(line.toString()), started: "0" };
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
  expect(lifeOf(mark)).toBe("running");
  (parent.stdio[3] as Writable).end("word\n");
  await until(() => lifeOf(mark) === "gone");
  expect(() => process.kill(mark.pid, 0)).not.toThrow();
});
