import type { GivenBody } from "../input/body.ts";
import { BY_HAND, type Losses } from "../instance/losses.ts";
import type { TrueUser, Truth } from "../instance/truth.ts";
import type { Notes } from "./findings.ts";
import type { ImportNumbers, ImportReport } from "./import-report.ts";

/** What one run of the program left. */
export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly report: ImportReport | undefined;
}

export interface Circumstances {
  readonly given: GivenBody;
  readonly truth: Truth;
  /** Calls that a client must never send. */
  readonly harm: readonly string[];
  /** What concurrent writes have lost. */
  readonly losses: Pick<Losses, "lost" | "deleted" | "used" | "given"> | undefined;
  /** The server has said what is not so. */
  readonly hasLied: boolean;
  /** The run looked at the target afterwards. */
  readonly isVerified: boolean;
  readonly tellsEvents: boolean;
  /** The instance has the users API. */
  readonly listsUsers: boolean;
  /** The end of its journal was lost. */
  readonly hasForgotten?: boolean;
  readonly skipInvalid: boolean;
}

const EXITS = new Set([0, 1, 3, 4, 5, 6, 130, 143]);

/** What holds after every run, finished or not, also after lies of the server. */
export function checkRun({ exitCode, stderr, report }: RunResult, circumstances: Circumstances, notes: Notes): void {
  const { given, truth, harm, hasLied, hasForgotten = false } = circumstances;
  notes.expect(EXITS.has(exitCode), `exit ${exitCode}: ${stderr.slice(-800)}`);
  notes.expect(harm.length === 0, `was sent: ${harm[0]}`);
  notes.expect(report !== undefined, "no report");
  notes.expect(report === undefined || report.exitCode === exitCode, "the report has another exit code");
  const gone = checkHealing({ exitCode, stderr, report }, circumstances, notes);
  const numbers = report?.users;
  if (report === undefined || numbers === undefined) return;
  checkSums(numbers, given, hasLied, notes);
  notes.expect((report.unknown ?? []).length === numbers.unknown, "unknown users are not those that are listed");
  const ours = [...truth.users.values()].filter(({ isOurs }) => isOurs).length;
  if (hasLied) return;
  notes.expect(numbers.created <= ours + gone.size, `created ${numbers.created}, made ${ours}`);
  const told = numbers.sent - numbers.failed + (report.failures ?? []).filter(isUntold).length;
  notes.expect(told >= ours || hasForgotten, `made ${ours}, and reported ${told}: ${JSON.stringify(numbers)}`);
  checkNobodyLost(report, numbers, given, { ...truth, users: new Map([...truth.users, ...gone]) }, notes);
}

/**
 * Only lost users of the job are deleted, none that another account used, and those who are not recreated yet are named, or the run says
 * how to continue. Returns them.
 */
function checkHealing(
  { exitCode, stderr, report }: Pick<RunResult, "exitCode" | "stderr" | "report">,
  { truth, losses }: Circumstances,
  notes: Notes,
): ReadonlyMap<string, TrueUser> {
  for (const id of truth.past) notes.expect(truth.users.has(id), `was there before, and is deleted: ${id}`);
  const gone = new Map<string, TrueUser>();
  if (losses === undefined) return gone;
  const { deleted, used } = losses;
  for (const id of used) notes.expect(!deleted.has(id), `was used by others, and deleted: ${id}`);
  const isFinished = exitCode === 0 || exitCode === 1;
  const failed = new Set(report?.failures?.map(({ id }) => id));
  for (const id of deleted) {
    notes.expect(!truth.past.has(id), `was there before, and was deleted: ${id}`);
    if (truth.users.has(id)) continue;
    const isNamed = isFinished ? failed.has(id) : report?.resume !== undefined || stderr.includes(id);
    notes.expect(isNamed, `deleted, not recreated, and not named: ${id}`);
    gone.set(id, { id, isOurs: true, otps: [] });
  }
  const healed = report?.healed?.users ?? 0;
  notes.expect(healed <= deleted.size, `healed ${healed}, deleted ${deleted.size}`);
  return gone;
}

