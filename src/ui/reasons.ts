import { describeCause, isConsequence, namesOrg } from "../problem/cause.ts";
import { sentences } from "../problem/description.ts";
import { count, counted, idWithName, place, shown } from "../problem/format.ts";
import { describeReason, isReason, rowPrefix } from "../problem/row.ts";
import type { Problem } from "../problem.ts";
import { type AnyReport, type ComparedThing, type DifferentThing, maySendMessages, userCounts } from "./report.ts";
import {
  failedOwnerWords,
  foreseenIds,
  missingWords,
  projectGrantCauses,
  projectGrantWords,
} from "./summary/foreseen.ts";
import { describeFailure } from "./summary/hash-limits.ts";
import { initialLine, messageCause } from "./summary/import-plan.ts";
import { cannotSignInReason } from "./summary/sign-ins.ts";
import { describeKept, KEPT_HINT } from "./summary/undo-summary.ts";
import { conflictHint, conflictReasons, differentHint, isOfReason, TARGET_KEPT } from "./summary/update-plan.ts";
import {
  changedUsers,
  fieldsText,
  INCOMPLETE,
  leftUsers,
  NOT_REMOVED,
  TOO_MANY,
  userText,
  VALUES_KEPT,
  VERIFIED_STAYS,
} from "./summary/user-lists.ts";

/** A user, object or row that a reason names, and its place in the input. */
export interface Named {
  /** `u2 (ann@example.com)`, `user grant g7`; empty for a row, and for a user without an id. */
  readonly who: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Of a row. */
  readonly field?: string | undefined;
  /** The fields that differ, or the service's words where orgferry has none. */
  readonly detail?: string | undefined;
  /** Of a row: all that there is to say, with the place in front, and without. */
  readonly message?: string | undefined;
  readonly bareMessage?: string | undefined;
}

/** Why some items of a run were not done, and what to do. */
export interface Reason {
  /** `failed`, `conflict`, `missing`: the counter of the report. */
  readonly kind: string;
  /** All items with this reason, listed or not. */
  readonly times: number;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The first of the items. */
  readonly named: readonly Named[];
  /** The service's words about the first of them. */
  readonly quote?: string | undefined;
}

/** The most items that a reason names on a terminal. */
const NAMED = 10;

/** The most frequent reasons are shown; a report has few. */
const SHOWN_REASONS = 20;

/** An item before it is put into words. */
interface Item {
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly detail?: string | undefined;
}

/**
 * Why a run did not end with 0, from its report alone: the terminal with --quiet, annotations and the summary of a job show these same
 * words. Empty for a run that ended with 0, and where the report names no item.
 */
export function reasonsOf(report: AnyReport): readonly Reason[] {
  return report.exitCode === 0 ? [] : reasonsIn(report, NAMED).slice(0, SHOWN_REASONS);
}

/** All that failed or differs, by reason, with every item that the report lists, and what was changed after the import. */
export function findingsOf(report: AnyReport): readonly Reason[] {
  return reasonsIn(report, Number.POSITIVE_INFINITY, true);
}

