import type { AdminApi } from "../../admin/client.ts";
import type { Context } from "../../context.ts";
import { MOST_CALLS } from "../../core/probe/find-hash-rules.ts";
import { migrateFlags } from "../../core/probe/migrate-flags.ts";
import { probeHashes } from "../../jobs/probe/probe-hashes.ts";
import { createRetry } from "../../jobs/shared/asking.ts";
import type { ReportFields } from "../../ui/report.ts";
import { limitLines, probePlanLine } from "../../ui/summary/probe-summary.ts";
import type { Ui } from "../../ui/ui.ts";
import { type Check, ok, warn } from "./check.ts";

/** The result of a probe: its checks, and what the report has of it. */
export interface Probed {
  readonly checks: readonly Check[];
  readonly probe: NonNullable<ReportFields<"doctor">["probe"]>;
}

/**
 * Checks which password hashes the target accepts (`--probe`), without a change on it. `version`: what the target reports. Raises what
 * `probeHashes` raises.
 */
export async function checkHashes(
  api: AdminApi,
  version: string | undefined,
  { context, ui }: { readonly context: Context; readonly ui: Ui },
): Promise<Probed> {
  ui.say(probePlanLine(api.address.host, MOST_CALLS));
  const progress = ui.progress("asking about password hashes");
  const run = {
    api,
    retry: createRetry(ui, context),
    signal: context.signal,
    onCall: (calls: number): void => progress.update(() => `${calls} calls`),
  };
  try {
    const { calls, ...rules } = await probeHashes(run);
    const flags = migrateFlags(rules, version);
    const lines = limitLines(rules);
    const verifiers =
      rules.verifiers.length === 0
        ? warn("target verifiers", "none that orgferry knows")
        : ok("target verifiers", rules.verifiers.join(", "));
    const limits =
      rules.notFound.length === 0 ? ok("target limits", lines.join("; ")) : warn("target limits", lines.join("; "));
    return {
      checks: [verifiers, limits],
      probe: { calls, ...rules, ...(flags === undefined ? {} : { flags }) },
    };
  } finally {
    progress.stop();
  }
}
