import { listEvents } from "../../../admin/events.ts";
import { createOrgReader } from "../../../admin/org-lists.ts";
import { capabilitiesOf } from "../../../contract/versions.ts";
import type { Item } from "../../../core/document/items.ts";
import { grantPlaces } from "../../../core/document/org-sections.ts";
import { type ProjectGrantFault, ProjectRoles, projectRoleEvents } from "../../../core/events/project-roles.ts";
import { type Fields, fieldsOf, textMember, textsMember } from "../../../core/json/members.ts";
import type { Foreseen } from "../../../ui/summary/foreseen.ts";
import type { Asking } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { searchOrgs } from "../../shared/search-orgs.ts";
import { Firsts } from "../../verify/differences.ts";
import { fails } from "./foresee.ts";
import { type Items, type Plan, readSection } from "./plan.ts";
import type { RemovedObjects } from "./removed-objects.ts";
import type { TargetState } from "./target-state.ts";

type FailingProjectGrant = NonNullable<Foreseen["failingProjectGrants"]>[number];

/** A role grant of the input that will fail, with the organization of the user. */
interface FailingGrant {
  readonly userId: string;
  readonly projectId: string;
  readonly orgId: string;
}

/**
 * Role grants with roles that are missing (`roleKeys`), and in projects that are missing or not granted to the organization; and project grants,
 * by the cause of their failures.
 */
export interface FailingGrants {
  readonly roleMissing: Firsts<FailingGrant & { readonly roleKeys: string[] }>;
  readonly projectMissing: Firsts<FailingGrant>;
  readonly projectGrants: Readonly<Record<FailingProjectGrant["cause"], Firsts<FailingProjectGrant>>>;
  /** Indexes of all of them. */
  readonly indexes: Set<number>;
  /** Indexes of project grants that exist: an export lacks those of organizations that are not exported (service behaviour 9.41). */
  readonly existing: Set<number>;
}

export const NO_GRANT_FAILS: FailingGrants = noneFails();

function noneFails(): FailingGrants {
  return {
    ...{ roleMissing: new Firsts(), projectMissing: new Firsts() },
    projectGrants: { "reference-missing": new Firsts(), "name-taken": new Firsts() },
    ...{ indexes: new Set(), existing: new Set() },
  };
}

/** What is known of the items and organizations of the input. */
interface KnownOfInput extends Pick<RemovedObjects, "removedRoles"> {
  /** True for a grant that is not sent, or known to fail. */
  isUnsent(item: Item): Promise<boolean>;
  /** True for a project, role or project grant that is not sent because another account removed it. */
  isRemoved(item: Item): Promise<boolean>;
  readonly foreseenOrgs: Foreseen["orgs"];
}

/**
 * Finds the role grants and project grants of the input that the target will refuse, because something that they refer to is neither there
 * nor in the input, or because another project grant is in the way (service behaviour 9.36, 9.47). What is of an organization that takes no
 * items fails for that. Raises what reading events raises; no grants where the target does not offer its events.
 */
export async function findFailingGrants(
  { orgs }: Pick<TargetState, "orgs">,
  plan: Items & Pick<Plan, "version">,
  { isUnsent, isRemoved, removedRoles, foreseenOrgs }: KnownOfInput,
  asking: Asking,
): Promise<FailingGrants> {
  const { api, retry, signal } = asking;
  const { findsProjectGrants, checksProjectGrants: checks } = capabilitiesOf(plan.version);
  const { scan } = plan;
  const orgIds = new Set(scan.orgs.map(({ orgId }) => orgId));
  const states = new Map(foreseenOrgs.map(({ orgId, state }) => [orgId, state]));
  /** Organizations that may come without events; undefined: unknown. */
  let listed: ReadonlyMap<string, string> | undefined;
  const hasOrg = (orgId: string): boolean => {
    const [state, known] = [states.get(orgId), orgs.get(orgId)];
    if (state !== undefined) return !fails(state);
    return known === undefined ? listed?.has(orgId) !== false : !known.isRemoved;
  };
  const find = async (projects: ProjectRoles): Promise<FailingGrants> => {
    const found = noneFails();
    for (const section of ["projects", "projectRoles", "projectGrants"] as const)
      await each(plan, section, signal, async (element, orgId, item) => {
        if (await isRemoved(item)) return;
        if (section === "projects") projects.addProject(textMember(element, "projectId"), orgId);
        else if (section === "projectRoles") projects.addRole(element, orgId);
        else {
          const fault = projects.addGrant(element, orgId, { checks, hasOrg });
          if (fault === "there") {
            found.existing.add(item.index);
            return;
          }
          const isOut = scan.references?.leadsOut(section, item.org, element, orgIds) === true;
          if (fault === undefined || isOut || !hasOrg(orgId) || (await isUnsent(item))) return;
          const failing = failingProjectGrant(element, orgId, fault);
          if (orgs.get(projects.homeOf(failing.projectId) ?? "")?.isRemoved === true) return;
          found.projectGrants[failing.cause].add(failing);
          found.indexes.add(item.index);
        }
      });
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
    listed = hasProjectGrants ? await searchOrgs(asking) : undefined;
    const projects = new ProjectRoles();
    for await (const event of listEvents(api, { eventTypes: projectRoleEvents }, retry, signal)) projects.apply(event);
    const byLog = await find(projects);
    return (await addListed(projects, byLog, { api, retry, signal })) ? find(projects) : byLog;
  });
  return found ?? NO_GRANT_FAILS;
}

function failingProjectGrant(element: Fields, orgId: string, fault: ProjectGrantFault): FailingProjectGrant {
  const { projectId = "", grantedOrgId = "" } = grantPlaces("projectGrants", element) ?? {};
  return {
    ...{ id: textMember(element, "grantId"), projectId, orgId, grantedOrgId },
    cause: fault.lacks === "place" ? "name-taken" : "reference-missing",
    ...(fault.lacks === "place" ? {} : { lacks: fault.lacks }),
    ...(fault.lacks === "roles" ? { roleKeys: [...fault.roleKeys] } : {}),
  };
}

/** Adds listed roles to projects for want of which grants fail: roles of an instance import may come without events (spec: Events). */
async function addListed(
  projects: ProjectRoles,
  { roleMissing, projectMissing, projectGrants }: FailingGrants,
  { api, retry, signal }: Asking,
): Promise<boolean> {
  let isAny = false;
  const lacking = [...roleMissing.list, ...projectMissing.list, ...projectGrants["reference-missing"].list];
  const pairs = lacking.map(({ projectId, orgId }) => [orgId, projectId] as const);
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
