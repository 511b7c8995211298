import { capabilitiesOf, isKnownVersion } from "../../contract/versions.ts";
import { describe } from "../../problem/describe.ts";
import { count, counted, firstOf, idWithName, linesIf, type Names, shown } from "../../problem/format.ts";
import type { RunProblem } from "../../problem.ts";
import type { ReportFields } from "../report.ts";
import { shellLine } from "../terminal/next-steps.ts";

/**
 * `listed = removed + alreadyGone + kept + failed + unknown + toRemove`; of a finished run, the last is 0. `alreadyGone` were deleted before
 * this run, `unknown` are users of a call whose response was lost.
 */
export type UndoNumbers = NonNullable<ReportFields<"undo">["users"]>;

const reasons = {
  "password-changed": "the password was changed after the job began",
  "password-updated":
    "the account of this job changed the password after the job began, such as in a later copy with --update",
  "signed-in": "the user signed in, or tried to, after the job began",
  "set-up": "the owner set up the account after the job began",
  "made-anew": "deleted, and created again after the job began, not by this job",
  "not-by-job": "the user was not created by this job: another account did it, or it was done after the job",
  "existed-before": "the user existed before the job, and was deleted and recreated after it began",
  changed: "another account changed the user, or gave the user rights, after the job began",
  protected: "the user has a role on the instance",
  "not-in-log": "the event log does not show who created the user, so later changes are unknown",
} as const;

/** What to do about users that are kept. */
export const KEPT_HINT =
  "--force deletes users in use too, but never users who were recreated, were not created by the job, or have a role on the instance";

/** Why a user is kept, in words. */
export function describeKept(reason: string): string {
  return Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : reason;
}

/** What is deleted with its user. */
const WITH_USER: ReadonlySet<string> = new Set([
  ...["user_metadata", "user_link", "user_grant"],
  ...["org_member", "project_member", "project_grant_member"],
]);

/** The objects of a job, by type, that no deletion of a user takes away. */
export function stayingObjects(others: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(others).filter(([type]) => !WITH_USER.has(type)));
}

/** Kept users that are named, for each reason. */
const SHOWN_KEPT = 5;
/** Users that are named before they are deleted. */
const SHOWN_DELETED = 10;

/** What undo will do. */
export function undoPlanLines(
  { listed, alreadyGone, kept, toRemove }: UndoNumbers,
  { others, withoutId }: { readonly others: Readonly<Record<string, number>>; readonly withoutId: number },
  host: string,
  inUse: ReadonlyMap<string, number> = new Map(),
): string[] {
  const staying = Object.entries(stayingObjects(others)).map(([type, times]) =>
    counted(times, type.replaceAll("_", " ")),
  );
  return [
    `target:   ${host}`,
    `users:    ${count(listed)} in the manifest: ${count(toRemove)} to delete, ${count(alreadyGone)} already gone, ${count(kept)} kept`,
    ...[...inUse].map(
      ([reason, users]) => `          --force deletes ${count(users)} of them although: ${describeKept(reason)}`,
    ),
    ...linesIf(staying.length > 0, `stays:    other objects of the job: ${staying.join(", ")}`),
    ...linesIf(
      withoutId > 0,
      `stays:    ${counted(withoutId, "user")} without an id in the input: the service generated one, which is unknown`,
    ),
  ];
}

/** The first users that will be deleted. @param names login names by id. */
export function toDeleteLines(ids: readonly string[], all: number, names: Names): string[] {
  if (all === 0) return [];
  const named = ids.slice(0, SHOWN_DELETED).map((id) => idWithName(id, names.get(id)));
  const more = all > named.length ? ` and ${count(all - named.length)} more (--report)` : "";
  return [`delete:   ${named.join(", ")}${more}`];
}

/** Deleted users, or users to be deleted, who have lost rights by another account; of an anonymous page, their number only. @param names login names by id. */
export function removedRightsLines(ids: readonly string[], names: Names): readonly string[] {
  const users = ids.filter((id) => id !== "").map((id) => idWithName(id, names.get(id)));
  const named = users.length === 0 ? "" : `: ${firstOf(users, SHOWN_DELETED)}`;
  return linesIf(
    ids.length > 0,
    `another account has removed role grants or memberships of ${counted(ids.length, "user")} of the manifest, and they come back if the users are created again${named}. If the users are not to have them, remove them at the source, or in the file, before the next run.`,
  );
}

