import type { ExportRequest } from "../../contract/export-request.ts";

/** The flags that say what is exported; `export` and `copy` share them. */
export interface SelectionFlags {
  readonly orgId: readonly string[];
  readonly excludeOrgId: readonly string[];
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

/**
 * How an export is asked for. "rest" is the documented call, whose answer the service bounds at 4 MiB; "grpc-web" the same without that
 * bound; "auto" begins with the first and goes on with the second where it must (service behaviour 0.14).
 */
export type Transport = "auto" | "rest" | "grpc-web";

/** The flags that say how a whole export is got. */
export interface ExportFlags extends SelectionFlags {
  /** A Go duration, for the service. */
  readonly timeout: string;
  readonly transport: Transport;
  /** How long to wait for an export that holds everybody. */
  readonly settleMs: number;
  /** An organization that does not come back is for the caller to judge, not a problem. */
  readonly mayBeAbsent?: boolean;
  /** Who must be in it before it is whole; everybody, unless the caller looks at nobody else. */
  readonly awaited?: "everybody" | "service-users";
}

/** The body of an export that comes back as the answer, of these organizations (none: of all). spec: Export request. */
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
