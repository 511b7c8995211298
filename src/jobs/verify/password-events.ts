import { expectedView } from "../../core/compare/user-view.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { applyEvent, type InstanceLog, loggedEventTypes, NEVER } from "../../core/events/instance-log.ts";
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
import { createTargetLog } from "./lacked-values.ts";

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
 * The same events say which values the users of the input have.
 */
export async function readPasswords(
  run: Comparison,
  scan: Pick<BodyScan, "orgs" | "counts" | "references" | "carries">,
): Promise<{ readonly comparePassword: ComparePassword; readonly values: InstanceLog | undefined }> {
  const comparison = new UserComparison(scan.counts.users);
  const rehashed = new IdTable();
  const log = createTargetLog();
  let values: InstanceLog | undefined;
  await eachUser(run, scan, ({ orgId, userId, entry }) => {
    comparison.expect(orgId, userId, expectedView(entry, scan.carries), scan.carries !== "body");
  });
  const filter = { eventTypes: loggedEventTypes, orgIds: scan.orgs.map(({ orgId }) => orgId) };
  const isOfPassword = new Set<string>([...passwordEvents, ...lifeEvents]);
  try {
    const self = await readSelf(askingOf(run));
    await readLog("reading events", filter, askingOf(run), (event) => {
      const { aggregate, editor, payload } = event;
      const { type } = event.type;
      const { resourceOwner: orgId, id } = aggregate;
      if (!comparison.isExpected(orgId, id)) return;
      applyEvent(log, event, { self: self ?? "", since: NEVER });
      const change = isOfPassword.has(type) ? changeOf(type, payload) : undefined;
      if (change === undefined) return;
      comparison.apply(orgId, id, change, { isOwn: self !== undefined && editor?.userId === self });
      rehashed.set(userKey(orgId, id), type === PASSWORD_REHASHED ? 1 : 0);
    });
    values = log;
  } catch (error) {
    const problem = notOffered(error);
    if (problem === undefined) throw error;
    const { message } = describe(problem);
    if (scan.counts.withHash > 0)
      run.ui.warn(`whether another hash is only a sign-in's is not known, since events cannot be read: ${message}`);
    run.ui.warn(`which values users have on the target only is not known, since events cannot be read: ${message}`);
  }
  const comparePassword: ComparePassword = (orgId, userId, hasOtherHash) => {
    const verdict = comparison.takeVerdict(orgId, userId);
    const { different = [], changedSince = [] } = verdict?.isThere === true ? verdict : {};
    const isExplained = [...different, ...changedSince].includes("hash") || rehashed.get(userKey(orgId, userId)) === 1;
    const counts = (field: string): boolean => field === "passwordChangeRequired" || (field === "hash" && hasOtherHash);
    return {
      different: [...different.filter(counts), ...(hasOtherHash && !isExplained ? ["hash"] : [])],
      changedSince: changedSince.filter(counts),
    };
  };
  return { comparePassword, values };
}
