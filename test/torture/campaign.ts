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
const perTurn: Readonly<Record<string, number>> = { imports: 20, copies: 10, updates: 2, fuzz: 2_000 };

export interface CampaignSettings {
  /** How many of each. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first trial of each kind has it, the next one the next. */
  readonly seed: number;
  /** When to stop, by `Date.now()`. */
  readonly untilMs: number;
  /** Only every so manieth trial is this process's; all where it is not said. */
  readonly share?: Share;
  readonly onTrial?: (name: string, seed: number, story: readonly string[], ms: number) => void;
  readonly onFinding: (finding: Finding) => void;
}

export interface Share {
  readonly index: number;
  readonly of: number;
}

/** What there was of trials, and of everything that befell the program in them. */
export interface Tally {
  readonly trials: Record<string, number>;
  readonly befell: Record<string, number>;
}

/** Runs the trials in turns, so that a campaign that is cut short has had some of each. */
export async function runCampaign(settings: CampaignSettings): Promise<Tally> {
  const { seed, untilMs, share = { index: 0, of: 1 } } = settings;
  const names = Object.keys(settings.counts);
  const tally: Tally = { trials: Object.fromEntries(names.map((name) => [name, 0])), befell: {} };
  const places = new Map(names.map((name) => [name, 0]));
  const left = new Map(Object.entries(settings.counts));
  while (left.size > 0 && Date.now() < untilMs) {
    for (const [name, count] of left) {
      const turn = Math.min(count, perTurn[name] ?? 1);
      for (let at = 0; at < turn && Date.now() < untilMs; at += 1) {
        const place = places.get(name) ?? 0;
        places.set(name, place + 1);
        if (place % share.of !== share.index) continue;
        const befell = await runTrial(name, seed + place, settings);
        addTo(tally.trials, [[name, 1]]);
        addTo(tally.befell, befell);
        if (befell.size > 0) addTo(tally.befell, [[`troubled ${name}`, 1]]);
      }
      if (count === turn) left.delete(name);
      else left.set(name, count - turn);
    }
  }
  return tally;
}

/** Adds some numbers to those of the same names. */
export function addTo(sums: Record<string, number>, numbers: Iterable<readonly [string, number]>): void {
  for (const [name, number] of numbers) sums[name] = (sums[name] ?? 0) + number;
}

/** Returns what befell the program. */
async function runTrial(
  name: string,
  seed: number,
  { onTrial, onFinding }: CampaignSettings,
): Promise<ReadonlyMap<string, number>> {
  const trial = trials[name];
  if (trial === undefined) throw new Error(`there are no trials called ${name}`);
  const notes = new Notes();
  const started = performance.now();
  let story: readonly string[] = [];
  try {
    story = await trial(new Random(seed), notes);
  } catch (error) {
    notes.what.push(`thrown: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
  onTrial?.(name, seed, story, Math.round(performance.now() - started));
  for (const what of new Set(notes.what.slice(0, 5))) onFinding({ trial: name, seed, what, story });
  return notes.befell;
}
