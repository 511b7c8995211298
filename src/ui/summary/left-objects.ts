import { byText, count, counted, idWithName, linesIf, shown } from "../../problem/format.ts";
import type { AnyReport, ReportFields } from "../report.ts";
import { rolesText } from "./foreseen.ts";

/** Objects and users that a warning names. */
export const SHOWN = 10;

type Found = ReportFields<"import">;

/** The members of a report that tell what a run leaves as it is besides users. */
type Left = Pick<
  Found,
  | "otherDifferences"
  | "otherDifferencesCount"
  | "onlyOnTarget"
  | "onlyOnTargetCount"
  | "heldBack"
  | "heldBackCauses"
  | "loginNames"
  | "objectNames"
> &
  Pick<AnyReport, "update">;

/** Why an element is not sent although the target lacks it: it would change a user that the job may not change. */
export type HeldBackCause = NonNullable<Found["heldBack"]>[number]["cause"];

type LeftObject = NonNullable<Found["onlyOnTarget"]>[number] & {
  readonly fields?: readonly string[];
  readonly roleKeys?: readonly string[] | undefined;
  readonly moreRoles?: true | undefined;
  readonly inputState?: "active" | "inactive" | "locked" | undefined;
};

/** `role grant`, and all that there is to say about the object. */
interface LeftName {
  readonly kind: string;
  readonly name: string;
}

/** Objects that a run leaves as they are: what it says about them and what to do, their names, and how many there are. */
export interface LeftObjects {
  readonly words: string;
  /** What gives access comes first. */
  readonly objects: readonly LeftName[];
  readonly all: number;
  /** False if the user has nothing to do about it. */
  readonly isToDo: boolean;
}

/**
 * What a run leaves as it is besides users: objects that differ; grants, memberships and links that only the target has; objects that are
 * deactivated at the source; what was not sent to existing users. Without lists that are empty.
 */
export function leftObjectsOf(report: AnyReport): readonly LeftObjects[] {
  const ofSource = [removedOrgObjects(report.export?.removedOrgs ?? []), inactiveOf(report)];
  return [...onTarget(report), ...ofSource.filter(({ all }) => all > 0), ...heldBack(report)];
}

/** The same of what was found on the target. */
export function onTarget({
  otherDifferences = [],
  otherDifferencesCount: different = 0,
  onlyOnTarget = [],
  onlyOnTargetCount: added = 0,
  loginNames = {},
  objectNames = {},
}: Left): readonly LeftObjects[] {
  const names = { ...objectNames, ...loginNames };
  return [
    {
      words: `${counted(different, "other object is", "other objects are")} different on the target, and not changed: --update changes users only. Make the same change on the target.`,
      objects: dangerousFirst(otherDifferences, names),
      all: different,
      isToDo: true,
    },
    {
      words: `${counted(added, "grant, project grant, trigger, list of texts, membership, link, key or service user", "grants, project grants, triggers, lists of texts, memberships, links, keys or service users")} ${added === 1 ? "is" : "are"} on the target only, and not deleted: removed or deactivated at the source, or added on the target. Remove on the target what is gone at the source: keys and service users there can still be used to sign in, and triggers run their actions.`,
      objects: dangerousFirst(onlyOnTarget, names),
      all: added,
      isToDo: true,
    },
  ].filter(({ all }) => all > 0);
}

/**
 * The names of objects, those first that are dangerous: a list may be cut. First who can sign in or has more rights on the target than in the
 * input, then settings of sign-ins, then rights that are missing or others, then everything else; within each, in the order of the names.
 */
function dangerousFirst(objects: readonly LeftObject[], names: Names): readonly LeftName[] {
  const ranked = objects.map((one) => ({
    ...{ kind: kindInWords(one.type).replace(/ (?:in|to) .*$/, ""), name: objectName(one, names) },
    rank: rankOf(one),
  }));
  return ranked.toSorted((a, b) => a.rank - b.rank || byText(a.name, b.name));
}

function rankOf({ type, fields, inputState, moreRoles }: LeftObject): number {
  const has = (...wanted: readonly string[]): boolean => fields?.some((field) => wanted.includes(field)) === true;
  return [
    has("closed", "orgState") && inputState !== "active",
    type === "machineUsers",
    type === "machineKeys",
    moreRoles === true,
    SIGN_IN_SETTINGS.has(type),
    has("closed", "orgState", "state"),
    type.endsWith("Members"),
    type.endsWith("Grants"),
    true,
  ].indexOf(true);
}

