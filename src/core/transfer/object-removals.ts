import type { ServiceEvent } from "../../contract/events.ts";
import { policyKinds, textKinds } from "../document/listed-org.ts";
import type { GrantPlaces } from "../document/org-sections.ts";
import { projectIdOf } from "../document/references.ts";
import { type Fields, fieldsOf, member, textMember, textsMember } from "../json/members.ts";

/**
 * The objects besides users, and what belongs to these, whose removal the service's import would undo, or would hide: it makes roles, project
 * grants, identity providers, policies, domains and texts anew, and answers for removed applications, their keys, actions and members of
 * removed project grants that they exist (service behaviour 9.40, 9.42).
 */
interface Pair {
  readonly added?: string;
  readonly removed: string;
  readonly name: (event: ServiceEvent) => string;
  /** The service does not create such an object again as it was: a removal by the account of the job counts too. */
  readonly isFinal?: true;
}

/** Also takes the members of the grant: the service never adds one of them again, not even to a new grant with the id (9.42). */
const GRANT_REMOVED = "project.grant.removed";
const GRANT_MEMBER_ADDED = "project.grant.member.added";
const GRANT_MEMBER_REMOVED = "project.grant.member.removed";
const GRANT_MEMBER_EVENTS: readonly string[] = [GRANT_REMOVED, GRANT_MEMBER_ADDED, GRANT_MEMBER_REMOVED];

const GRANT_ADDED = "project.grant.added";

const objects: readonly Pair[] = [
  // What an import makes of a deleted project is an empty one (service behaviour 9.39): its next creation does not count.
  { removed: "project.removed", name: ({ aggregate: { id } }) => `project ${id}`, isFinal: true },
  { added: "project.role.added", removed: "project.role.removed", name: role },
  { added: GRANT_ADDED, removed: GRANT_REMOVED, name: named("grant", "grantId") },
  {
    added: "project.application.added",
    removed: "project.application.removed",
    name: named("app", "appId"),
    isFinal: true,
  },
  {
    ...{ added: "project.application.oidc.key.added", removed: "project.application.oidc.key.removed" },
    ...{ name: named("app-key", "keyId"), isFinal: true },
  },
  { added: "action.added", removed: "action.removed", name: ({ aggregate: { id } }) => `action ${id}`, isFinal: true },
  { added: "org.idp.config.added", removed: "org.idp.config.removed", name: named("idp", "idpConfigId") },
  { removed: "org.idp.removed", name: named("idp", "id"), isFinal: true },
];

const TEXT_SET = "org.customtext.set";
/** One of the texts of a template and language is the one of the instance again. */
const TEXT_REMOVED = "org.customtext.removed";
/** Sets the actions of a trigger, also to none; and of all triggers of a flow to none. */
const TRIGGER_SET = "org.flow.trigger_actions.set";
const FLOW_CLEARED = "org.flow.cleared";

const settings: readonly Pair[] = [
  { added: "org.domain.added", removed: "org.domain.removed", name: domain },
  { added: TEXT_SET, removed: "org.customtext.template.removed", name: text },
  ...policyKinds.map((kind) => ({
    added: policyEvent(kind, "added"),
    removed: policyEvent(kind, "removed"),
    name: ofOrg(kind.member),
  })),
];

/** The event with which an organization gets a policy of its own, or loses it. */
export function policyEvent({ path }: (typeof policyKinds)[number], what: "added" | "removed"): string {
  return `org.policy.${path.replace("/", ".")}.${what}`;
}

const pairs = [...objects, ...settings];
const removals = new Map(pairs.map((pair) => [pair.removed, pair]));
const creations = new Map(pairs.flatMap(({ added, name }) => (added === undefined ? [] : [[added, name] as const])));

/** Events by which an object goes, or gets other contents that an import would replace: few. */
export const objectRemovalEvents: readonly string[] = [
  ...removals.keys(),
  TEXT_SET,
  TEXT_REMOVED,
  TRIGGER_SET,
  FLOW_CLEARED,
];
/** These, and those with which an object comes, in searches that do not depend on each other: one takes 30 types (service behaviour 0.19). */
export const objectEvents: readonly (readonly string[])[] = [
  [...typesOf(objects), GRANT_MEMBER_ADDED, GRANT_MEMBER_REMOVED],
  [...typesOf(settings), TEXT_REMOVED, TRIGGER_SET, FLOW_CLEARED],
];

function typesOf(all: readonly Pair[]): readonly string[] {
  return [...all.map(({ removed }) => removed), ...all.flatMap(({ added }) => added ?? [])];
}

