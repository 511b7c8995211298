import { type ExitCode, exitCodes } from "../../problem.ts";
import type { ReportFields } from "../../ui/report.ts";
import { exportLines, NOT_CARRIED, unreadLines } from "../../ui/summary/export-summary.ts";
import type { Ui } from "../../ui/ui.ts";
import { isWhole, shortLine, type WholeExport } from "./whole-export.ts";

type Exported = Omit<WholeExport<unknown>, "sink">;

/** Prints what an export has and lacks. Returns `partial` if it lacks users, organizations or OTP secrets that were requested. */
export function tellExport(exported: Exported, goal: string, ui: Ui): ExitCode {
  const { counts, bytes, lacking, unread } = exported;
  for (const line of exportLines(counts, bytes, goal)) ui.say(line);
  for (const line of unread === undefined ? [] : unreadLines(unread)) ui.warn(line);
  if (lacking === undefined || isWhole(lacking))
    return (unread?.otpSecrets ?? 0) > 0 ? exitCodes.partial : exitCodes.done;
  ui.warn(`${shortLine(lacking, exported)} Export again later, or wait longer with --settle 5m.`);
  return exitCodes.partial;
}

/** The same for the report (design: The report, `export`). `missing` is absent if it is unknown. */
export function exportFields({
  counts,
  bytes,
  sha256,
  transport,
  lacking,
  unread,
}: Exported): NonNullable<ReportFields<"copy">["export"]> {
  const { orgs, users, machineUsers, withHash, withOtp } = counts;
  const missing = lacking === undefined ? {} : { missing: lacking.users };
  const missingOrgs = lacking === undefined || lacking.orgs.length === 0 ? {} : { missingOrgs: lacking.orgs };
  return {
    orgs,
    users,
    machineUsers,
    withHash,
    withOtp,
    bytes,
    sha256,
    transport,
    notCarried: NOT_CARRIED,
    ...missing,
    ...missingOrgs,
    ...(unread === undefined ? {} : { unread }),
  };
}
