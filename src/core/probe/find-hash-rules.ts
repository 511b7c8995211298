import { type CostRange, type HashCost, type HashLimits, hashCosts } from "../../contract/hash-limits.ts";
import type { Verifier } from "../../contract/verifiers.ts";
import { brokenHashOf, type Costs, type HashKindSample, hashSamples } from "./sample-hashes.ts";

/** The service's answer to a hash. `cost`: its form is accepted and its cost is not. `kind`: its form is not, or its verifier is off. */
export type HashAnswer = "accepted" | "cost" | "kind";

/** Asks the service about a hash. Raises what the call raises. */
export type AskHash = (hash: string) => Promise<HashAnswer>;

/** What an instance accepts as a password hash. */
export interface HashRules {
  readonly verifiers: readonly Verifier[];
  /** false: the service checks how a hash begins and nothing else, so it limits no cost. */
  readonly checksCosts: boolean;
  /** The exact limits of the costs, found with neighbouring values. An absent maximum has no limit. Empty unless `checksCosts`. */
  readonly limits: HashLimits;
  /** Costs whose limits were not found: the verifier is enabled, and the service refuses every usual cost. */
  readonly notFound: readonly HashCost[];
}

/** More calls than any answers of a service cause, for the announcement. */
export const MOST_CALLS = 550;

/**
 * Finds out which verifiers are enabled and which costs are accepted. The accepted values of each cost are one interval, independent of
 * the other costs (service behaviour 0.44), so its two ends are found by bisection. Calls are sequential.
 */
export async function findHashRules(ask: AskHash): Promise<HashRules> {
  const verifiers: Verifier[] = [];
  const notFound: HashCost[] = [];
  const limits: Partial<Record<HashCost, CostRange>> = {};
  let checksCosts: boolean | undefined;
  for (const sample of hashSamples) {
    const first = await ask(sample.text(sample.usual[0] ?? {}));
    if (first === "kind") continue;
    if (!verifiers.includes(sample.verifier)) verifiers.push(sample.verifier);
    if (sample.costs.length === 0) continue;
    checksCosts ??= first === "cost" || (await ask(brokenHashOf(sample))) !== "accepted";
    if (!checksCosts) continue;
    const base = first === "accepted" ? sample.usual[0] : await firstAccepted(sample, ask);
    if (base === undefined) notFound.push(...sample.costs);
    else for (const cost of sample.costs) limits[cost] = await limitsOf(cost, { sample, base, ask });
  }
  return { verifiers, checksCosts: checksCosts === true, limits, notFound };
}

async function firstAccepted({ usual, text }: HashKindSample, ask: AskHash): Promise<Costs | undefined> {
  for (const costs of usual.slice(1)) if ((await ask(text(costs))) === "accepted") return costs;
  return undefined;
}

interface Search {
  readonly sample: HashKindSample;
  /** Accepted costs; the search varies one of them. */
  readonly base: Costs;
  readonly ask: AskHash;
}

async function limitsOf(cost: HashCost, { sample, base, ask }: Search): Promise<CostRange> {
  const { least: from, most: to, min, max } = hashCosts[cost];
  const { isPower = false } = sample;
  const toValue = (step: number): number => (isPower ? 2 ** step : step);
  const toStep = (value: number): number => (isPower ? Math.log2(value) : value);
  const accepts = async (step: number): Promise<boolean> =>
    (await ask(sample.text({ ...base, [cost]: toValue(step) }))) === "accepted";
  const start = toStep(base[cost] ?? from);
  // A default limit and its neighbour come first: for most instances these two decide.
  const lowest = await lastAccepted(start, toStep(from), defaultSteps(toStep(min), Math.ceil, -1), accepts);
  const highest = await lastAccepted(start, toStep(to), defaultSteps(toStep(max), Math.floor, 1), accepts);
  return {
    min: lowest === undefined ? from : toValue(lowest),
    ...(highest === undefined ? {} : { max: toValue(highest) }),
  };
}

/** The last value within a default limit, and the first one outside. */
function defaultSteps(limit: number, inwards: (value: number) => number, outwards: 1 | -1): readonly number[] {
  const last = inwards(limit);
  return [last, last + outwards];
}

/** The accepted value that is nearest to `end`, searched from the accepted value `start`; undefined if `end` itself is accepted. */
async function lastAccepted(
  start: number,
  end: number,
  guesses: readonly number[],
  accepts: (step: number) => Promise<boolean>,
): Promise<number | undefined> {
  if (start === end || (await accepts(end))) return undefined;
  let accepted = start;
  let refused = end;
  const isBetween = (step: number): boolean => step > Math.min(accepted, refused) && step < Math.max(accepted, refused);
  const narrow = async (step: number): Promise<void> => {
    if (await accepts(step)) accepted = step;
    else refused = step;
  };
  for (const guess of guesses) if (isBetween(guess)) await narrow(guess);
  while (Math.abs(accepted - refused) > 1) await narrow(Math.floor((accepted + refused) / 2));
  return accepted;
}
