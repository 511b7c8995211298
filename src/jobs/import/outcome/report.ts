import { capabilitiesOf } from "../../../contract/versions.ts";
import type { ScanCounts } from "../../../core/document/scan-totals.ts";
import type { Way } from "../../../core/rules/route.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import type { Preference } from "../../../core/update/plan-user.ts";
import { type ChangedUser, isSettledByTarget, type UpdateResult } from "../../../core/update/update-result.ts";
import { byText, LISTED, type Names } from "../../../problem/format.ts";
import { ProblemError, type RowProblem, type RunProblem } from "../../../problem.ts";
import type { ReportFields } from "../../../ui/report.ts";
import { notCarried } from "../../../ui/summary/export-summary.ts";
import {
  AT_ONCE_LINE,
  droppedFieldsLine,
  emptyLine,
  type Messages,
  NO_MANIFEST_LINE,
  planLines,
  recoveryCodesLine,
  refusedLines,
  unknownMembersLine,
  unknownStatesLine,
  uselessHashesLine,
  withoutIdLine,
} from "../../../ui/summary/import-plan.ts";
import {
  failuresToName,
  type ImportNumbers,
  notThroughLine,
  rejectedBodyLine,
  stoppedLines,
  summaryLines,
} from "../../../ui/summary/import-summary.ts";
import { objectLines } from "../../../ui/summary/left-objects.ts";
import { idsToName, updateLines, updateWarnings } from "../../../ui/summary/update-plan.ts";
import { placeOf } from "../../shared/scan-input.ts";
import type { ImportRun } from "../import-run.ts";
import type { Ledger } from "../ledger.ts";
import type { Plan } from "../plan/plan.ts";
import { writesOf } from "../settings.ts";
import type { Rejects } from "./rejects.ts";

// What an import says on the terminal and in the report: the plan, the faults of the input, the outcome.

const SHOWN_FAULTS = 20;

/** A job that did not finish says how to continue, unless it did not begin. `unknown`: users whose creation has no answer. The problem itself becomes the exit code. */
export function stop(
  { ui, report }: ImportRun,
  problem: RunProblem,
  resumeCommand: string | undefined,
  { hasBegun = true, unknown = 0 }: { readonly hasBegun?: boolean; readonly unknown?: number } = {},
): never {
  if (hasBegun) ui.warn(...stoppedLines(resumeCommand, unknown));
  if (resumeCommand !== undefined) report.set({ resume: resumeCommand });
  throw new ProblemError(problem.code === "run.aborted" ? { ...problem, midway: hasBegun } : problem);
}

/** Whose login names the outcome shows. */
export function idsToShow({ state, updates }: Ledger): ReadonlySet<string> {
  return new Set([
    ...[...state.causes.keys()].flatMap((cause) =>
      failuresToName(state.failures, cause).map(({ id, userId = id }) => userId),
    ),
    ...[...state.causes.values()].map(({ sample: { id, userId = id } }) => userId),
    ...(updates === undefined ? [] : idsToName(updates)),
  ]);
}

/** Says and reports the outcome of a job. @param names login names of `idsToShow`, as far as they are known. */
export function reportOutcome(
  { ui, report, input, settings, source }: ImportRun,
  { scan }: Plan,
  ledger: Ledger,
  { dir, body, unknownFile }: Rejects,
  names: Names = new Map(),
): void {
  const { state, updates } = ledger;
  const numbers = numbersOf(scan.counts, ledger);
  const place = (line: number): ReturnType<typeof placeOf> => placeOf(input, line);
  for (const line of summaryLines(numbers, state, place, names, scan)) ui.say(line);
  const hasOthers = state.failures.some(({ type, cause }) => type !== "human_user" && cause !== "consequence");
  if (body !== undefined) ui.say(rejectedBodyLine(body, hasOthers));
  report.why(notThroughLine(numbers, state, dir, settings.plan.update?.prefer === "target"));
  const unknown = unknownIds(ledger);
  const changes = unknownChanges(ledger);
  report.set({
    users: numbers,
    via: viaOf(ledger),
    unknown: unknown.slice(0, LISTED),
    unknownCount: unknown.length,
    ...(changes.length === 0 ? {} : { unknownChanges: changes.slice(0, LISTED) }),
    ...(unknown.length === 0 || unknownFile === undefined ? {} : { unknownFile }),
    calls: ledger.calls,
    failures: state.failures.toSorted(inInput).map(({ item: _, line, ...failure }) => ({
      ...failure,
      ...(line === undefined ? { file: input.path } : place(line)),
    })),
    ...(state.causes.size === 0 ? {} : { failureCauses: countsOf(state.causes) }),
    otherObjects: Object.fromEntries(state.others),
  });
  if (updates !== undefined)
    reportUpdates(
      updates,
      { ui, report, settings, ...(source === undefined ? {} : { source }) },
      { isDone: true, names },
    );
}

/** By line, then by type and id: an export is one line, in which the service lists its objects in any order. */
function inInput(a: Failure, b: Failure): number {
  return (a.line ?? 0) - (b.line ?? 0) || byText(a.type, b.type) || byText(a.id, b.id);
}

