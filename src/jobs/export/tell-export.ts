import { LISTED } from "../../problem/format.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import { EXPORT_AGAIN } from "../../ui/reasons.ts";
import type { ReportFields } from "../../ui/report.ts";
import {
  addedGrantsLine,
  droppedLine,
  exportLines,
  type LeftFactors,
  leftFactorLines,
  leftGrantLines,
  notCarried,
  outsideGrantLines,
  unreadLines,
} from "../../ui/summary/export-summary.ts";
import {
  INACTIVE_UNKNOWN_LINE,
  inactiveObjects,
  objectLines,
  removedOrgObjects,
} from "../../ui/summary/left-objects.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CallWorld } from "../shared/asking.ts";
import type { FoundOrg } from "../shared/search-orgs.ts";
import type { NamedInactive } from "./inactive-names.ts";
import {
  type LeftGrant,
  type LeftGrants,
  leftGrants,
  NO_GRANTS,
  usersWithLeftCodes,
  usersWithLeftFactors,
  usersWithLeftOtp,
  withHomes,
} from "./left-parts.ts";
import type { MissingEntry, MissingUser } from "./missing-parts.ts";
import type { ExportFlags } from "./request.ts";
import { isWhole, shortLine, slowLine, type WholeExport } from "./whole-export.ts";

type Exported = Omit<WholeExport<unknown>, "sink">;

/** Prints what an export has and lacks. Returns `partial` if it lacks users, metadata, organizations, fields, or OTP secrets that were
 * requested, or may lack other data. */
export function tellExport(
  exported: Exported,
  goal: string,
  ui: Ui,
  flags: Pick<ExportFlags, "withPasswords">,
  { grantsLeftCount = 0 }: Pick<LeftParts, "grantsLeftCount"> = {},
): ExitCode {
  const { counts, bytes, lacking, unread, slowLists, droppedFields } = exported;
  for (const line of exportLines(counts, bytes, goal, flags)) ui.say(line);
  for (const line of unread === undefined ? [] : unreadLines(unread)) ui.warn(line);
  if (droppedFields.length > 0) ui.warn(droppedLine(droppedFields));
  const isShort = lacking !== undefined && !isWhole(lacking);
  if (isShort) ui.warn(`${shortLine(lacking, exported)} ${EXPORT_AGAIN}`);
  if (slowLists.length > 0) ui.warn(`${slowLine(slowLists)} The export may be incomplete. ${EXPORT_AGAIN}`);
  const isPartial =
    isShort ||
    grantsLeftCount > 0 ||
    slowLists.length + droppedFields.length > 0 ||
    (unread?.otpSecrets ?? 0) + (unread?.unknownEventTypes.length ?? 0) > 0;
  return isPartial ? exitCodes.partial : exitCodes.done;
}

/** What an export lacks although the service has it, for the report. */
type LeftParts = LeftFactors &
  Pick<
    NonNullable<ReportFields<"copy">["export"]>,
    "grantsLeft" | "grantsLeftCount" | "grantsOutside" | "grantsOutsideCount"
  >;

/**
 * Prints and reports the second factors, recovery codes and role grants that the export lacks. Returns these grants; undefined: unknown.
 *
 * @param copy its target.
 */
export async function tellLeftParts(
  call: CallWorld,
  exported: Exported,
  { withOtp }: Pick<ExportFlags, "withOtp">,
  copy?: Parameters<typeof usersWithLeftFactors>[2],
): Promise<{ readonly left: LeftParts; readonly grants: LeftGrants | undefined }> {
  const users = await usersWithLeftFactors(call, exported.held, copy);
  const others = users.length === 0 ? {} : { factorsLeft: users.length, factorsLeftUsers: users.slice(0, LISTED) };
  const factors = { ...(await leftFactors(call, exported, withOtp)), ...others };
  for (const line of leftFactorLines(factors)) call.ui.warn(line);
  const found = await leftGrants(call, exported);
  const { left: grants } = found ?? NO_GRANTS;
  const outside = await withHomes(call, exported, found?.outside ?? []);
  if (outside.length > 0) call.ui.warn(...outsideGrantLines(outside));
  const ofOthers =
    outside.length === 0
      ? {}
      : { grantsOutside: outside.slice(0, LISTED).map(toLeftGrant), grantsOutsideCount: outside.length };
  const left = { ...factors, ...ofOthers };
  if (grants.length === 0) return { left, grants: found };
  if (copy !== undefined) call.ui.say(addedGrantsLine(grants.length));
  else call.ui.warn(...leftGrantLines(grants));
  return {
    left: { ...left, grantsLeft: grants.slice(0, LISTED).map(toLeftGrant), grantsLeftCount: grants.length },
    grants: found,
  };
}

