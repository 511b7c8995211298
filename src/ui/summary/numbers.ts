import { bytes, count } from "../../problem/format.ts";
import { type AnyReport, maySendMessages, userCounts } from "../report.ts";
import { reportedNoHashes } from "./export-summary.ts";

/** A single number of a report. */
export interface ReportNumber {
  readonly name: string;
  readonly value: string;
  /** One that decides whether the result is good. */
  readonly isMain: boolean;
  /** False for a zero, unless the zero matters. */
  readonly isTold: boolean;
}

const WITH_HASH = "with a password hash";

/** The single numbers of a report, each with its name for people. */
export function numbersOf(report: AnyReport): readonly ReportNumber[] {
  const { mails, sms } = maySendMessages(report) ? report : {};
  const { calls, via, mailed, orgs, users, machineUsers, withHash, withOtp, passwords } = report;
  const migrated = userCounts(report);
  const lacksHashes = reportedNoHashes(report).length > 0;
  const isDryRun = report.dryRun === true;
  const toMail = migrated?.["silent"] === undefined ? undefined : (migrated["written"] ?? 0) - migrated["silent"];
  const main: readonly (readonly [string, number | undefined])[] = [
    [orgs === 1 ? "organization" : "organizations", orgs],
    [users === 1 ? "user" : "users", typeof users === "number" ? users : undefined],
    [WITH_HASH, withHash ?? (lacksHashes ? 0 : undefined)],
    ["created without password and link", report.withoutPassword || undefined],
    ["users with an e-mail sent or due", mailed],
    ["e-mails at most", mailed === undefined ? (mails ?? toMail) : undefined],
    ["SMS at most", sms],
    [`users ${isDryRun ? "that would be " : ""}deleted`, report.deleted || undefined],
    [`users ${isDryRun ? "that would be " : ""}deactivated`, report.deactivated || undefined],
    ["users missing from the export", typeof report.missing === "number" ? report.missing : undefined],
  ];
  const others: readonly (readonly [string, number | undefined])[] = [
    ["machine users", machineUsers],
    ["with OTP", withOtp],
    ["e-mails at most", mailed === undefined ? undefined : (mails ?? toMail)],
    ["users sent in batches", via?.["import"]],
    ["users sent one by one", via?.["users"]],
    ["calls", calls],
    ["password rows read", passwords?.["read"]],
    ["password rows used", passwords?.["used"]],
    ["password rows superseded", passwords?.["superseded"]],
    ["password rows unmatched", passwords?.["unmatched"]],
    ["password rows rejected", passwords?.["rejected"]],
    ["password rows without a password", passwords?.["withoutHash"] || undefined],
  ];
  const toNumbers = (found: typeof main, isMain: boolean): readonly ReportNumber[] =>
    found.flatMap(([name, value]) =>
      value === undefined
        ? []
        : [{ name, value: count(value), isMain, isTold: value > 0 || (name === WITH_HASH && lacksHashes) }],
    );
  const sized =
    report.bytes === undefined ? [] : [{ name: "size", value: bytes(report.bytes), isMain: false, isTold: true }];
  return [...toNumbers(main, true), ...toNumbers(others, false), ...sized];
}

/** What may become of an object besides users, in words. */
export const OUTCOMES = [
  { key: "created", name: "created" },
  { key: "alreadyThere", name: "already there" },
  { key: "failed", name: "failed" },
  { key: "leftOut", name: "left out" },
  { key: "heldBack", name: "not sent" },
  { key: "unknown", name: "unknown" },
] as const;

type ObjectCounts = Readonly<Record<string, number | undefined>>;

/** The objects besides users, by type. Of undo these are plain numbers, of objects that stay. */
export function objectRows({ otherObjects: others = {} }: AnyReport): readonly (readonly [string, ObjectCounts])[] {
  return Object.entries<ObjectCounts | number>(others).flatMap(([type, counts]) =>
    typeof counts === "object" ? [[type, counts] as const] : [],
  );
}

/** Outcomes with their numbers, without zeros. */
export function outcomesOf(counts: ObjectCounts): Readonly<Record<string, number>> {
  return Object.fromEntries(
    OUTCOMES.flatMap(({ key, name }) => ((counts[key] ?? 0) > 0 ? [[name, counts[key] ?? 0] as const] : [])),
  );
}