/** @param most items of each reason. @param withLater what was changed after the import is no reason for an exit code. */
function reasonsIn(report: AnyReport, most: number, withLater = false): readonly Reason[] {
  const { changedSince = [], changedSinceCount = 0, keptVerified = [], keptVerifiedCount = 0 } = report;
  const { notInFile = [], notInFileCount = 0 } = report;
  const {
    unknown = [],
    unknownChanges = [],
    cannotSignIn = [],
    cannotSignInFile,
    different = [],
    kept = [],
    update = {},
  } = report;
  const toNamed = ({ type, id = "", ...rest }: Item): Named => {
    const who = id === "" ? "" : whoIs(id, report);
    return { ...rest, who: isUser(type) ? who : `${kindOfThing(type)}${who === "" ? "" : ` ${who}`}` };
  };
  const reason = (
    kind: string,
    { message, hint }: { readonly message: string; readonly hint?: string | undefined },
    items: readonly Item[],
    times = items.length,
  ): Reason[] =>
    Math.max(times, items.length) === 0
      ? []
      : [
          {
            kind,
            times: Math.max(times, items.length),
            message: capital(message),
            hint,
            named: items.slice(0, most).map(toNamed),
          },
        ];
  const ofUsers = (changed: readonly Parameters<typeof fieldsText>[0][] = []) =>
    changed.map((one): Item => ({ id: one.userId, detail: fieldsText(one) }));
  const ofIds = (ids: readonly string[] | undefined): readonly Item[] => (ids ?? []).map((id) => ({ id }));
  const users = userCounts(report) ?? {};
  const unknownCreations = Math.max(0, (users["unknown"] ?? 0) - unknownChanges.length);
  const missing = missingOf(report);
  const otherDifferent = different.filter((thing) => !isOfUsers(thing));
  const differentUsers = Math.max(0, (report.differentCount ?? different.length) - otherDifferent.length);
  const slow = report.slowLists ?? report.export?.slowLists ?? [];
  const found = [
    ...inOrder(failed(report)).flatMap(({ cause, items, times, quote }) => {
      const { message, hint } = describeFailure(cause, report.hashesOutOfLimits, Object.keys(report.hashes ?? {}));
      const known = reason("failed", { message, hint: hint === SEE_MESSAGE ? undefined : hint }, items, times);
      return known.map((one) => ({ ...one, quote }));
    }),
    ...inOrder(rejected(report, most)).filter(({ kind }) => withLater || kind !== MERGED),
    ...conflictReasons.flatMap((why) => {
      const ofReason = update.conflict?.filter((one) => isOfReason(one, why)) ?? [];
      const settled = withLater ? ofReason.filter((one) => one.settled === true) : [];
      return [
        ...reason(
          "conflict",
          { message: why.message, hint: conflictHint(why, report.command === "copy") },
          ofUsers(ofReason.filter((one) => one.settled !== true)),
        ),
        ...reason("conflict", { message: why.message, hint: TARGET_KEPT }, ofUsers(settled)),
      ];
    }),
    ...notConfirmed(report).flatMap(([cause, items]) => reason(NOT_SENT, { message: messageCause(cause) }, items)),
    ...reason("not emptied", VALUES_KEPT, ofUsers(update.kept)),
    ...reason(
      "not deleted",
      { message: TOO_MANY.message, hint: TOO_MANY.hint(update.mostOfOrg ?? update.tooMany?.length ?? 0) },
      ofIds(update.tooMany),
    ),
    ...reason("not deleted", INCOMPLETE, ofIds(update.incomplete)),
    ...reason(
      "cannot sign in",
      cannotSignInReason({ file: cannotSignInFile, version: report.targetVersion }),
      ofIds(cannotSignIn),
      report.cannotSignInCount,
    ),
    ...reason("unknown", UNKNOWN, ofIds(unknown.filter((id) => !unknownChanges.includes(id))), unknownCreations),
    ...reason("unknown", UNKNOWN_CHANGE, ofIds(unknownChanges)),
    ...reason("missing", MISSING, missing, missingTimes(report, missing.length)),
    ...reason("different", DIFFERENT, different.filter(isOfUsers).map(toItem), differentUsers),
    ...reason("different", OTHERS_DIFFERENT, otherDifferent.map(toItem)),
    ...(withLater ? reason("changed since", CHANGED, changedSince.map(toItem), changedSinceCount) : []),
    ...(withLater ? reason("verified", KEPT_VERIFIED, keptVerified.map(toItem), keptVerifiedCount) : []),
    ...(withLater ? reason("on the target only", NOT_IN_FILE, notInFile.map(toItem), notInFileCount) : []),
    ...[...new Set(kept.map((one) => one.reason))].flatMap((why) =>
      reason(
        "kept",
        { message: describeKept(why), hint: KEPT_HINT },
        kept.filter((one) => one.reason === why),
      ),
    ),
    ...foreseen(report).flatMap(([cause, items, times]) => reason("will fail", describeCause(cause), items, times)),
    ...reason("missing from the export", LACKING, ofIds(report.missingOrgs), lackingOf(report)),
    ...reason("deleted", DELETED_USERS, ofIds(report.deletedUsers ?? report.export?.deletedUsers)),
    ...reason(
      "missing from the export",
      LACKING_METADATA,
      report.missingMetadata ?? report.export?.missingMetadata ?? [],
    ),
    ...reason("slow", SLOW_LISTS, slow.map(toType)),
    ...reason(OTP_LOST, OTP_SECRETS_LOST, [], (report.unread ?? report.export?.unread)?.otpSecrets ?? 0),
  ];
  if (found.length > 0) return found;
  const { alreadyThereDifferent = [], alreadyThereDifferentCount } = report;
  return reason(
    "different",
    { ...EXISTING_DIFFERENT, hint: differentHint(alreadyThereDifferent, EXISTING_DIFFERENT.hint) },
    ofUsers(alreadyThereDifferent),
    alreadyThereDifferentCount,
  );
}