/** At the end, each user can sign in, or is named; what another account gave is there. */
function checkSignIns({ exitCode, stderr, report }: RunResult, circumstances: Circumstances, notes: Notes): void {
  const { losses, given, truth } = circumstances;
  if (losses === undefined) return;
  for (const id of losses.given)
    notes.expect(truth.others.has(`user_metadata ${id}_${BY_HAND}`), `lost what another account gave: ${id}`);
  const ids = new Set(given.users.map(({ id }) => id));
  const lost = [...losses.lost.keys()].filter((id) => ids.has(id));
  if (report?.cannotSignInCount === undefined) {
    const isSaid = lost.length === 0 || !circumstances.listsUsers || stderr.includes("unknown whether all");
    notes.expect(isSaid, `lost, and the run does not say that it did not look: ${lost[0]}`);
    return;
  }
  const named = new Set(report.cannotSignIn);
  for (const id of lost) notes.expect(named.has(id), `cannot sign in, and is not named: ${id}`);
  for (const id of named) notes.expect(losses.lost.has(id), `can sign in, and is named: ${id}`);
  if (named.size > 0) notes.expect(exitCode !== 0, `exit 0, and cannot sign in: ${[...named][0]}`);
}

function checkSums(numbers: ImportNumbers, given: GivenBody, hasLied: boolean, notes: Notes): void {
  const { read, sent, notSent, skipped, created, alreadyThere, failed, unknown } = numbers;
  const text = JSON.stringify(numbers);
  notes.expect(hasLied || read === given.users.length, `read ${read} of ${given.users.length}`);
  notes.expect(read === sent + notSent + skipped, `read is no sum: ${text}`);
  notes.expect(sent === created + alreadyThere + failed + unknown, `sent is no sum: ${text}`);
  notes.expect(
    Object.values(numbers).every((number = 0) => number >= 0),
    `below nothing: ${text}`,
  );
}

/** Each user exists, or is named, or counts as not sent. */
function checkNobodyLost(
  { failures = [], unknown = [] }: ImportReport,
  { notSent, skipped, failed }: ImportNumbers,
  given: GivenBody,
  truth: Truth,
  notes: Notes,
): void {
  const named = new Set([...failures.filter(({ type }) => type === "human_user").map(({ id }) => id), ...unknown]);
  const lost = given.users.filter(
    ({ id, isInvalid }) => !isInvalid && id !== "" && !truth.users.has(id) && !named.has(id),
  );
  const hidden = failed > failures.length ? failed - failures.length : 0;
  notes.expect(
    lost.length <= notSent + skipped + hidden,
    `${lost.length} lost, ${notSent} not sent; first ${lost[0]?.id}`,
  );
}

