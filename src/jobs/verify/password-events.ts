import type { BodyScan } from "../../core/document/scan-types.ts";
import { mustChange } from "../../core/events/user-change.ts";
import { PASSWORD_REHASHED, passwordEvents, UserHistory } from "../../core/events/user-history.ts";
import { lifeEvents, userKey } from "../../core/events/user-life.ts";
import { describe } from "../../problem/describe.ts";
import { askingOf } from "../shared/asking.ts";
import { notOffered } from "../shared/not-offered.ts";
import { readLog } from "../shared/read-log.ts";
import type { Comparison } from "./by-events.ts";

/** What the event log says of the passwords of users. */
export interface PasswordFacts {
  /** The reason for which a hash may differ from the given one; undefined without one. */
  whyOther(orgId: string, userId: string): "rehashed" | "changed" | undefined;
  /** The user must change the password at the next sign-in. */
  mustChange(orgId: string, userId: string): boolean;
}

/**
 * Finds passwords that were changed, or only rehashed by a sign-in, since they were imported (service behaviour 0.28), and those that must
 * be changed (0.38). Undefined, with a warning, if events cannot be read: then every other hash counts as different.
 */
export async function readPasswordEvents(
  run: Comparison,
  { orgs }: Pick<BodyScan, "orgs">,
): Promise<PasswordFacts | undefined> {
  const history = new UserHistory();
  const temporary = new Set<string>();
  const eventTypes = [...passwordEvents, ...lifeEvents];
  const filter = { eventTypes, orgIds: orgs.map(({ orgId }) => orgId) };
  try {
    await readLog("reading events", filter, askingOf(run), (event) => {
      const { aggregate, type, payload } = event;
      const key = userKey(aggregate.resourceOwner, aggregate.id);
      if (mustChange(payload)) temporary.add(key);
      else if (type.type !== PASSWORD_REHASHED) temporary.delete(key);
      if (passwordEvents.includes(type.type)) history.take(event);
    });
  } catch (error) {
    const problem = notOffered(error);
    if (problem === undefined) throw error;
    run.ui.warn(
      `whether another hash is only a sign-in's is not known, since events cannot be read: ${describe(problem).message}`,
    );
    return undefined;
  }
  return {
    whyOther(orgId, userId) {
      const facts = history.of(userId);
      if (facts?.orgId !== orgId) return undefined;
      return facts.hasChangedPassword ? "changed" : "rehashed";
    },
    mustChange: (orgId, userId) => temporary.has(userKey(orgId, userId)),
  };
}
