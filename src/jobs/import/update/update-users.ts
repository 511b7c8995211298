import { withRetry } from "../../../admin/with-retry.ts";
import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import type { EditLog } from "../../../core/events/edit-log.ts";
import { userKey } from "../../../core/events/user-life.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { checkHumanUser } from "../../../core/rules/human-user.ts";
import { typeOfSection } from "../../../core/transfer/answer/element-types.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { Recipients } from "../../../core/transfer/recipients.ts";
import { isClosedAfter, isOfPassword } from "../../../core/update/update-calls.ts";
import { listsOfRemoved, noteRemovals, noteUser, UpdateResult } from "../../../core/update/update-result.ts";
import { ProblemError } from "../../../problem.ts";
import { type Messages, recipientLines } from "../../../ui/summary/import-plan.ts";
import type { HeldBackCause } from "../../../ui/summary/left-objects.ts";
import { ABSENT_OR_INVALID_LINE, updateMessagesLine } from "../../../ui/summary/update-plan.ts";
import { type Asking, askingOf } from "../../shared/asking.ts";
import { freshReading } from "../../shared/fresh.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { addTargetNames } from "../../shared/target-names.ts";
import { neverHadCodes, newestChangesOnce, openCreatedAt } from "../../shared/user-life.ts";
import { withProgress } from "../../shared/with-progress.ts";
import type { ImportRun } from "../import-run.ts";
import type { Ledger } from "../ledger.ts";
import { messagesInReport } from "../outcome/report.ts";
import { type ForeseenUpdate, foresee, readLinks } from "../plan/foresee.ts";
import { allowMessages, refusePasswordMails } from "../plan/messages.ts";
import { type Plan, readOwnedElements, readSection } from "../plan/plan.ts";
import type { TargetState } from "../plan/target-state.ts";
import type { HeldBackElements } from "../provenance/held-back.ts";
import type { Owners } from "../provenance/owners.ts";
import type { SenderContext } from "../ways/way.ts";
import { decideRemovals, type Removals } from "./decide-removals.ts";
import type { UpdateWay } from "./open-update.ts";
import { compareOthers, leaveWhatIsThere, tellDifferences } from "./other-objects.ts";
import { readPasswordMails } from "./password-mails.ts";
import { type Edits, type PlannedUser, type Planning, planUpdates, type StaleEntry, updateOf } from "./plan-updates.ts";
import { readProtected } from "./read-protected.ts";
import { NO_FACTS, readSourceFacts } from "./read-source.ts";
import { readTargetLog } from "./read-target.ts";
import { isUntouchedSince, reviveMetadata } from "./revive-metadata.ts";
import { fencedBy, removeUsers, sendUpdates } from "./send-updates.ts";
import { openState } from "./state.ts";

interface Places {
  /** Of the users to create, in the order of sending. */
  readonly create: readonly number[];
  /** Ids of existing users that get nothing. */
  readonly fenced: ReadonlyMap<string, HeldBackCause | undefined>;
  /** After a killed run: existing users of this account with a password who wait for the code of an e-mail. Login names by id. */
  readonly initial: ReadonlyMap<string, string>;
}

/** The plan of an update. */
export interface UpdatePlan {
  readonly planning: Planning;
  readonly removals: Removals | undefined;
  readonly foreseen: UpdateResult;
  readonly places: Places;
  /** Messages that the service will send because of it. */
  readonly messages: Pick<Messages, "mails" | "sms"> & { readonly passwords: number; readonly recipients: Recipients };
  /** Metadata of users who are recreated, which the service writes only after a removal. */
  readonly stale: readonly StaleEntry[];
  /** The time of the target's newest event before its log was read; undefined: it had none. RFC 3339. */
  readonly readUntil: string | undefined;
  /** Writes the state file, if there is one. */
  saveState(): Promise<void>;
}

/**
 * Compares the input with the target's events and plans each user. `since` is the time at which the job began, by the target's clock.
 * Raises api.cannot-update where the events cannot be read.
 */
