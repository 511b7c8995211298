import { expect, test } from "vitest";
import type { OpenRows } from "../../../../src/commands/migrate/inputs.ts";
import { partsFor } from "../../../../src/commands/migrate/memory.ts";

const MIB = 2 ** 20;

/** Inputs of these sizes; 0 is a pipe. */
function rows(userBytes: number, credentialBytes?: number): OpenRows {
  const reader = (expectedBytes: number): OpenRows["users"] => ({ expectedBytes }) as OpenRows["users"];
  return { users: reader(userBytes), credentials: credentialBytes === undefined ? undefined : reader(credentialBytes) };
}

test("a join is kept in parts when its tables would not fit, or when their size is unknown", () => {
  expect(partsFor(512 * MIB, rows(240e6, 300e6))).toBe(undefined);
  expect(partsFor(512 * MIB, rows(2.4e9, 2.4e9))).toBe(64);
  expect(partsFor(512 * MIB, rows(0))).toBe(512);
  expect(partsFor(512 * MIB, rows(240e6, 0))).toBe(512);
});

test("larger files, or less memory, make more parts", () => {
  expect(partsFor(512 * MIB, rows(240e9))).toBe(512);
  expect(partsFor(512 * MIB, rows(24e9))).toBeGreaterThan(64);
  expect(partsFor(192 * MIB, rows(24e9))).toBeGreaterThan(partsFor(512 * MIB, rows(24e9)) as number);
  // Rows that are four times as long are a quarter as many users.
  expect(partsFor(512 * MIB, rows(1e9), 1_000)).toBe(undefined);
});
