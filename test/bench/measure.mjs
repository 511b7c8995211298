// Runs commands as whole processes, in turn, and keeps the median of what each used.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, spreadOf } from "./tables.mjs";

const hook = new URL("./usage.mjs", import.meta.url).href;

/** One run of `node args…`; raises when it ends with a code that is not allowed. */
function runOnce({ args, env = {}, before, allowed = [0] }) {
  before?.();
  const folder = mkdtempSync(join(tmpdir(), "orgferry-bench-"));
  const usage = join(folder, "usage.json");
  try {
    const started = process.hrtime.bigint();
    const { status, stderr } = spawnSync(process.execPath, ["--import", hook, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env, ORGFERRY_BENCH_USAGE: usage },
      maxBuffer: 2 ** 26,
    });
    const wallMs = Number(process.hrtime.bigint() - started) / 1e6;
    if (!allowed.includes(status)) throw new Error(`${args.join(" ")}: exit ${status}\n${stderr}`);
    return { wallMs, ...JSON.parse(readFileSync(usage, "utf8")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs every variant once a round, round robin, so that a slow minute of the machine hits all of them, after one round that is
 * not counted. Answers medians, with the spread for wall and its ratio; ratios are those within a round.
 */
export function compare(variants, rounds) {
  const samples = variants.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    variants.forEach((variant, at) => {
      const sample = runOnce(variant);
      if (round >= 0) samples[at].push(sample);
    });
  }
  const [floor] = samples;
  return variants.map((variant, at) => ({
    name: variant.name,
    users: variant.users,
    wallMs: spreadOf(samples[at].map((s) => s.wallMs)),
    cpuMs: median(samples[at].map((s) => s.cpuMs)),
    rssMb: median(samples[at].map((s) => s.rssMb)),
    wallRatio: spreadOf(samples[at].map((s, n) => s.wallMs / floor[n].wallMs)),
    cpuRatio: median(samples[at].map((s, n) => s.cpuMs / floor[n].cpuMs)),
  }));
}
