import { type JsonObject, textAt } from "../protojson/json-value.ts";
import { ownerKey } from "../state/state.ts";
import type { ImportContext, ImportStep } from "./import-context.ts";

/**
 * Domains: added, then verified, then made the primary one; each step may fail on its own (service behaviour 2.2). A domain is
 * verified in one organization only.
 */
export const domains: ImportStep = {
  field: "domains",
  run(context, given) {
    const { store, org, fail } = context;
    const name = textAt(given, "domainName");
    const errorId = `${org.id}_${name}`;
    if (org.lists.get("domains")?.has(name)) {
      fail("domain", errorId, { id: "COMMAND-Bd2jj", key: "Errors.Org.Domain.AlreadyExists" });
      return;
    }
    const { isVerified, isPrimary, ...rest } = given;
    const verified = isVerified === true && verify(context, name, errorId);
    const primary = isPrimary === true && verified;
    if (isPrimary === true && !verified) {
      fail("domain_isprimary", errorId, { id: "ORG-Ggd32", key: "Errors.Org.DomainNotVerified" });
    }
    if (primary) unsetPrimary(context);
    const { validationType, ...first } = rest;
    const entry: JsonObject = {
      ...first,
      ...(verified ? { isVerified: true } : {}),
      ...(primary ? { isPrimary: true } : {}),
      ...(validationType === undefined ? {} : { validationType }),
    };
    store.change({ do: "put", org: org.id, field: "domains", key: name, entry: JSON.stringify(entry) });
    context.succeed("domains", name);
  },
};

function verify({ store, org, fail }: ImportContext, name: string, errorId: string): boolean {
  const claim = ownerKey("verifiedDomains", name.toLowerCase());
  const owner = store.state.owners.get(claim);
  if (owner !== undefined && store.state.orgs.has(owner)) {
    fail("domain_isverified", errorId, { id: "V3-DKcYh", key: "Errors.Org.Domain.AlreadyExists" });
    return false;
  }
  store.change({ do: "claim", key: claim, org: org.id });
  return true;
}

function unsetPrimary({ store, org }: ImportContext): void {
  for (const [key, entry] of org.lists.get("domains") ?? []) {
    const { isPrimary, ...rest }: JsonObject = JSON.parse(entry);
    if (isPrimary !== true) continue;
    store.change({ do: "put", org: org.id, field: "domains", key, entry: JSON.stringify(rest) });
  }
}
