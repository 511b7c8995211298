import type { BodyScan } from "../../core/document/scan-types.ts";
import { LISTED_PROBLEMS } from "../../ui/report.ts";
import { cannotSignInLines } from "../../ui/summary/sign-ins.ts";
import { findSignInTrouble } from "../shared/sign-in-names.ts";
import { type Comparison, eachUser } from "./by-events.ts";

/**
 * Prints the users of a body that the target has without a login name (service behaviour 0.41); neither the event log nor a search by id
 * shows that. `found`: how many users of the body exist; `isRight`: there are no other differences. True if all users can sign in, or the
 * instance does not say.
 */
export async function verifySignIns(
  run: Comparison,
  scan: Pick<BodyScan, "orgs">,
  { found, isRight }: { readonly found: number; readonly isRight: boolean },
): Promise<boolean> {
  const { ui, report } = run;
  const trouble = await findSignInTrouble(run, scan.orgs, found);
  if (trouble === undefined) return true;
  const { unlisted } = trouble;
  const nameless = new Set(trouble.nameless.map(({ userId }) => userId));
  const ids = new Set<string>();
  if (nameless.size > 0) await eachUser(run, scan, ({ userId }) => nameless.has(userId) && ids.add(userId));
  const count = ids.size + unlisted;
  report.set({ cannotSignIn: [...ids].slice(0, LISTED_PROBLEMS), cannotSignInCount: count });
  if (count === 0) return true;
  const lines = cannotSignInLines({ ids: [...ids], unlisted, file: undefined });
  for (const line of lines) ui.warn(line);
  if (isRight) report.why(lines[0] ?? "");
  return false;
}