/** What holds once a job came to its end with exit 0 or 1. */
export function checkEnd({ exitCode, stderr, report }: RunResult, circumstances: Circumstances, notes: Notes): void {
  const { given, truth, hasLied, isVerified, skipInvalid, tellsEvents, hasForgotten = false } = circumstances;
  const numbers = report?.users;
  if (report === undefined || numbers === undefined) return;
  const { failed, unknown, notSent, skipped } = numbers;
  const others = Object.values(report.otherObjects ?? {});
  const openOthers = others.some((counts) => counts.failed > 0 || (counts.unknown ?? 0) > 0);
  notes.expect(notSent === 0, `finished with ${notSent} not sent`);
  notes.expect(skipInvalid || skipped === 0, `skipped ${skipped} unasked`);
  const isClean = failed === 0 && unknown === 0 && skipped === 0 && !openOthers && (report.failures ?? []).length === 0;
  if (exitCode === 0)
    notes.expect(isClean, `exit 0 with ${JSON.stringify(numbers)} ${JSON.stringify(report.otherObjects)}`);
  else if (exitCode === 1)
    notes.expect(!isClean || isVerified || (report.cannotSignInCount ?? 0) > 0, "exit 1 for nothing");
  if (!hasLied) checkSignIns({ exitCode, stdout: "", stderr, report }, circumstances, notes);
  if (hasLied && !isVerified) return;
  const missing = given.users.filter(({ id, isInvalid }) => id !== "" && !isInvalid && !truth.users.has(id));
  if (exitCode === 0) notes.expect(missing.length === 0, `exit 0, and ${missing[0]?.id} is not there`);
  if (hasLied || hasForgotten) return;
  checkCreated({ stderr, report }, numbers, circumstances, notes);
  if (exitCode === 0) checkOthers(given, truth, notes);
  if (exitCode === 0 && tellsEvents) checkSecrets(given, truth, notes);
  for (const failure of report.failures ?? []) {
    const user = failure.type === "human_user" ? truth.users.get(failure.id) : undefined;
    const isPartial = failure.cause === "state";
    const isTold = isUntold(failure) || isPartial || given.users.filter(({ id }) => id === failure.id).length > 1;
    notes.expect(user?.isOurs !== true || isTold, `failed, and made: ${failure.id} (${failure.cause})`);
  }
}

function checkCreated(
  { stderr, report: { failures = [] } }: { readonly stderr: string; readonly report: ImportReport },
  { created, unknown, alreadyThere }: ImportNumbers,
  { given, truth, tellsEvents }: Circumstances,
  notes: Notes,
): void {
  const ours = [...truth.users.values()].filter(({ isOurs }) => isOurs).length;
  // After a lost answer, only users without events may be reported as existing, or as a failure that says so.
  const untold = failures.filter(isUntold).length;
  notes.expect(created + unknown + alreadyThere + untold >= ours, `made ${ours}, and reported ${created}`);
  if (given.form !== "dataOrgs" || !tellsEvents) return;
  notes.expect(
    created + unknown + toldAsOpen(stderr) >= ours,
    `made ${ours}, and reported ${created}, though there are events`,
  );
}

function checkOthers(given: GivenBody, truth: Truth, notes: Notes): void {
  for (const other of given.others) notes.expect(truth.others.has(other), `exit 0, and ${other} is not there`);
}

/** It is unknown whether this job created it. */
function isUntold({ cause }: { readonly cause: string }): boolean {
  return cause === "there-or-ours";
}

/** Each created user has the second factor of the input. */
function checkSecrets({ users }: GivenBody, truth: Truth, notes: Notes): void {
  for (const { id, otp } of users) {
    const user = truth.users.get(id);
    const isAlone = users.filter((one) => one.id === id).length === 1;
    if (user?.isOurs !== true || otp === "" || !isAlone) continue;
    notes.expect(user.otps.length > 0, `exit 0, and ${id} has no second factor`);
  }
}

/** Second factors are set once, and only for created users (service behaviour 0.6). */
export function checkOtps({ given, truth, hasLied }: Circumstances, notes: Notes): void {
  for (const { id, isOurs, otps } of truth.users.values()) {
    notes.expect(otps.length <= 1 || hasLied, `${otps.length} second factors for ${id}`);
    notes.expect(isOurs || otps.length === 0, `a second factor for ${id}, who was there before`);
    const wanted = given.users.filter((user) => user.id === id);
    if (isOurs && wanted.length === 1 && otps.length === 1) {
      notes.expect(wanted[0]?.otp === otps[0], `the second factor of somebody else for ${id}`);
    }
  }
}

/** Of those already there: how many may be this job's own, as the summary says. */
function toldAsOpen(stderr: string): number {
  const [, number = "0"] = /([\d,]+) of the users already there may have been created/.exec(stderr) ?? [];
  return Number(number.replaceAll(",", ""));
}
