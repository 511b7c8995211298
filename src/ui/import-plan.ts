import type { ScanCounts } from "../core/document/scan-types.ts";
import type { RouteCounts } from "../core/rules/route.ts";
import { count, counted, duration } from "./format.ts";

/** What will happen, before anything does. */
export interface ImportPlan {
  readonly host: string;
  readonly variant: string;
  readonly isDetected: boolean;
  readonly calls: number;
  /** How many users go which way. */
  readonly via: Readonly<Record<"import" | "users", number>>;
  readonly messages: Messages;
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

const SILENT = "no mail goes to users with a verified e-mail address; with --no-mail to nobody";
const SILENT_IN_BATCHES = "no mail goes to users with a verified e-mail address and a password hash";

export function planLines(plan: ImportPlan, counts: ScanCounts): string[] {
  const { host, variant, isDetected, calls, via, messages, hasUsersApi } = plan;
  const { mails, sms } = messages;
  const left = via.import + via.users;
  return [
    `target:   ${host}`,
    `variant:  ${variant}${isDetected ? " (detected; --from v1|v2 overrides)" : ""}`,
    `content:  ${counted(counts.orgs, "organization")}, ${counted(counts.users, "user")} (${count(counts.withHash)} with a password hash, ${count(counts.withOtp)} with OTP), ${counted(counts.machineUsers, "machine user")}`,
    ...(via.users === 0
      ? []
      : [`way:      ${counted(via.import, "user")} in batches, ${count(via.users)} one by one through the users API`]),
    `messages: ${counted(mails, "person", "people")} will get a mail and ${count(sms)} an SMS from the service because of this import`,
    ...(mails === 0 ? [] : [`          (${hasUsersApi ? SILENT : SILENT_IN_BATCHES})`]),
    `calls:    about ${count(calls)}; on a hosted instance about ${duration((left / HOSTED_USERS_PER_SECOND) * 1000)}`,
  ];
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
