import { bytes, count } from "../../problem/format.ts";
import { type AnyReport, userCounts } from "../report.ts";

/** The single numbers of a report, each with its name for people. */
export function numbersOf(report: AnyReport): readonly (readonly [string, string])[] {
  const { mails, sms, calls, via, mailed, orgs, users, machineUsers, withHash, withOtp, passwords } = report;
  const migrated = userCounts(report);
  const toMail = migrated?.["silent"] === undefined ? undefined : (migrated["written"] ?? 0) - migrated["silent"];
  const found: readonly (readonly [string, number | undefined])[] = [
    ["organizations", orgs],
    ["users", typeof users === "number" ? users : undefined],
    ["machine users", machineUsers],
    ["with a password hash", withHash],
    ["with OTP", withOtp],
    ["e-mails at most", mails ?? toMail],
    ["SMS at most", sms],
    ["users e-mailed", mailed],
    ["users deleted", report.deleted || undefined],
    ["users deactivated", report.deactivated || undefined],
    ["users sent in batches", via?.["import"]],
    ["users sent one by one", via?.["users"]],
    ["calls", calls],
    ["password rows read", passwords?.["read"]],
    ["password rows used", passwords?.["used"]],
    ["password rows superseded", passwords?.["superseded"]],
    ["password rows unmatched", passwords?.["unmatched"]],
    ["password rows rejected", passwords?.["rejected"]],
    ["users missing from the export", typeof report.missing === "number" ? report.missing : undefined],
  ];
  const sized = report.bytes === undefined ? [] : ([["size", bytes(report.bytes)]] as const);
  return [...found.flatMap(([name, value]) => (value === undefined ? [] : [[name, count(value)] as const])), ...sized];
}
