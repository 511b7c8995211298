import { type CostRange, formatHashLimits, type HashCost } from "../../contract/hash-limits.ts";
import { isKnownVersion } from "../../contract/versions.ts";
import type { HashRules } from "./find-hash-rules.ts";
import { hashSamples } from "./sample-hashes.ts";

/** Without suffixes, which may hold any character: the flags are made to be pasted into a shell. */
const VERSION = /^v?(\d+\.\d+(?:\.\d+)?)(?![\w.])/;

/**
 * The flags that make `migrate` judge hashes as the instance does. They name all costs of the enabled verifiers, so that no default
 * limit of a version counts. `version` is what the instance reports; it is not named if `migrate` does not know it. undefined if the
 * instance verifies no kind of hash.
 */
export function migrateFlags(rules: HashRules, version: string | undefined): string | undefined {
  if (rules.verifiers.length === 0) return undefined;
  const [, release = ""] = VERSION.exec(version ?? "") ?? [];
  const limits = formatHashLimits(rules.checksCosts ? rules.limits : withoutLimits(rules));
  return [
    ...(isKnownVersion(release) ? [`--target-version ${release}`] : []),
    `--target-verifiers ${rules.verifiers.join(",")}`,
    ...(limits === "" ? [] : [`--target-limits ${limits}`]),
  ].join(" ");
}

/** The costs of the enabled verifiers, without limits. */
function withoutLimits({ verifiers }: HashRules): Partial<Record<HashCost, CostRange>> {
  const spans = hashSamples.filter(({ verifier }) => verifiers.includes(verifier)).flatMap(({ range }) => range);
  return Object.fromEntries(spans.map(({ cost }) => [cost, {}]));
}
