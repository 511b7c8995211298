import { hashCosts } from "../../contract/hash-limits.ts";
import { camelKey, orgMembers } from "../../contract/import-request.ts";
import { capabilitiesOf, isKnownVersion } from "../../contract/versions.ts";
import type { ScanCounts } from "../../core/document/scan-totals.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import type { CountedBreach } from "../../core/rules/hash-costs.ts";
import { nearestName } from "../../core/rules/names.ts";
import type { MessageReason, RouteCounts } from "../../core/rules/route.ts";
import type { Recipients } from "../../core/transfer/recipients.ts";
import { count, counted, duration, firstOf, idWithName, linesIf, shown, shownNames } from "../../problem/format.ts";
import type { ReportFields } from "../report.ts";
import { limitLines, type RefusedHashes, refusedHashLines } from "./hash-limits.ts";

/** What an import will do. */
export interface ImportPlan {
  readonly host: string;
  /** Of the service; undefined: the instance does not report it. */
  readonly version: string | undefined;
  readonly variant: string;
  readonly isDetected: boolean;
  /** undefined: the batch size is adjusted during the run. */
  readonly calls: number | undefined;
  /** Users by endpoint. */
  readonly via: Readonly<Record<"import" | "users", number>>;
  /** undefined: unknown until the users are compared. */
  readonly messages: Messages | undefined;
  readonly writes: PlannedWrites;
  /** Password hashes by kind. */
  readonly hashes: ReadonlyMap<string, number>;
  /** Hashes that are out of the default limits. */
  readonly breaches: readonly CountedBreach[];
  /** What the target refuses of these; undefined: unknown. */
  readonly refused: RefusedHashes | undefined;
  /** False where the target has none. */
  readonly hasUsersApi: boolean;
}

/** How users are created, and why. */
export interface PlannedWrites {
  /** Concurrent calls, at most. */
  readonly calls: number;
  /** The flag, or what is known of the target's version. */
  readonly reason: NonNullable<ReportFields<"import">["writes"]>["reason"];
  /** On the target's version, concurrent writes leave no user without a login name (service behaviour 9.2). */
  readonly isSafeVersion: boolean;
  /** Existing users are updated before. */
  readonly isUpdate: boolean;
  /** Other runs send the other files of the job. */
  readonly isShard: boolean;
}

/** The e-mails and SMS that the service sends because of an import, at most. */
export interface Messages {
  readonly mails: number;
  /** Those of them to inactive and locked users, who get the same messages as others (service behaviour 0.37). */
  readonly closedMails: number;
  readonly sms: number;
  readonly closedSms: number;
  /** Absent without messages. */
  readonly recipients?: Recipients;
}

/** The users that a line names. */
const SHOWN_USERS = 10;

/** The throughput of hosted instances (spec: Limits: 5,000 users in 5 minutes). */
const HOSTED_USERS_PER_SECOND = 17;

/** The messages that the service sends, by the endpoint of each user. */
export function messagesOf(counts: ScanCounts, routes: RouteCounts, hasUsersApi: boolean): Messages {
  const { mails, closedMails, sms, closedSms } = counts;
  if (!hasUsersApi) return { mails, closedMails, sms, closedSms };
  return {
    mails: mails - routes.mailsOtherwise + routes.mails,
    closedMails: closedMails - routes.closedMailsOtherwise,
    sms: sms - routes.smsOtherwise + routes.sms,
    closedSms: closedSms - routes.closedSmsOtherwise,
  };
}

/** Asked before the first message. */
export function messagesQuestion(messages: Pick<Messages, "mails" | "sms">, host: string): string {
  return `${host} will send ${messagesText(messages)}. Continue?`;
}

function messagesText({ mails, sms }: Pick<Messages, "mails" | "sms">): string {
  const parts = [...linesIf(mails > 0, counted(mails, "e-mail")), ...linesIf(sms > 0, `${count(sms)} SMS`)];
  return parts.length === 0 ? "no e-mail and no SMS" : parts.join(" and ");
}

