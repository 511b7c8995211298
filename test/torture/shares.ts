import { fork } from "node:child_process";
import { once } from "node:events";
import { addTo, type Tally } from "./campaign.ts";

/** What one process of a campaign hands to the one that started it. */
export interface ShareResult extends Tally {
  readonly findings: number;
}

/** Runs a campaign in so many processes, each with its share of the trials, and adds up. Findings are printed as they come. */
export async function runShares(of: number, argv: readonly string[]): Promise<ShareResult> {
  const [, file = ""] = process.argv;
  const sum = { trials: {}, befell: {}, findings: 0 };
  const shares = Array.from({ length: of }, async (_, index) => {
    const child = fork(file, [...argv, "--share", `${index}/${of}`]);
    child.on("message", (message) => {
      const { trials, befell, findings } = message as ShareResult; // sent by this very program
      addTo(sum.trials, Object.entries(trials));
      addTo(sum.befell, Object.entries(befell));
      sum.findings += findings;
    });
    const [code] = await once(child, "exit");
    if (code !== 0 && code !== 1) throw new Error(`one process of the campaign ended with ${code}`);
  });
  await Promise.all(shares);
  return sum;
}

/** In one line what there was, and in another what befell the program. */
export function tellResult({ trials, befell, findings }: ShareResult, seconds: number, seed: number): string {
  const told = Object.entries(trials).map(([name, count]) => {
    const troubled = befell[`troubled ${name}`] ?? 0;
    return `${count} ${name}${troubled === 0 ? "" : ` (${troubled} of them troubled)`}`;
  });
  const troubles = Object.entries(befell).filter(([name]) => !name.startsWith("troubled "));
  const befallen = troubles.map(([name, count]) => `${count} ${name}`).join(", ");
  return `${told.join(", ")} in ${seconds} s from seed ${seed}: ${findings} findings\n${befallen === "" ? "" : `what befell them: ${befallen}\n`}`;
}
