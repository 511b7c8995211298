import type { BodyScan } from "../../core/document/scan-types.ts";
import { lostMetadataLine } from "../../ui/summary/sign-ins.ts";
import type { ExportCall } from "../export/receive.ts";
import { toNowhere } from "../export/sinks.ts";
import { exportWhole } from "../export/whole-export.ts";

/** A list that only lags behind gets this time. */
const SETTLE_MS = 15_000;

/**
 * Metadata entries (`entryKey`) of the input's organizations that the target's event log has and its list lacks, after the list has read the
 * whole log; none where that cannot be known, with a warning. Raises what an export raises.
 */
export async function findLostMetadata(
  { api, ui, context }: ExportCall,
  { scan, timeout }: { readonly scan: Pick<BodyScan, "orgs">; readonly timeout: { readonly text: string } },
): Promise<ReadonlySet<string>> {
  const flags = {
    orgId: [...new Set(scan.orgs.map(({ orgId }) => orgId))],
    excludeOrgId: [],
    withPasswords: false,
    withOtp: false,
    timeout: timeout.text,
    transport: "grpc-web",
    settleMs: SETTLE_MS,
    mayBeAbsent: true,
  } as const;
  const { lacking, slowLists } = await exportWhole({ api, ui, context }, flags, toNowhere);
  // A list that only lags behind has lost nothing.
  if (lacking === undefined || slowLists.length > 0) {
    ui.warn(lostMetadataLine("the service's lists lag behind its event log."));
    return new Set();
  }
  return new Set(lacking.metadata.map(({ orgId, userId, key }) => entryKey(orgId, userId, key)));
}

/** The name of an entry in a set of entries. */
export function entryKey(orgId: string, userId: string, key: string): string {
  return [orgId, userId, key].join("\u0000");
}