/** Who may sign in, and how. */
const SIGN_IN_SETTINGS: ReadonlySet<string> = new Set([
  "loginPolicy",
  "lockoutPolicy",
  "passwordComplexityPolicy",
  "domainPolicy",
  "oidcIdps",
  "jwtIdps",
]);

/** Why something was not sent, and what to do. */
const whyHeldBack: Readonly<Record<HeldBackCause, (isUpdate: boolean) => string>> = {
  "taken-away": () =>
    "another account, or the user, removed it on the target. If the user is to have it, add it on the target by hand; if not, remove it at the source.",
  "changed-in-run": () =>
    "another account set or removed it on the target during the run. Look at it on the target; the next run compares it again.",
  "other-account": (isUpdate) =>
    isUpdate
      ? "another account created the user. If the user is to have it, add it on the target by hand."
      : "another account created the user, and no existing user is changed without --update.",
  "other-person": () =>
    "the account of the target may be another person's, or is the one of a user that the source deleted. If it is the same person, use --prefer source --only <id>; if not, or if the source created the user again, delete the user on the target first.",
  administrator: () =>
    "the user has a role on the instance, and is never changed. If the user is to have it, add it on the target by hand.",
  "no-service-user": () => "a key is a way to sign in, and the user is no service user of the input.",
  "object-removed": () =>
    "they were removed on the target, or need something that was removed there. Of a trigger, another account may have set the actions. To have them on the target, create them there by hand; if not, remove them at the source. An object that was created again there has another id: what needs it, such as role grants, is created by hand, too.",
};

/** What was not sent, by reason. */
export function heldBack({
  heldBack: first = [],
  heldBackCauses = {},
  loginNames = {},
  objectNames = {},
  update,
}: Left) {
  const names = { ...objectNames, ...loginNames };
  return Object.entries(whyHeldBack).flatMap(([cause, why]): readonly LeftObjects[] => {
    const all = heldBackCauses[cause] ?? 0;
    const found = first.filter((one) => one.cause === cause);
    const what =
      cause === "object-removed"
        ? counted(all, "object")
        : `${counted(all, "entry", "entries")} of metadata, links, keys, grants or memberships`;
    const words = `${what} not sent: ${why(update !== undefined)}`;
    return all === 0 ? [] : [{ words, objects: dangerousFirst(found, names), all, isToDo: true }];
  });
}

/** Project grants that are created, or were (`isDone`), although another account removed them under other ids. */
export function grantsAgain(grants: readonly LeftObject[], names: Names, isDone: boolean): LeftObjects {
  const are = grants.length === 1 ? (isDone ? "was" : "is") : isDone ? "were" : "are";
  const where = isDone ? "on the target and at the source" : "at the source";
  return {
    words: `${counted(grants.length, "project grant")} of the input ${are} created although another account removed one of the same project and organization on the target, which had another id. If the organization is not to use the project, remove the grant ${where}.`,
    objects: dangerousFirst(grants, names),
    all: grants.length,
    isToDo: true,
  };
}

/** The first of them, for a terminal, and how many more there are of each kind. */
export function objectLines({ objects, all }: Pick<LeftObjects, "objects" | "all">): readonly string[] {
  const rest = linesIf(
    all > SHOWN && objects.length > 0,
    `… and ${count(all - SHOWN)} more${kindsOf(objects)}; --report lists them`,
  );
  return [...objects.slice(0, SHOWN).map(({ name }) => name), ...rest].map((line) => `          ${line}`);
}

