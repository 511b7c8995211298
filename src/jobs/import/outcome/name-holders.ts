import { withRetry } from "../../../admin/with-retry.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { shown } from "../../../problem/format.ts";
import { ProblemError } from "../../../problem.ts";
import { type Asking, askingOf } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import type { ImportRun } from "../import-run.ts";
import type { Ledger } from "../ledger.ts";
import { findUsers, type Items, type Plan } from "../plan/plan.ts";

/** For so many users, the target is asked who has their name. */
const LOOKED_UP = 10;
/** More users of the target with one name than organizations that allow it. */
const MOST = 100;

/**
 * Who has the user names of these users of the input on the target (service behaviour 9.35): `user 5 of organization 7`, by the id of the
 * user. `themselves`: users who have the name there themselves, because another run or account has created them since the target was looked at.
 * It is for people only, so an instance that lists no users is no problem. Raises net.*, auth.refused, the signal's reason.
 */
export async function findNameHolders(
  items: Items,
  ids: readonly string[],
  { api, retry, signal }: Asking,
): Promise<{ readonly holders: ReadonlyMap<string, string>; readonly themselves: ReadonlySet<string> }> {
  const holders = new Map<string, string>();
  const themselves = new Set<string>();
  const users = await findUsers(items, new Set(ids), signal);
  let lookedUp = 0;
  for (const [id, [item]] of users) {
    if (item === undefined || lookedUp === LOOKED_UP) continue;
    const entry = fieldsOf(JSON.parse(item.bytes.toString()));
    const userName = textMember(fieldsOf(member(entry, "user")), "userName");
    const method = "TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE" as const;
    const search = { query: { offset: "0", limit: MOST }, queries: [{ userNameQuery: { userName, method } }] };
    const found = await ifOffered(() => withRetry(() => api.searchUsers(search, signal), retry, signal));
    const others = (found?.result ?? []).filter(({ userId }) => userId !== id);
    const orgId = items.scan.orgs[item.org]?.orgId;
    if (others.length === 0 && found?.result.some(({ details }) => details.resourceOwner === orgId) === true)
      themselves.add(id);
    else lookedUp += 1;
    const holder = others.find(({ details }) => details.resourceOwner === orgId) ?? others[0];
    if (holder === undefined) continue;
    const [user, org] = [holder.userId, holder.details.resourceOwner].map((text) => shown(api.redactor.clean(text)));
    holders.set(id, `user ${user} of organization ${org}`);
  }
  return { holders, themselves };
}

/** Adds to the failures with a taken user name who has the name, or that the user itself exists now. */
export async function nameHolders(run: ImportRun, plan: Plan, ledger: Ledger): Promise<void> {
  const ids = ledger.state.failures.flatMap(({ cause, id }) => (cause === "user-name-taken" && id !== "" ? [id] : []));
  if (ids.length === 0) return;
  try {
    const { holders, themselves } = await findNameHolders(plan, ids, askingOf(run));
    for (const [id, holder] of holders) ledger.nameHolder(id, holder);
    for (const id of themselves) ledger.madeMeanwhile(id);
  } catch (error) {
    // The outcome of the run stands without them.
    if (!(error instanceof ProblemError)) throw error;
  }
}
