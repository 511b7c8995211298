import type { BodyFile } from "../../io/body-files.ts";
import type { MergeResult } from "../../sources/source.ts";
import { bytes, count, counted } from "../../ui/format.ts";
import type { Ui } from "../../ui/ui.ts";

export interface Migrated {
  readonly result: MergeResult;
  readonly outputs: readonly BodyFile[];
  readonly rejects: string | undefined;
  readonly org: string;
}

/** The account of a migration: every row read stands in exactly one number (design: "Nothing is lost"). */
export function sayMigrated(ui: Ui, { result: { users, passwords }, outputs, rejects, org }: Migrated): void {
  const { paint } = ui;
  ui.say(
    `${paint.bold("users")}          read ${count(users.read)} = written ${count(users.written)} + rejected ${count(users.rejected)}`,
  );
  const fromEmail =
    users.nameFromEmail === 0 ? "" : `; ${count(users.nameFromEmail)} without a name are named by their e-mail`;
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
      `${counted(mailed, "user")} will get a mail when this is imported: no password, or an unverified e-mail address`,
    );
  }
  if (rejects !== undefined) ui.say(`rejected and unmatched rows, with reasons: ${rejects}`);
  for (const output of outputs) {
    ui.say(
      `${paint.green("wrote")} ${output.path === "-" ? "stdout" : output.path}: ${counted(output.users, "user")} for organization ${org}, ${bytes(output.bytes)}`,
    );
  }
}