/** Users that an update changed or would change, and users that it leaves: what they are, and the first of them. */
export function changesOf(report: AnyReport): readonly { readonly what: string; readonly named: readonly string[] }[] {
  const { command, update = {}, dryRun, loginNames = {} } = report;
  const isDone = dryRun !== true;
  const lists = [
    ...changedUsers(update, isDone).map(({ words, users }) => ({
      what: `${count(users.length)} ${isDone ? words : `to ${words}`}`,
      users,
    })),
    ...leftUsers(update, isDone, command === "copy").flatMap(({ words, hints, users, as }) =>
      as === "reason" ? [] : [{ what: [`${words}.`, ...hints].join(" "), users }],
    ),
  ];
  const names = new Map(Object.entries(loginNames));
  return lists.flatMap(({ what, users }) => {
    if (users.length === 0) return [];
    const named = users.slice(0, NAMED).map((one) => userText(one, names));
    return [{ what, named: [...named, ...moreLines(users.length - named.length)] }];
  });
}

/** Who gets a message of the service, by reason: the first of the users; where that ended the run, it is among the reasons. */
export function recipientsOf(report: AnyReport): ReturnType<typeof changesOf> {
  const { recipients = [], dryRun } = report;
  if (notConfirmed(report).length > 0 || !maySendMessages(report)) return [];
  const words = dryRun === true ? "would get an" : "may get an";
  return [...new Set(recipients.map(({ reason }) => reason))].map((reason) => {
    const users = recipients.filter((one) => one.reason === reason);
    const named = users.slice(0, NAMED).map(({ id }) => whoIs(id, report));
    const what = `${count(users.length)} ${words} ${messageCause(reason)}`;
    return { what, named: [...named, ...moreLines(users.length - named.length)] };
  });
}

/** How many more there are than those that are named, if any. */
export function moreLines(rest: number): readonly string[] {
  return rest > 0 ? [`… and ${count(rest)} more; --report lists them`] : [];
}

/** The most frequent reasons of a kind come first, and consequences of others last. */
function inOrder<T extends { readonly cause: string; readonly times: number }>(found: readonly T[]): readonly T[] {
  const rank = ({ cause }: T): number => Number(isConsequence(cause));
  return [...found].sort((a, b) => rank(a) - rank(b) || b.times - a.times);
}

function toType(type: string): Item {
  return { type };
}

function toItem({ fields, ...thing }: DifferentThing): Item {
  return { ...thing, detail: fields.join(", ") };
}

/** The users with a password who were created in the state INITIAL. */
export function initialOf(report: AnyReport): readonly string[] {
  const { stateInitial = 0, stateInitialUsers = [] } = report;
  return stateInitial === 0
    ? []
    : [
        initialLine(
          stateInitial,
          stateInitialUsers.map((id) => whoIs(id, report)),
        ),
      ];
}

/** A reason in one line: `3 failed: Invalid phone number. Write it in full.` */
export function reasonLine({ kind, times, message, hint }: Reason): string {
  return sentences({ message: `${count(times)} ${kind}: ${message}.`, ...(hint === undefined ? {} : { hint }) });
}

/** The items of a reason, a line for each, and how many more there are. */
export function namedLines({ named, times }: Reason): readonly string[] {
  const rest = times - named.length;
  return [...named.map(wordsOf).filter((words) => words !== ""), ...(named.length > 0 ? moreLines(rest) : [])];
}

/** An item in one line: `u2 (ann@example.com), body.json:7: email`. */
export function wordsOf({ who, file, line, field, detail, message }: Named): string {
  if (message !== undefined && message !== "") return message;
  const at = file === undefined || file === "" ? (line === undefined ? "" : `line ${line}`) : place({ file, line });
  const words = [who, at, field ?? ""].filter((part) => part !== "").join(", ");
  return [words, detail ?? ""].filter((part) => part !== "").join(": ");
}

/** How many users that an update creates or changes get their login names into the report. */
const CHANGED_NAMED = 1_000;