/** A manifest is written at the end of a run. */
export function unfinishedLine(journal: string): string {
  return `the import of this manifest is not finished: ${journal} may have users that the manifest lacks, and undo does not delete these. To have all of them in it, first continue the import with --resume (orgferry status has the command).`;
}

/** Where the ids may be used again, if the version limits it (service behaviour 9.9). */
export function idsLines(version: string | undefined): readonly string[] {
  if (version === undefined || !isKnownVersion(version)) return [];
  switch (capabilitiesOf(version).deletedIds) {
    case "named-org":
      return [];
    case "former-org":
      return [
        `ids:      version ${version} accepts the ids of deleted users again only in the organization that they are deleted from`,
      ];
    default:
      return [`ids:      version ${version} does not accept the ids of deleted users again`];
  }
}

/** Of a journal beside the manifest. */
export function unfinishedImportLine(journal: string): string {
  return `the import of this manifest is not finished: users that a call without an answer has created are not in it. To undo them, too, complete the import first (${shellLine(["orgferry", "status", journal])} shows the command), then undo.`;
}

/** Manifests of one command are numbered. */
export function newerManifestLine(path: string): string {
  return `${shown(path)} is the newest manifest of later runs. Users that those runs created stay.`;
}

/** Asked before the first user is deleted. */
export function questionLine({ toRemove }: UndoNumbers, host: string): string {
  return `${counted(toRemove, "user")} will be permanently deleted from ${host}. Continue?`;
}

/** Printed before concurrent writes (service behaviour 0.41). */
export const AT_ONCE_LINE =
  "concurrent writes: the service may then keep the login name of a deleted user. Sequential writes (--concurrency 1) leave none.";

/** The result of undo. @param ids kept users; of many, the first ones. @param names login names by id. */
export function undoSummaryLines(
  numbers: UndoNumbers,
  kept: ReadonlyMap<string, number>,
  ids: readonly { readonly id: string; readonly reason: string }[],
  isDryRun: boolean,
  names: Names = new Map(),
): string[] {
  const { listed, removed, alreadyGone, kept: staying, failed, unknown, toRemove } = numbers;
  const parts = [
    `${count(removed)} deleted`,
    `${count(alreadyGone)} already gone`,
    `${count(staying)} kept`,
    `${count(failed)} failed`,
  ];
  if (unknown > 0) parts.push(`${count(unknown)} unknown`);
  if (toRemove > 0) parts.push(`${count(toRemove)} ${isDryRun ? "to delete" : "not reached"}`);
  return [
    `users:    ${count(listed)} listed = ${parts.join(" + ")}`,
    ...[...kept].flatMap(([reason, times]) => {
      const of = ids.filter((one) => one.reason === reason).slice(0, SHOWN_KEPT);
      const more = times > of.length ? ` and ${count(times - of.length)} more (all: --report)` : "";
      return [
        `kept:     ${count(times)}: ${describeKept(reason)}`,
        ...linesIf(of.length > 0, `          ${of.map(({ id }) => idWithName(id, names.get(id))).join(", ")}${more}`),
      ];
    }),
    ...linesIf(staying > 0, `          ${KEPT_HINT}`),
    ...linesIf(isDryRun, "dry run: no user was deleted."),
    ...linesIf(
      !isDryRun && toRemove + unknown > 0,
      "To continue, run the same command again: users that are already gone are skipped.",
    ),
    ...linesIf(
      !isDryRun && removed > 0,
      "          unknown: sign-ins in the seconds between the last check and the deletion, and data about these users in other systems",
    ),
    ...linesIf(
      !isDryRun && removed > 0,
      "The next import of the same file, or the next copy, creates these users again. To prevent that, stop the job, or delete the users at the source.",
    ),
  ];
}

/** Printed with --force where events cannot be read. */
export function unreadableLine(problem: RunProblem): string {
  return `unknown which users have signed in or changed the password, because events cannot be read: ${describe(problem).message} With --force all users are deleted.`;
}
