import type { ScanCounts } from "../../core/document/scan-types.ts";
import { bytes, count, counted } from "../../problem/format.ts";

/** spec: Not carried by the instance export/import; the last one: service behaviour 0.31. */
export const NOT_CARRIED = [
  "global policies",
  "IAM members",
  "global identity providers",
  "global second factor and multi-factor settings",
  "machine keys",
  "personal access tokens",
  "application keys",
  "passkeys",
  "actions that run when tokens and SAML responses are created",
] as const;

/** What an export contains, and what no export contains. */
export function exportLines(counts: ScanCounts, size: number, goal: string): string[] {
  return [
    `exported: ${counted(counts.orgs, "organization")}, ${counted(counts.users, "user")} (${count(counts.withHash)} with a password hash, ${count(counts.withOtp)} with OTP), ${counted(counts.machineUsers, "machine user")}`,
    `          ${bytes(size)} to ${goal}`,
    notCarriedLine(),
  ];
}

/** The list of the specification: what must be created on the target by other means. */
export function notCarriedLine(): string {
  return `not carried: ${NOT_CARRIED.join(", ")}`;
}