/** ` (9 × role grant, 2 × login policy)`: those that are not shown; "" if all are of one kind. */
function kindsOf(objects: readonly LeftName[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects.slice(SHOWN)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  if (objects.every(({ kind }) => kind === objects[0]?.kind)) return "";
  return ` (${[...counts].map(([kind, times]) => `${count(times)} × ${kind}`).join(", ")})`;
}

/** Objects in words; those of other lists have their names in small letters: `lockout policy`. */
const kinds: Readonly<Record<string, string>> = {
  humanUsers: "user",
  machineUsers: "service user",
  userGrants: "role grant in project",
  orgMembers: "membership",
  projectMembers: "membership in project",
  projectGrantMembers: "membership in project grant",
  userLinks: "link to identity provider",
  userMetadata: "metadata",
  machineKeys: "key",
  projects: "project",
  projectRoles: "project role",
  projectGrants: "project grant",
  oidcApps: "application",
  apiApps: "application",
  appKeys: "application key",
  actions: "action",
  triggerActions: "trigger",
  oidcIdps: "identity provider",
  jwtIdps: "identity provider",
  domains: "domain",
};

/** Triggers of the flows that an export has, by `<flow>_<trigger>`, as the service's console names them. */
const triggerNames: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["1", "External Authentication"],
    ["3", "Internal Authentication"],
  ].flatMap(([flow, flowName]) =>
    ["Post Authentication", "Pre Creation", "Post Creation"].map((trigger, index) => [
      `${flow}_${index + 1}`,
      `${flowName}, ${trigger}`,
    ]),
  ),
);

/** Of an object that exists on the target; other fields have their own names. */
const fieldWords: Readonly<Record<string, string>> = {
  roleKeys: "roles",
  state: "deactivated on the target",
  missing: "missing on the target",
  // Of a report of an earlier version.
  closed: "inactive or locked on one side only; an active service user can sign in",
  orgState: "active on one side only",
};

/** `role grant in project p1 (Shop) of user u1 (ann@example.com) of organization org1 (Acme) (in the input: role viewer)`. */
function objectName(
  { type, id, orgId, userId, name, projectId, grantedOrgId, roleKeys, moreRoles, fields, inputState }: LeftObject,
  names: Names,
): string {
  const named = (one: string): string => idWithName(one, nameIn(names, one));
  const own = ownId(id, userId);
  const ownName = name ?? (type === "triggerActions" ? triggerNames[id] : undefined);
  const ids = own === "" ? [] : [ownName === undefined ? ownIdInWords(own, names) : idWithName(own, ownName)];
  const granted = grantedOrgId === undefined ? [] : [`to organization ${named(grantedOrgId)}`];
  const parts = [
    [kindInWords(type), ...ids, ...granted].join(" "),
    ...(projectId === undefined ? [] : [`project ${named(projectId)}`]),
    ...(userId === undefined ? [] : [`user ${named(userId)}`]),
    ...(orgId === undefined ? [] : [`organization ${named(orgId)}`]),
  ];
  const words = fields?.map(
    (field) => stateWords(field, inputState) ?? (Object.hasOwn(fieldWords, field) ? fieldWords[field] : shown(field)),
  );
  const hasRoles =
    roleKeys !== undefined && (fields?.some((field) => field === "roleKeys" || field === "roles") ?? true);
  const more = moreRoles === true ? "; the target has roles that the input lacks" : "";
  const inInput = hasRoles ? ` (in the input: ${rolesText(roleKeys)}${more})` : "";
  return `${parts.join(" of ")}${words === undefined ? "" : `: ${words.join(", ")}`}${inInput}`;
}

/** Which side is closed, of a service user (`closed`) or an organization. An export of 2.x has no states of service users. */
function stateWords(field: string, inputState: LeftObject["inputState"]): string | undefined {
  if (inputState === undefined) return undefined;
  const isActive = inputState === "active";
  if (field === "orgState")
    return isActive ? "active in the input, inactive on the target" : "inactive in the input, active on the target";
  if (field !== "closed") return undefined;
  return isActive
    ? "inactive or locked on the target, and not in the input"
    : `${inputState} in the input, and not ${inputState} on the target; an active service user can sign in`;
}

type Names = Readonly<Record<string, string>>;

/** Ids are from outside. */
function nameIn(names: Names, id: string): string | undefined {
  return Object.hasOwn(names, id) ? names[id] : undefined;
}

/** `p1 (Shop)`, or of an id that begins with that of a project, `p1_editor (project Shop)`. */
function ownIdInWords(id: string, names: Names): string {
  if (nameIn(names, id) !== undefined) return idWithName(id, nameIn(names, id));
  const parts = id.split("_");
  const project = parts
    .map((_, at) => nameIn(names, parts.slice(0, at).join("_")))
    .findLast((name) => name !== undefined);
  return project === undefined ? shown(id) : `${shown(id)} (project ${shown(project)})`;
}

