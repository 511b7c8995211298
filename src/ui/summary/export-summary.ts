import type { ScanCounts } from "../../core/document/scan-totals.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { bytes, count, counted, linesIf, shownNames } from "../../problem/format.ts";
import type { ReportFields } from "../report.ts";

/** spec: Not carried by the instance export/import; the last four: service behaviour 0.31, 9.8, 2.6, 9.37. */
export const NOT_CARRIED = [
  "global policies",
  "IAM members",
  "global identity providers",
  "global second factor and multi-factor settings",
  "machine keys",
  "personal access tokens",
  "application keys",
  "passkeys",
  "actions that run when tokens and SAML responses are created",
  "recovery codes",
  "password changes that the next sign-in requires",
  "deactivated states of role grants, projects and applications",
] as const;

/** What an export does not contain: the event log has recovery codes (service behaviour 9.26). */
export function notCarried({ withRecoveryCodes }: Pick<ScanCounts, "withRecoveryCodes">): readonly string[] {
  return withRecoveryCodes > 0 ? NOT_CARRIED.filter((name) => name !== "recovery codes") : NOT_CARRIED;
}

/** What an export contains, and what no export contains. */
export function exportLines(
  counts: ScanCounts,
  size: number,
  goal: string,
  { withPasswords }: { readonly withPasswords: boolean },
): string[] {
  const why = withPasswords ? "the source exported none" : "--with-passwords includes them";
  return [
    `exported: ${counted(counts.orgs, "organization")}, ${counted(counts.users, "user")} (${count(counts.withHash)} with a password hash, ${count(counts.withOtp)} with OTP), ${counted(counts.machineUsers, "machine user")}`,
    `          ${bytes(size)} to ${goal}`,
    ...linesIf(
      counts.users > 0 && counts.withHash === 0,
      `          no password hashes: no user can sign in with the old password (${why})`,
    ),
    ...linesIf(
      counts.withRecoveryCodes > 0,
      `          recovery codes of ${counted(counts.withRecoveryCodes, "user")}`,
    ),
    notCarriedLine(notCarried(counts)),
  ];
}

/** Events of a newer service: what they changed of users is unknown. */
export function unknownEventsLine(types: readonly string[]): string {
  return `the event log has events of users that orgferry does not know: ${shownNames(types)}.`;
}

/** What an export that was rebuilt from the event log lacks. */
export function unreadLines({
  otpSecrets,
  clientSecrets,
  laterEvents,
  unknownEventTypes,
}: Required<NonNullable<ReportFields<"export">["unread"]>>): string[] {
  return [
    ...linesIf(
      unknownEventTypes.length > 0,
      `${unknownEventsLine(unknownEventTypes)} What they changed is not in the export.`,
    ),
    ...linesIf(
      otpSecrets > 0,
      `the export lacks the OTP ${otpSecrets === 1 ? "secret" : "secrets"} of ${counted(otpSecrets, "user")}: the service returns them only in an export of its own. They must set up OTP again.`,
    ),
    ...linesIf(
      clientSecrets > 0,
      `the export lacks the client ${clientSecrets === 1 ? "secret" : "secrets"} of ${counted(clientSecrets, "identity provider")}: set each again on the target.`,
    ),
    ...linesIf(
      laterEvents > 0,
      `${counted(laterEvents, "event")} came while the export was read: it has the state of its beginning. Export again to include them.`,
    ),
  ];
}

/** Printed with --with-otp, for an export that lacks recovery codes. */
export function leftCodesLine(users: readonly string[]): string {
  return `the export lacks the recovery codes of ${counted(users.length, "user")} (${shownNames(users)}): an export with --transport events has them.`;
}

/** Said of an export without OTP secrets. */
export function leftOtpLine(users: readonly string[]): string {
  return `the export lacks the one-time codes (OTP) of ${counted(users.length, "user")} (${shownNames(users)}): on the target, they would sign in with the password alone. --with-otp includes them.`;
}

/** Printed by an export for what a newer service has: an import passes it on. */
export function unknownLines({
  unknownMembers,
  unknownStates,
}: Pick<BodyScan, "unknownMembers" | "unknownStates">): readonly string[] {
  const names = [...unknownMembers, ...[...unknownStates.keys()].map((state) => `state ${state}`)];
  return linesIf(
    names.length > 0,
    `the export has members and fields that orgferry does not know: ${shownNames(names)}. They are written unchanged.`,
  );
}

/** Printed for fields that an export lacks, because the answer names them by numbers. */
export function droppedLine(fields: readonly string[]): string {
  return `the export lacks fields that this version of orgferry does not know: ${shownNames(fields)}. Use a newer version, or --transport rest if the export is not too large.`;
}

/** The list of the specification: what must be created on the target by other means. */
export function notCarriedLine(names: readonly string[] = NOT_CARRIED): string {
  return `not carried: ${names.join(", ")}`;
}