export const UNTOLD_MESSAGES_QUESTION = "The number of e-mails that the service will send is unknown. Continue?";

/** Printed before concurrent writes (service behaviour 0.41). */
export const AT_ONCE_LINE =
  "concurrent writes: the service then leaves about 1 user in 1,000 without a login name, so that the user cannot sign in; orgferry looks for these users at the end. Everything but users is sent sequentially. Sequential writes (--concurrency 1) leave none.";

const reasons = {
  flag: () => " (--concurrency)",
  "safe-version": (version: string) => `: safe on version ${version}`,
  "unsafe-version": (version: string) => `: on version ${version}, concurrent writes leave users without a login name`,
  links: () =>
    ": users have links to identity providers, and the target's version is not known to keep them in concurrent writes",
  "unknown-version": () => ": the target's version is not known to be safe for concurrent writes",
} as const satisfies Record<PlannedWrites["reason"], (version: string) => string>;

/** How users are created, why, and what that means for an update and for shards. */
function writesLines({ calls, reason, isSafeVersion, isUpdate, isShard }: PlannedWrites, version = ""): string[] {
  const how = calls === 1 ? "sequential" : `up to ${count(calls)} concurrent calls`;
  const update = isUpdate && reason === "safe-version" ? "; existing users are changed sequentially" : "";
  return [
    `writes:   ${how}${reasons[reason](version)}${update}`,
    ...linesIf(isShard && isSafeVersion, "          (shards may run in parallel, too)"),
  ];
}

/** Printed if the target drops recovery codes (service behaviour 9.8). */
export function recoveryCodesLine(users: number, version: string | undefined, ids: readonly string[]): string {
  const why = version === undefined ? "the version of the target is unknown" : `the target has version ${version}`;
  return `the target drops the recovery codes of ${counted(users, "user")} (${why}): the import endpoint creates them from version 4.9 on, the users API does not. These users must create new codes: ${firstOf(ids.map(shown), SHOWN_USERS, users)}.`;
}

/** Printed for members of organizations and fields of objects that the service may ignore (service behaviour 1). */
export function unknownMembersLine(names: readonly string[]): string {
  const one = names.length === 1;
  return `organizations of the input have ${one ? "a member" : "members"} that orgferry does not know: ${meantNames(names)}. ${one ? "It is" : "They are"} sent unchanged; a service that does not know ${one ? "it" : "them"} ignores ${one ? "it" : "them"} without an error. Check the spelling, or use a newer orgferry.`;
}

/** `humanusers (did you mean humanUsers?)`: members of organizations, and fields of their objects by paths. */
function meantNames(names: readonly string[]): string {
  const meant = (name: string): string | undefined =>
    name.includes(".") ? undefined : nearestName(camelKey(name), [...orgMembers.keys()]);
  return firstOf(
    names.map((name) => (meant(name) === undefined ? shown(name) : `${shown(name)} (did you mean ${meant(name)}?)`)),
    10,
  );
}

type Content = Pick<BodyScan, "sections" | "orgs" | "unknownMembers">;

/** True for an input without users, other objects, organizations and their settings, as far as orgferry knows its members. */
export function hasNothing({ sections, orgs }: Pick<Content, "sections" | "orgs">): boolean {
  if (sections.some(({ count }) => count > 0)) return false;
  return !orgs.some(({ head }) => head.some(({ key }) => orgMembers.has(camelKey(key))));
}

/** Printed for an input without users and other objects; undefined if it has some. @param verb what the command does with them. */
export function emptyLine(scan: Content, verb: "import" | "compare"): string | undefined {
  const { sections, unknownMembers } = scan;
  if (sections.some(({ count }) => count > 0)) return undefined;
  const rest = hasNothing(scan) ? `: there is nothing to ${verb}` : " besides organizations and their settings";
  const unknown = unknownMembers.length === 0 || verb === "import" ? "" : ` Unknown: ${meantNames(unknownMembers)}.`;
  return `the input has no users and no other objects${rest}.${unknown}`;
}

