import { type Finding, Notes } from "./checks/findings.ts";
import { Random } from "./random.ts";
import { importTrial } from "./trials/imports.ts";

/** One kind of trial; returns what befell it. */
export type Trial = (random: Random, notes: Notes) => Promise<readonly string[]>;

/** By the name of its flag. */
export const trials: Readonly<Record<string, Trial>> = {
  imports: importTrial,
};

export interface CampaignSettings {
  /** How many of each. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first trial of each kind has it, the next one the next. */
  readonly seed: number;
  /** When to stop, by `Date.now()`. */
  readonly untilMs: number;
  readonly onTrial?: (name: string, seed: number, story: readonly string[]) => void;
  readonly onFinding: (finding: Finding) => void;
}

/** Runs the trials in turns, so that a campaign that is cut short has had some of each. Returns how many there were. */
export async function runCampaign(settings: CampaignSettings): Promise<Readonly<Record<string, number>>> {
  const done: Record<string, number> = Object.fromEntries(Object.keys(settings.counts).map((name) => [name, 0]));
  for (let round = 0; Date.now() < settings.untilMs; round += 1) {
    const left = Object.entries(settings.counts).filter(([, count]) => count > round);
    if (left.length === 0) break;
    for (const [name] of left) {
      if (Date.now() >= settings.untilMs) break;
      await runTrial(name, settings.seed + round, settings);
      done[name] = (done[name] ?? 0) + 1;
    }
  }
  return done;
}

async function runTrial(name: string, seed: number, { onTrial, onFinding }: CampaignSettings): Promise<void> {
  const trial = trials[name];
  if (trial === undefined) throw new Error(`there are no trials called ${name}`);
  const notes = new Notes();
  let story: readonly string[] = [];
  try {
    story = await trial(new Random(seed), notes);
  } catch (error) {
    notes.what.push(`thrown: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
  onTrial?.(name, seed, story);
  for (const what of new Set(notes.what.slice(0, 5))) onFinding({ trial: name, seed, what, story });
}