/** True for an event after which an import would undo what was done, or hide it. */
export function isHarmed({ type }: ServiceEvent, isByOther: boolean): boolean {
  return isByOther || type.type === GRANT_REMOVED || isFinal(type.type);
}

function isFinal(type: string): boolean {
  return removals.get(type)?.isFinal === true;
}

/** "removed": the object, or something that it needs, was removed. "changed": another account changed what an import would replace. */
export type Removal = "removed" | "changed";

/** What other accounts have removed from some organizations, or changed there so that an import would undo it. */
export class ObjectRemovals {
  readonly #removed = new Set<string>();
  readonly #changed = new Set<string>();
  /** The actions of each trigger that was set, and whether another account set them. */
  readonly #triggers = new Map<string, { readonly actions: string; readonly isByOther: boolean }>();
  /** Flows that were cleared, and whether by another account. */
  readonly #flows = new Map<string, boolean>();
  /** The members of project grants, by the id of the grant. */
  readonly #grantMembers = new Map<string, Set<string>>();
  /** The project and the organization of each project grant, by its id. */
  readonly #grantPlaces = new Map<string, string>();
  /** Those of which another account removed the grant, and no account has added one since. */
  readonly #notGranted = new Set<string>();

  /** Takes the next event of an organization, in the order of the log. */
  take(event: ServiceEvent, isByOther: boolean): void {
    const { type } = event.type;
    if (type === TRIGGER_SET || type === FLOW_CLEARED) {
      const fields = fieldsOf(event.payload);
      const flow = flowName(event.aggregate.id, fields);
      const actions = textsMember(fields, "actionIDs").join(" ");
      if (type === TRIGGER_SET) this.#triggers.set(triggerName(flow, fields), { actions, isByOther });
      else {
        this.#flows.set(flow, isByOther);
        for (const name of this.#triggers.keys()) if (name.startsWith(`${flow} `)) this.#triggers.delete(name);
      }
      return;
    }
    this.#takeGrant(event, isByOther);
    this.#takeGrantMember(event);
    if (type === TEXT_REMOVED && isByOther) this.#changed.add(text(event));
    const removed = removals.get(type)?.name(event);
    const made = creations.get(type)?.(event);
    if (removed !== undefined) {
      this.#changed.delete(removed);
      if (isByOther || isFinal(type)) this.#removed.add(removed);
      else this.#removed.delete(removed);
    }
    if (made === undefined) return;
    this.#removed.delete(made);
    if (type !== TEXT_SET) return;
    if (isByOther) this.#changed.add(made);
    else this.#changed.delete(made);
  }

  #takeGrant({ aggregate, type: { type }, payload }: ServiceEvent, isByOther: boolean): void {
    const fields = fieldsOf(payload);
    const grantId = textMember(fields, "grantId");
    const before = this.#grantPlaces.get(grantId);
    if (type === GRANT_ADDED) {
      const place = grantPlace(aggregate.id, textMember(fields, "grantedOrgId"));
      this.#grantPlaces.set(grantId, place);
      this.#notGranted.delete(place);
    } else if (type === GRANT_REMOVED && isByOther && before !== undefined) this.#notGranted.add(before);
  }

  /** True for a project grant that another account removed under another id: the service creates it. */
  isGrantedAgain({ projectId, grantedOrgId }: GrantPlaces): boolean {
    return this.#notGranted.has(grantPlace(projectId, grantedOrgId));
  }

