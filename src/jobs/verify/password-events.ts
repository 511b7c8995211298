import type { BodyScan } from "../../core/document/scan-types.ts";
import { passwordEvents, UserHistory } from "../../core/events/user-history.ts";
import { describe } from "../../problem/describe.ts";
import { askingOf } from "../shared/asking.ts";
import { notOffered } from "../shared/not-offered.ts";
import { readLog } from "../shared/read-log.ts";
import type { Comparison } from "./by-events.ts";

/** The reason for which a hash may differ from the given one; undefined without one. */
export type HashReason = (orgId: string, userId: string) => "rehashed" | "changed" | undefined;

/**
 * Finds passwords that were changed, or only rehashed by a sign-in, since they were imported (service behaviour 0.28). Undefined, with a
 * warning, if events cannot be read: then every other hash counts as different.
 */
export async function readPasswordEvents(
  run: Comparison,
  { orgs }: Pick<BodyScan, "orgs">,
): Promise<HashReason | undefined> {
  const history = new UserHistory();
  const filter = { eventTypes: passwordEvents, orgIds: orgs.map(({ orgId }) => orgId) };
  try {
    await readLog("reading events", filter, askingOf(run), (event) => history.take(event));
  } catch (error) {
    const problem = notOffered(error);
    if (problem === undefined) throw error;
    run.ui.warn(
      `whether another hash is only a sign-in's is not known, since events cannot be read: ${describe(problem).message}`,
    );
    return undefined;
  }
  return (orgId, userId) => {
    const facts = history.of(userId);
    if (facts?.orgId !== orgId) return undefined;
    return facts.hasChangedPassword ? "changed" : "rehashed";
  };
}
