import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { readStateFile, writeStateFile } from "../../../../src/io/state/state-file.ts";
import { ProblemError } from "../../../../src/problem.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const BEGINNING = '{"orgferry":"state","version":';
const content = { head: { key: "k", orgs: ["a", "ä"] }, words: [new Uint32Array([1, 0xffffffff]), new Uint32Array()] };

function folder() {
  const cwd = tempDir();
  const options = { cwd, stdout: new Writable(), cleanUp: createCleanUp(), signal: new AbortController().signal };
  return { cwd, options, path: join(cwd, "state") };
}

test("a state is read as it was written, and only its owner may read the file", async () => {
  const { options, path } = folder();
  expect(readStateFile("state", options)).toBeUndefined();
  await writeStateFile("state", content, options);
  expect(readStateFile("state", options)).toEqual(content);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await writeStateFile("state", { ...content, head: {} }, options);
  expect(readStateFile("state", options)).toMatchObject({ head: {} });
});

test("a changed byte and a missing end are noticed", async () => {
  const { options, path } = folder();
  await writeStateFile("state", content, options);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at += 1) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] as number) ^ 1;
    writeFileSync(path, changed);
    if (at < BEGINNING.length) expect(() => readStateFile("state", options)).toThrow(ProblemError);
    else if (at === BEGINNING.length) expect(readStateFile("state", options), `byte ${at}`).toBe("other-version");
    else expect(readStateFile("state", options), `byte ${at}`).toBe("broken");
    writeFileSync(path, whole.subarray(0, at));
    expect(readStateFile("state", options), `cut at ${at}`).toBe(at === 0 ? undefined : "broken");
  }
});

test("lists of any length are read as they were written, and every line is JSON", async () => {
  const { options, path } = folder();
  const words = [0, 1, 12_288, 12_289, 40_000].map((length) => new Uint32Array(length).map((_, at) => at * 0x9e3779b1));
  await writeStateFile("state", { head: null, words }, options);
  expect(readStateFile("state", options)).toEqual({ head: null, words });
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([
    ["orgferry", "version", "lengths", "head"],
    ...Array(1 + 1 + 2 + 4).fill(["words"]),
    ["sha256"],
  ]);
});

test("a state of another version is not read", () => {
  const { options, path } = folder();
  for (const text of [
    "orgferry state 1\n{}\n\u0001\u0002",
    "orgferry state",
    `${BEGINNING}2,"lengths":[],"head":{}}\n`,
  ]) {
    writeFileSync(path, text);
    expect(readStateFile("state", options), text).toBe("other-version");
  }
});

test("a file of another kind is no state", () => {
  const { options, path } = folder();
  writeFileSync(path, "my notes\n");
  expect(() => readStateFile("state", options)).toThrow(
    expect.objectContaining({ problem: { code: "state.not-one", file: "state" } }),
  );
});
