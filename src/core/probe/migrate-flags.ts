import { formatHashLimits, type HashLimits } from "../../contract/hash-limits.ts";
import { isKnownVersion } from "../../contract/versions.ts";
import type { HashRules } from "./find-hash-rules.ts";

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
  const limits = rules.checksCosts ? formatHashLimits(withBothEnds(rules.limits)) : "none";
  return [
    ...(isKnownVersion(release) ? [`--target-version ${release}`] : []),
    `--target-verifiers ${rules.verifiers.join(",")}`,
    ...(limits === "" ? [] : [`--target-limits ${limits}`]),
  ].join(" ");
}

/** No cost is higher. */
const NO_MAXIMUM = 999_999_999;

function withBothEnds(limits: HashLimits): HashLimits {
  const ranges = Object.entries(limits).map(([name, range]) => [name, { min: 0, max: NO_MAXIMUM, ...range }]);
  return Object.fromEntries(ranges);
}
