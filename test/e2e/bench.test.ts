import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";

/** The program without anything around it: nothing is installed or built there. */
async function bench(...args: readonly string[]) {
  const cwd = tempDir();
  cpSync("test/bench", join(cwd, "test/bench"), { recursive: true, filter: (from) => !from.includes(".data") });
  const run = (median: number) => ({
    format: 1,
    machine: "one",
    at: "2026-01-01T00:00:00.000Z",
    tables: [
      {
        title: "5,000 users",
        head: ["wall"],
        rows: [
          { name: "migrate", cells: ["1.0 s"], figures: { wall: { median, min: median - 10, max: median + 10 } } },
          { name: "floor", cells: ["0.1 s"], figures: { wall: { median: 100 + median / 1000, min: 90, max: 110 } } },
        ],
      },
    ],
  });
  writeFileSync(join(cwd, "earlier.json"), JSON.stringify(run(1_000)));
  writeFileSync(join(cwd, "now.json"), JSON.stringify(run(800)));
  writeFileSync(join(cwd, "other.json"), "{}");
  return execa(process.execPath, ["test/bench/run.mjs", ...args], {
    cwd,
    reject: false,
    env: { ORGFERRY_TEST_SERVICE: undefined },
  });
}

test("the bench tells its flags without installing or building", async () => {
  const { exitCode, stdout, stderr } = await bench("--help");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  for (const flag of ["--only", "--sizes", "--rounds", "--compare", "--sweep", "ORGFERRY_TEST_SERVICE"]) {
    expect(stdout).toContain(flag);
  }
});

test("a flag or a part that it does not know is a usage error", async () => {
  const service = ["--only", "service"];
  for (const args of [
    ["--fast"],
    ["--only", "merge,soup"],
    [...service, "--sweep", "8"],
    [...service, "--via", "users", "--sweep", "8x250"],
    [...service, "--via", "soup"],
    [...service, "--users", "many"],
    service,
    ["--sizes", "5000,1e6"],
    ["--rounds", "0"],
  ]) {
    const { exitCode, stderr } = await bench(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Usage: npm run bench");
  }
});

test("the change against an earlier run is reported, and a change within the spread is named as such", async () => {
  const { exitCode, stdout } = await bench("--from", "now.json", "--compare", "earlier.json");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("5,000 users: migrate: wall −20.0 %\n");
  expect(stdout).toContain("5,000 users: floor: wall −0.2 % (within the spread)");
});

test("a file that is no earlier run is refused", async () => {
  const { exitCode, stderr } = await bench("--from", "now.json", "--compare", "other.json");
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain("other.json is not what --json writes");
});