function countsOf(causes: Ledger["state"]["causes"]): Readonly<Record<string, number>> {
  return Object.fromEntries([...causes].map(([cause, { count }]) => [cause, count]));
}

/** Orders each list of an update by the ids of its users: users are noted when their calls are answered, in any order. */
export function sortUpdates(updates: UpdateResult): void {
  const idOf = (one: string | ChangedUser): string => (typeof one === "string" ? one : one.userId);
  const lists: readonly unknown[] = Object.values(updates);
  for (const list of lists) if (Array.isArray(list)) list.sort((a, b) => byText(idOf(a), idOf(b)));
}

/** Says and reports the result of an update, or with `isDone` false what the result would be. `names`: login names by id. */
export function reportUpdates(
  updates: UpdateResult,
  { ui, report, settings, source }: Pick<ImportRun, "ui" | "report" | "settings" | "source">,
  { isDone, names }: { readonly isDone: boolean; readonly names: Names },
): void {
  const isSettled = settings.plan.update?.prefer === "target";
  const conflict = updates.conflict.map((one) =>
    isSettled && isSettledByTarget(one) ? { ...one, settled: true as const } : one,
  );
  const { unchanged, delete: deleted, deactivate: deactivated, ...lists } = updates;
  const update = { unchanged, delete: deleted, deactivate: deactivated, ...lists, conflict };
  const isCopy = source !== undefined;
  for (const line of updateLines(update, isDone, names, { isSettled, isCopy })) ui.say(line);
  for (const one of updateWarnings(update, isDone, names, { isCopy })) ui.warn(one.words, ...objectLines(one));
  report.set({
    deleted: deleted.length,
    deactivated: deactivated.length,
    conflicts: conflict.length,
    update,
  });
}

/** Returns what reports a fault of the input: in the report, in the rejects, and the first ones on the terminal. */
export function reportFaults(
  { ui, report, files: { restOfFaults } }: ImportRun,
  rejects: Rejects,
): (problem: RowProblem) => void {
  let reported = 0;
  return (problem) => {
    report.add(problem);
    rejects.fault(problem);
    reported += 1;
    if (reported <= SHOWN_FAULTS) ui.problem(problem);
    if (reported === SHOWN_FAULTS + 1 && restOfFaults !== undefined) ui.warn(`more faults are in ${restOfFaults}.`);
  };
}

/** Says and reports the plan. `messages` is undefined for an update, where the comparison decides. */
export function reportPlan(
  { api, input, settings, ui, report, files: { isShard = false, manifest } }: ImportRun,
  { scan, version, refused }: Plan,
  hasUsersApi: boolean,
  messages: Messages | undefined,
): void {
  const { counts, routes } = scan;
  const { batchUsers, batchBytes } = settings.calls;
  const byUser = hasUsersApi ? routes.users : 0;
  const elements =
    scan.sections.reduce((sum, { count, isWithinUsers }) => sum + (isWithinUsers ? 0 : count), 0) - byUser;
  const batches =
    batchUsers === "auto"
      ? undefined
      : Math.max(1, Math.ceil(elements / batchUsers), Math.ceil(input.bytes / batchBytes));
  const writes = writesOf(settings.calls, { version, scan });
  const lines = planLines(
    {
      host: api.address.host,
      version,
      variant: scan.container,
      isDetected: scan.carries === "export" && settings.plan.from === undefined,
      calls: batches === undefined ? undefined : byUser + batches,
      via: { import: counts.users - counts.invalidUsers - byUser, users: byUser },
      messages,
      writes: { ...writes, isUpdate: settings.plan.update !== undefined, isShard },
      hashes: scan.hashes,
      breaches: scan.breaches,
      refused,
      hasUsersApi: hasUsersApi || routes.users === 0,
    },
    counts,
  );
  for (const line of lines) ui.say(line);
  if (refused !== undefined) for (const line of refusedLines(refused, scan.hashes, version)) ui.warn(line);
  const useless = uselessHashesLine(scan, version);
  if (useless !== undefined) ui.warn(useless);
  if (manifest === undefined && counts.users > 0) ui.say(NO_MANIFEST_LINE);
  const codes = droppedRecoveryCodes(version, hasUsersApi);
  const withoutCodes = codes === undefined ? 0 : counts[codes];
  const codeUsers = codes === undefined ? [] : scan.named[codes];
  if (withoutCodes > 0) ui.warn(recoveryCodesLine(withoutCodes, version, codeUsers));
  if (counts.withoutId > 0) ui.warn(withoutIdLine(counts.withoutId));
  const { unknownMembers, unknownStates } = scan;
  // The export of an organization without users is one.
  const empty = scan.carries === "export" ? undefined : emptyLine(scan, "import");
  if (empty !== undefined) ui.warn(empty);
  if (unknownMembers.length > 0) ui.warn(unknownMembersLine(unknownMembers));
  if (unknownStates.size > 0) ui.warn(unknownStatesLine(unknownStates, scan.named.unknownStates));
  const withoutFields = hasUsersApi ? counts.unknownFieldsByUsersApi : 0;
  if (withoutFields > 0) ui.warn(droppedFieldsLine(withoutFields, scan.named.unknownFieldsByUsersApi));
  if (writes.calls > 1 && !writes.isSafeVersion) ui.warn(AT_ONCE_LINE);
  report.set({
    ...(messages === undefined ? {} : messagesInReport(messages)),
    writes: { calls: writes.calls, reason: writes.reason },
    ...(withoutCodes === 0 ? {} : { recoveryCodesDropped: withoutCodes, recoveryCodesDroppedUsers: [...codeUsers] }),
    ...(unknownMembers.length === 0 ? {} : { unknownMembers: [...unknownMembers] }),
    ...(unknownStates.size === 0
      ? {}
      : { unknownStates: Object.fromEntries(unknownStates), unknownStateUsers: [...scan.named.unknownStates] }),
    ...(withoutFields === 0
      ? {}
      : {
          unknownFieldsDropped: withoutFields,
          unknownFieldsDroppedUsers: [...scan.named.unknownFieldsByUsersApi],
        }),
    hashes: Object.fromEntries(scan.hashes),
    ...(scan.breaches.length === 0 ? {} : { hashesOutOfLimits: [...scan.breaches] }),
    ...(scan.carries === "export" ? { notCarried: notCarried(counts) } : {}),
  });
}

