import { createUserChanges, type UserChanges } from "../../admin/user-changes.ts";
import { readInstanceVersion } from "../../admin/version.ts";
import { withRetry } from "../../admin/with-retry.ts";
import { capabilitiesOf, isKnownVersion } from "../../contract/versions.ts";
import { type IdMaps, mapIds } from "../../core/document/org-map.ts";
import { InvitationLog, invitationEvents, type NotInvited } from "../../core/events/invitation-log.ts";
import type { Document } from "../../io/input/document.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import type { Report, ReportFields } from "../../ui/report.ts";
import {
  type InviteNumbers,
  invitePlanLines,
  inviteSummaryLines,
  NONE_IS_THERE,
  notInvitedLines,
  stoppedInviteLine,
} from "../../ui/summary/invite-summary.ts";
import { sayNext } from "../../ui/terminal/next-steps.ts";
import { hasMailProvider } from "../import/plan/mail-provider.ts";
import { allowMessages } from "../import/plan/messages.ts";
import { checkMapped } from "../import/plan/plan.ts";
import { checkUserRights } from "../import/plan/probe.ts";
import type { ConsentSettings } from "../import/settings.ts";
import { type Asking, askingOf, type CallWorld } from "../shared/asking.ts";
import { lookBeforeHarm } from "../shared/fresh.ts";
import { readLog } from "../shared/read-log.ts";
import { scanInput } from "../shared/scan-input.ts";
import { withProgress } from "../shared/with-progress.ts";
import { type Candidate, usersWithoutPassword } from "./users-without-password.ts";

export interface InviteRun extends CallWorld {
  readonly input: Document;
  readonly settings: InviteSettings;
  /** Of a dry run: the command that sends. */
  readonly send: string | undefined;
  readonly report: Report;
}

export interface InviteSettings {
  /** Organizations that have another id on the target. */
  readonly maps: IdMaps;
  /** The e-mail: with a link that sets a new password, or an invitation. */
  readonly by: "reset" | "invitation";
  /** Also users who got such an e-mail before. */
  readonly again: boolean;
  /** The most users of this run. */
  readonly limit: number | undefined;
  readonly dryRun: boolean;
  readonly consent: Omit<ConsentSettings, "heal">;
}

/** The failures in the report. */
const LISTED = 1_000;

/**
 * Sends an e-mail to each user of a file who has no password there and none on the target. The event log says who needs it, before the
 * question and again immediately before each call, so another run, also after a kill, sends no second one. Raises run.declined,
 * run.too-many-mails, usage.mails-not-confirmed, api.flag-impossible, api.no-mail-provider, and what reading the input and events raises.
 */
