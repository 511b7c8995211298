import { createOrgReader } from "../../admin/org-lists.ts";
import { memberAt } from "../../core/json/members.ts";
import type { Asking } from "./asking.ts";

/** An identity provider of an instance: `--idp <connection>=<id>` takes its id. */
export interface ListedIdp {
  readonly id: string;
  readonly name: string;
  /** `google`, `oidc`, `saml`, …: in small letters. */
  readonly type: string;
  /** The organization that it belongs to; undefined: the instance. */
  readonly orgId?: string;
  /** Users without a password cannot be created with a link to it. */
  readonly isClosed?: true;
}

/** The providers of these organizations and of the instance, each once (service behaviour 9.19). Raises auth.*, api.*, net.*. */
export async function listIdps(
  { api, retry, signal }: Asking,
  orgIds: Iterable<string>,
): Promise<readonly ListedIdp[]> {
  const idps = new Map<string, ListedIdp>();
  for (const orgId of orgIds) {
    const listed = await createOrgReader(api, orgId, retry, signal).list("/management/v1/idps/templates/_search");
    for (const { id, name = "", type = "", owner, config } of listed) {
      const kind = String(type)
        .replace(/^PROVIDER_TYPE_/, "")
        .toLowerCase();
      const isOfOrg = owner === "IDP_OWNER_TYPE_ORG";
      const options = memberAt(config, ["options"]);
      const isClosed = options !== undefined && memberAt(options, ["isCreationAllowed"]) !== true;
      idps.set(String(id), {
        id: String(id),
        name: String(name),
        type: kind,
        ...(isOfOrg ? { orgId } : {}),
        ...(isClosed ? { isClosed } : {}),
      });
    }
  }
  return [...idps.values()];
}
