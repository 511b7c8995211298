import { runCampaign } from "./campaign.ts";
import type { Finding } from "./checks/findings.ts";
import { readSettings, type Settings, USAGE } from "./settings.ts";
import { runShares, type ShareResult, tellResult } from "./shares.ts";

const NOT_UNDERSTOOD = 2;

async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  const settings = readSettings(argv);
  if ("wrong" in settings) {
    process.stderr.write(`${settings.wrong}\nnpm run torture -- --help tells what there is\n`);
    return NOT_UNDERSTOOD;
  }
  if (settings.isHelp) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const { seed, jobs, share, target, tokenFile } = settings;
  if (target !== undefined) process.env["TORTURE_TARGET"] = target;
  if (tokenFile !== undefined) process.env["TORTURE_TOKEN_FILE"] = tokenFile;
  const started = Date.now();
  const isShared = share === undefined && jobs > 1;
  const result = await (isShared ? runShares(jobs, [...argv, "--seed", String(seed)]) : runShare(settings, started));
  if (share === undefined) process.stdout.write(tellResult(result, Math.round((Date.now() - started) / 1000), seed));
  else process.send?.(result);
  return result.findings === 0 ? 0 : 1;
}

async function runShare(settings: Settings, started: number): Promise<ShareResult> {
  const { counts, seed, minutes, share, isVerbose } = settings;
  let findings = 0;
  const tally = await runCampaign({
    counts,
    seed,
    untilMs: started + minutes * 60_000,
    ...(share === undefined ? {} : { share }),
    ...(isVerbose ? { onTrial: tell } : {}),
    onFinding: (finding) => {
      findings += 1;
      tellFinding(finding);
    },
  });
  return { ...tally, findings };
}

function tell(name: string, seed: number, story: readonly string[], ms: number): void {
  process.stdout.write(`${name} ${seed}, ${ms} ms\n${story.map((line) => `    ${line}\n`).join("")}`);
}

function tellFinding({ trial, seed, what, story }: Finding): void {
  process.stdout.write(`FINDING ${what}\n  npm run torture -- --${trial} 1 --seed ${seed} --verbose\n`);
  for (const line of story.slice(0, 30)) process.stdout.write(`    ${line.slice(0, 600)}\n`);
}

// The reader has seen enough, as `head` has.
process.stdout.on("error", () => process.exit(1));
process.exitCode = await main();