export async function planUpdate(
  run: Pick<ImportRun, "api" | "input" | "settings" | "ui" | "report" | "context" | "source">,
  { scan, parts }: Pick<Plan, "scan" | "parts">,
  way: UpdateWay,
  since: string,
): Promise<UpdatePlan> {
  const { input, settings, context, source } = run;
  const { signal } = context;
  const state = way.settings.state === undefined ? undefined : await openState(run, scan, way, way.settings.state);
  const { log, key, mark, readUntil, edits } = await readTargetLog(run, scan, way, since, state?.saved);
  const facts = source === undefined ? NO_FACTS : await readSourceFacts(source, run, scan, log);
  const orgIds = scan.orgs.map(({ orgId }) => orgId);
  const planning: Planning = {
    log,
    edits: {
      ...withOlderEdits(edits, way.self, askingOf(run)),
      neverHadCodes: askingOnce((userId) => neverHadCodes(userId, way.self, askingOf(run))),
    },
    source: facts,
    settings: way.settings,
    createdAt: openCreatedAt(facts.removedIds, { orgIds, users: scan.counts.users }, askingOf(run)),
    protectedUsers: await readProtected(run, way),
    isWhole: scan.carries === "export",
    input: { scan, parts, read: (extent) => input.read(extent), signal },
  };
  const foreseen = new UpdateResult();
  const { isInInput, recipients, passwords, stale, places } = await foreseeUsers(
    planning,
    settings.plan.noMail,
    foreseen,
    state?.isAfterKilled === true,
  );
  if (source === undefined && way.settings.isPart !== true) {
    noteAbsent(log.users.notTaken, planning.protectedUsers, foreseen);
    if (scan.counts.invalidUsers > 0 && foreseen.absentCount > 0) run.ui.say(ABSENT_OR_INVALID_LINE);
  }
  const { protectedUsers } = planning;
  const removals = await decideRemovals(run, scan, facts, isInInput, log.users, way.settings, protectedUsers, () =>
    readProtected(run, way),
  );
  if (removals !== undefined) {
    noteRemovals(removals.plan, foreseen, true);
    await addTargetNames(run, listsOfRemoved(foreseen).flat());
  }
  await addTargetNames(run, foreseen.absent);
  let passwordMails = 0;
  for (const orgId of await readPasswordMails(run, passwords.keys())) {
    const changed = passwords.get(orgId);
    if (changed === undefined) continue;
    passwordMails += changed.mails;
    recipients.addAll(changed);
  }
  const messages = { mails: recipients.mails, sms: recipients.sms, passwords: passwordMails, recipients };
  const saveState = async (): Promise<void> => state?.save({ log, key, mark });
  return { planning, removals, foreseen, places, messages, stale, readUntil, saveState };
}

/** What is to be done when the rest of the input has been sent. */
interface AfterUpdate {
  /** Metadata of recreated users, the list of created users, and at last the state file, which holds what was read. */
  finish(): Promise<void>;
  /** Lists the users that were created so far. */
  noteCreated(): void;
}

