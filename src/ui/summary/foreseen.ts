import { describeCause } from "../../problem/cause.ts";
import {
  count,
  counted,
  firstOf,
  idsWithNames,
  idWithName,
  linesIf,
  type Names,
  shown,
  shownNames,
} from "../../problem/format.ts";
import type { ReportFields } from "../report.ts";

// What a dry run foresees, and what a run finds before its first call, in words.

export const UNFORESEEN_LINE =
  "existing users and organizations could not be checked: the target does not return its events.";

/** What an import would do with the organizations and users of an input. */
export type Foreseen = NonNullable<ReportFields<"import">["foreseen"]>;

const SHOWN_ORGS = 20;

/** The users that a dry run names, because they would fail. */
export function foreseenIds({
  nameTaken = [],
  elsewhere = [],
  removed = [],
  removedByOther = [],
  removedWithOrg = [],
  linkTaken = [],
  roleMissing = [],
  projectMissing = [],
  otherPerson = [],
}: Partial<Foreseen> = {}): string[] {
  const ofGrants = [...roleMissing, ...projectMissing];
  const failing = [
    ...elsewhere,
    ...removed,
    ...removedByOther,
    ...removedWithOrg,
    ...linkTaken,
    ...otherPerson,
    ...ofGrants,
  ];
  return [...nameTaken, ...failing.map(toId)];
}

/** How many users of the input would fail. */
export function foreseenFailures(users: Foreseen["users"] | undefined): number {
  if (users === undefined) return 0;
  const { elsewhere, nameTaken, removed, removedByOther = 0, removedWithOrg = 0, linkTaken = 0, withoutOrg } = users;
  return elsewhere + nameTaken + removed + removedByOther + removedWithOrg + linkTaken + withoutOrg;
}

/** The result of a dry run. */
export function foreseenLines(found: Foreseen, names: Names): string[] {
  const {
    orgs,
    users,
    nameTaken = [],
    nameHolders = {},
    elsewhere = [],
    removed = [],
    removedByOther = [],
    removedWithOrg = [],
    linkTaken = [],
    userMissing = [],
    userMissingCount = 0,
    otherPerson = [],
    otherPersonCount = 0,
  } = found;
  const inState = (state: Foreseen["orgs"][number]["state"]): number =>
    orgs.filter((org) => org.state === state).length;
  const failing = orgs.filter(({ state }) => state === "missing" || state === "name-taken" || state === "removed");
  const unknown = inState("unknown");
  const parts = [`${count(users.new)} new`, `${count(users.alreadyThere)} already there`];
  if (users.elsewhere > 0)
    parts.push(
      `${count(users.elsewhere)} with the id of a user of another organization or kind (human, machine)${inBrackets(elsewhere.map(toId), names)}`,
    );
  if (users.nameTaken > 0)
    parts.push(`${count(users.nameTaken)} with the name of another user${inBrackets(nameTaken, names)}`);
  if (users.removed > 0)
    parts.push(`${count(users.removed)} deleted, and not accepted again here${inBrackets(removed.map(toId), names)}`);
  if (removedByOther.length > 0)
    parts.push(
      `${count(users.removedByOther ?? 0)} deleted by another account${inBrackets(removedByOther.map(toId), names)}`,
    );
  if (removedWithOrg.length > 0)
    parts.push(
      `${count(users.removedWithOrg ?? 0)} deleted with their organization, and not accepted again${inBrackets(removedWithOrg.map(toId), names)}`,
    );
  if (users.linkTaken !== undefined)
    parts.push(`${count(users.linkTaken)} with an account at a provider that another user has`);
  if (users.withoutOrg > 0) parts.push(`${count(users.withoutOrg)} of organizations that will fail`);
  return [
    `organizations: ${count(inState("there"))} exist, ${count(inState("new"))} will be created, ${count(failing.length)} will fail${unknown === 0 ? "" : `, ${count(unknown)} unknown`}`,
    ...failing.slice(0, SHOWN_ORGS).map(orgLine),
    `users:    ${parts.join(", ")}`,
    ...adviceLine("in-other-org", elsewhere),
    ...adviceLine("user-removed", removed),
    ...adviceLine("removed-by-other", removedByOther),
    ...adviceLine("removed-with-org", removedWithOrg),
    ...linesIf(users.nameTaken > 0, `          ${sentencesOf("user-name-taken")}`),
    ...linesIf(
      Object.keys(nameHolders).length > 0,
      `          named here: the name of ${firstOf(
        Object.entries(nameHolders).map(([id, holder]) => `${idWithName(id, names.get(id))} has ${holder}`),
        IN_BRACKETS,
      )}`,
    ),
    ...linesIf(
      linkTaken.length > 0,
      `links:    will fail${inBrackets(linkTaken.map(toId), names)}: ${sentencesOf("link-taken")}`,
    ),
    ...linesIf(
      userMissing.length > 0,
      `users:    ${counted(userMissingCount, "object")} of users who are neither in the input nor on the target will fail${inBrackets([...new Set(userMissing.map(toId))], names)}`,
    ),
    ...linesIf(
      otherPerson.length > 0,
      `users:    ${counted(otherPersonCount, "object")} will fail, because the account of the user on the target may be another person's${inBrackets([...new Set(otherPerson.map(toId))], names)}: ${sentencesOf("other-person")}`,
    ),
    ...grantLines(found, names),
    ...projectGrantLines(found),
  ];
}

