import type { Verifier } from "../../contract/verifiers.ts";
import type { MergeResult } from "../../core/merge/counts.ts";
import type { BodyFile } from "../../io/output/body-files.ts";
import type { RowInputs } from "../../io/rows/row-reader.ts";
import { describeColumns } from "../../ui/describe-columns.ts";
import { describeHashes } from "../../ui/describe-hashes.ts";
import { describeLeftOut, describeRemarks } from "../../ui/describe-remark.ts";
import { bytes, count, counted, duration } from "../../ui/format.ts";
import type { Progress } from "../../ui/progress.ts";
import type { Ui } from "../../ui/ui.ts";

export interface Migrated {
  readonly result: MergeResult;
  readonly outputs: readonly BodyFile[];
  readonly rejects: string | undefined;
  readonly org: string;
  /** What the target checks. */
  readonly verifiers: readonly Verifier[];
  /** Passwords that were hashed, where users came with them. */
  readonly plainPasswords:
    | { readonly hashed: number; readonly durationMs: number; readonly bcryptCost: number }
    | undefined;
}

/** The account of a migration: every row read stands in exactly one number (design: "Nothing is lost"). */
export function sayMigrated(ui: Ui, { result, outputs, rejects, org, verifiers, plainPasswords }: Migrated): void {
  const { users, passwords } = result;
  const { paint } = ui;
  ui.say(
    `${paint.bold("users")}          read ${count(users.read)} = written ${count(users.written)} + rejected ${count(users.rejected)}${users.leftOut === 0 ? "" : ` + left out ${count(users.leftOut)}`}`,
  );
  const fromEmail =
    users.nameFromEmail === 0 ? "" : `; ${count(users.nameFromEmail)} without a full name use their user name`;
  ui.say(`               written: with hash ${count(users.withHash)}, without ${count(users.withoutHash)}${fromEmail}`);
  if (passwords.read > 0) {
    ui.say(
      `${paint.bold("password rows")}  read ${count(passwords.read)} = used ${count(passwords.used)} + superseded ${count(passwords.superseded)}` +
        ` + unmatched ${count(passwords.unmatched)} + rejected ${count(passwords.rejected)}`,
    );
  }
  const mailed = users.written - users.silent;
  if (mailed > 0) {
    ui.say(
      `${counted(mailed, "user")} may get a mail when this is imported: no password, or an unverified e-mail address (import --dry-run tells)`,
    );
  }
  if (plainPasswords !== undefined) {
    const { hashed, durationMs, bcryptCost } = plainPasswords;
    ui.say(`passwords      ${count(hashed)} hashed with bcrypt, cost ${bcryptCost}, in ${duration(durationMs)}`);
  }
  if (result.columns !== undefined) for (const line of describeColumns(result.columns)) ui.say(line);
  for (const line of [...describeHashes(result, verifiers), ...notes(result)]) ui.say(line);
  if (rejects !== undefined) ui.say(`rejected and unmatched rows, with reasons: ${rejects}`);
  for (const output of outputs) {
    ui.say(
      `${paint.green("wrote")} ${output.path === "-" ? "stdout" : output.path}: ${counted(output.users, "user")} for organization ${org}, ${bytes(output.bytes)}`,
    );
  }
}

/** What somebody should know of the users that were written, and of the rows that are none. */
function notes({ remarks, leftOut }: MergeResult): readonly string[] {
  return [
    ...entriesOf(leftOut).map(([reason, times]) => `left out       ${count(times)}: ${describeLeftOut(reason)}`),
    ...describeRemarks(remarks),
  ];
}

/** The entries of counts, by keys that are known. */
function entriesOf<Key extends string>(counts: Partial<Record<Key, number>>): readonly (readonly [Key, number])[] {
  return Object.entries(counts) as [Key, number][]; // the keys are those of the type
}

/** Says how far the reading is. */
export function sayProgress(
  progress: Progress,
  input: RowInputs | undefined,
  { users, passwords }: Pick<MergeResult, "users" | "passwords">,
): void {
  if (input === undefined) return;
  progress.update(() => {
    const { name, files } = input;
    const taken = files.reduce((sum, file) => sum + file.takenBytes(), 0);
    const size = files.reduce((sum, { sizeBytes = Number.NaN }) => sum + sizeBytes, 0);
    const share = Number.isNaN(size) ? bytes(taken) : `${Math.floor((100 * taken) / size)} %`;
    return `${name === "-" ? "stdin" : name} ${share} · ${count(passwords.read)} password rows, ${count(users.read)} users`;
  });
}