/** Updates the existing users of the input; the rest of the input is sent afterwards. Raises api.cannot-update, and the errors that remain after retries. */
export async function updateUsers(
  run: ImportRun,
  way: UpdateWay,
  sender: SenderContext,
  target: TargetState | undefined,
): Promise<AfterUpdate> {
  const { calling, plan, ledger, owners, screen, provenance } = sender;
  const { api, settings, ui } = run;
  const mark = ledger.state.job?.mark;
  if (mark === undefined)
    throw new ProblemError({ code: "api.cannot-update", host: api.address.host, lacks: "events" });
  const planned = await planUpdate(run, plan, way, mark);
  await askForMessages({ messages: await messagesToSend(planned, run, plan, target, ledger.builtIn) }, run);
  const result = ledger.beginUpdate();
  result.absent.push(...planned.foreseen.absent);
  result.absentCount = planned.foreseen.absentCount;
  const bar = ui.progress("updating");
  const onUser = (): void => bar.update(() => `${result.update.length} users`);
  const { changes, self } = way;
  const { readUntil } = planned;
  for (const [id, name] of planned.places.initial) ledger.leftInitial.set(id, name);
  const protectedUsers = freshReading(() => readProtected(run, way));
  const refuseMails = settings.plan.noMail ? refusingMails(run) : undefined;
  const removedByOthers = await provenance.replaced.removedByOthers();
  const context = { sender, changes, self, readUntil, refuseMails, protectedUsers, onUser };
  try {
    if (planned.removals !== undefined) {
      noteRemovals(planned.removals.plan, result, false);
      // A removed user may have the name that another user gets.
      await removeUsers(planned.removals, context, result);
    }
    await sendUpdates(planned.planning, context, removedByOthers);
  } finally {
    bar.stop();
  }
  const others = await compareOthers(run, plan);
  if (others !== undefined) {
    await tellDifferences(others, run, plan);
    await leaveWhatIsThere(others, run, plan, ledger, screen);
  }
  if (owners !== undefined) await leaveBelongings(planned, owners, screen.heldBack, ledger);
  const noteAll = (): void => noteCreated(planned, ledger.state, result);
  return {
    noteCreated: noteAll,
    async finish() {
      // Another account may have created some of these users since the plan.
      const isOfJob = await owners?.mayComplete(true);
      const stale = planned.stale.filter(({ userId }) => isOfJob?.(userId) === true);
      const known = { mark, accounts: new Set([self, ...(ledger.state.job?.by ?? [])]) };
      await reviveMetadata(stale, { calling, ledger, changes }, isUntouchedSince(readUntil, known, calling));
      noteAll();
      await planned.saveState();
    },
  };
}

/**
 * Holds back what belongs to users that another user deleted on the target, which the service would refuse, to users whose account on the
 * target may be another person's, and to users with a role on the instance: a link is a way to sign in.
 */
async function leaveBelongings(
  { planning: { input }, places: { fenced } }: UpdatePlan,
  owners: Owners,
  heldBack: HeldBackElements,
  ledger: Ledger,
): Promise<void> {
  if (fenced.size === 0) return;
  for await (const { item, owner } of readOwnedElements(input, input.signal)) {
    if (!fenced.has(owner) || ledger.state.done.has(item.index)) continue;
    // It is counted as left out.
    if (input.scan.references?.repeats(item) === true) continue;
    const why = owners.whyLeft(item);
    const type = typeOfSection(item.key);
    if (why !== undefined) heldBack.add(item, input.scan.orgs[item.org]?.orgId ?? "", why);
    if (why !== undefined && type !== undefined && !item.isWithinUser) ledger.holdBack(type);
    ledger.leave(item.index);
  }
}

/**
 * Notes the users of the account that have no entry, also none in another organization of the input. Without the ids of all entries, nothing
 * is said: an entry may be the one of such a user.
 */
function noteAbsent(
  left: Planning["log"]["users"]["notTaken"],
  protectedUsers: ReadonlySet<string>,
  foreseen: UpdateResult,
): void {
  const created = new Set(foreseen.create);
  if (left === undefined || created.has("")) return;
  const ids = left.ids.filter((id) => !created.has(id) && !protectedUsers.has(id));
  foreseen.absent.push(...ids);
  foreseen.absentCount = left.count - left.ids.length + ids.length;
}

/** Refuses password changes that the service would now tell the users of an organization about: its policy may change during the run. */
function refusingMails(run: ImportRun): (orgId: string) => Promise<void> {
  const readings = new Map<string, () => Promise<readonly string[]>>();
  return async (orgId) => {
    const read = readings.get(orgId) ?? freshReading(() => readPasswordMails(run, [orgId]));
    readings.set(orgId, read);
    refusePasswordMails(run.settings.plan, run.api.address.host, { users: (await read()).length, hasBegun: true });
  };
}