/** The ids that a report names: whose login names are worth reading. */
export function namedIds(report: AnyReport): ReadonlySet<string> {
  const { failures = [], unknown = [], cannotSignIn = [], different = [], missing, update = {}, problems } = report;
  const {
    alreadyThereDifferent = [],
    recipients = [],
    recoveryCodesDroppedUsers = [],
    stateInitialUsers = [],
  } = report;
  const {
    onlyOnTarget = [],
    otherDifferences = [],
    heldBack = [],
    unknownFieldsDroppedUsers = [],
    unknownStateUsers = [],
    foreseen: found,
  } = report;
  return new Set([
    ...[...failures, ...recipients, ...different, ...(typeof missing === "object" ? missing : [])].map(({ id }) => id),
    ...failures.flatMap(({ userId = [] }) => userId),
    ...[...(update.conflict ?? []), ...alreadyThereDifferent].map(({ userId }) => userId),
    ...[...changedUsers(update, true), ...leftUsers(update, true, false)].flatMap(({ users }) =>
      users.slice(0, CHANGED_NAMED).map(({ userId }) => userId),
    ),
    ...[...unknown, ...cannotSignIn, ...recoveryCodesDroppedUsers, ...unknownFieldsDroppedUsers, ...unknownStateUsers],
    ...[...onlyOnTarget, ...otherDifferences, ...heldBack].flatMap(({ userId = [] }) => userId),
    ...[...stateInitialUsers, ...foreseenIds(found)],
    ...problems.flatMap(({ id }) => (id === undefined ? [] : [id])),
  ]);
}

/** The ids of what a report names as failed, skipped, unknown or a conflict, and which may be missing therefore. */
export function lostIds({ failures = [], problems, unknown = [], update = {} }: AnyReport): ReadonlySet<string> {
  const conflicts = update.conflict?.map(({ userId }) => userId) ?? [];
  return new Set([...[...failures, ...problems].map(({ id }) => id ?? ""), ...unknown, ...conflicts]);
}

/** Missing items, without those that the report names for another reason. */
export function missingOf(report: AnyReport): readonly ComparedThing[] {
  const { missing } = report;
  const known = lostIds(report);
  return typeof missing === "object" ? missing.filter((thing) => !isAmong(thing, known)) : [];
}

/** True for an object whose id is among these; the service puts the organization in front of some ids. */
export function isAmong({ id, orgId }: Pick<ComparedThing, "id" | "orgId">, ids: ReadonlySet<string>): boolean {
  return ids.has(id) || ids.has(`${orgId}_${id}`);
}

/** "user" for a user, the words of the type for everything else. */
export function kindOfThing(type = "user"): string {
  return isUser(type) ? "user" : type.replaceAll("_", " ");
}

/** True for what an update brings to the input: users and their metadata. */
function isOfUsers({ type }: Pick<ComparedThing, "type">): boolean {
  return isUser(type) || ["humanUsers", "userMetadata", "user_metadata"].includes(type);
}

function isUser(type: string | undefined): boolean {
  return type === undefined || type === "human_user" || type === "user";
}

const SEE_MESSAGE = describeCause("other").hint;
const UNKNOWN = {
  message: "a response was lost, so it is unknown whether the user was created",
  hint: "Run again: existing users are counted as already there.",
};
const UNKNOWN_CHANGE = {
  message: "a response was lost, so it is unknown whether the user was changed",
  hint: "Run again: what is still different is changed then.",
};
const MISSING = {
  message: "not on the target",
  hint: "Import the file again, or repeat the copy: existing objects are not created twice. What another account removed on the target stays removed.",
};
const DIFFERENT = {
  message: "different on the target",
  hint: "To bring users to what the file says: import with --update.",
};
const CHANGED = { message: "imported correctly, then changed on the target" };
const KEPT_VERIFIED = {
  message: "with a verified address or number that is not verified in the input",
  hint: VERIFIED_STAYS,
};
const NOT_IN_FILE = { message: "with values on the target that the file lacks", hint: NOT_REMOVED };
const OTHERS_DIFFERENT = {
  message: "different on the target, and no import changes them",
  hint: "Make the same change on the target.",
};
const EXISTING_DIFFERENT = {
  message: "existing users differ from the input (--fail-on-different)",
  hint: "To update them, use --update.",
};
/** What to do about an incomplete export. */
export const EXPORT_AGAIN = "Export again later, or wait longer with --settle 5m.";
const SLOW_LISTS = {
  message: "the export may be incomplete, because lists of the service lag behind its event log",
  hint: EXPORT_AGAIN,
};
const LACKING = { message: "the event log contains users that the export lacks", hint: EXPORT_AGAIN };
const DELETED_USERS = { message: "the export has users who were deleted", hint: EXPORT_AGAIN };
const LACKING_METADATA = {
  message: "the event log contains metadata that the export lacks",
  hint: `${EXPORT_AGAIN} If it stays so, the source has lost the entries: set them again there.`,
};

