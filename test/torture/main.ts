import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type CampaignSettings, onRequest, runCampaign, type Share, trials } from "./campaign.ts";
import type { Finding } from "./checks/findings.ts";
import { runShares, type ShareResult, tellResult } from "./shares.ts";

const USAGE = `npm run torture -- [--imports N] [--seed S] [--minutes M] [--jobs J] [--verbose]

Runs the program against hostile instances, files and moments, and holds what it says against the truth.
Without counts: as many of each as two minutes allow. A finding is printed with the command that repeats it.
--jobs J shares the trials out among so many processes; each has the seed that it has without.
--real N imports into a scratch instance: --target <url> --token-file <path>.
Kinds: ${Object.keys(trials).join(", ")}`;

const DEFAULT_MINUTES = 2;

async function main(): Promise<number> {
  const kinds = Object.fromEntries(Object.keys(trials).map((name) => [name, { type: "string" as const }]));
  const { values } = parseArgs({
    options: {
      ...kinds,
      target: { type: "string" },
      "token-file": { type: "string" },
      seed: { type: "string" },
      minutes: { type: "string" },
      jobs: { type: "string", default: "1" },
      share: { type: "string" },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help === true) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (values.target !== undefined) process.env["TORTURE_TARGET"] = values.target;
  if (values["token-file"] !== undefined) process.env["TORTURE_TOKEN_FILE"] = resolve(values["token-file"]);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
  const counts = countsOf(values as Readonly<Record<string, unknown>>);
  const isBounded = Object.keys(counts).length === 0 || values.minutes !== undefined;
  const minutes = Number(values.minutes ?? DEFAULT_MINUTES);
  const started = Date.now();
  const campaign = {
    counts: Object.keys(counts).length === 0 ? everything() : counts,
    seed,
    untilMs: isBounded ? started + minutes * 60_000 : Number.POSITIVE_INFINITY,
    ...(values.verbose === true ? { onTrial: tell } : {}),
  };
  const jobs = Number(values.jobs);
  if (values.share === undefined && jobs > 1) {
    const result = await runShares(jobs, [...process.argv.slice(2), "--seed", String(seed)]);
    process.stdout.write(tellResult(result, secondsSince(started), seed));
    return result.findings === 0 ? 0 : 1;
  }
  const result = await runShare(campaign, toShare(values.share));
  if (values.share === undefined) process.stdout.write(tellResult(result, secondsSince(started), seed));
  else process.send?.(result);
  return result.findings === 0 ? 0 : 1;
}

async function runShare(campaign: Omit<CampaignSettings, "onFinding">, share: Share): Promise<ShareResult> {
  let findings = 0;
  const tally = await runCampaign({
    ...campaign,
    share,
    onFinding: (finding) => {
      findings += 1;
      tellFinding(finding);
    },
  });
  return { ...tally, findings };
}

function toShare(text = "0/1"): Share {
  const [index = 0, of = 1] = text.split("/").map(Number);
  return { index, of };
}

function secondsSince(started: number): number {
  return Math.round((Date.now() - started) / 1000);
}

function countsOf(values: Readonly<Record<string, unknown>>): Record<string, number> {
  const given = Object.keys(trials).filter((name) => values[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, Number(values[name])]));
}

function everything(): Record<string, number> {
  return Object.fromEntries(
    Object.keys(trials)
      .filter((name) => !onRequest.has(name))
      .map((name) => [name, Number.POSITIVE_INFINITY]),
  );
}

function tell(name: string, seed: number, story: readonly string[], ms: number): void {
  process.stdout.write(`${name} ${seed}, ${ms} ms\n${story.map((line) => `    ${line}\n`).join("")}`);
}

function tellFinding({ trial, seed, what, story }: Finding): void {
  process.stdout.write(`FINDING ${what}\n  npm run torture -- --${trial} 1 --seed ${seed} --verbose\n`);
  for (const line of story.slice(0, 30)) process.stdout.write(`    ${line.slice(0, 600)}\n`);
}

process.exitCode = await main();