/** The messages that the service will send, at most, and who gets them. */
export function messagesInReport({
  mails,
  sms,
  recipients,
}: Pick<Messages, "mails" | "sms" | "recipients">): ReportFields<"import"> {
  if (recipients === undefined || recipients.named.length === 0) return { mails, sms };
  return { mails, sms, recipients: recipients.named.map(({ id, reason }) => ({ id, reason })) };
}

/** Which users' recovery codes the target drops without an error (service behaviour 9.8); undefined: none. */
function droppedRecoveryCodes(
  version: string | undefined,
  hasUsersApi: boolean,
): "withRecoveryCodes" | "recoveryCodesByUsersApi" | undefined {
  if (!capabilitiesOf(version).recoveryCodes) return "withRecoveryCodes";
  return hasUsersApi ? "recoveryCodesByUsersApi" : undefined;
}

/** The numbers of a job that has sent nothing. */
export function numbersBefore({ users: read, invalidUsers: skipped }: ScanCounts): ImportNumbers {
  const none = { sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0 };
  return { ...none, read, notSent: read - skipped, skipped };
}

/** The numbers of a job so far. */
export function numbersOf({ users: read, invalidUsers: skipped }: ScanCounts, ledger: Ledger): ImportNumbers {
  const { state, inFlight, updates } = ledger;
  const { settled, created, alreadyThere, failed } = state.users;
  const unknown = state.unknown.length + inFlight.size;
  const kept = updates === undefined ? undefined : keptOf(updates);
  const sent = settled + inFlight.size + (kept?.updated ?? 0);
  const notSent = read - sent - skipped - (kept?.unchanged ?? 0) - (kept?.conflict ?? 0);
  return { read, sent, created, alreadyThere, failed, unknown, notSent, skipped, ...kept };
}

function keptOf({
  update,
  unchanged,
  conflict,
}: UpdateResult): Required<Pick<ImportNumbers, "updated" | "unchanged" | "conflict">> {
  return { updated: update.length, unchanged, conflict: conflict.length };
}

/** Ids of users with an unknown outcome. */
export function unknownIds({ state, inFlight }: Ledger): string[] {
  return [...state.unknown, ...[...inFlight.values()].map(({ id }) => id)];
}

/** Of these, the existing users whose change has an unknown outcome. */
export function unknownChanges({ inFlight }: Ledger): string[] {
  return [...inFlight.values()].flatMap(({ id, isChange }) => (isChange === true ? [id] : []));
}

/** How many users were sent each way. */
function viaOf({ state, inFlight }: Ledger): Readonly<Record<Way, number>> {
  const via = { ...state.via };
  for (const { way } of inFlight.values()) via[way] += 1;
  return via;
}

/** True when an update leaves, or would leave, something undone. */
export function leavesSome({ conflict, tooMany, incomplete, kept }: UpdateResult, prefer: Preference): boolean {
  const isOpen = prefer === "target" ? conflict.some((one) => !isSettledByTarget(one)) : conflict.length > 0;
  return isOpen || tooMany.length + incomplete.length + kept.length > 0;
}

/** True when the job has done everything. A conflict is left undone, unless the target's values are preferred. */
export function gotThrough(
  { state, updates }: Ledger,
  { unknown, notSent, skipped }: ImportNumbers,
  prefer: Preference = "none",
): boolean {
  const isLeft = updates !== undefined && leavesSome(updates, prefer);
  const isOpen = state.open.length + unknown + notSent > 0;
  return state.failed === 0 && !isOpen && skipped === 0 && !isLeft;
}