/** The kind of OTP secrets that an export lacks. */
export const OTP_LOST = "OTP secrets lost";
const OTP_SECRETS_LOST = {
  message: "the export from the event log lacks the OTP secrets of these users",
  hint: "They must set up OTP again.",
};

/** Failures by cause. The list of a report is cut; `failureCauses` counts all. */
function failed(report: AnyReport) {
  const { failures = [], failureCauses = {} } = report;
  const causes = [...new Set(failures.map(({ cause = "other" }) => cause))];
  return causes.map((cause) => {
    // The service's own words are worth reading where orgferry has none.
    const isOpaque = describeCause(cause).hint === SEE_MESSAGE;
    const found = failures.filter((one) => (one.cause ?? "other") === cause);
    const ofOrg = namesOrg(cause);
    const items = found.map(({ message, type, id, file, line, holder, changed = [], ...grant }): Item => {
      const words = ofOrg ? shown(message) : `"${shown(message)}"`;
      const quoted = (isOpaque || ofOrg) && message !== "" ? words : undefined;
      const roles = failedOwnerWords(grant, nameOf(grant.userId, report));
      const made = changed.length === 0 ? undefined : `changed nevertheless: ${changed.map(shown).join(", ")}`;
      const detail = [holder ?? joined(roles, quoted), made]
        .filter((text) => text !== undefined && text !== "")
        .join("; ");
      return { type, id, file, line, detail: detail || undefined };
    });
    const isNamed = found[0]?.holder !== undefined;
    const quote = isOpaque || ofOrg || isNamed ? undefined : found[0]?.message;
    return { cause, items, times: failureCauses[cause] ?? items.length, quote };
  });
}

/** The kind of users whose accounts became links of another user: they are listed, and nothing failed. */
export const MERGED = "merged";

/** The kind of rows that a migration does not write. */
export const REJECTED = "rejected";

/** Rejected rows by reason, and merged users. */
function rejected(report: AnyReport, most: number): readonly (Reason & { readonly cause: string })[] {
  const { problems, reasons = {} } = report;
  const rows = problems.filter(({ code }) => isReason(code));
  // Only the first rows are listed; all are counted.
  const counted = Object.keys(reasons).filter((code) => (reasons[code] ?? 0) > 0);
  const codes = [...new Set([...rows.map(({ code }) => code), ...counted])];
  return codes.map((code) => {
    const listed = rows.filter((one) => one.code === code);
    return {
      kind: code === ("user.linked" satisfies Problem["code"]) ? MERGED : REJECTED,
      cause: code,
      times: Math.max(reasons[code] ?? 0, listed.length),
      message: capital(describeReason({ code })),
      named: listed.slice(0, most).map((row) => ({
        who: row.id === undefined ? "" : whoIs(row.id, report),
        file: row.file,
        line: row.line,
        field: row.field,
        message: withName(row.message, row.id, report),
        bareMessage: withoutPrefix(row),
      })),
    };
  });
}