/** The first ids of a number of users. */
function namedUsers(ids: readonly string[], users: number): string {
  return ids.length === 0 ? "users without an id" : firstOf(ids.map(shown), SHOWN_USERS, users);
}

/** Printed for states of users that the service may ignore (service behaviour 0.10). */
export function unknownStatesLine(states: ReadonlyMap<string, number>, ids: readonly string[]): string {
  const users = [...states.values()].reduce((sum, one) => sum + one, 0);
  return `${counted(users, "user")} of the input ${users === 1 ? "has a state" : "have states"} that orgferry does not know: ${shownNames([...states.keys()])}. A service that does not know a state creates the user as active: the user can sign in. orgferry verify finds them: ${namedUsers(ids, users)}.`;
}

/** Printed for users without a `userId`: the id that the service generates is in no answer. */
export function withoutIdLine(users: number): string {
  const [have, each] = users === 1 ? ["has", "the user"] : ["have", "each of them"];
  return `${counted(users, "user")} of the input ${have} no userId: the service generates an id for ${each}, and orgferry verify, undo and a second run do not find them by it. Write userId into the input (check the spelling).`;
}

/** Printed for users whose unknown fields and states the users API does not get. */
export function droppedFieldsLine(users: number, ids: readonly string[]): string {
  return `${counted(users, "user")} with fields or states that orgferry does not know ${users === 1 ? "is" : "are"} created without them: the users API creates users without a password, and has other fields: ${namedUsers(ids, users)}.`;
}

/** Printed for an existing organization that has another name in the input. */
export function renamedOrgLine({
  orgId,
  name,
  targetName,
}: NonNullable<ReportFields<"import">["renamedOrgs"]>[number]): string {
  return `organization ${shown(orgId)} is called ${shown(name)} in the input and ${shown(targetName)} on the target: an import does not rename it.`;
}

/** Printed by a shard (service behaviour 9.2). */
export const OTHER_RUN_LINE =
  "another run creates users with the same token: on this version of the service, some users may get no login name. Run the shards in order (parallelism: 1).";

const SILENT = "no e-mail to users with a verified e-mail address; --no-mail sends none at all";
const SILENT_IN_BATCHES = "no e-mail to users with a verified e-mail address and a password hash";

export function planLines(plan: ImportPlan, counts: ScanCounts): string[] {
  const { host, version, variant, isDetected, calls, via, messages, hashes, breaches, refused, hasUsersApi } = plan;
  const left = via.import + via.users;
  return [
    `target:   ${host}${version === undefined ? "" : `, version ${version}`}`,
    `variant:  ${variant}${isDetected ? " (detected; --from v1|v2 overrides)" : ""}`,
    `content:  ${counted(counts.orgs, "organization")}, ${counted(counts.users, "user")} (${count(counts.withHash)} with a password hash, ${count(counts.withOtp)} with OTP), ${counted(counts.machineUsers, "machine user")}`,
    // Before an update, the number of users to create is unknown.
    ...linesIf(
      via.users > 0 && messages !== undefined,
      `endpoint: ${counted(via.import, "user")} in batches, ${count(via.users)} one by one through the users API`,
    ),
    ...(messages === undefined ? [] : messageLines(messages, hasUsersApi)),
    ...hashLines(hashes, version, refused !== undefined),
    ...(refused === undefined ? limitLines(breaches, version).map((line) => `hashes:   ${line}`) : []),
    ...writesLines(plan.writes, plan.version),
    ...linesIf(
      messages !== undefined,
      `calls:    ${calls === undefined ? "small batches at first, then adjusted to the service" : `about ${count(calls)}`}; on a hosted instance about ${duration((left / HOSTED_USERS_PER_SECOND) * 1000)}`,
    ),
  ];
}

