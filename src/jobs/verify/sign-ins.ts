import type { BodyScan } from "../../core/document/scan-types.ts";
import { reportSignIns } from "../shared/sign-in-names.ts";
import { type Comparison, eachUser } from "./by-events.ts";

/**
 * Prints the users of a body that the target has without a login name, or in no list (service behaviour 0.41); the event log does not show
 * that. `isThere`: whether a user of the body exists; `isRight`: there are no other differences. True if all users can sign in, or the
 * instance does not say.
 */
export async function verifySignIns(
  run: Comparison,
  scan: Pick<BodyScan, "orgs" | "references">,
  { isThere, isRight }: { readonly isThere: (orgId: string, userId: string) => boolean; readonly isRight: boolean },
): Promise<boolean> {
  const select = async (wants: (orgId: string, userId: string) => boolean): Promise<readonly string[]> => {
    const ids = new Set<string>();
    await eachUser(run, scan, ({ orgId, userId }) => wants(orgId, userId) && ids.add(userId));
    return [...ids];
  };
  const existing = await select(isThere);
  async function* ids(): AsyncGenerator<string> {
    yield* existing;
  }
  const ours = (wanted: ReadonlySet<string>): Promise<readonly string[]> => select((_, userId) => wanted.has(userId));
  return reportSignIns(run, scan.orgs, { ids, ours, isOnlyFault: isRight });
}