/** What a message says of a row, without its place. */
export function withoutPrefix({ message, file = "", line, id, path, field }: AnyReport["problems"][number]): string {
  const given = Object.entries({ line, id, path, field }).filter(([, value]) => value !== undefined);
  const prefix = rowPrefix({ file, ...Object.fromEntries(given) });
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

/** The message of a row with the login name behind the id. */
function withName(message: string, id: string | undefined, report: AnyReport): string {
  return id === undefined ? message : message.replace(`user ${shown(id)}`, () => `user ${whoIs(id, report)}`);
}

/** Missing items, listed or not, without those that failed. @param listed the ones that are named. */
function missingTimes(report: AnyReport, listed: number): number {
  const { missing, expected = 0, found = 0 } = report;
  if (typeof missing !== "object") return 0;
  return listed + Math.max(0, expected - found - missing.length - failedBeyondList(report));
}

/** Failed items of the kinds that were compared, without those that the report lists. */
function failedBeyondList(report: AnyReport): number {
  const { by, failures = [], otherObjects = {} } = report;
  const users = userCounts(report)?.["failed"] ?? 0;
  if (by !== "export") return users - failures.filter(({ type }) => isUser(type)).length;
  const others = Object.values(otherObjects).map((counts) => (typeof counts === "object" ? counts.failed : 0));
  return others.reduce((sum, failedOnes) => sum + failedOnes, users) - failures.length;
}

/** An id, and the login name where the report has it. */
function whoIs(id: string, report: AnyReport): string {
  return idWithName(id, nameOf(id, report));
}

function nameOf(id: string | undefined, { loginNames = {} }: AnyReport): string | undefined {
  return id !== undefined && Object.hasOwn(loginNames, id) ? loginNames[id] : undefined;
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(": ");
}

/** Of messages that were not confirmed: the kind of the reasons why users would get them. */
export const NOT_SENT = "not sent";

/** Who would get a message, by reason, where that ended the run. */
function notConfirmed({ problems, recipients = [] }: AnyReport) {
  if (!problems.some(({ code }) => MESSAGE_CODES.has(code))) return [];
  const causes = [...new Set(recipients.map(({ reason }) => reason))];
  return causes.map((cause) => [cause, recipients.filter(({ reason }) => reason === cause)] as const);
}

const MESSAGE_CODES: ReadonlySet<string> = new Set([
  "usage.mails-not-confirmed",
  "run.too-many-mails",
  "run.declined",
  "api.would-mail",
] satisfies readonly Problem["code"][]);

/** What a dry run found, by cause. */
function foreseen({
  foreseen: found,
}: AnyReport): readonly (readonly [cause: string, items: readonly Item[], times?: number])[] {
  if (found === undefined) return [];
  const {
    users,
    orgs,
    nameTaken = [],
    nameHolders = {},
    elsewhere = [],
    removed = [],
    removedByOther = [],
    removedWithOrg = [],
    linkTaken = [],
    userMissing = [],
    userMissingCount = 0,
    otherPerson = [],
    otherPersonCount = 0,
    missingIdps = [],
    closedIdps = [],
    foreignObjects = 0,
    grants,
    roleMissing = [],
    projectMissing = [],
    failingProjectGrants = [],
    failingProjectGrantCauses: causes = {},
  } = found;
  const inState = (wanted: (typeof orgs)[number]["state"]): readonly Item[] =>
    orgs
      .filter(({ state }) => state === wanted)
      .map(({ orgId: id, otherId }) => ({ type: "organization", id, detail: otherId }));
  return [
    ["org-missing", inState("missing")],
    ["org-name-taken", inState("name-taken")],
    ["org-removed", inState("removed")],
    ["user-name-taken", nameTaken.map((id) => ({ id, detail: nameHolders[id] })), users.nameTaken],
    ["in-other-org", elsewhere.map(inOrg), users.elsewhere + foreignObjects],
    ["user-removed", removed.map(inOrg), users.removed],
    ["removed-by-other", removedByOther.map(inOrg), users.removedByOther ?? 0],
    ["removed-with-org", removedWithOrg.map(inOrg), users.removedWithOrg ?? 0],
    ["link-taken", linkTaken.map(({ userId: id, idpId }) => ({ id, detail: `identity provider ${shown(idpId)}` }))],
    ["reference-missing", userMissing.map(ofUser), userMissingCount],
    ...projectGrantCauses.map((cause) => {
      const failing = failingProjectGrants.filter((one) => one.cause === cause);
      return [cause, failing.map(toProjectGrant), causes[cause] ?? 0] as const;
    }),
    ["other-person", otherPerson.map(ofUser), otherPersonCount],
    ["identity-provider", missingIdps.map(toIdp)],
    ["idp-closed", closedIdps.map(toIdp)],
    ["role-missing", roleMissing.map(toGrant), grants?.roleMissing ?? 0],
    ["project-missing", projectMissing.map(toGrant), grants?.projectMissing ?? 0],
  ];
}

function inOrg({ userId: id, orgId }: { readonly userId: string; readonly orgId: string }): Item {
  return { id, detail: `organization ${shown(orgId)}` };
}

function ofUser({ type, ...user }: Parameters<typeof inOrg>[0] & { readonly type: string }): Item {
  return { ...inOrg(user), type };
}

function toGrant(grant: Parameters<typeof missingWords>[0]): Item {
  return { id: grant.userId, detail: missingWords(grant) };
}

function toProjectGrant(grant: Parameters<typeof projectGrantWords>[0]): Item {
  return { type: "project_grant", id: grant.id, detail: projectGrantWords(grant) };
}

function toIdp({ idpId: id, links }: { readonly idpId: string; readonly links: number }): Item {
  return { type: "identity_provider", id, detail: counted(links, "link") };
}

function lackingOf({ missing, missingOrgs = [], export: exported }: AnyReport): number {
  const users = typeof missing === "number" ? missing : (exported?.missing ?? 0);
  return users + missingOrgs.length;
}

/** With a capital letter at the beginning. */
export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