  #takeGrantMember({ type: { type }, payload }: ServiceEvent): void {
    if (!GRANT_MEMBER_EVENTS.includes(type)) return;
    const fields = fieldsOf(payload);
    const grantId = textMember(fields, "grantId");
    const name = grantMember(fields);
    const members = this.#grantMembers.get(grantId) ?? new Set();
    this.#grantMembers.set(grantId, members);
    if (type === GRANT_MEMBER_ADDED) {
      members.add(name);
      this.#removed.delete(name);
    } else if (type === GRANT_MEMBER_REMOVED) members.delete(name);
    else {
      for (const one of members) this.#removed.add(one);
      members.clear();
    }
  }

  get isEmpty(): boolean {
    return this.#removed.size + this.#changed.size + this.#triggers.size + this.#flows.size === 0;
  }

  /** What happened to an element of a list of the input, or to a policy (then without an element). */
  of(orgId: string, section: string, element?: unknown): Removal | undefined {
    const fields = fieldsOf(element);
    if (section === "triggerActions" && this.#isOtherTrigger(orgId, fields)) return "removed";
    const names = Object.hasOwn(namesOf, section) ? (namesOf[section]?.(orgId, fields, section) ?? []) : [];
    if (names.some((name) => this.#removed.has(name))) return "removed";
    return names.some((name) => this.#changed.has(name)) ? "changed" : undefined;
  }

  /** True if another account gave a trigger other actions, or none. */
  #isOtherTrigger(orgId: string, fields: Fields): boolean {
    const flow = flowName(orgId, fields);
    const actions = textsMember(fields, "actionIds").join(" ");
    const set = this.#triggers.get(triggerName(flow, fields));
    if (set !== undefined) return set.isByOther && set.actions !== actions;
    return actions !== "" && this.#flows.get(flow) === true;
  }
}

/** True for a list whose elements may be removed, or may refer to what may be, and for a policy. */
export function mayBeRemoved(section: string): boolean {
  return Object.hasOwn(namesOf, section);
}

/** The names of an element of a list, and of what it refers to, as the events have them. */
const namesOf: Readonly<Record<string, (orgId: string, fields: Fields, section: string) => readonly string[]>> = {
  projects: inProject(() => []),
  projectRoles: inProject((fields) => [`role ${textMember(fields, "projectId")} ${textMember(fields, "roleKey")}`]),
  projectGrants: inProject((fields) => [`grant ${textMember(fields, "grantId")}`]),
  projectGrantMembers: inProject((fields) => [`grant ${textMember(fields, "grantId")}`, grantMember(fields)]),
  projectMembers: inProject(() => []),
  userGrants: inProject((fields) => [`grant ${textMember(fields, "projectGrantId")}`]),
  oidcApps: inProject((fields) => [`app ${textMember(fields, "appId")}`]),
  apiApps: inProject((fields) => [`app ${textMember(fields, "appId")}`]),
  appKeys: inProject((fields) => [`app-key ${textMember(fields, "id")}`, `app ${textMember(fields, "appId")}`]),
  actions: (_, fields) => [`action ${textMember(fields, "actionId")}`],
  triggerActions: (_, fields) => textsMember(fields, "actionIds").map((id) => `action ${id}`),
  oidcIdps: (_, fields) => [`idp ${textMember(fields, "idpId")}`],
  jwtIdps: (_, fields) => [`idp ${textMember(fields, "idpId")}`],
  userLinks: (_, fields) => [`idp ${textMember(fields, "idpId")}`],
  domains: (orgId, fields) => [`domain ${orgId} ${textMember(fields, "domainName").toLowerCase()}`],
  ...Object.fromEntries(policyKinds.map(({ member: name }) => [name, (orgId: string) => [`${name} ${orgId}`]])),
  ...Object.fromEntries(
    textKinds.map(({ member: name, template }) => [
      name,
      (orgId: string, fields: Fields) => [`text ${orgId} ${template} ${textMember(fields, "language")}`],
    ]),
  ),
};

function inProject(own: (fields: Fields) => readonly string[]) {
  return (_: string, fields: Fields, section: string): readonly string[] => [
    `project ${projectIdOf(section, fields)}`,
    ...own(fields),
  ];
}

function grantPlace(projectId: string, grantedOrgId: string): string {
  return `${projectId} ${grantedOrgId}`;
}

function grantMember(fields: Fields): string {
  return `grant-member ${textMember(fields, "grantId")} ${textMember(fields, "userId")}`;
}

function named(kind: string, id: string): (event: ServiceEvent) => string {
  return ({ payload }) => `${kind} ${textMember(fieldsOf(payload), id)}`;
}

function ofOrg(kind: string): (event: ServiceEvent) => string {
  return ({ aggregate }) => `${kind} ${aggregate.id}`;
}

function role({ aggregate, payload }: ServiceEvent): string {
  return `role ${aggregate.id} ${textMember(fieldsOf(payload), "key")}`;
}

function domain({ aggregate, payload }: ServiceEvent): string {
  return `domain ${aggregate.id} ${textMember(fieldsOf(payload), "domain").toLowerCase()}`;
}

function text({ aggregate, payload }: ServiceEvent): string {
  const fields = fieldsOf(payload);
  return `text ${aggregate.id} ${textMember(fields, "template")} ${textMember(fields, "language")}`;
}

/** The numbers of flows and triggers are texts in an import, and numbers in an event. */
function flowName(orgId: string, fields: Fields): string {
  return `${orgId} ${String(member(fields, "flowType"))}`;
}

function triggerName(flow: string, fields: Fields): string {
  return `${flow} ${String(member(fields, "triggerType"))}`;
}
