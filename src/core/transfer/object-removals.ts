import type { ServiceEvent } from "../../contract/events.ts";
import { policyKinds, textKinds } from "../document/listed-org.ts";
import { type Fields, fieldsOf, member, textMember, textsMember } from "../json/members.ts";

/**
 * The objects besides users, and what belongs to these, whose removal the service's import would undo, or would hide: it makes roles, project
 * grants, identity providers, policies, domains and texts anew, and answers for removed applications, their keys and actions that they
 * exist (service behaviour 9.40).
 */
const pairs = [
  { added: "project.role.added", removed: "project.role.removed", name: role },
  { added: "project.grant.added", removed: "project.grant.removed", name: named("grant", "grantId") },
  { added: "project.application.added", removed: "project.application.removed", name: named("app", "appId") },
  {
    added: "project.application.oidc.key.added",
    removed: "project.application.oidc.key.removed",
    name: named("app-key", "keyId"),
  },
  { added: "action.added", removed: "action.removed", name: ({ aggregate }: ServiceEvent) => `action ${aggregate.id}` },
  { added: "org.idp.config.added", removed: "org.idp.config.removed", name: named("idp", "idpConfigId") },
  { added: undefined, removed: "org.idp.removed", name: named("idp", "id") },
  { added: "org.domain.added", removed: "org.domain.removed", name: domain },
  { added: "org.customtext.set", removed: "org.customtext.template.removed", name: text },
  ...policyKinds.map(({ member: name, path }) => {
    const event = `org.policy.${path.replace("/", ".")}`;
    return { added: `${event}.added`, removed: `${event}.removed`, name: ofOrg(name) };
  }),
] as const;

const TEXT_SET = "org.customtext.set";
/** Sets the actions of a trigger, also to none. */
const TRIGGER_SET = "org.flow.trigger_actions.set";

/** Events by which an object goes, or gets other contents that an import would replace: few. */
export const objectRemovalEvents: readonly string[] = [...pairs.map(({ removed }) => removed), TEXT_SET, TRIGGER_SET];
/** These, and those with which an object comes: as many as one search takes (service behaviour 0.19). */
export const objectEvents: readonly string[] = [
  ...new Set([...objectRemovalEvents, ...pairs.flatMap(({ added }) => added ?? [])]),
];

const removals = new Map<string, (event: ServiceEvent) => string>(pairs.map(({ removed, name }) => [removed, name]));
const creations = new Map<string, (event: ServiceEvent) => string>(
  pairs.flatMap(({ added, name }) => (added === undefined ? [] : [[added, name] as const])),
);

/** "removed": another account removed the object, or something that it refers to. "changed": it changed what an import would replace. */
export type Removal = "removed" | "changed";

/** What other accounts have removed from some organizations, or changed there so that an import would undo it. */
export class ObjectRemovals {
  readonly #removed = new Set<string>();
  readonly #changed = new Set<string>();
  /** The actions that another account has given a trigger. */
  readonly #triggers = new Map<string, string>();

  /** Takes the next event of an organization, in the order of the log. */
  take(event: ServiceEvent, isByOther: boolean): void {
    const { type } = event.type;
    if (type === TRIGGER_SET) {
      const fields = fieldsOf(event.payload);
      const name = trigger(event.aggregate.id, fields);
      if (isByOther) this.#triggers.set(name, textsMember(fields, "actionIDs").join(" "));
      else this.#triggers.delete(name);
      return;
    }
    const removed = removals.get(type)?.(event);
    const made = creations.get(type)?.(event);
    if (removed !== undefined) {
      this.#changed.delete(removed);
      if (isByOther) this.#removed.add(removed);
      else this.#removed.delete(removed);
    }
    if (made === undefined) return;
    this.#removed.delete(made);
    if (type !== TEXT_SET) return;
    if (isByOther) this.#changed.add(made);
    else this.#changed.delete(made);
  }

  get isEmpty(): boolean {
    return this.#removed.size + this.#changed.size + this.#triggers.size === 0;
  }

  /** What happened to an element of a list of the input, or to a policy (then without an element). */
  of(orgId: string, section: string, element?: unknown): Removal | undefined {
    const fields = fieldsOf(element);
    if (section === "triggerActions") {
      const set = this.#triggers.get(trigger(orgId, fields));
      if (set !== undefined && set !== textsMember(fields, "actionIds").join(" ")) return "removed";
    }
    const names = Object.hasOwn(namesOf, section) ? (namesOf[section]?.(orgId, fields) ?? []) : [];
    if (names.some((name) => this.#removed.has(name))) return "removed";
    return names.some((name) => this.#changed.has(name)) ? "changed" : undefined;
  }
}

/** True for a list whose elements may be removed, or may refer to what may be, and for a policy. */
export function mayBeRemoved(section: string): boolean {
  return Object.hasOwn(namesOf, section);
}

/** The names of an element of a list, and of what it refers to, as the events have them. */
const namesOf: Readonly<Record<string, (orgId: string, fields: Fields) => readonly string[]>> = {
  projectRoles: (_, fields) => [`role ${textMember(fields, "projectId")} ${textMember(fields, "roleKey")}`],
  projectGrants: (_, fields) => [`grant ${textMember(fields, "grantId")}`],
  projectGrantMembers: (_, fields) => [`grant ${textMember(fields, "grantId")}`],
  userGrants: (_, fields) => [`grant ${textMember(fields, "projectGrantId")}`],
  oidcApps: (_, fields) => [`app ${textMember(fields, "appId")}`],
  apiApps: (_, fields) => [`app ${textMember(fields, "appId")}`],
  appKeys: (_, fields) => [`app-key ${textMember(fields, "id")}`, `app ${textMember(fields, "appId")}`],
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

/** The numbers of flow and trigger: texts in an import, numbers in an event. */
function trigger(orgId: string, fields: Fields): string {
  return `${orgId} ${String(member(fields, "flowType"))} ${String(member(fields, "triggerType"))}`;
}
