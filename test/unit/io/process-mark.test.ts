import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { lifeOf, ownMark } from "../../../src/io/process-mark.ts";

test("this process runs, and keeps its mark", () => {
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

test("of a process elsewhere, or before the machine was started anew, nothing is known", () => {
  expect(lifeOf({ ...ownMark(), machine: "00000000" })).toBe("unknown");
});

test.runIf(process.platform === "linux")(
  "a number that another process has by now says nothing of the first one",
  () => {
    expect(ownMark().started).not.toBe("0");
    expect(lifeOf({ ...ownMark(), started: "1" })).toBe("gone");
  },
);

test.runIf(process.platform === "linux")("a zombie is gone", async () => {
  // Its parent, a shell that became `sleep`, never asks.
  const parent = spawn("sh", ["-c", "sh -c 'exit 0' & echo $!; exec sleep 30"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const mark = { ...ownMark(), pid: Number(line.toString()), started: "0" };
  try {
    while (lifeOf(mark) !== "gone") await new Promise((done) => setTimeout(done, 5));
    expect(() => process.kill(mark.pid, 0)).not.toThrow();
  } finally {
    parent.kill("SIGKILL");
  }
});
