import { camelKey } from "../../contract/import-request.ts";

/** Ids of organizations of the input, with their ids on the target. */
export type OrgMap = ReadonlyMap<string, string>;

/** Ids of identity providers in links and login policies of the input, with their ids on the target. */
export type IdpMap = ReadonlyMap<string, string>;

/** Members with the id of an identity provider: of a link, and of a link within a user. */
const IDP_IDS: ReadonlySet<string> = new Set(["idpId", "configId"]);
/** Members that hold links, or providers of a login policy. */
const LINK_HOLDERS: ReadonlySet<string> = new Set(["user", "idps", "loginPolicy"]);

/** A link, a user with links, a login policy or what holds one, with the ids that the providers have on the target. */
export function withMappedIdp(value: unknown, map: IdpMap): unknown {
  if (Array.isArray(value)) return value.map((one) => withMappedIdp(one, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      const key = camelKey(name);
      if (typeof held === "string" && IDP_IDS.has(key)) return [name, map.get(held) ?? held];
      return [name, LINK_HOLDERS.has(key) ? withMappedIdp(held, map) : held];
    }),
  );
}

/** The scan of the same document with the ids that the document has. */
export function withoutMaps<
  O extends { readonly orgId: string; readonly sourceId?: string },
  S extends { readonly orgs: readonly O[] } & Partial<IdMaps>,
>({ orgMap: _, idpMap: __, ...scan }: S): Omit<S, keyof IdMaps> {
  return { ...scan, orgs: scan.orgs.map((org) => ({ ...org, orgId: org.sourceId ?? org.orgId })) };
}

/**
 * Every member that holds the id of an organization, in any object: the entry of the organization, its domain policy (of the
 * first major version: its IAM policy) and its domains (`orgId`), grants of projects (`grantedOrgId`), and the details of an object
 * (`resourceOwner`). These are all that the service's schema has; a test goes through it.
 */
export const orgIdMembers: ReadonlySet<string> = new Set(["orgId", "grantedOrgId", "resourceOwner"]);

/** Which organizations and identity providers of a document have other ids on the target. */
export interface IdMaps {
  readonly orgMap: OrgMap;
  readonly idpMap: IdpMap;
}

/** The scan of a document whose objects have these ids on the target. What refers to them is rewritten as it is read. */
export function mapIds<
  O extends { readonly orgId: string; readonly sourceId?: string },
  S extends { readonly orgs: readonly O[] },
>(scan: S, { orgMap, idpMap }: IdMaps): S & Partial<IdMaps> {
  const mapped = idpMap.size === 0 ? scan : { ...scan, idpMap };
  if (orgMap.size === 0) return mapped;
  const orgs = scan.orgs.map((org) => ({ ...org, orgId: orgMap.get(org.orgId) ?? org.orgId, sourceId: org.orgId }));
  return { ...mapped, orgs, orgMap };
}

/** Rewrites what refers to organizations in a piece of JSON: an element, or the members of a head in braces. Most pieces are not parsed. */
export function createOrgRewriter(map: OrgMap): (json: Buffer) => Buffer {
  const traces = [...map.keys()].map((id) => Buffer.from(JSON.stringify(id)));
  return (json) => {
    // With escapes in it, an id may be written in many ways.
    if (!traces.some((trace) => json.includes(trace)) && !json.includes(BACKSLASH)) return json;
    return Buffer.from(JSON.stringify(withMappedOrgs(JSON.parse(json.toString()), map)));
  };
}

const BACKSLASH = 0x5c;

/** The same value with the ids that the organizations have on the target. */
export function withMappedOrgs(value: unknown, map: OrgMap): unknown {
  if (Array.isArray(value)) return value.map((one) => withMappedOrgs(one, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === "string" && orgIdMembers.has(camelKey(key))
        ? (map.get(inner) ?? inner)
        : withMappedOrgs(inner, map),
    ]),
  );
}
