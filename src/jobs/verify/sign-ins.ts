import type { BodyScan } from "../../core/document/scan-types.ts";
import { LISTED_PROBLEMS } from "../../ui/report.ts";
import { cannotSignInLines } from "../../ui/summary/sign-ins.ts";
import { createRetry } from "../shared/create-retry.ts";
import { settledListing } from "../shared/sign-in-names.ts";
import { withProgress } from "../shared/with-progress.ts";
import { type Comparison, eachUser } from "./by-events.ts";

/**
 * Says which users of a body the target has and does not find by a login name (service behaviour 0.41): the event log, and what is read by
 * id, know nothing of it. `found`: how many users of the body are known to be there. True when everybody can sign in, as far as the instance
 * tells.
 */
export async function verifySignIns(
  run: Comparison,
  scan: Pick<BodyScan, "orgs">,
  { found }: { readonly found: number },
): Promise<boolean> {
  const { api, context, ui, report } = run;
  const orgIds = [...new Set(scan.orgs.map(({ orgId }) => orgId).filter((id) => id !== ""))];
  if (orgIds.length === 0) return true;
  const listing = await withProgress(ui, "looking whether everybody can sign in", () =>
    settledListing(
      { api, retry: createRetry(ui, context), signal: context.signal },
      orgIds,
      ({ nameless, listed }) => nameless.length === 0 && listed >= found,
    ),
  );
  if (listing === undefined) return true;
  const nameless = new Set(listing.nameless.map(({ userId }) => userId));
  const ids = new Set<string>();
  if (nameless.size > 0) await eachUser(run, scan, ({ userId }) => nameless.has(userId) && ids.add(userId));
  const unlisted = Math.max(0, found - listing.listed);
  const count = ids.size + unlisted;
  report.set({ cannotSignIn: [...ids].slice(0, LISTED_PROBLEMS), cannotSignInCount: count });
  if (count === 0) return true;
  const lines = cannotSignInLines({ ids: [...ids], unlisted, file: undefined });
  for (const line of lines) ui.warn(line);
  report.why(lines[0] ?? "");
  return false;
}
