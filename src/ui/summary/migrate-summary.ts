import { type Verifier, verifiers } from "../../contract/verifiers.ts";
import type { ColumnUse } from "../../core/merge/counts.ts";
import { count } from "../../problem/format.ts";

/** The hashes of a migration. */
export interface HashCounts {
  /** Written hashes, by the verifier that checks them. */
  readonly hashes: Partial<Record<Verifier, number>>;
  /** Hashes that were not written because the target does not check their kind. */
  readonly unverifiable: Partial<Record<Verifier, number>>;
}

/** The setting of the service that enables verifiers besides bcrypt (service behaviour 4). */
const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS";

/** Which hashes need a setting of the target, and which flags write the others. @param enabled the verifiers of the target. */
export function hashLines({ hashes, unverifiable }: HashCounts, enabled: readonly Verifier[]): readonly string[] {
  const written = namesOf(hashes);
  const missing = namesOf(unverifiable);
  const all = verifiers.filter((name) => enabled.includes(name) || missing.includes(name));
  return [
    ...(settingOf(written) === ""
      ? []
      : [`hashes         ${counts(hashes)}; required on the target: ${SETTING}=${settingOf(written)}`]),
    ...(missing.length === 0
      ? []
      : [
          `not written    ${counts(unverifiable)}: users with these could not sign in, because the target checks only ${enabled.join(", ")}`,
          `               to write them: ${SETTING}=${settingOf(all)} on the target, and --target-verifiers ${all.join(",")} here`,
        ]),
  ];
}

/** Always in the order of the verifiers. */
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

/** The number of columns that are named. */
const NAMED = 30;

/** Which columns of a table were read. */
export function columnLines({ preset, isRecognized, unused }: ColumnUse): readonly string[] {
  const more = unused.length > NAMED ? `, and ${count(unused.length - NAMED)} more` : "";
  return [
    ...(preset === undefined || !isRecognized ? [] : [`columns        recognized as --preset ${preset}`]),
    ...(unused.length === 0
      ? []
      : [`not read       ${unused.slice(0, NAMED).join(", ")}${more}; --map metadata.<key>=<column> keeps a column`]),
  ];
}
