import { newestEvent } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { camelKey } from "../../../contract/import-request.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { creationEvents } from "../../../core/events/user-life.ts";
import { heldPoliciesLine } from "../../../ui/summary/import-plan.ts";
import { askingOf } from "../../shared/asking.ts";
import { ifOffered, mayBeAnsweredLater } from "../../shared/not-offered.ts";
import type { ImportRun } from "../import-run.ts";

const POLICY = "domainPolicy";
const POLICY_EVENTS = ["org.policy.domain.added", "org.policy.domain.changed", "org.policy.domain.removed"];

type Orgs = BodyScan["orgs"];

/**
 * The organizations of an input, without the domain policies that would change the login names of people: of organizations to which users
 * were added before. The service renames these users when it gets the policy (service behaviour 9.31). Says which are not sent, except
 * those that the target has. Raises net.*, auth.refused.
 */
export async function keepLoginNames(run: ImportRun, orgs: Orgs): Promise<Orgs> {
  const having = new Set(orgs.filter(hasPolicy).map(({ orgId }) => orgId));
  const held = new Set<string>();
  const missing: string[] = [];
  const asking = askingOf(run);
  const newest = (request: NonNullable<Parameters<typeof newestEvent>[2]>) =>
    withRetry(() => newestEvent(asking.api, asking.signal, request), asking.retry, asking.signal);
  for (const orgId of having)
    await ifOffered(async () => {
      const users = { aggregate_types: ["user"], resource_owner: orgId, event_types: [...creationEvents] };
      if ((await newest(users)) === undefined) return;
      held.add(orgId);
      const policy = await newest({ aggregate_types: ["org"], aggregate_id: orgId, event_types: POLICY_EVENTS });
      if (policy === undefined || policy.type.type.endsWith(".removed")) missing.push(orgId);
    }, mayBeAnsweredLater);
  if (missing.length > 0) run.ui.warn(heldPoliciesLine(missing));
  return held.size === 0
    ? orgs
    : orgs.map((org) => (held.has(org.orgId) ? { ...org, head: org.head.filter((one) => !isPolicy(one)) } : org));
}

function hasPolicy({ head }: Orgs[number]): boolean {
  return head.some(isPolicy);
}

function isPolicy({ key }: { readonly key: string }): boolean {
  return camelKey(key) === POLICY;
}
