import type { ExportRequest } from "../../contract/export-request.ts";
import type { Ui } from "../../ui/ui.ts";

/** The flags that say what is exported; `export` and `copy` share them. */
export interface SelectionFlags {
  readonly orgId: readonly string[];
  readonly excludeOrgId: readonly string[];
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

/** The body of an export that comes back as the answer. spec: Export request. */
export function toExportRequest(flags: SelectionFlags, timeout: string): ExportRequest {
  return {
    org_ids: [...flags.orgId],
    excluded_org_ids: [...flags.excludeOrgId],
    with_passwords: flags.withPasswords,
    with_otp: flags.withOtp,
    timeout,
    response_output: true,
  };
}

/** Says what is known to go wrong with a selection (service behaviour 2.10). */
export function warnAboutSelection({ excludeOrgId }: SelectionFlags, ui: Ui): void {
  if (excludeOrgId.length > 0) {
    ui.warn(
      "services of version 2 and later handle excluded organizations wrongly; name each organization that you want with --org-id instead.",
    );
  }
}
