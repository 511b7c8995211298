import { listEvents } from "../../../admin/events.ts";
import { createOrgReader } from "../../../admin/org-lists.ts";
import { capabilitiesOf } from "../../../contract/versions.ts";
import type { Item } from "../../../core/document/items.ts";
import { ProjectRoles, projectRoleEvents } from "../../../core/events/project-roles.ts";
import { type Fields, fieldsOf, textMember, textsMember } from "../../../core/json/members.ts";
import type { Asking } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { Firsts } from "../../verify/differences.ts";
import { type Items, type Plan, readSection } from "./plan.ts";
import type { RemovedObjects } from "./removed-objects.ts";
import type { TargetState } from "./target-state.ts";

/** A role grant of the input that will fail, with the organization of the user. */
interface FailingGrant {
  readonly userId: string;
  readonly projectId: string;
  readonly orgId: string;
}

/** Role grants with roles that are missing (`roleKeys`), and in projects that are missing or not granted to the organization. */
export interface FailingGrants {
  readonly roleMissing: Firsts<FailingGrant & { readonly roleKeys: string[] }>;
  readonly projectMissing: Firsts<FailingGrant>;
  /** Indexes of all of them. */
  readonly indexes: Set<number>;
}

export const NO_GRANT_FAILS: FailingGrants = {
  roleMissing: new Firsts(),
  projectMissing: new Firsts(),
  indexes: new Set(),
};

/**
 * Finds the role grants of the input that the target will refuse, because a project or a role of it is neither there nor in the input
 * (service behaviour 9.36). `isUnsent`: of a grant that is not sent, or known to fail; `isRemoved`: of a project, role or project grant that
 * is not sent because another account removed it; `removedRoles`: of a grant. Raises what reading events raises; no grants where the target does not offer its events.
 */
export async function findFailingGrants(
  { orgs }: Pick<TargetState, "orgs">,
  plan: Items & Pick<Plan, "version">,
  {
    isUnsent,
    isRemoved,
    removedRoles,
  }: Readonly<Record<"isUnsent" | "isRemoved", (item: Item) => Promise<boolean>>> &
    Pick<RemovedObjects, "removedRoles">,
  { api, retry, signal }: Asking,
): Promise<FailingGrants> {
  const { findsProjectGrants } = capabilitiesOf(plan.version);
  const { scan } = plan;
  const orgIds = new Set(scan.orgs.map(({ orgId }) => orgId));
  const find = async (projects: ProjectRoles): Promise<FailingGrants> => {
    for (const section of ["projects", "projectRoles", "projectGrants"] as const)
      await each(plan, section, signal, async (element, orgId, item) => {
        if (await isRemoved(item)) return;
        if (section === "projects") projects.addProject(textMember(element, "projectId"), orgId);
        else if (section === "projectRoles") projects.addRole(element, orgId);
        else projects.addGrant(element, orgId);
      });
    const found: FailingGrants = { roleMissing: new Firsts(), projectMissing: new Firsts(), indexes: new Set() };
    await each(plan, "userGrants", signal, async (element, orgId, item) => {
      const { index, org } = item;
      if ((await isUnsent(item)) || scan.references?.leadsOut("userGrants", org, element, orgIds) === true) return;
      const [projectId, userId] = [textMember(element, "projectId"), textMember(element, "userId")];
      const asked = { projectId, projectGrantId: textMember(element, "projectGrantId") };
      const removed = await removedRoles(item);
      const roleKeys = textsMember(element, "roleKeys");
      const fault =
        removed.length > 0
          ? { roleKeys: removed }
          : projects.faultOf({ ...asked, roleKeys }, orgId, findsProjectGrants);
      // What is left of the projects of a deleted organization differs from version to version.
      if (fault === undefined || orgs.get(projects.homeOf(projectId) ?? "")?.isRemoved === true) return;
      const grant = { userId, projectId, orgId };
      found.indexes.add(index);
      if (fault.roleKeys === undefined) found.projectMissing.add(grant);
      else found.roleMissing.add({ ...grant, roleKeys: [...fault.roleKeys] });
    });
    return found;
  };
  const withoutTarget = await find(new ProjectRoles());
  // A project grant that exists stays as it is.
  const hasProjectGrants = scan.sections.some(({ key, count }) => key === "projectGrants" && count > 0);
  const failing = withoutTarget.roleMissing.count + withoutTarget.projectMissing.count;
  if (failing === 0 && !hasProjectGrants) return withoutTarget;
  const found = await ifOffered(async () => {
    const projects = new ProjectRoles();
    for await (const event of listEvents(api, { eventTypes: projectRoleEvents }, retry, signal)) projects.apply(event);
    const byLog = await find(projects);
    return (await addListed(projects, byLog, { api, retry, signal })) ? find(projects) : byLog;
  });
  return found ?? NO_GRANT_FAILS;
}

/** Adds listed roles to projects for want of which grants fail: roles of an instance import may come without events (spec: Events). */
async function addListed(
  projects: ProjectRoles,
  { roleMissing, projectMissing }: FailingGrants,
  { api, retry, signal }: Asking,
): Promise<boolean> {
  let isAny = false;
  const pairs = [...roleMissing.list, ...projectMissing.list].map(
    ({ projectId, orgId }) => [orgId, projectId] as const,
  );
  for (const [orgId, projectId] of new Map(pairs.map((pair) => [pair.join(" "), pair])).values()) {
    if ((projects.homeOf(projectId) ?? orgId) !== orgId || projectId === "") continue;
    const path = `/management/v1/projects/${encodeURIComponent(projectId)}/roles/_search`;
    // An organization that the input creates has no lists yet.
    const listed = await ifOffered(() => createOrgReader(api, orgId, retry, signal).list(path));
    for (const { key } of listed ?? []) {
      projects.addProject(projectId, orgId);
      projects.addRole({ projectId, roleKey: key }, orgId);
      isAny = true;
    }
  }
  return isAny;
}

/** Reads the elements of a section, each with its organization. */
async function each(
  plan: Items,
  section: "projects" | "projectRoles" | "projectGrants" | "userGrants",
  signal: AbortSignal,
  take: (element: Fields, orgId: string, item: Item) => Promise<void>,
): Promise<void> {
  for await (const items of readSection(plan, section, signal))
    for (const item of items)
      await take(fieldsOf(JSON.parse(item.bytes.toString())), plan.scan.orgs[item.org]?.orgId ?? "", item);
}
