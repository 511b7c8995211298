import { afterEach, expect, test, vi } from "vitest";
import { lookQuickly } from "../../../../src/jobs/shared/fresh.ts";

afterEach(() => void vi.restoreAllMocks());

/** How often it looks if the looks take these milliseconds. */
async function looksAt(...tookMs: readonly number[]): Promise<number> {
  let nowMs = 0;
  let looks = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const seen = await lookQuickly(async () => {
    nowMs += tookMs[looks] ?? 0;
    looks += 1;
    return looks;
  });
  expect(seen).toBe(looks);
  return looks;
}

test("a look that is quick enough counts, a slow one is repeated, and the third one counts in any case", async () => {
  expect(await looksAt(500)).toBe(1);
  expect(await looksAt(501, 20)).toBe(2);
  expect(await looksAt(900, 700, 3_000, 1)).toBe(3);
});
