import type { SourceUser } from "../../core/merge/source-user.ts";
import { ProblemError, type Remark } from "../../problem.ts";
import { addValue, oneOrg, orgsByUser, type ValuesByUser } from "../shared/values-by-user.ts";
import { OptionFault, ofLast, type SourceOption } from "../source.ts";
import { fieldsOf, listOf } from "./roles.ts";
import type { Attributes } from "./user-row.ts";

/** How it is found out which organization a user goes to. */
export type OrgBy =
  | { readonly kind: "organization" }
  | { readonly kind: "attribute"; readonly name: string }
  /** The organizations by the user's id. */
  | { readonly kind: "table"; readonly table: ValuesByUser };

const ATTRIBUTE = "attributes.";

export const orgByOption: SourceOption<OrgBy | undefined> = {
  flag: "--org-by <what>",
  description: "users of several organizations: organization, attributes.<name>, or a .csv of user_id,org",
  read: (given, readFile) => ofLast(given, (text) => orgByOf(text, readFile)),
};

function orgByOf(text: string, readFile: (path: string) => string): OrgBy {
  if (text === "organization") return { kind: "organization" };
  if (text.endsWith(".csv")) return { kind: "table", table: orgsByUser(text, readFile) };
  if (text.startsWith(ATTRIBUTE) && text.length > ATTRIBUTE.length) {
    return { kind: "attribute", name: text.slice(ATTRIBUTE.length) };
  }
  throw new OptionFault("it must be organization, attributes.<name>, or a .csv file.");
}

/**
 * The organizations of a realm, of version 26 and later. The export names their members by user name, each with a `membershipType`:
 * MANAGED are users whose account the organization owns. Source: `ExportUtils.exportRealm` of Keycloak.
 */
export class RealmOrgs {
  readonly #orgBy: OrgBy | undefined;
  #orgs: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(orgBy: OrgBy | undefined) {
    this.#orgBy = orgBy;
  }

  /** Takes the member `organizations` of a realm export. */
  take(members: ReadonlyMap<string, unknown>): void {
    const found = listOf(members.get("organizations")).map(fieldsOf);
    if (found.length === 0) return;
    const managed = new Map<string, string[]>();
    const others = new Map<string, string[]>();
    for (const { alias, name, members: all } of found) {
      const org = typeof alias === "string" && alias !== "" ? alias : name;
      if (typeof org !== "string" || org === "") continue;
      for (const { username, membershipType } of listOf(all).map(fieldsOf)) {
        if (typeof username === "string") addValue(membershipType === "MANAGED" ? managed : others, username, org);
      }
    }
    for (const [user, orgs] of others) for (const org of orgs) addValue(managed, user, org);
    this.#orgs = managed;
  }

  /** Raises usage.invalid if the export had to have organizations and has none. */
  check(): void {
    if (this.#orgBy?.kind !== "organization" || this.#orgs !== undefined) return;
    throw new ProblemError({
      code: "usage.invalid",
      message:
        "--org-by organization: the export has no organizations. Keycloak 26 and later write them into the file of the realm (<realm>-realm.json), but not into a partial export. Give the folder with all files.",
    });
  }

  /** The organization of a user; nothing: that of `--org`. A managed membership comes first. @param remarks gets `orgs-lost`. */
  of(
    {
      id = "",
      userName = "",
      attributes,
    }: { id: string | undefined; userName: string | undefined; attributes: Attributes },
    remarks: Remark[],
  ): Pick<SourceUser, "orgId" | "orgName"> {
    const by = this.#orgBy;
    if (by === undefined) return {};
    if (by.kind === "organization") return { orgName: oneOrg(this.#orgs?.get(userName), remarks) };
    const orgs = by.kind === "table" ? by.table.get(id) : attributes.get(by.name);
    return { orgId: oneOrg(orgs, remarks) || undefined };
  }
}