/** What an element of a list is: `project role`, `lockout policy`. */
export function kindInWords(list: string): string {
  if (Object.hasOwn(kinds, list)) return kinds[list] as string; // has it
  return shown(list.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

/** The id of an object without that of its user, which stands first or last in it. */
function ownId(id: string, userId: string | undefined): string {
  if (userId === undefined) return id;
  const end = `_${userId}`;
  if (id === userId) return "";
  return id.endsWith(end) ? id.slice(0, -end.length) : id.startsWith(`${userId}_`) ? id.slice(userId.length + 1) : id;
}

type RemovedOrgs = NonNullable<NonNullable<AnyReport["export"]>["removedOrgs"]>;

/** Organizations that were deleted at the source of a copy and still exist on the target. */
export function removedOrgObjects(orgs: RemovedOrgs): LeftObjects {
  const [were, exist, their, them] =
    orgs.length === 1 ? ["was", "exists", "Its", "it"] : ["were", "exist", "Their", "them"];
  return {
    words: `${counted(orgs.length, "organization")} ${were} deleted at the source and still ${exist} on the target. ${their} users can sign in there. Delete ${them} on the target by hand; to keep ${them} without this warning, use --exclude-org-id with its id at the source.`,
    objects: orgs.map(({ id, name }) => ({ kind: "organization", name: `organization ${idWithName(id, name)}` })),
    all: orgs.length,
    isToDo: true,
  };
}

type Inactive = NonNullable<AnyReport["inactive"]>;

const NOUNS = {
  user_grant: "role grant",
  identity_provider: "identity provider",
  project: "project",
  project_grant: "project grant",
  application: "application",
  action: "action",
} as const;

/** Printed if the source does not offer its events. */
export const INACTIVE_UNKNOWN_LINE =
  "it is unknown which role grants, identity providers, projects, project grants, applications and actions are deactivated at the source: an import makes them active.";

/** Objects that an export shows as active. */
export function inactiveOf(report: Pick<AnyReport, "inactive" | "export" | "command">): LeftObjects {
  const isExport = report.command === "export";
  return inactiveObjects(report.inactive ?? report.export?.inactive ?? [], isExport ? "export" : "copy");
}

/** The same; a copy gives no such grants, so there is nothing to do about them. @param goal what is done with the export. */
export function inactiveObjects(inactive: Inactive, goal: "export" | "copy"): LeftObjects {
  const parts = Object.entries(NOUNS).flatMap(([type, noun]) => {
    const found = inactive.filter((one) => one.type === type).length;
    return found === 0 ? [] : [counted(found, noun)];
  });
  const areThey = inactive.length === 1 ? "is" : "are";
  return {
    words: `${parts.join(", ")} ${areThey} deactivated at the source, and an export does not say so. ${whatFollows(inactive, goal)}`,
    objects: inactive.map((one) => ({ kind: NOUNS[one.type], name: inactiveName(one) })),
    all: inactive.length,
    isToDo: goal === "export" || inactive.some(({ type }) => type !== "user_grant"),
  };
}

function whatFollows(inactive: Inactive, goal: "export" | "copy"): string {
  if (goal === "export") return "An import of the export makes them active.";
  const hasGrants = inactive.some(({ type }) => type === "user_grant");
  const hasOthers = inactive.some(({ type }) => type !== "user_grant");
  return [
    ...(hasGrants ? ["Role grants are not given on the target."] : []),
    ...(hasOthers
      ? [`${hasGrants ? "The others" : "They"} are active on the target: deactivate them there by hand.`]
      : []),
  ].join(" ");
}

function inactiveName(one: Inactive[number]): string {
  const { type, id, userId, projectId, grantedOrgId, name, userName, projectName } = one;
  const inProject = projectId === undefined ? "" : ` in project ${idWithName(projectId, projectName)}`;
  const own = type === "user_grant" ? ` of user ${idWithName(userId ?? "", userName)}` : ` ${idWithName(id, name)}`;
  const granted = grantedOrgId === undefined ? "" : ` to organization ${shown(grantedOrgId)}`;
  return `${NOUNS[type]}${own}${granted}${inProject}`;
}
