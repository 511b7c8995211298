import type { ScanCounts } from "../../core/document/scan-types.ts";
import type { RouteCounts } from "../../core/rules/route.ts";
import { count, counted, duration } from "../../problem/format.ts";

/** What will happen, before anything does. */
export interface ImportPlan {
  readonly host: string;
  readonly variant: string;
  readonly isDetected: boolean;
  /** undefined: as many as the service works best with. */
  readonly calls: number | undefined;
  /** How many users go which way. */
  readonly via: Readonly<Record<"import" | "users", number>>;
  /** undefined: not known before users are compared. */
  readonly messages: Messages | undefined;
  /** How many password hashes there are of each kind. */
  readonly hashes: ReadonlyMap<string, number>;
  /** False where the target is known to have none. */
  readonly hasUsersApi: boolean;
}

/** How many people the service will write to because of an import, at most. */
export interface Messages {
  readonly mails: number;
  readonly sms: number;
}

/** What hosted instances are said to manage (spec: Limits: 5,000 users in 5 minutes). */
const HOSTED_USERS_PER_SECOND = 17;

/** What the service sends when some users go through the users API, or nobody does. */
export function messagesOf(counts: ScanCounts, routes: RouteCounts, hasUsersApi: boolean): Messages {
  const { mails, sms } = counts;
  if (!hasUsersApi) return { mails, sms };
  return { mails: mails - routes.mailsOtherwise + routes.mails, sms: sms - routes.smsOtherwise + routes.sms };
}

/** Asked before anybody is written to. */
export function messagesQuestion({ mails, sms }: Messages, host: string): string {
  const texts = sms === 0 ? "" : mails === 0 ? "an SMS" : ` and ${count(sms)} an SMS`;
  const what = mails === 0 ? texts : `a mail${texts}`;
  return `${counted(mails === 0 ? sms : mails, "person", "people")} will get ${what} from ${host}. Go on?`;
}

export const UNTOLD_MESSAGES_QUESTION = "How many people the service will send a mail to cannot be told. Go on?";

/** Said before anything is sent by more than one call at a time (service behaviour 0.41). */
export const AT_ONCE_LINE =
  "several calls at a time: a running service then forgets about 1 user in 1,000, who exists and cannot sign in; orgferry looks for them at the end. One at a time (--concurrency 1) it forgot nobody.";

const SILENT = "no mail goes to users with a verified e-mail address; with --no-mail to nobody";
const SILENT_IN_BATCHES = "no mail goes to users with a verified e-mail address and a password hash";

export function planLines(plan: ImportPlan, counts: ScanCounts): string[] {
  const { host, variant, isDetected, calls, via, messages, hashes, hasUsersApi } = plan;
  const left = via.import + via.users;
  return [
    `target:   ${host}`,
    `variant:  ${variant}${isDetected ? " (detected; --from v1|v2 overrides)" : ""}`,
    `content:  ${counted(counts.orgs, "organization")}, ${counted(counts.users, "user")} (${count(counts.withHash)} with a password hash, ${count(counts.withOtp)} with OTP), ${counted(counts.machineUsers, "machine user")}`,
    // Of an update nobody knows yet who is to be made at all.
    ...(via.users === 0 || messages === undefined
      ? []
      : [`way:      ${counted(via.import, "user")} in batches, ${count(via.users)} one by one through the users API`]),
    ...(messages === undefined ? [] : messageLines(messages, hasUsersApi)),
    ...hashLines(hashes),
    ...(messages === undefined
      ? []
      : [
          `calls:    ${calls === undefined ? "few and small at first, then as the service works best" : `about ${count(calls)}`}; on a hosted instance about ${duration((left / HOSTED_USERS_PER_SECOND) * 1000)}`,
        ]),
  ];
}

