import { linksWithin } from "../../../core/document/items.ts";
import { fieldsOf, member, memberAt, textMember } from "../../../core/json/members.ts";
import { unmetLine } from "../../../problem/format.ts";
import { closedIdpLine, missingIdpLine } from "../../../ui/summary/foreseen.ts";
import type { Asking } from "../../shared/asking.ts";
import { listIdps } from "../../shared/list-idps.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { searchOrgs } from "../../shared/search-orgs.ts";
import type { ImportRun } from "../import-run.ts";
import { type Plan, readHeads, readSection } from "./plan.ts";
import { RemovedObjects } from "./removed-objects.ts";
import type { TargetState } from "./target-state.ts";

/** An identity provider of links or login policies that will fail, and how many of these links the input has. */
interface FailingIdp {
  readonly idpId: string;
  readonly links: number;
}

/** The target lacks `missing`. It has `closed`, with which the import endpoint creates no users without a password. */
export interface FailingIdps {
  readonly missing: readonly FailingIdp[];
  readonly closed: readonly FailingIdp[];
}

export const NO_IDP_FAILS: FailingIdps = { missing: [], closed: [] };

/** Names the identity providers whose links will fail (service behaviour 9.19). Raises what listing providers raises. */
export async function reportIdps(
  { ui, input, source }: Pick<ImportRun, "ui" | "input" | "source">,
  plan: Plan,
  { orgs }: TargetState,
  asking: Asking,
): Promise<FailingIdps> {
  const links = new Map<string, number>();
  const within = new Map<string, number>();
  // The users API creates users with links also where the provider does not allow it.
  const imported = new Map<string, number>();
  for await (const items of readSection(plan, "userLinks", asking.signal))
    for (const { bytes, isWithinUser } of items)
      addOne(isWithinUser ? within : links, textMember(fieldsOf(JSON.parse(bytes.toString())), "idpId"));
  if (within.size > 0)
    for await (const items of readSection(plan, "humanUsers", asking.signal))
      for (const { bytes, way } of items)
        if (way === "import") for (const link of linksWithin(bytes)) addOne(imported, textMember(link, "idpId"));
  const { idpMap = new Map<string, string>() } = plan.scan;
  const sourceOf = new Map([...idpMap].map(([inInput, id]) => [id, inInput]));
  const heads = await headsOf(plan, asking);
  const isUnmet = (id: string): boolean => !links.has(id) && !within.has(id) && !heads.named.has(id);
  const unmet = [...idpMap].filter(([, id]) => isUnmet(id)).map(([idpId]) => idpId);
  // Each night of a copy has the flags of the first one, also when the source has no link any more.
  const isOfSome = input.isSelection === true || (source !== undefined && links.size + within.size === 0);
  if (unmet.length > 0 && !isOfSome)
    ui.warn(unmetLine("--idp", unmet, "identity provider of a link or a login policy in the input"));
  const isNew = (orgId: string): boolean => orgs.get(orgId)?.isRemoved !== false;
  const hasNewOrgs = plan.scan.orgs.some(({ orgId }) => isNew(orgId));
  // The service creates no login policy with a provider that is missing; one that exists stays as it is.
  const policies = new Map<string, number>();
  for (const [idpId, orgIds] of heads.named) if (orgIds.some(isNew)) policies.set(idpId, 0);
  // A link apart is not sent if its provider was removed; a new user is.
  for (const [idpId, isRemoved] of heads.made)
    for (const counts of isRemoved ? [links] : [links, within, imported, policies]) counts.delete(idpId);
  if (links.size + within.size + policies.size === 0) return NO_IDP_FAILS;
  const inLog = [...orgs.values()].filter(({ isRemoved }) => !isRemoved).map(({ id }) => id);
  // A log without events of organizations does not say that there are none.
  const existing = inLog.length > 0 ? inLog : [...((await searchOrgs(asking))?.keys() ?? [])];
  const ours = existing.filter((id) => plan.scan.orgs.some(({ orgId }) => orgId === id));
  // The list of any organization has the providers of the instance.
  const asked = ours.length > 0 ? ours : existing.slice(0, 1);
  const idps = await ifOffered(() => listIdps(asking, new Set(asked)));
  if (idps === undefined) return NO_IDP_FAILS;
  const closed = idps.flatMap(({ id: idpId, isClosed }) => {
    const number = imported.get(idpId);
    return isClosed !== true || number === undefined ? [] : [{ idpId, links: number }];
  });
  for (const { idpId, links: number } of closed) ui.warn(closedIdpLine(idpId, number));
  for (const [idpId, number] of within) addOne(links, idpId, number);
  for (const [idpId] of policies) addOne(links, idpId, 0);
  for (const { id } of idps) links.delete(id);
  for (const [idpId, number] of links)
    ui.warn(
      missingIdpLine(
        { idpId, inInput: sourceOf.get(idpId) },
        number,
        { isOfPolicy: policies.has(idpId), hasNewOrgs },
        idps,
      ),
    );
  return { missing: [...links].map(([idpId, number]) => ({ idpId, links: number })), closed };
}

/** What the heads of the input say of identity providers. */
interface HeadIdps {
  /** Providers of the input: true for those that are not created, because they were removed on the target. */
  readonly made: Map<string, boolean>;
  /** Providers of login policies, with the organizations of these. */
  readonly named: Map<string, string[]>;
}

async function headsOf(plan: Plan, asking: Asking): Promise<HeadIdps> {
  const removals = new RemovedObjects(asking, plan, []);
  const found: HeadIdps = { made: new Map(), named: new Map() };
  for await (const item of readHeads(plan, asking.signal)) {
    const head = fieldsOf(JSON.parse(`{${item.bytes.toString()}}`));
    const orgId = plan.scan.orgs[item.org]?.orgId ?? "";
    for (const idpId of idsIn(memberAt(head, ["loginPolicy", "idps"])))
      found.named.set(idpId, [...(found.named.get(idpId) ?? []), orgId]);
    const made = IDP_LISTS.flatMap((key) => idsIn(member(head, key)));
    if (made.length === 0) continue;
    const { removed = [] } = (await removals.headOf(item)) ?? {};
    const isRemoved = (idpId: string): boolean =>
      removed.some(({ type, id }) => IDP_LISTS.includes(type) && id === idpId);
    for (const idpId of made) found.made.set(idpId, isRemoved(idpId));
  }
  return found;
}

const IDP_LISTS: readonly string[] = ["oidcIdps", "jwtIdps"];

function idsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map((one: unknown) => textMember(fieldsOf(one), "idpId")) : [];
}

function addOne(counts: Map<string, number>, idpId: string, number = 1): void {
  counts.set(idpId, (counts.get(idpId) ?? 0) + number);
}