/** Why project grants may fail, as a dry run knows it. */
export const projectGrantCauses = ["reference-missing", "name-taken"] as const;

/** The project grants that will fail, by cause. */
function projectGrantLines({
  failingProjectGrants = [],
  failingProjectGrantCauses: causes = {},
}: Foreseen): readonly string[] {
  return projectGrantCauses.flatMap((cause) => {
    const times = causes[cause] ?? 0;
    const failing = failingProjectGrants.filter((one) => one.cause === cause);
    return linesIf(
      times > 0,
      `grants:   ${counted(times, "project grant")} will fail: ${firstOf(failing.map(projectGrantWords), IN_BRACKETS, times)}`,
      `          ${sentencesOf(cause)}`,
    );
  });
}

/** `project shop to organization org2, for want of role buyer`. */
export function projectGrantWords({
  projectId,
  grantedOrgId,
  lacks,
  roleKeys = [],
}: NonNullable<Foreseen["failingProjectGrants"]>[number]): string {
  const [project, org] = [`project ${shown(projectId)}`, `organization ${shown(grantedOrgId)}`];
  const missing = { project, organization: org, roles: rolesText(roleKeys) };
  return `${project} to ${org}${lacks === undefined ? "" : `, for want of ${missing[lacks]}`}`;
}

/** The role grants that will fail, by what is missing. */
function grantLines({ grants, roleMissing = [], projectMissing = [] }: Foreseen, names: Names): readonly string[] {
  if (grants === undefined) return [];
  const missing = (list: readonly FailingGrant[], words: (one: FailingGrant) => readonly string[]): string =>
    firstOf([...new Set(list.flatMap(words))], IN_BRACKETS);
  const line = (times: number, what: string, list: readonly FailingGrant[], cause: string): readonly string[] =>
    linesIf(
      times > 0,
      `roles:    ${counted(times, "grant")} will fail for want of ${what}${inBrackets(list.map(toId), names)}`,
      `          ${sentencesOf(cause)}`,
    );
  const roles = missing(roleMissing, (one) =>
    (one.roleKeys ?? []).map((key) => roleWords({ ...one, roleKeys: [key] })),
  );
  return [
    ...line(grants.roleMissing, roles, roleMissing, "role-missing"),
    ...line(
      grants.projectMissing,
      missing(projectMissing, (one) => [projectWords(one)]),
      projectMissing,
      "project-missing",
    ),
  ];
}

interface FailingGrant {
  readonly userId: string;
  readonly projectId: string;
  readonly orgId: string;
  readonly roleKeys?: readonly string[];
}

/** The roles or the project for want of which a role grant will fail: `role editor of project 7`. */
export function missingWords(grant: FailingGrant): string {
  return grant.roleKeys === undefined ? projectWords(grant) : roleWords({ ...grant, roleKeys: grant.roleKeys });
}