/** Asks once about each user: an input is planned twice. */
function askingOnce(ask: (userId: string) => Promise<boolean>): (userId: string) => Promise<boolean> {
  const answers = new Map<string, Promise<boolean>>();
  return (userId) => {
    const answer = answers.get(userId) ?? ask(userId);
    answers.set(userId, answer);
    return answer;
  };
}

/** At most so many users are asked about. */
const MOST_ASKED = 1_000;

/** Edits of which this run did not read the events, because an earlier one did (`--state`), are asked for, user by user. */
function withOlderEdits(read: EditLog, self: string, asking: Asking): Pick<Edits, "newest"> {
  const asked = new Set<string>();
  return {
    async newest(orgId, userId, fields) {
      const known = read.newest(orgId, userId, fields);
      if (known !== undefined || fields.length === 0 || asked.has(userId) || asked.size >= MOST_ASKED) return known;
      asked.add(userId);
      const newest = await withRetry(() => newestChangesOnce(userId, asking), asking.retry, asking.signal);
      for (const event of [...newest].reverse()) if (event.editor?.userId !== self) read.take(event);
      return read.newest(orgId, userId, fields);
    },
  };
}

/** Notes the created users, after everything has been sent, or the run has ended. */
function noteCreated(
  { foreseen, places }: Pick<UpdatePlan, "foreseen" | "places">,
  { made, madeIds }: JobState,
  result: UpdateResult,
): void {
  const found = new Set(madeIds);
  result.create.length = 0;
  for (const [at, id] of foreseen.create.entries()) {
    if (made.has(places.create[at] ?? -1) || found.has(id)) result.create.push(id);
  }
}

interface ForeseenUsers {
  readonly isInInput: (orgId: string, userId: string) => boolean;
  readonly recipients: Recipients;
  /** The users whose passwords change, by organization. */
  readonly passwords: ReadonlyMap<string, Recipients>;
  readonly stale: readonly StaleEntry[];
  readonly places: Places;
}

/** Reads the input once: plans each user, and finds the users that the source has removed and has again. */
async function foreseeUsers(
  planning: Planning,
  noMail: boolean,
  foreseen: UpdateResult,
  isAfterKilled: boolean,
): Promise<ForeseenUsers> {
  const { source, input } = planning;
  const again = new Set<string>();
  const recipients = new Recipients();
  const passwords = new Map<string, Recipients>();
  const stale: StaleEntry[] = [];
  const initial = new Map<string, string>();
  const places = { create: [] as number[], fenced: new Map<string, HeldBackCause | undefined>(), initial };
  const see = (org: number, userId: string): void => {
    const orgId = input.scan.orgs[org]?.orgId ?? "";
    if (source.removed.get(orgId)?.has(userId) === true) again.add(userKey(orgId, userId));
  };
  const reader = {
    onCreate(item: Item, userId: string): void {
      see(item.org, userId);
      foreseen.create.push(userId);
      places.create.push(item.index);
      const { user, facts } = newUserOf(item, userId);
      recipients.addNew(user, facts, item.way, noMail);
    },
    onMetadata() {},
    onStale: (entry: StaleEntry) => void stale.push(entry),
  };
  for await (const planned of planUpdates(planning, reader)) {
    const { item, orgId, userId, plan, wanted } = planned;
    see(item.org, userId);
    noteUser(updateOf(planned), foreseen);
    const { fence } = plan.left;
    if (fence !== undefined) places.fenced.set(userId, fencedBy[fence]);
    if (fence === "protected") foreseen.protected.push(userId);
    const user = { id: userId, name: wanted.userName ?? "" };
    if (isAfterKilled && staysInitial(planned)) initial.set(userId, user.name);
    if (plan.fields.some(isOfPassword)) {
      const changed = passwords.get(orgId) ?? new Recipients();
      changed.add({ ...user, reason: "password-changed" });
      passwords.set(orgId, changed);
    }
    const getsCode = !noMail && !isClosedAfter(wanted, plan.fields, planned.user.state);
    const isAsked = plan.fields.includes("email") && wanted.isEmailVerified !== "true";
    if (isAsked && getsCode) recipients.add({ ...user, reason: "email-not-verified" });
    const isPhoneAsked = plan.fields.includes("phone") && wanted.phone !== "" && wanted.isPhoneVerified !== "true";
    if (isPhoneAsked && getsCode) recipients.add({ ...user, reason: "phone-not-verified" });
  }
  return {
    isInInput: (orgId, userId) => again.has(userKey(orgId, userId)),
    recipients,
    passwords,
    stale,
    places,
  };
}

