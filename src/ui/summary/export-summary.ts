import type { ScanCounts } from "../../core/document/scan-totals.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { bytes, count, counted, linesIf, shown, shownNames } from "../../problem/format.ts";
import type { AnyReport, ReportFields } from "../report.ts";

/** What tells which users lose codes (design: The report, `export`). */
export type LeftFactors = Pick<
  NonNullable<ReportFields<"copy">["export"]>,
  `${"recoveryCodes" | "otp" | "factors"}Left${"" | "Users"}`
>;

/** spec: Not carried by the instance export/import, without the keys of service users, which are; and service behaviour 0.31, 2.6, 2.10, 9.8, 9.37, 9.41. */
export const NOT_CARRIED = [
  "global policies",
  "IAM members",
  "global identity providers",
  "global second factor and multi-factor settings",
  "identity providers other than OIDC and JWT",
  "SAML applications",
  "client ids, client secrets and keys of applications (the target makes new client ids)",
  "personal access tokens, client secrets and access token types of service users",
  "project grants to organizations that are not exported with them",
  "metadata of organizations",
  "passkeys",
  "actions that run when tokens and SAML responses are created",
  "recovery codes",
  "password changes that the next sign-in requires",
  "deactivated states of role grants, projects, project grants, applications, actions and identity providers",
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
    ...noHashesLines(counts, why).map((line) => `          ${line}`),
    ...linesIf(
      counts.withRecoveryCodes > 0,
      `          recovery codes of ${counted(counts.withRecoveryCodes, "user")}`,
    ),
    notCarriedLine(notCarried(counts)),
  ];
}

/** Said of users without any password hash. */
function noHashesLines({ users, withHash }: Pick<ScanCounts, "users" | "withHash">, why: string): readonly string[] {
  const line = `no password hashes: no user can sign in with the old password (${why})`;
  return linesIf(users > 0 && withHash === 0, line);
}

/** The same from the report of an export or a copy, which does not have the flags. */
export function reportedNoHashes({ export: copied, ...own }: AnyReport): readonly string[] {
  const { users, withHash } = copied ?? own;
  if (typeof users !== "number" || withHash === undefined) return [];
  return noHashesLines({ users, withHash }, "--with-passwords includes those that the source exports");
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

/** The one-time codes and the recovery codes that an export or a copy lacks, from its report. */
export function leftFactorLines({ export: copied, ...own }: Pick<AnyReport, "export" | keyof LeftFactors>): string[] {
  const left = copied ?? own;
  const { otpLeft = 0, otpLeftUsers = [], recoveryCodesLeft = 0, recoveryCodesLeftUsers = [] } = left;
  const { factorsLeft = 0, factorsLeftUsers = [] } = left;
  return [
    ...linesIf(
      otpLeft > 0,
      `the export lacks the one-time codes (OTP) of ${counted(otpLeft, "user")}${inBrackets(otpLeftUsers)}: on the target, they would sign in with the password alone. --with-otp includes them.`,
    ),
    ...linesIf(
      factorsLeft > 0,
      `${counted(factorsLeft, "user has", "users have")} a second factor that no export has (codes by SMS or e-mail, security keys)${inBrackets(factorsLeftUsers)}: on the target, they sign in with the password alone until they set up a second factor there.`,
    ),
    ...linesIf(
      recoveryCodesLeft > 0,
      `the export lacks the recovery codes of ${counted(recoveryCodesLeft, "user")}${inBrackets(recoveryCodesLeftUsers)}: an export with --transport events has them.`,
    ),
  ];
}

/** Why a quiet run ended with 1. */
export const EXPORT_LACKS = "the export lacks data: the warnings above name it.";

/** Role grants that the service left out of an export, the first of them by name. */
export function leftGrantLines(grants: readonly LeftGrant[]): [string, ...string[]] {
  return [
    `the service left ${counted(grants.length, "role grant")} in projects of other organizations out of the export. --transport events exports them:`,
    ...namedGrants(grants),
  ];
}

/** Role grants whose user or project is of an organization that is not exported. */
export function outsideGrantLines(grants: readonly LeftGrant[]): [string, ...string[]] {
  const are = grants.length === 1 ? "is" : "are";
  return [
    `${counted(grants.length, "role grant")} with a user or a project of an organization that is not exported ${are} not carried. Name these organizations too (--org-id):`,
    ...namedGrants(grants),
  ];
}

interface LeftGrant {
  readonly orgId: string;
  readonly userId: string;
  readonly projectId: string;
  readonly notExported?: readonly string[];
}

function namedGrants(grants: readonly LeftGrant[]): readonly string[] {
  const named = grants.slice(0, SHOWN_GRANTS).map(({ orgId, userId, projectId, notExported = [] }) => {
    const flags = notExported.map((id) => `--org-id ${shown(id)}`).join(" ");
    const grant = `user ${shown(userId)} of organization ${shown(orgId)}: project ${shown(projectId)}`;
    return `          ${grant}${flags === "" ? "" : ` (${flags})`}`;
  });
  return [
    ...named,
    ...linesIf(grants.length > SHOWN_GRANTS, `          … and ${count(grants.length - SHOWN_GRANTS)} more`),
  ];
}

/** Said of a copy, which has them. */
export function addedGrantsLine(grants: number): string {
  return `          ${counted(grants, "role grant")} that the service left out of the export, from its event log`;
}

const SHOWN_GRANTS = 10;

/** The first of these users; an anonymous page has none. */
function inBrackets(users: readonly string[]): string {
  return users.length === 0 ? "" : ` (${shownNames(users)})`;
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