function projectWords({ projectId, orgId }: FailingGrant): string {
  return `project ${shown(projectId)} for organization ${shown(orgId)}`;
}

function roleWords({
  projectId,
  roleKeys,
}: Pick<FailingGrant, "projectId"> & Required<Pick<FailingGrant, "roleKeys">>) {
  return `${rolesText(roleKeys)} of project ${shown(projectId)}`;
}

/** `roles editor, viewer`; of a grant without any, `no role`. */
export function rolesText(roleKeys: readonly string[]): string {
  return roleKeys.length === 0
    ? "no role"
    : `role${roleKeys.length === 1 ? "" : "s"} ${roleKeys.map(shown).join(", ")}`;
}

/** Whose role grant or key failed, and the roles of the input: `role editor of user u1 (ann@example.com)`; undefined for anything else. */
export function failedOwnerWords(
  { userId, roleKeys }: { readonly userId?: string | undefined; readonly roleKeys?: readonly string[] | undefined },
  name: string | undefined,
): string | undefined {
  if (userId === undefined) return undefined;
  return roleKeys === undefined
    ? `of service user ${idWithName(userId, name)}`
    : `${rolesText(roleKeys)} of user ${idWithName(userId, name)}`;
}

/** Why these users would fail, the organizations of the target that decide, and what to do. */
function adviceLine(cause: string, users: readonly { readonly orgId: string }[]): readonly string[] {
  const orgs = [...new Set(users.map(({ orgId }) => shown(orgId)))];
  return linesIf(
    users.length > 0,
    `          ${sentencesOf(cause)}`,
    `          named here: organization ${firstOf(orgs, IN_BRACKETS)}`,
  );
}

function sentencesOf(cause: string): string {
  const { message, hint = "" } = describeCause(cause);
  return `${message}. ${hint}`;
}

function toId({ userId }: { readonly userId: string }): string {
  return userId;
}

const IN_BRACKETS = 5;

function inBrackets(ids: readonly string[], names: Names): string {
  const named = ids
    .slice(0, IN_BRACKETS)
    .map((id) => idWithName(id, names.get(id)))
    .join(", ");
  return named === "" ? "" : ` (${named}${ids.length > IN_BRACKETS ? ", …" : ""})`;
}

/** Projects and actions with ids of other organizations, and what refers to them. `ids`: of these projects and actions. */
export function foreignLine(objects: number, ids: readonly string[]): string {
  return `${counted(objects, "object")} will fail: the ids of their projects or actions belong to other organizations of the target: ${firstOf(ids, IN_BRACKETS)}.`;
}

/** Users of an update whose new user name another user has. */
export function renamesLine(users: readonly string[]): string {
  return `${counted(users.length, "user")} would get a user name that another user of the target has, which fails: ${firstOf(users, IN_BRACKETS)}.`;
}

/** Organizations that take no users, said before the plan. */
export function missingOrgsLine(orgIds: readonly string[], existing: ReadonlyMap<string, string>): string {
  return `the target has no organization ${orgIds.slice(0, SHOWN_ORGS).map(shown).join(", ")}, and an import cannot create one without its name: their users will fail. The target has ${idsWithNames(existing, SHOWN_ORGS)}.`;
}

/** Domain policies that are not sent. */
export function heldPoliciesLine(orgIds: readonly string[]): string {
  return `the domain policy of ${heldText(orgIds)}: it would change the login names of users who are there. To change them, set the policy on the target.`;
}

/** Domains that are not sent. */
export function heldDomainsLine(orgIds: readonly string[]): string {
  return `the list of domains of ${heldText(orgIds)}: its primary domain would change the preferred login names of users who are there. To change them, add the domains on the target.`;
}

/** Texts of messages that are not sent. */
export function heldMessagesLine(orgIds: readonly string[]): string {
  return `the list of texts of e-mails and text messages of ${heldText(orgIds)}: the service would set them on the organization of the token. Set them on the target by hand. They were not compared with the target's: --update does so with an export, if the target can be exported.`;
}

