import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { onRequest, type Share, trials } from "./campaign.ts";

/** What a campaign was asked for. */
export interface Settings {
  readonly isHelp: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly seed: number;
  /** Infinity where only the counts end it. */
  readonly minutes: number;
  readonly jobs: number;
  /** Of a process that another one started: its share of the trials. */
  readonly share: Share | undefined;
  readonly isVerbose: boolean;
  /** The scratch instance of `--real`. */
  readonly target: string | undefined;
  readonly tokenFile: string | undefined;
}

export const USAGE = `npm run torture -- [--<kind> N …] [--seed S] [--minutes M] [--jobs J] [--verbose]

Runs the program against hostile instances, files and moments, and holds what it says against the truth.
--<kind> N so many trials of a kind: ${Object.keys(trials).join(", ")}.
Without any: as many of each (but --real) as M minutes allow, 2 where nothing is said. With --minutes as well, the first of the two ends it.
--seed S is the seed of the first trial of each kind, the next one has the next; without it chance picks one, and the last line tells it.
A finding is printed with the command that repeats it; --verbose tells every trial, TORTURE_WIRE=1 in the environment every call.
--jobs J shares the trials out among so many processes; each has the seed that it has without.
--real N imports into a scratch instance: --target <url> --token-file <path>.
Exit 0: nothing was found; 1: something was; 2: not understood.`;

const DEFAULT_MINUTES = 2;
const MOST_SEED = 1_000_000_000;

/** The settings of a command line, or what is wrong with it. */
export function readSettings(argv: readonly string[]): Settings | { readonly wrong: string } {
  try {
    return settingsOf(argv);
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

function settingsOf(argv: readonly string[]): Settings {
  const text = { type: "string" } as const;
  const kinds = Object.fromEntries(Object.keys(trials).map((name) => [name, text]));
  const others = { target: text, "token-file": text, seed: text, minutes: text, jobs: text, share: text };
  const flags = { verbose: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { values } = parseArgs({ args: [...argv], options: { ...kinds, ...others, ...flags } });
  const given = Object.entries(values as Readonly<Record<string, unknown>>).filter(([name]) =>
    Object.hasOwn(kinds, name),
  );
  const counts = Object.fromEntries(given.map(([name, count]) => [name, wholeNumber(name, String(count), 1)]));
  const { target, "token-file": tokenFile, seed, minutes, jobs, share, verbose = false, help = false } = values;
  if (counts["real"] !== undefined && (target === undefined || tokenFile === undefined))
    throw new Error("--real needs --target <url> and --token-file <path> of a scratch instance");
  return {
    isHelp: help,
    counts: given.length === 0 ? everything() : counts,
    seed: seed === undefined ? Math.floor(Math.random() * MOST_SEED) : wholeNumber("seed", seed, 0),
    minutes: minutesOf(minutes, given.length > 0),
    jobs: jobs === undefined ? 1 : wholeNumber("jobs", jobs, 1),
    share: share === undefined ? undefined : toShare(share),
    isVerbose: verbose,
    target,
    tokenFile: tokenFile === undefined ? undefined : resolve(tokenFile),
  };
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(number) || number < least)
    throw new Error(`--${name} takes a whole number from ${least} on, and not "${text}"`);
  return number;
}

function minutesOf(text: string | undefined, hasCounts: boolean): number {
  if (text === undefined) return hasCounts ? Number.POSITIVE_INFINITY : DEFAULT_MINUTES;
  const minutes = Number(text);
  if (!(minutes > 0)) throw new Error(`--minutes takes a number above 0, and not "${text}"`);
  return minutes;
}

function everything(): Record<string, number> {
  const names = Object.keys(trials).filter((name) => !onRequest.has(name));
  return Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY]));
}

function toShare(text: string): Share {
  const [index = 0, of = 1] = text.split("/").map(Number);
  return { index, of };
}
