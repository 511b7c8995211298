import { expect, test } from "vitest";
import { runCampaign } from "./campaign.ts";
import type { Finding } from "./checks/findings.ts";
import { faults } from "./instance/faults/table.ts";

const MOST_MS = 14_000;

// The first trials of a seed that is always the same, as many as the time allows; `npm run torture` runs others.
test("a short campaign finds nothing", { timeout: 120_000 }, async () => {
  const findings: Finding[] = [];
  const counts = { imports: 60, copies: 20, updates: 4, fuzz: 1_200 };
  await runCampaign({ counts, seed: 1, untilMs: Date.now() + MOST_MS, onFinding: (finding) => findings.push(finding) });
  expect(findings.map(({ trial, seed, what }) => `--${trial} 1 --seed ${seed}: ${what}`)).toEqual([]);
});

test("every fault has a name of its own", () => {
  const names = faults.map(({ name, on = [] }) => `${name} ${on.join(" ")}`);
  expect(new Set(names).size).toBe(names.length);
});