export async function runInvite(run: InviteRun): Promise<ExitCode> {
  const { api, input, settings, context, ui, report } = run;
  const asking = askingOf(run);
  const { host } = api.address;
  const { scan: read } = await scanInput(input, { onFault() {} }, ui, context.signal);
  if (read.carries === "as-is") throw new ProblemError({ code: "input.not-a-body", file: input.path });
  const scan = mapIds(read, settings.maps);
  checkMapped(scan, input.path);
  const orgIds = scan.orgs.map(({ orgId }) => orgId);
  await checkUserRights(asking);
  const found = await usersWithoutPassword(input, orgIds, context.signal);
  if (settings.by === "invitation") await refuseInvitations(asking);
  const log = new InvitationLog();
  for (const { id, orgId, names } of found.candidates) log.follow(id, orgId, names);
  await readLog("reading events", { eventTypes: invitationEvents, orgIds }, asking, (event) => log.take(event));
  const numbers: InviteNumbers = {
    ...{ read: found.read, withPassword: found.withPassword, signsInOtherwise: found.signInElsewhere },
    ...{ passwordSet: 0, invitedBefore: 0, inactive: 0, gone: 0, otherPerson: 0 },
    ...{ sent: 0, failed: 0, unknown: 0, toSend: 0 },
  };
  const left: Left[] = [];
  const now = (await hasMailProvider(asking)) === false ? undefined : context.now();
  const needy = found.candidates.filter((candidate) => {
    const why = log.whyNot(candidate.id, settings.again, now);
    if (isToName(why)) left.push({ ...candidate, reason: why });
    return !countSkipped(numbers, why);
  });
  // With --again and --limit, each run continues with those whose e-mail is the oldest.
  const waiting = ({ id }: Candidate): number => Date.parse(log.invitedAt(id)) || 0;
  const chosen = needy.sort((a, b) => waiting(a) - waiting(b)).slice(0, settings.limit);
  numbers.toSend = needy.length;
  const unsent = chosen.filter(({ id }) => log.isUnsent(id)).length;
  report.set({ target: host, users: { ...numbers }, ...recipientsOf(chosen), ...leftOf(left) });
  if (unsent > 0) report.set({ requestedNotSent: unsent });
  for (const line of invitePlanLines(numbers, { chosen: chosen.length, unsent }, settings, host, left)) ui.say(line);
  const isWrongPlace = found.candidates.length > 0 && numbers.gone === found.candidates.length;
  if (isWrongPlace) ui.warn(NONE_IS_THERE);
  await allowMessages(
    { mails: chosen.length, sms: 0 },
    { dryRun: settings.dryRun, plan: { noMail: false }, fewer: true, consent: { ...settings.consent, heal: false } },
    run,
  );
  const failures: { type: string; id: string; message: string; cause: string }[] = [];
  const names = new Map(chosen.map(({ id, names: [name = ""] }) => [id, name]));
  const open = new Set<string>();
  try {
    if (settings.dryRun) report.set({ dryRun: true });
    else await sendAll(chosen, run, asking, { numbers, failures, open });
  } catch (error) {
    const hasBegun = numbers.sent + numbers.failed + numbers.unknown > 0;
    if (hasBegun) ui.warn(stoppedInviteLine(numbers, [...open], names));
    const isAborted = error instanceof ProblemError && error.problem.code === "run.aborted";
    throw isAborted ? new ProblemError({ ...error.problem, midway: hasBegun }) : error;
  } finally {
    report.set({ users: { ...numbers }, failures: failures.slice(0, LISTED) });
    if (!settings.dryRun) for (const line of inviteSummaryLines(numbers, settings.again)) ui.say(line);
    for (const line of notInvitedLines(failures, names)) ui.say(line);
  }
  if (run.send !== undefined && chosen.length > 0) sayNext(ui, [{ why: "To send them", command: run.send }]);
  return isWrongPlace || numbers.failed + numbers.unknown > 0 ? exitCodes.partial : exitCodes.done;
}

/** Who gets an e-mail, at most. */
function recipientsOf(chosen: readonly Candidate[]): Pick<ReportFields<"invite">, "recipients" | "loginNames"> {
  if (chosen.length === 0) return {};
  const first = chosen.slice(0, LISTED);
  return {
    recipients: first.map(({ id }) => ({ id, reason: "no-password" })),
    loginNames: Object.fromEntries(first.flatMap(({ id, names: [name] }) => (name === undefined ? [] : [[id, name]]))),
  };
}

/** A user who gets no e-mail, for a reason that the users of the file do not show. */
interface Left extends Candidate {
  readonly reason: "gone" | "inactive" | "other-person";
}

function isToName(why: NotInvited | undefined): why is Left["reason"] {
  return why === "gone" || why === "inactive" || why === "other-person";
}

function leftOf(left: readonly Left[]): Pick<ReportFields<"invite">, "notInvited"> {
  return left.length === 0 ? {} : { notInvited: left.slice(0, LISTED).map(({ id, reason }) => ({ id, reason })) };
}

const SKIPPED: Readonly<
  Record<NotInvited, "passwordSet" | "signsInOtherwise" | "invitedBefore" | "inactive" | "gone" | "otherPerson">
