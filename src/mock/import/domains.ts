import { type ServiceFault, taken } from "../http/answer.ts";
import { type JsonObject, textAt, valueAt } from "../http/json.ts";
import { ownerKey } from "../state/keys.ts";
import type { Org } from "../state/state.ts";
import type { NewEvent, Store } from "../state/store.ts";
import type { ImportStep } from "./import-context.ts";

/**
 * Domains of an organization. Where the policy requires no proof, as the default policy, a domain is verified when it is added, and
 * `isVerified` is then an error without effect (probed on v4).
 */
export const domains: ImportStep = {
  field: "domains",
  run(context, given) {
    const { store, org, caller, events, fail, succeed } = context;
    const name = textAt(given, "domainName");
    const errorId = `${org.id}_${name}`;
    const verifiesAtOnce = valueAt(org.settings.get("domainPolicy"), "validateOrgDomains") !== true;
    const fault = additionFault(store, org, name, verifiesAtOnce);
    if (fault !== undefined) {
      fail("domain", errorId, fault);
      return;
    }
    const isFree = domainIsFree(store, org.id, name);
    const wantsVerified = given["isVerified"] === true;
    if (wantsVerified && (verifiesAtOnce || !isFree)) fail("domain_isverified", errorId, DOMAIN_TAKEN);
    const verified = verifiesAtOnce || (wantsVerified && isFree);
    if (given["isPrimary"] === true && !verified) fail("domain_isprimary", errorId, NOT_VERIFIED);
    const domain = { given, verified, primary: verified && given["isPrimary"] === true };
    putDomain(store, org, domain);
    if (events) store.push(domainEvents(org, domain, caller.userId));
    succeed("domains", name);
  },
};

const DOMAIN_TAKEN = taken("Errors.Org.Domain.AlreadyExists");
const NOT_VERIFIED: ServiceFault = { id: "ORG-Ggd32", key: "Errors.Org.DomainNotVerified" };

interface AddedDomain {
  readonly given: JsonObject;
  readonly verified: boolean;
  readonly primary: boolean;
}

function additionFault(store: Store, org: Org, name: string, verifiesAtOnce: boolean): ServiceFault | undefined {
  if (name === "") return { id: "ORG-r3h4J", key: "Errors.Invalid.Argument" };
  if (org.lists.get("domains")?.has(name)) return { id: "V2-e1wse", key: "Errors.Already.Exists" };
  return verifiesAtOnce && !domainIsFree(store, org.id, name) ? DOMAIN_TAKEN : undefined;
}

/** Whether no other organization has verified the domain. */
export function domainIsFree({ state }: Store, orgId: string, domain: string): boolean {
  const owner = state.owners.get(ownerKey("verifiedDomains", domain.toLowerCase()));
  return owner === undefined || owner === orgId || !state.orgs.has(owner);
}

function putDomain(store: Store, org: Org, { given, verified, primary }: AddedDomain): void {
  const name = textAt(given, "domainName");
  const { isVerified: _verified, isPrimary: _primary, validationType, ...first } = given;
  if (verified) store.change({ do: "claim", key: ownerKey("verifiedDomains", name.toLowerCase()), org: org.id });
  if (primary) unsetPrimary(store, org);
  const entry: JsonObject = {
    ...first,
    ...(verified ? { isVerified: true } : {}),
    ...(primary ? { isPrimary: true } : {}),
    ...(validationType === undefined ? {} : { validationType }),
  };
  store.change({ do: "put", org: org.id, field: "domains", key: name, entry });
}

function unsetPrimary(store: Store, org: Org): void {
  for (const [key, entry] of org.lists.get("domains") ?? []) {
    const { isPrimary, ...rest } = entry;
    if (isPrimary !== true) continue;
    store.change({ do: "put", org: org.id, field: "domains", key, entry: rest });
  }
}

function domainEvents(org: Org, { given, verified, primary }: AddedDomain, editor: string): readonly NewEvent[] {
  const types = [
    "org.domain.added",
    ...(verified ? ["org.domain.verified"] : []),
    ...(primary ? ["org.domain.primary.set"] : []),
  ];
  const payload = { domain: textAt(given, "domainName") };
  const about = { aggregateType: "org", aggregateId: org.id, orgId: org.id, editor };
  return types.map((type) => ({ ...about, type, payload }));
}

/** The generated domain of an organization: `Org A` has `org-a.<domain of the instance>` (recording 133). */
export function generatedDomain(name: string, instanceDomain: string): string {
  const label = name
    .replaceAll(" ", "-")
    .replace(/[^\p{L}\p{M}0-9-]/gu, "")
    .slice(0, 63)
    .replace(/^-+|-+$/g, "");
  return `${label}.${instanceDomain}`.toLowerCase();
}

/** Adds the generated domain of a new organization, verified and primary. Returns the events. */
export function addGeneratedDomain(store: Store, org: Org, { domain, editor }: { domain: string; editor: string }) {
  const added = { given: { orgId: org.id, domainName: domain }, verified: true, primary: true };
  putDomain(store, org, added);
  return domainEvents(org, added, editor);
}
