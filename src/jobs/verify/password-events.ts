import { expectedView } from "../../core/compare/user-view.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { changeOf } from "../../core/events/user-change.ts";
import { UserComparison } from "../../core/events/user-comparison.ts";
import { PASSWORD_REHASHED, passwordEvents } from "../../core/events/user-history.ts";
import { lifeEvents, userKey } from "../../core/events/user-life.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import { describe } from "../../problem/describe.ts";
import { askingOf } from "../shared/asking.ts";
import { notOffered } from "../shared/not-offered.ts";
import { readLog } from "../shared/read-log.ts";
import { readSelf } from "../shared/user-life.ts";
import { type Comparison, eachUser } from "./by-events.ts";

/** Of the fields of a user's password: those that are different, and those that were changed since. */
interface PasswordFields {
  readonly different: readonly string[];
  readonly changedSince: readonly string[];
}

/** @param hasOtherHash the target's export has another hash, or none. */
export type ComparePassword = (orgId: string, userId: string, hasOtherHash: boolean) => PasswordFields;

/**
 * Compares passwords, and whether they must be changed (service behaviour 0.38), by events: an export shows neither who changed a password
 * nor that a sign-in has hashed the same one again (0.28). If events cannot be read, which is a warning, every other hash is different.
 */
export async function readPasswords(
  run: Comparison,
  scan: Pick<BodyScan, "orgs" | "counts" | "references" | "carries">,
): Promise<ComparePassword> {
  const comparison = new UserComparison(scan.counts.users);
  const rehashed = new IdTable();
  await eachUser(run, scan, ({ orgId, userId, entry }) => {
    comparison.expect(orgId, userId, expectedView(entry, scan.carries), scan.carries !== "body");
  });
  const filter = { eventTypes: [...passwordEvents, ...lifeEvents], orgIds: scan.orgs.map(({ orgId }) => orgId) };
  try {
    const self = await readSelf(askingOf(run));
    await readLog("reading events", filter, askingOf(run), ({ aggregate, type: { type }, payload, editor }) => {
      const { resourceOwner: orgId, id } = aggregate;
      const change = changeOf(type, payload);
      if (change === undefined || !comparison.isExpected(orgId, id)) return;
      comparison.apply(orgId, id, change, self !== undefined && editor?.userId === self);
      rehashed.set(userKey(orgId, id), type === PASSWORD_REHASHED ? 1 : 0);
    });
  } catch (error) {
    const problem = notOffered(error);
    if (problem === undefined) throw error;
    run.ui.warn(
      `whether another hash is only a sign-in's is not known, since events cannot be read: ${describe(problem).message}`,
    );
  }
  return (orgId, userId, hasOtherHash) => {
    const verdict = comparison.takeVerdict(orgId, userId);
    const { different = [], changedSince = [] } = verdict?.isThere === true ? verdict : {};
    const isExplained = [...different, ...changedSince].includes("hash") || rehashed.get(userKey(orgId, userId)) === 1;
    const counts = (field: string): boolean => field === "passwordChangeRequired" || (field === "hash" && hasOtherHash);
    return {
      different: [...different.filter(counts), ...(hasOtherHash && !isExplained ? ["hash"] : [])],
      changedSince: changedSince.filter(counts),
    };
  };
}