> = {
  "password-set": "passwordSet",
  "signs-in-otherwise": "signsInOtherwise",
  "invited-before": "invitedBefore",
  inactive: "inactive",
  gone: "gone",
  "other-person": "otherPerson",
};

/** Counts a user who gets no e-mail. */
function countSkipped(numbers: InviteNumbers, why: NotInvited | undefined): boolean {
  if (why !== undefined) numbers[SKIPPED[why]] += 1;
  return why !== undefined;
}

/**
 * The 2.x line refuses an invitation of a user with a verified address (service behaviour 9.21). A private build may report any version
 * (9.1): the metadata calls, which 2.x does not have either, decide then.
 */
async function refuseInvitations({ api, retry, signal }: Asking): Promise<void> {
  const version = await readInstanceVersion(api, signal);
  if (capabilitiesOf(version).invitations) return;
  const isNamed = version !== undefined && isKnownVersion(version);
  if (!isNamed && (await withRetry(() => createUserChanges(api).knowsMetadata(signal), retry, signal))) return;
  throw new ProblemError({
    code: "api.flag-impossible",
    host: api.address.host,
    flag: "--by invitation",
    lacks: "invitations",
  });
}

/** The outcome of the calls, which grows. */
interface Sending {
  readonly numbers: InviteNumbers;
  readonly failures: { type: string; id: string; message: string; cause: string }[];
  /** Users whose call has no answer. */
  readonly open: Set<string>;
}

async function sendAll(
  chosen: readonly Candidate[],
  { api, settings, ui, report, context }: InviteRun,
  asking: Asking,
  { numbers, failures, open }: Sending,
): Promise<void> {
  const users = createUserChanges(api);
  let done = 0;
  await withProgress(ui, "sending", async (progress) => {
    for (const candidate of chosen) {
      asking.signal.throwIfAborted();
      numbers.toSend -= 1;
      numbers.unknown += 1; // until the answer
      open.add(candidate.id);
      const outcome = await sendOne(candidate, users, settings, asking, context.now);
      open.delete(candidate.id);
      numbers.unknown -= 1;
      if (outcome === "sent") numbers.sent += 1;
      else if (typeof outcome === "string") countSkipped(numbers, outcome);
      else {
        numbers.failed += 1;
        failures.push({ type: "human_user", id: candidate.id, message: outcome.words, cause: "refused" });
      }
      done += 1;
      report.mark(done);
      progress.update(() => `${done} of ${chosen.length} users`);
    }
  });
}

/**
 * The user's own events are read immediately before each call, also before a repeated one: a call whose answer was lost may have sent the
 * e-mail, and the user may have set a password meanwhile.
 */
async function sendOne(
  { id, orgId, names }: Candidate,
  users: UserChanges,
  { by, again }: InviteSettings,
  { api, retry, signal }: Asking,
  now: () => Date,
): Promise<"sent" | NotInvited | { readonly words: string }> {
  let isRepeated = false;
  let before: string | undefined;
  const look = async (): Promise<NotInvited | undefined> => {
    const log = new InvitationLog();
    log.follow(id, orgId, names);
    const request = { limit: EVENTS, asc: true, aggregate_types: ["user"], aggregate_id: id };
    const { events } = await api.searchEvents({ ...request, event_types: [...invitationEvents] }, signal);
    for (const event of events) log.take(event);
    before ??= log.invitedAt(id);
    if (isRepeated && log.invitedAt(id) !== before) return "invited-before";
    return log.whyNot(id, again, now());
  };
  const call = async (): Promise<"sent" | NotInvited | { readonly words: string }> => {
    const why = await lookBeforeHarm(api.address, look);
    if (why !== undefined) return isRepeated && why === "invited-before" ? "sent" : why;
    isRepeated = true;
    const answer = await users.sendCode(id, by, signal);
    return answer.kind === "done" ? "sent" : answer.kind === "gone" ? "gone" : { words: answer.words };
  };
  return withRetry(call, retry, signal);
}

/** More events of these types than a user has. */
const EVENTS = 1_000;
