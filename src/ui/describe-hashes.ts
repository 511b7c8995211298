import { type Verifier, verifiers } from "../contract/verifiers.ts";
import { count } from "../problem/format.ts";

/** What somebody should know of the hashes of a migration. */
export interface HashCounts {
  /** Hashes that were written, by what checks them. */
  readonly hashes: Partial<Record<Verifier, number>>;
  /** Hashes that were not, because the target does not check their kind. */
  readonly unverifiable: Partial<Record<Verifier, number>>;
}

/** The setting of the service that enables verifiers besides bcrypt (service behaviour 4). */
const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS";

/** Which hashes need a setting of the target, and with which flags they are taken. @param enabled what it checks. */
export function describeHashes({ hashes, unverifiable }: HashCounts, enabled: readonly Verifier[]): readonly string[] {
  const taken = namesOf(hashes);
  const missing = namesOf(unverifiable);
  const all = verifiers.filter((name) => enabled.includes(name) || missing.includes(name));
  return [
    ...(settingOf(taken) === ""
      ? []
      : [`hashes         ${counts(hashes)}; on the target: ${SETTING}=${settingOf(taken)}`]),
    ...(missing.length === 0
      ? []
      : [
          `not taken      ${counts(unverifiable)}: nobody could sign in with these, since the target checks ${enabled.join(", ")} alone`,
          `               to take them: ${SETTING}=${settingOf(all)} on the target, and --target-verifiers ${all.join(",")} here`,
        ]),
  ];
}

/** In one order, whatever came first. */
function namesOf(counted: Partial<Record<Verifier, number>>): readonly Verifier[] {
  return verifiers.filter((name) => (counted[name] ?? 0) > 0);
}

function counts(counted: Partial<Record<Verifier, number>>): string {
  return namesOf(counted)
    .map((name) => `${count(counted[name] ?? 0)} ${name}`)
    .join(", ");
}

/** bcrypt is always enabled. */
function settingOf(names: readonly Verifier[]): string {
  return names.filter((name) => name !== "bcrypt").join(",");
}
