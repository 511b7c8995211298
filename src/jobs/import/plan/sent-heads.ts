import { newestEvent } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { camelKey } from "../../../contract/import-request.ts";
import { messageLists } from "../../../core/document/listed-org.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { creationEvents } from "../../../core/events/user-life.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { heldDomainsLine, heldMessagesLine, heldPoliciesLine } from "../../../ui/summary/foreseen.ts";
import type { Ui } from "../../../ui/ui.ts";
import { askingOf } from "../../shared/asking.ts";
import { ifOffered, mayBeAnsweredLater } from "../../shared/not-offered.ts";
import type { ImportRun } from "../import-run.ts";
import type { Items } from "./plan.ts";

const POLICY_EVENTS = ["org.policy.domain.added", "org.policy.domain.changed", "org.policy.domain.removed"];
const PRIMARY_SET = "org.domain.primary.set";

type Org = BodyScan["orgs"][number];

/** Settings of an organization that change the login names of its users. */
const RENAMING = ["domainPolicy", "domains"] as const;
type Renaming = (typeof RENAMING)[number];

const EMPTY = "[]".length;

/** The organizations of an input as they are sent. Raises net.*, auth.refused. */
export async function sentHeads(run: ImportRun, items: Items): Promise<BodyScan["orgs"]> {
  const orgs = withoutMessages(await keepLoginNames(run, items));
  // An update of an export compares them later.
  if (run.settings.plan.update === undefined || items.scan.carries !== "export") tellHeldMessages({ orgs }, run.ui);
  return orgs;
}

/**
 * The organizations without the texts of their messages: the service would set them on the organization of the token, and replace its texts
 * (service behaviour 2.10).
 */
function withoutMessages(orgs: BodyScan["orgs"]): BodyScan["orgs"] {
  const isText = ({ key }: Org["head"][number]): boolean => messageLists.has(camelKey(key));
  return orgs.map((org) => {
    const texts = org.head.filter(isText);
    const having = texts.some((one) => one.end - one.start > EMPTY) ? { lacksMessages: true as const } : {};
    return texts.length === 0 ? org : { ...org, ...having, head: org.head.filter((one) => !isText(one)) };
  });
}

/** Says whose texts of messages are not sent. */
export function tellHeldMessages({ orgs }: Pick<BodyScan, "orgs">, ui: Ui): void {
  const held = orgs.flatMap(({ orgId, lacksMessages }) => (lacksMessages === true ? [orgId] : []));
  if (held.length > 0) ui.warn(heldMessagesLine([...new Set(held)]));
}

/**
 * The organizations of an input, without the domain policies and primary domains that would change the login names of people: of
 * organizations to which users were added before. The service renames these users when it gets the policy (service behaviour 9.31), and
 * with another primary domain their preferred login names end with it (9.32). Says which are not sent, except those that the target has.
 * Raises net.*, auth.refused.
 */
async function keepLoginNames(run: ImportRun, { scan: { orgs }, read }: Items): Promise<BodyScan["orgs"]> {
  const held = new Map<Org, ReadonlySet<Renaming>>();
  // Several entries, of several files for example, may be of one organization.
  const unsent: Record<Renaming, Set<string>> = { domainPolicy: new Set(), domains: new Set() };
  const asking = askingOf(run);
  const newest = (request: NonNullable<Parameters<typeof newestEvent>[2]>) =>
    withRetry(() => newestEvent(asking.api, asking.signal, request), asking.retry, asking.signal);
  for (const org of orgs) {
    const { orgId } = org;
    const ofOrg = { aggregate_types: ["org"], aggregate_id: orgId };
    const isOther: Record<Renaming, () => Promise<boolean>> = {
      async domainPolicy() {
        const policy = await newest({ ...ofOrg, event_types: POLICY_EVENTS });
        return policy === undefined || policy.type.type.endsWith(".removed");
      },
      async domains() {
        const primary = await primaryOf(org, read);
        const last = primary === undefined ? undefined : await newest({ ...ofOrg, event_types: [PRIMARY_SET] });
        return (
          last !== undefined && textMember(fieldsOf(last.payload), "domain").toLowerCase() !== primary?.toLowerCase()
        );
      },
    };
    const given = RENAMING.filter((name) => org.head.some(({ key }) => camelKey(key) === name));
    if (given.length === 0) continue;
    await ifOffered(async () => {
      const users = { aggregate_types: ["user"], resource_owner: orgId, event_types: [...creationEvents] };
      if ((await newest(users)) === undefined) return;
      const names = new Set<Renaming>();
      for (const name of given) {
        const isUnsent = await isOther[name]();
        if (isUnsent) unsent[name].add(orgId);
        // The service refuses a second policy, and takes domains that it has.
        if (isUnsent || name === "domainPolicy") names.add(name);
      }
      held.set(org, names);
    }, mayBeAnsweredLater);
  }
  if (unsent.domainPolicy.size > 0) run.ui.warn(heldPoliciesLine([...unsent.domainPolicy]));
  if (unsent.domains.size > 0) run.ui.warn(heldDomainsLine([...unsent.domains]));
  return orgs.map((org) => {
    const names: ReadonlySet<string> | undefined = held.get(org);
    return names === undefined ? org : { ...org, head: org.head.filter(({ key }) => !names.has(camelKey(key))) };
  });
}

/** The domain that an organization of the input makes its primary one. */
async function primaryOf({ head }: Org, read: Items["read"]): Promise<string | undefined> {
  for (const { key, ...extent } of head) {
    if (camelKey(key) !== "domains") continue;
    const pieces: Buffer[] = [];
    for await (const chunk of read(extent)) pieces.push(Buffer.from(chunk));
    const domains: unknown = JSON.parse(Buffer.concat(pieces).toString());
    const primary = Array.isArray(domains)
      ? domains.map(fieldsOf).findLast((domain) => member(domain, "isPrimary") === true)
      : undefined;
    if (primary !== undefined) return textMember(primary, "domainName");
  }
  return undefined;
}
