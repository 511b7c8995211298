import { createOrgReader, type ListedObject, type OrgReader } from "../../../admin/org-lists.ts";
import {
  actionOf,
  appOf,
  domainOf,
  idpOf,
  memberOf,
  policyKinds,
  policyOf,
  projectGrantOf,
  projectOf,
  roleOf,
  textKinds,
  textOf,
  triggersOf,
} from "../../../core/document/listed-org.ts";
import type { OrgLog } from "../../../core/events/rebuild/org-log.ts";
import { type IdpName, idpTypes } from "../../../core/events/rebuild/user-entries.ts";
import type { LogReading } from "../../shared/read-log.ts";

/** What the document takes from the whole export. */
export interface ExportScope {
  readonly orgs: OrgLog;
  hasOrg(orgId: string): boolean;
  hasUser(userId: string): boolean;
}

/** The objects of an organization, without users and what belongs to them: by the member of the export. */
export interface ReadOrg {
  readonly members: ReadonlyMap<string, unknown>;
  /** The identity providers that users can be linked to. */
  readonly idps: ReadonlyMap<string, IdpName>;
  /** How many client secrets of identity providers cannot be read. */
  readonly clientSecrets: number;
}

const MANAGEMENT = "/management/v1";
/** The flows that an export has (service behaviour 0.31). */
const FLOWS = ["1", "3"] as const;

/** Reads the lists and settings of an organization (service behaviour 0.61). They lag behind the log. Raises auth.*, api.*, net.*. */
export async function readOrg(orgId: string, { api, retry, signal }: LogReading, scope: ExportScope): Promise<ReadOrg> {
  const reader = createOrgReader(api, orgId, retry, signal);
  const lists = new Lists();
  for (const listed of await reader.list(`${MANAGEMENT}/idps/_search`)) {
    if (listed["owner"] !== "IDP_OWNER_TYPE_ORG") continue;
    const known = idpOf(listed);
    if (known !== undefined) lists.add(known.list, known.idp);
  }
  const ownIdps = new Set([...lists.idpIdsOf("oidcIdps"), ...lists.idpIdsOf("jwtIdps")]);
  await readPolicies(reader, orgId, ownIdps, lists);
  await readTexts(reader, scope.orgs.textsOf(orgId), lists);
  await readProjects(reader, scope, lists);
  for (const domain of await reader.list(`${MANAGEMENT}/orgs/me/domains/_search`))
    lists.add("domains", domainOf(domain));
  for (const action of await reader.list(`${MANAGEMENT}/actions/_search`)) lists.add("actions", actionOf(action));
  for (const flowType of FLOWS) {
    const flow = await reader.one(`${MANAGEMENT}/flows/${flowType}`);
    for (const trigger of flow === undefined ? [] : triggersOf(flowType, flow)) lists.add("triggerActions", trigger);
  }
  await readMembers(reader, `${MANAGEMENT}/orgs/me/members/_search`, {}, "orgMembers", scope, lists);
  return { members: lists.all, idps: await readIdpNames(reader), clientSecrets: lists.sizeOf("oidcIdps") };
}

async function readPolicies(
  reader: OrgReader,
  orgId: string,
  ownIdps: ReadonlySet<string>,
  lists: Lists,
): Promise<void> {
  for (const kind of policyKinds) {
    const policy = policyOf(kind, await reader.one(`${MANAGEMENT}/policies/${kind.path}`), orgId, ownIdps);
    if (policy !== undefined) lists.set(kind.member, policy);
  }
}

/** Asks only for the texts that the log has: every other one is a default, and there are ten kinds in twenty languages. */
async function readTexts(
  reader: OrgReader,
  texts: readonly { readonly template: string; readonly language: string }[],
  lists: Lists,
): Promise<void> {
  for (const kind of textKinds) {
    for (const { template, language } of texts) {
      if (template !== kind.template) continue;
      const text = await reader.one(`${MANAGEMENT}/text/${kind.path}/${encodeURIComponent(language)}`);
      const entry = textOf(kind, language, text);
      if (entry !== undefined) lists.add(kind.member, entry);
    }
  }
}

async function readProjects(reader: OrgReader, scope: ExportScope, lists: Lists): Promise<void> {
  for (const project of await reader.list(`${MANAGEMENT}/projects/_search`)) {
    const projectId = String(project["id"]);
    const path = `${MANAGEMENT}/projects/${encodeURIComponent(projectId)}`;
    lists.add("projects", projectOf(project));
    for (const role of await reader.list(`${path}/roles/_search`)) lists.add("projectRoles", roleOf(projectId, role));
    for (const listed of await reader.list(`${path}/apps/_search`)) {
      const known = appOf(projectId, listed);
      if (known !== undefined) lists.add(known.list, known.app);
      for (const key of scope.orgs.keysOf(String(listed["id"]))) lists.add("appKeys", key);
    }
    await readMembers(reader, `${path}/members/_search`, { projectId }, "projectMembers", scope, lists);
    await readProjectGrants(reader, projectId, scope, lists);
  }
}

/** Adds the project grants of a project, with their members, to the organizations that `hasOrg` has. Raises as `readOrg`. */
export async function readProjectGrants(
  reader: OrgReader,
  projectId: string,
  scope: Pick<ExportScope, "hasOrg" | "hasUser">,
  lists: Pick<Lists, "add">,
): Promise<void> {
  const path = `${MANAGEMENT}/projects/${encodeURIComponent(projectId)}/grants`;
  for (const listed of await reader.list(`${path}/_search`)) {
    const { grantId, grantedOrgId, entry } = projectGrantOf(listed);
    if (!scope.hasOrg(grantedOrgId)) continue;
    lists.add("projectGrants", entry);
    const members = `${path}/${encodeURIComponent(grantId)}/members/_search`;
    await readMembers(reader, members, { projectId, grantId }, "projectGrantMembers", scope, lists);
  }
}

/** An export has the members who are users of its organizations. */
async function readMembers(
  reader: OrgReader,
  path: string,
  place: object,
  list: string,
  { hasUser }: Pick<ExportScope, "hasUser">,
  lists: Pick<Lists, "add">,
): Promise<void> {
  for (const listed of await reader.list(path)) {
    const { userId, entry } = memberOf(place, listed);
    if (hasUser(userId)) lists.add(list, entry);
  }
}

async function readIdpNames(reader: OrgReader): Promise<ReadonlyMap<string, IdpName>> {
  const listed = await reader.list(`${MANAGEMENT}/idps/templates/_search`);
  const name = (idp: ListedObject): IdpName => ({
    idpName: String(idp["name"] ?? ""),
    idpType: idpTypes[String(idp["type"])] ?? "",
  });
  return new Map(listed.map((idp) => [String(idp["id"]), name(idp)]));
}

/** The members of an organization: objects, and lists that are not empty. */
class Lists {
  readonly #members = new Map<string, unknown>();

  get all(): ReadonlyMap<string, unknown> {
    return this.#members;
  }

  set(name: string, value: object): void {
    this.#members.set(name, value);
  }

  add(name: string, entry: object): void {
    const list = this.#listOf(name);
    list.push(entry);
    this.#members.set(name, list);
  }

  sizeOf(name: string): number {
    return this.#listOf(name).length;
  }

  idpIdsOf(name: "oidcIdps" | "jwtIdps"): readonly string[] {
    return this.#listOf(name).map((entry) => String((entry as { readonly idpId?: unknown }).idpId)); // `add` takes objects
  }

  #listOf(name: string): object[] {
    const list = this.#members.get(name);
    return Array.isArray(list) ? list : [];
  }
}