function messageLines({ mails, sms }: Messages, hasUsersApi: boolean): string[] {
  return [
    `messages: ${counted(mails, "person", "people")} will get a mail and ${count(sms)} an SMS from the service because of this import${mails + sms === 0 ? "" : ", unless they are there already"}`,
    ...(mails === 0 ? [] : [`          (${hasUsersApi ? SILENT : SILENT_IN_BATCHES})`]),
  ];
}

/** How a dry run ends. */
export function dryRunLine(fails: boolean): string {
  return fails
    ? "dry run: the token may import, and the run would end with 1; nothing was sent."
    : "dry run: the body is fine and the token may import it; nothing was sent.";
}

export const UNFORESEEN_LINE = "what is there already could not be checked: the target does not tell its events.";

/** What will become of the organizations and users of an input. */
interface Foreseen {
  readonly orgs: readonly {
    readonly orgId: string;
    readonly name: string;
    readonly state: "there" | "new" | "missing" | "name-taken" | "removed" | "unknown";
    readonly otherId?: string;
  }[];
  readonly users: Readonly<
    Record<"new" | "alreadyThere" | "elsewhere" | "nameTaken" | "removed" | "withoutOrg", number>
  >;
}

const SHOWN_ORGS = 20;

/** What a dry run has found out. */
export function foreseenLines({ orgs, users }: Foreseen): string[] {
  const inState = (state: Foreseen["orgs"][number]["state"]): number =>
    orgs.filter((org) => org.state === state).length;
  const failing = orgs.filter(({ state }) => state === "missing" || state === "name-taken" || state === "removed");
  const unknown = inState("unknown");
  const parts = [`${count(users.new)} new`, `${count(users.alreadyThere)} already there`];
  if (users.elsewhere > 0)
    parts.push(
      `${count(users.elsewhere)} whose id belongs to a user of another organization, or of the other kind (human, machine)`,
    );
  if (users.nameTaken > 0) parts.push(`${count(users.nameTaken)} whose name belongs to somebody else`);
  if (users.removed > 0) parts.push(`${count(users.removed)} who were removed from another organization`);
  if (users.withoutOrg > 0) parts.push(`${count(users.withoutOrg)} whose organization fails`);
  return [
    `organizations: ${count(inState("there"))} there, ${count(inState("new"))} will be made, ${count(failing.length)} will fail${unknown === 0 ? "" : `, ${count(unknown)} unknown`}`,
    ...failing.slice(0, SHOWN_ORGS).map(orgLine),
    `users:    ${parts.join(", ")}`,
  ];
}

function orgLine({ orgId, name, state, otherId }: Foreseen["orgs"][number]): string {
  switch (state) {
    case "name-taken":
      return `          ${orgId}: its name, ${name}, belongs to ${otherId} on the target. If the two are the same: --org-map ${orgId}=${otherId}`;
    case "removed":
      return `          ${orgId}: was removed on the target. Give it another id: --org-map ${orgId}=<new id>`;
    default:
      return `          ${orgId}: is not there, and has no name to make it with`;
  }
}

/** What it takes to check the password hashes, where it is more than every service has. */
function hashLines(hashes: ReadonlyMap<string, number>): string[] {
  const others = [...hashes].filter(([kind]) => kind !== "bcrypt" && kind !== "none");
  const useless = hashes.get("none") ?? 0;
  const lines = others.map(
    ([kind, times]) =>
      `hashes:   ${count(times)} need the verifier ${kind}, which is not enabled by default: without it nobody of them can sign in`,
  );
  return useless === 0
    ? lines
    : [...lines, `hashes:   ${count(useless)} are of no form that the service checks: nobody of them can sign in`];
}

const absences: Readonly<Record<"missing" | "forbidden" | "nonsense", string>> = {
  missing: "the target has no users API",
  forbidden: "the token may not use the target's users API",
  nonsense: "the target's users API answers nothing sensible",
};

/** Why everybody goes through the import endpoint, and what that means. */
export function usersApiAbsenceLine(why: "missing" | "forbidden" | "nonsense"): string {
  return `${absences[why]}: everybody goes through the import endpoint, which mails those without a password and takes their addresses for unverified.`;
}
