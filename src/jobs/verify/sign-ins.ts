import type { BodyScan } from "../../core/document/scan-types.ts";
import { reportSignIns } from "../shared/sign-in-names.ts";
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
  const ours = async (nameless: ReadonlySet<string>): Promise<readonly string[]> => {
    const ids = new Set<string>();
    await eachUser(run, scan, ({ userId }) => nameless.has(userId) && ids.add(userId));
    return [...ids];
  };
  return reportSignIns(run, scan.orgs, found, { ours, isOnlyFault: isRight });
}