/** True for a user of this account who may sign in by the input, with a password, and on the target waits for the code of an e-mail. */
function staysInitial({ user, wanted, plan: { fields, left } }: PlannedUser): boolean {
  const { hash = "", state, isEmailVerified } = wanted;
  const isMeant = user.isInitial && user.isOurs && left.fence === undefined;
  const isClosed = user.state !== "active" || (state !== undefined && state !== "active");
  // A password or a state that is set ends it.
  const isFinished = fields.some((field) => field === "hash" || field === "state");
  return isMeant && !isClosed && !isFinished && hash !== "" && isEmailVerified !== "true";
}

function newUserOf({ bytes }: Item, id: string) {
  const entry: unknown = JSON.parse(bytes.toString());
  const name = textMember(fieldsOf(member(fieldsOf(entry), "user")), "userName");
  return { user: { id, name }, facts: checkHumanUser(entry, () => {}) };
}

/** What the plan does, for a look at which users can be created. */
export function foreseenUpdate({ foreseen, planning, places: { fenced } }: UpdatePlan): ForeseenUpdate {
  return { ...foreseen, leavesRemoved: planning.settings.prefer !== "source", fenced };
}

/** The messages that the run will send, as its dry run counts them. The users who cannot be created are looked for only if new users get messages. */
async function messagesToSend(
  planned: UpdatePlan,
  run: ImportRun,
  plan: Plan,
  target: TargetState | undefined,
  builtIn: ReadonlySet<number>,
): Promise<UpdatePlan["messages"]> {
  const { messages, places } = planned;
  if (target === undefined || places.create.length === 0 || messages.mails + messages.sms === 0) return messages;
  const asking = askingOf(run);
  const seen = await withProgress(run.ui, "checking which users exist", async (progress) => {
    const known = {
      builtIn,
      update: foreseenUpdate(planned),
      links: await readLinks(plan, target, asking),
      owners: undefined,
    };
    return ifOffered(() => foresee(target, plan, known, asking, progress));
  });
  const notCreated = new Set([...builtIn, ...(seen?.failing ?? [])]);
  return messagesWithout(notCreated, planned, run.settings.plan.noMail);
}

/** The messages without those to users of the plan who will not be created. @param notCreated the indexes of such users. */
export async function messagesWithout(
  notCreated: ReadonlySet<number>,
  { messages, places, planning: { input } }: UpdatePlan,
  noMail: boolean,
): Promise<UpdatePlan["messages"]> {
  const { recipients, passwords } = messages;
  const dropped = new Set(places.create.filter((index) => notCreated.has(index)));
  if (dropped.size === 0 || messages.mails + messages.sms === 0) return messages;
  for await (const items of readSection(input, "humanUsers", input.signal))
    for (const item of items) {
      if (!dropped.has(item.index)) continue;
      const { user, facts } = newUserOf(item, userIdOf(item.bytes));
      recipients.dropNew(user, facts, item.way, noMail);
    }
  return { mails: recipients.mails, sms: recipients.sms, passwords, recipients };
}

/** Prints how many messages the service will send, and returns only if it may. Raises api.would-mail, and what `allowMessages` raises. */
export async function askForMessages({ messages }: Pick<UpdatePlan, "messages">, run: ImportRun): Promise<void> {
  const { ui, report, settings, api } = run;
  ui.say(updateMessagesLine(messages));
  for (const line of recipientLines(messages.recipients)) ui.say(line);
  report.set(messagesInReport(messages));
  refusePasswordMails(settings.plan, api.address.host, { users: messages.passwords, hasBegun: false });
  await allowMessages(messages, settings, run);
}