function heldText(orgIds: readonly string[]): string {
  const orgs = orgIds.slice(0, SHOWN_ORGS).map(shown).join(", ");
  return `${counted(orgIds.length, "organization")} is not sent (${orgs}${orgIds.length > SHOWN_ORGS ? ", …" : ""})`;
}

/**
 * An identity provider whose links or login policy will fail, said before the plan; `inInput`: its id before --idp. `idps` are those of the
 * target.
 */
export function missingIdpLine(
  { idpId, inInput = idpId }: { readonly idpId: string; readonly inInput?: string | undefined },
  links: number,
  { isOfPolicy, hasNewOrgs }: Readonly<Record<"isOfPolicy" | "hasNewOrgs", boolean>>,
  idps: readonly { readonly id: string; readonly name: string }[],
): string {
  const named = idps.slice(0, SHOWN_ORGS).map(({ id, name }) => `${shown(id)} (${shown(name)})`);
  const has = named.length === 0 ? "none" : `${named.join(", ")}${idps.length > SHOWN_ORGS ? ", …" : ""}`;
  const who = [
    ...linesIf(links > 0, counted(links, "link")),
    ...linesIf(isOfPolicy, "the login policy of a new organization"),
  ];
  const refers = links > 1 || who.length > 1 ? "refer" : "refers";
  const later = hasNewOrgs
    ? " A provider of an organization that the target does not have yet can be created after a first import."
    : "";
  const instead = isOfPolicy ? " An organization without its login policy has the one of the instance." : "";
  return `${who.join(" and ")} ${refers} to identity provider ${shown(idpId)}, which the target does not have: ${links > 1 || who.length > 1 ? "they" : "it"} cannot be created.${instead} Create the provider on the target, then use --idp ${shown(inInput)}=<its id>.${later} The target has ${has}.`;
}

/** Users of the input that another account deleted on the target, said before a run without --update. */
export function comingBackLine(users: readonly string[]): string {
  const [were, are] = users.length === 1 ? ["was", "is"] : ["were", "are"];
  return `${counted(users.length, "user")} of the input ${were} deleted on the target by another account, and ${are} created again (${shownNames(users)}). With --update, they stay deleted. If somebody is not to come back, delete the user in the input, or at the source.`;
}

/** An identity provider with which users without a password cannot be created, said before the plan. */
export function closedIdpLine(idpId: string, users: number): string {
  return `${counted(users, "user")} without a password cannot be created with a link to identity provider ${shown(idpId)}: it does not allow account creation. Allow it in the provider's settings on the target.`;
}

function orgLine({ orgId, name, state, otherId, sourceId = orgId }: Foreseen["orgs"][number]): string {
  switch (state) {
    case "name-taken":
      return `          ${orgId}: organization ${otherId} of the target has its name, ${name}. If the two are the same: --org-map ${sourceId}=${otherId}`;
    case "removed":
      return `          ${orgId}: was deleted on the target. Change its id: --org-map ${sourceId}=<new id>`;
    default:
      return `          ${orgId}: does not exist, and cannot be created without a name`;
  }
}

/** Organizations of a file that the target does not have. @param existing names by id; undefined: unknown. */
export function absentOrgLines(
  orgs: readonly { readonly orgId: string; readonly sourceId?: string; readonly name?: string }[],
  existing: ReadonlyMap<string, string> | undefined,
): readonly string[] {
  if (existing === undefined) return [];
  const absent = new Map(orgs.filter(({ orgId }) => !existing.has(orgId)).map((org) => [org.orgId, org]));
  return [...absent.values()].slice(0, SHOWN_ORGS).map(({ orgId, sourceId = orgId, name = "" }) => {
    const same = [...existing].find(([, other]) => name !== "" && other.toLowerCase() === name.toLowerCase());
    const map = `--org-map ${shown(sourceId)}=${same === undefined ? "<id on the target>" : shown(same[0])}`;
    return `the target has no organization ${idWithName(orgId, name || undefined)}. If it has another id there, use ${map}.`;
  });
}
