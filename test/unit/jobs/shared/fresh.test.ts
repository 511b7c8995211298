import { afterEach, expect, test, vi } from "vitest";
import { lookBeforeHarm, lookQuickly } from "../../../../src/jobs/shared/fresh.ts";

afterEach(() => void vi.restoreAllMocks());

const host = "id.example.com";
type Looking = (look: () => Promise<number>) => Promise<number>;

/** How often it looks if the looks take these milliseconds. */
async function looksAt(tookMs: readonly number[], looking: Looking = lookQuickly): Promise<number> {
  let nowMs = 0;
  let looks = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const seen = await looking(async () => {
    nowMs += tookMs[looks] ?? 0;
    looks += 1;
    return looks;
  });
  expect(seen).toBe(looks);
  return looks;
}

test("a look that is quick enough counts, a slow one is repeated, and the third one counts in any case", async () => {
  expect(await looksAt([500])).toBe(1);
  expect(await looksAt([501, 20])).toBe(2);
  expect(await looksAt([900, 700, 3_000, 1])).toBe(3);
});

test("nothing is deleted, overwritten or e-mailed after three looks that took more than five seconds", async () => {
  const looking: Looking = (look) => lookBeforeHarm({ host }, look);
  expect(await looksAt([9_000, 20], looking)).toBe(2);
  expect(await looksAt([9_000, 9_000, 5_000], looking)).toBe(3);
  const problem = { code: "net.slow-look", host, tookMs: 5_001 };
  await expect(looksAt([9_000, 9_000, 5_001], looking)).rejects.toMatchObject({ problem });
});