function messageLines(messages: Messages, hasUsersApi: boolean): string[] {
  const { mails, closedMails, sms, closedSms } = messages;
  const closed = closedMails + closedSms;
  return [
    `messages: the service will send ${messagesText(messages)}${mails + sms === 0 ? "" : ", none to existing users"}`,
    ...linesIf(mails > 0, `          (${hasUsersApi ? SILENT : SILENT_IN_BATCHES})`),
    ...linesIf(
      closed > 0,
      `          ${messagesText({ mails: closedMails, sms: closedSms })} ${closed === 1 ? "goes" : "go"} to users who are inactive or locked in the input`,
    ),
    ...recipientLines(messages.recipients),
  ];
}

/** Said before e-mails are sent, on the page of a job, and by `doctor`. */
export const NO_MAIL_PROVIDER =
  "the instance has no active e-mail provider: the service accepts the calls that send e-mails, and cannot deliver them. Set one up in the console of the instance (Settings, SMTP provider).";

const messageCauses: Readonly<Record<MessageReason, string>> = {
  "no-password": "e-mail, because they have no password",
  "email-not-verified": "e-mail, because their address is not verified",
  "phone-not-verified": "SMS, because their phone number is not verified",
  "password-changed": "e-mail, because their password is set",
};

/** Why users get a message from the service. */
export function messageCause(reason: MessageReason): string {
  return messageCauses[reason];
}

/** Who gets a message, by reason: the first ten of each. */
export function recipientLines(recipients: Recipients | undefined): string[] {
  if (recipients === undefined) return [];
  const lines = [...recipients.counts].map(([reason, times]) => {
    const named = recipients.named.filter((one) => one.reason === reason).map(({ id, name }) => idWithName(id, name));
    return `          ${messageCause(reason)}: ${firstOf(named, SHOWN_USERS, times)}`;
  });
  const { initial } = recipients;
  if (initial === 0) return lines;
  return [
    ...lines,
    `          ${counted(initial, "user is", "users are")} ${INITIAL_WORDS}; with --no-mail, they are active at once`,
  ];
}

/** What the login page asks users in the state INITIAL. */
export const INITIAL_WORDS =
  "created in the state INITIAL: the login page asks for the code of the e-mail before the password";

/** Users with a password who were created in the state INITIAL. @param named the first of them; an anonymous report has none. */
export function initialLine(users: number, named: readonly string[]): string {
  const who = named.length === 0 ? "" : `: ${firstOf(named, SHOWN_USERS, users)}`;
  return `${counted(users, "user")} with a password ${users === 1 ? "was" : "were"} ${INITIAL_WORDS} (with --no-mail, users are active at once)${who}`;
}

/** Users whose creation had no answer, or was the last call of a killed run. */
export function closedNowLine(named: readonly string[]): string {
  const are = named.length === 1 ? "user is closed" : "users are closed";
  return `${count(named.length)} ${are} now, as in the input: the run that created them was killed, or got no answer, and they could sign in until now: ${firstOf(named, SHOWN_USERS)}`;
}

/** Part of the plan of a job that writes no manifest. */
export const NO_MANIFEST_LINE =
  "undo:     no manifest, because the input is a stream: name a file with --manifest, so that orgferry undo can delete the created users";

/** How a dry run of an input with nothing in it ends. */
export const NOTHING_LINE = "dry run: there is nothing to import; nothing was sent.";

/** How a dry run ends. @param refusable users whose hash the target may refuse. */
export function dryRunLine(fails: boolean, refusable: number): string {
  const end = fails
    ? "dry run: the token has the permission, but the run itself would end with exit code 1; nothing was sent."
    : "dry run: the body is valid and the token has the permission to import it; nothing was sent.";
  return refusable === 0
    ? end
    : `${end} The target may refuse the password ${refusable === 1 ? "hash of 1 user" : `hashes of up to ${count(refusable)} users`}: orgferry doctor --probe finds out (not needed after a migration with its flags).`;
}