/** A role grant as reports name it. */
function toLeftGrant({ orgId, userId, projectId, notExported }: LeftGrant) {
  return { orgId, userId, projectId, ...(notExported === undefined ? {} : { notExported: [...notExported] }) };
}

async function leftFactors(call: CallWorld, exported: Exported, withOtp: boolean): Promise<LeftFactors> {
  const withoutOtp = await usersWithLeftOtp(call, exported, withOtp);
  if (withoutOtp.length > 0) return { otpLeft: withoutOtp.length, otpLeftUsers: withoutOtp.slice(0, LISTED) };
  const users = await usersWithLeftCodes(call, exported, withOtp);
  if (users.length === 0) return {};
  return { recoveryCodesLeft: users.length, recoveryCodesLeftUsers: users.slice(0, LISTED) };
}

/** Prints and reports which objects are deactivated at the source: an export shows them as active. @param inactive undefined: unknown. */
export function tellInactive(
  inactive: readonly NamedInactive[] | undefined,
  goal: "export" | "copy",
  ui: Ui,
): Pick<NonNullable<ReportFields<"copy">["export"]>, "inactive"> {
  if (inactive === undefined) ui.warn(INACTIVE_UNKNOWN_LINE);
  if (inactive === undefined || inactive.length === 0) return {};
  const found = inactiveObjects(inactive, goal);
  const lines = objectLines(found);
  if (found.isToDo) ui.warn(found.words, ...lines);
  else for (const line of [found.words, ...lines]) ui.say(line);
  return { inactive: inactive.slice(0, LISTED) };
}

/** Prints and reports the organizations that were deleted at the source of a copy and still exist on the target. */
export function tellRemovedOrgs(
  orgs: readonly FoundOrg[],
  ui: Ui,
): Pick<NonNullable<ReportFields<"copy">["export"]>, "removedOrgs"> {
  if (orgs.length === 0) return {};
  const removedOrgs = orgs.map(({ id, name }) => ({ id, name }));
  const found = removedOrgObjects(removedOrgs);
  ui.warn(found.words, ...objectLines(found));
  return { removedOrgs };
}

/** The same for the report (design: The report, `export`). `missing` is absent if it is unknown. */
export function exportFields({
  counts,
  bytes,
  sha256,
  transport,
  lacking,
  unread,
  slowLists,
  unknown: { unknownMembers, unknownStates },
  droppedFields,
}: Exported): NonNullable<ReportFields<"copy">["export"]> {
  const { orgs, users, machineUsers, withHash, withOtp } = counts;
  const missing = lacking === undefined ? {} : { missing: lacking.users };
  const missingUsers =
    lacking === undefined || lacking.users === 0 ? {} : { missingUsers: lacking.namedUsers.map(toMissingUser) };
  const missingMetadata =
    lacking === undefined || lacking.metadata.length === 0 ? {} : { missingMetadata: lacking.metadata.map(toThing) };
  const deletedUsers =
    lacking === undefined || lacking.deleted.length === 0 ? {} : { deletedUsers: lacking.deleted.slice(0, LISTED) };
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
    notCarried: notCarried(counts),
    ...missing,
    ...missingUsers,
    ...missingMetadata,
    ...missingOrgs,
    ...deletedUsers,
    ...(slowLists.length === 0 ? {} : { slowLists }),
    ...(unknownMembers.length === 0 ? {} : { unknownMembers }),
    ...(unknownStates.size === 0 ? {} : { unknownStates: Object.fromEntries(unknownStates) }),
    ...(droppedFields.length === 0 ? {} : { droppedFields }),
    ...(unread === undefined ? {} : { unread: unreadFields(unread) }),
  };
}

function unreadFields({ unknownEventTypes, ...numbers }: NonNullable<Exported["unread"]>) {
  return unknownEventTypes.length === 0 ? numbers : { ...numbers, unknownEventTypes };
}

/** A user as reports name it. */
function toMissingUser({ userName, ...user }: MissingUser): Omit<MissingUser, "userName"> & { userName?: string } {
  return userName === "" ? user : { ...user, userName };
}

/** An entry as reports name it. */
function toThing({ orgId, userId, key }: MissingEntry): { type: string; id: string; orgId: string } {
  return { type: "user_metadata", id: `${userId}_${key}`, orgId };
}
