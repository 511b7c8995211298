import { type Finding, Notes } from "./checks/findings.ts";
import { fuzzTrial } from "./fuzz/fuzz.ts";
import { Random } from "./random.ts";
import { copyTrial } from "./trials/copies.ts";
import { fullDiskTrial } from "./trials/full-disk.ts";
import { importTrial } from "./trials/imports.ts";
import { killTrial } from "./trials/kills.ts";
import { realTrial } from "./trials/real.ts";
import { updateTrial } from "./trials/updates.ts";

/** One kind of trial; returns what befell it. */
export type Trial = (random: Random, notes: Notes) => Promise<readonly string[]>;

/** By the name of its flag. */
export const trials: Readonly<Record<string, Trial>> = {
  imports: importTrial,
  copies: copyTrial,
  updates: updateTrial,
  kills: killTrial,
  disks: fullDiskTrial,
  fuzz: fuzzTrial,
  real: realTrial,
};

/** Those that need something that is not always there: only when they are asked for. */
export const onRequest: ReadonlySet<string> = new Set(["real"]);

/** So many of a kind in each turn: what takes little time is tried more often. */
const perTurn: Readonly<Record<string, number>> = { imports: 10, copies: 5, updates: 2, fuzz: 200 };

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
  const left = new Map(Object.entries(settings.counts));
  while (left.size > 0 && Date.now() < settings.untilMs) {
    for (const [name, count] of left) {
      const turn = Math.min(count, perTurn[name] ?? 1);
      for (let at = 0; at < turn && Date.now() < settings.untilMs; at += 1) {
        const before = done[name] ?? 0;
        await runTrial(name, settings.seed + before, settings);
        done[name] = before + 1;
      }
      if (count === turn) left.delete(name);
      else left.set(name, count - turn);
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
