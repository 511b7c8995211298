import {
  type CostRange,
  defaultHashLimits,
  endsFor,
  formatHashLimits,
  type HashCost,
  type HashLimits,
  hashCosts,
  settingFor,
} from "../../contract/hash-limits.ts";
import { verifierSetting } from "../../contract/verifiers.ts";
import { capabilitiesOf, isKnownVersion, NEWEST_VERSION } from "../../contract/versions.ts";
import type { CountedBreach } from "../../core/rules/hash-costs.ts";
import { describeCause } from "../../problem/cause.ts";
import type { Description } from "../../problem/description.ts";
import { count, counted, linesIf } from "../../problem/format.ts";
import type { AnyReport } from "../report.ts";

/**
 * Hashes that a target with default limits refuses, with the settings that accept them; none for a version without limits.
 * @param version of the target; undefined: unknown.
 */
export function limitLines(breaches: readonly CountedBreach[], version: string | undefined): readonly string[] {
  const isKnown = version !== undefined && isKnownVersion(version);
  if (breaches.length === 0 || (isKnown && capabilitiesOf(version).hashLimits === undefined)) return [];
  const who = isKnown
    ? "by default, this version refuses new users with these"
    : `by default, version ${NEWEST_VERSION} refuses new users with these`;
  return breaches.map(
    (breach) =>
      `${breachText(breach)}: ${who}; accepted with ${settingFor(defaultHashLimits, breach.cost, breach.value)} on the target`,
  );
}

/** Hashes of an input that a target does not accept, as the target itself said. */
export interface RefusedHashes {
  readonly verifiers: readonly string[];
  readonly breaches: readonly CountedBreach[];
}

/** The verifiers that are not enabled everywhere, and that hashes of these kinds need. */
export function neededVerifiers(hashes: ReadonlyMap<string, number>): readonly string[] {
  return [...hashes.keys()].filter((kind) => kind !== "bcrypt" && kind !== "none");
}

/** The hashes that the target does not accept, with the settings that accept them. @param consequence for a user with such a hash. */
export function refusedHashLines(
  { verifiers, breaches }: RefusedHashes,
  hashes: ReadonlyMap<string, number>,
  consequence: string,
): readonly string[] {
  const setting = verifierSetting(verifiers);
  const kinds = verifiers.map((kind) => `${kind} (${counted(hashes.get(kind) ?? 0, "user")})`).join(", ");
  return [
    ...linesIf(
      setting !== undefined,
      `the target has not enabled the verifier ${kinds}: ${consequence}. Add it on the target: ${setting}, besides the verifiers that are enabled there`,
    ),
    ...breaches.map(
      (breach) =>
        `${breachText(breach)}: out of the target's limits, ${consequence}. Set on the target: ${settingFor(defaultHashLimits, breach.cost, breach.value)}`,
    ),
  ];
}

/** Why items failed, and what to do: of hashes, the settings of the target that accept those of this input. */
export function describeFailure(
  cause: string,
  breaches: readonly { readonly cost: string; readonly value: number }[] = [],
  kinds: readonly string[] = [],
): Description {
  const known = describeCause(cause);
  const verifiers = verifierSetting(kinds);
  if ((cause === "hash" || cause === "hash-unreadable") && verifiers !== undefined)
    return { ...known, hint: `Set on the target, which lacks one of these: ${verifiers}; or remove the hash.` };
  const settings = breaches.flatMap(({ cost, value }) =>
    isHashCost(cost) ? [settingFor(defaultHashLimits, cost, value)] : [],
  );
  return cause !== "hash-cost" || settings.length === 0
    ? known
    : { ...known, hint: `Set on the target: ${settings.join(", ")}; or remove the hash.` };
}

function isHashCost(cost: string): cost is HashCost {
  return Object.hasOwn(hashCosts, cost);
}

/** Hashes out of limits, as a report has them. */
type ReportedBreach = NonNullable<AnyReport["hashesOutOfLimits"]>[number];

/**
 * The outcome for the hashes of a migration that are out of the limits, each with the setting of the target that accepts them.
 * @param isEnforced the limits are those of a named target.
 */
export function migratedBreaches(
  breaches: readonly ReportedBreach[],
  isEnforced: boolean,
): readonly { readonly what: string; readonly setting: string }[] {
  const end = isEnforced
    ? "not written"
    : `version ${NEWEST_VERSION} refuses these users by default, 4.13 accepts them`;
  return breaches.filter(isKnownBreach).map((breach) => ({
    what: `${breachText(breach)}: ${end}`,
    setting: settingFor(limitsOf([breach]), breach.cost, breach.value),
  }));
}

/** The flag with which a migration writes these hashes. */
export function targetLimitsFlag(breaches: readonly ReportedBreach[]): string {
  const known = breaches.filter(isKnownBreach);
  return `--target-limits ${formatHashLimits(endsFor(limitsOf(known), known))}`;
}

function isKnownBreach(breach: ReportedBreach): breach is CountedBreach {
  return isHashCost(breach.cost) && breach.limit !== undefined;
}

/** The limits that these are out of. */
function limitsOf(breaches: readonly CountedBreach[]): HashLimits {
  const limits: Partial<Record<HashCost, CostRange>> = {};
  for (const { cost, value, limit } of breaches)
    limits[cost] = { ...limits[cost], ...(value < limit ? { min: limit } : { max: limit }) };
  return limits;
}

/** The hashes of one breach: `1,200 with argon2-memory down to 7168 (limit 8192)`. */
function breachText({ cost, value, users, limit }: CountedBreach): string {
  const unit = cost === "argon2-memory" ? " KiB" : "";
  const { verifier } = hashCosts[cost];
  return `${count(users)} ${verifier} with ${cost === verifier ? "cost" : cost} ${value < limit ? "down" : "up"} to ${value}${unit} (limit ${limit})`;
}
