import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { readStateFile, writeStateFile } from "../../../../src/io/state/state-file.ts";
import { ProblemError } from "../../../../src/problem.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const content = { head: { key: "k", orgs: ["a", "ä"] }, words: [new Uint32Array([1, 0xffffffff]), new Uint32Array()] };

function folder() {
  const cwd = tempDir();
  const options = { cwd, stdout: new Writable(), cleanUp: createCleanUp(), signal: new AbortController().signal };
  return { cwd, options, path: join(cwd, "state") };
}

test("what was written is read, and nobody else may read it", async () => {
  const { options, path } = folder();
  expect(readStateFile("state", options)).toBeUndefined();
  await writeStateFile("state", content, options);
  expect(readStateFile("state", options)).toEqual(content);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await writeStateFile("state", { ...content, head: {} }, options);
  expect(readStateFile("state", options)).toMatchObject({ head: {} });
});

test("whatever is changed or cut off is noticed", async () => {
  const { options, path } = folder();
  await writeStateFile("state", content, options);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at += 1) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] as number) ^ 1;
    writeFileSync(path, changed);
    if (at < 17) expect(() => readStateFile("state", options)).toThrow(ProblemError);
    else expect(readStateFile("state", options), `byte ${at}`).toBe("broken");
    writeFileSync(path, whole.subarray(0, at));
    expect(readStateFile("state", options), `cut at ${at}`).toBe(at === 0 ? undefined : "broken");
  }
});

test("a file of another kind is nobody's state", () => {
  const { options, path } = folder();
  writeFileSync(path, "my notes\n");
  expect(() => readStateFile("state", options)).toThrow(
    expect.objectContaining({ problem: { code: "state.not-one", file: "state" } }),
  );
});