/** How many users a target may refuse at most because of their hash: with other settings than the default, it accepts them. */
export function refusableHashes(
  hashes: ReadonlyMap<string, number>,
  breaches: readonly CountedBreach[],
  version: string | undefined,
): number {
  if (limitLines(breaches, version).length === 0 && !checksHashes(version)) return 0;
  let users = 0;
  for (const [kind, times] of hashes) {
    const ofKind = breaches.filter(({ cost }) => hashCosts[cost].verifier === kind);
    const breached = ofKind.reduce((sum, one) => sum + one.users, 0);
    users += checksHashes(version) && kind !== "bcrypt" ? times : Math.min(times, breached);
  }
  return users;
}

/** The verifiers that are not enabled everywhere, with the number of hashes that need them. */
function verifiersOf(hashes: ReadonlyMap<string, number>): readonly (readonly [kind: string, times: number])[] {
  return [...hashes].filter(([kind]) => kind !== "bcrypt" && kind !== "none");
}

/** True for a version that refuses users with hashes that it does not check. */
function checksHashes(version: string | undefined): boolean {
  return version !== undefined && isKnownVersion(version) && capabilitiesOf(version).hashLimits !== undefined;
}

/** After an import into a version that accepts any hash: it is not known whether users can sign in. undefined for other hashes and versions. */
export function uncheckedHashesLine(
  hashes: ReadonlyMap<string, number>,
  version: string | undefined,
): string | undefined {
  const needed = verifiersOf(hashes);
  if (needed.length === 0 || checksHashes(version)) return undefined;
  const kinds = needed.map(([kind, times]) => `${count(times)} ${kind}`).join(", ");
  return `the target accepts any password hash, so it is not known whether users with these can sign in: ${kinds}. orgferry doctor --probe finds out which hashes the target checks.`;
}

/** What the target said about the hashes of the input: printed before anything is sent. */
export function refusedLines(
  refused: RefusedHashes,
  hashes: ReadonlyMap<string, number>,
  version: string | undefined,
): readonly string[] {
  const isChecked = checksHashes(version);
  return refusedHashLines(
    refused,
    hashes,
    isChecked ? "it refuses new users with these" : "these users cannot sign in",
  );
}

/** True if users fail because of their hashes. */
export function refusesUsers({ verifiers, breaches }: RefusedHashes, version: string | undefined): boolean {
  return checksHashes(version) && verifiers.length + breaches.length > 0;
}

/** The verifiers that the password hashes need, besides those of every service. */
function hashLines(hashes: ReadonlyMap<string, number>, version: string | undefined, isAsked: boolean): string[] {
  // What the target refuses is said in a warning.
  const others = isAsked ? [] : verifiersOf(hashes);
  const end = checksHashes(version) ? "this version refuses these users" : "these users cannot sign in";
  return others.map(
    ([kind, times]) =>
      `hashes:   ${counted(times, "user")} ${times === 1 ? "needs" : "need"} the verifier ${kind}, which is not enabled by default: without it ${end}`,
  );
}

/** Users with a hash of a form or a cost that no service checks; undefined: none. */
export function uselessHashesLine(
  { hashes, named }: Pick<BodyScan, "hashes" | "named">,
  version: string | undefined,
): string | undefined {
  const users = hashes.get("none") ?? 0;
  if (users === 0) return undefined;
  const end = checksHashes(version) ? "this version refuses these users" : "these users cannot sign in with a password";
  return `${counted(users, "password hash has", "password hashes have")} a form or a cost that the service does not check: ${end} (${namedUsers(named.uselessHashes, users)}).`;
}

const absences: Readonly<Record<"missing" | "forbidden" | "nonsense", string>> = {
  missing: "the target has no users API",
  forbidden: "the token has no access to the target's users API",
  nonsense: "the target's users API sends invalid responses",
};

/** Why all users are sent to the import endpoint, and the consequence. */
export function usersApiAbsenceLine(why: "missing" | "forbidden" | "nonsense"): string {
  return `${absences[why]}: all users are sent to the import endpoint, which e-mails users without a password and marks their addresses as unverified.`;
}
