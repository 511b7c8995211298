import type { ExportRequest } from "../../contract/export-request.ts";

/** The flags that select the export; `export` and `copy` share them. */
export interface SelectionFlags {
  readonly orgId: readonly string[];
  readonly excludeOrgId: readonly string[];
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

/**
 * The transport of an export. "rest" is the documented call, whose answer the service limits to 4 or 10 MiB; "grpc-web" has no limit, or
 * one of 10 MiB; "events" rebuilds the export from the event log and the lists. "auto" uses each for what the former cannot answer
 * (service behaviour 0.14, 0.60).
 */
export type Transport = "auto" | UsedTransport;

/** The transport of an export that was received. */
export type UsedTransport = "rest" | "grpc-web" | "events";

/** The transports that are tried, in order. */
export function transportsOf(transport: Transport): readonly UsedTransport[] {
  return transport === "auto" ? ["rest", "grpc-web", "events"] : [transport];
}

/** The flags of a complete export. */
export interface ExportFlags extends SelectionFlags {
  /** The service's time limit, a Go duration. */
  readonly timeout: string;
  readonly transport: Transport;
  /** How long to wait for an export that has all users. */
  readonly settleMs: number;
  /** true: a missing organization is no problem; the caller decides. */
  readonly mayBeAbsent?: boolean;
  /** The users that a complete export must have; default: all. */
  readonly awaited?: "all-users" | "service-users";
}

/** The request for an export of these organizations (none: all) as the answer. spec: Export request. */
export function toExportRequest(
  { withPasswords, withOtp, timeout }: Pick<ExportFlags, "withPasswords" | "withOtp" | "timeout">,
  orgIds: readonly string[],
): ExportRequest {
  return {
    org_ids: [...orgIds],
    excluded_org_ids: [],
    with_passwords: withPasswords,
    with_otp: withOtp,
    timeout,
    response_output: true,
  };
}
