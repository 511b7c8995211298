import { type Fields, fieldsOf, member, textMember } from "../json/members.ts";
import { IdTable } from "../tables/id-table.ts";

type Orgs = readonly { readonly orgId: string }[];

const HELD = 0;
const DROPPED = 1;

/**
 * The ids of the objects of an export. An export also holds members and grants of users of organizations that it does not hold, and
 * members of projects that these granted. On a target without those organizations, such references have no object. That is no failure of
 * the copy: the references are skipped, and counted. Ids are kept as fingerprints.
 */
export class References {
  readonly #held = new IdTable();
  readonly #orgs: Orgs;
  /** The places of each organization, when all were read: several files may have parts of one. */
  #places: Map<string, number[]> | undefined;

  /** @param orgs those of the document, which grow while it is read. */
  constructor(orgs: Orgs) {
    this.#orgs = orgs;
  }

  /** Adds an element of an organization; `org` is the place of the organization in the document. */
  add(section: string, org: number, element: unknown): void {
    const fields = fieldsOf(element);
    if (isOfUser(section)) this.#hold("user", fields, "userId");
    else if (section === "projects") {
      this.#hold("project", fields, "projectId");
      this.#hold(`project of ${org}`, fields, "projectId");
    } else if (section === "projectGrants") this.#hold("grant", fields, "grantId");
    else if (section === "actions") this.#hold("action", fields, "actionId");
    else if (section === "oidcApps" || section === "apiApps") this.#hold("app", fields, "appId");
  }

  /** Adds a user by its id. */
  addUser(userId: string): void {
    this.#held.set(`user ${userId}`, HELD);
  }

  /** Removes a user or a project that is not sent. */
  forget(kind: "user" | "project", id: string): void {
    this.#held.set(`${kind} ${id}`, DROPPED);
  }

  /** True when an element is a user or a project that is not sent. */
  isForgotten(section: string, element: unknown): boolean {
    const dropped = (kind: string, name: string): boolean =>
      this.#held.get(`${kind} ${textMember(fieldsOf(element), name)}`) === DROPPED;
    return section === "projects" ? dropped("project", "projectId") : isOfUser(section) && dropped("user", "userId");
  }

  /**
   * True when an element refers to something that the export does not hold, or that belongs to another organization, where the element
   * stands as well. `orgIds` are those of the export's organizations as they are sent.
   */
  leadsOut(section: string, org: number, element: unknown, orgIds: ReadonlySet<string>): boolean {
    const fields = fieldsOf(element);
    const projectId = projectIdOf(section, fields);
    const lacks = (kind: string, name: string): boolean => this.#isNotHeld(kind, textMember(fields, name));
    const lacksProject = (): boolean => this.#isNotHeld("project", projectId);
    switch (section) {
      case "orgMembers":
      case "userMetadata":
      case "userLinks":
      case "machineKeys":
        return lacks("user", section === "userMetadata" ? "id" : "userId");
      case "projectMembers":
        return lacks("user", "userId") || lacksProject() || this.isRepeated(section, org, element);
      case "projectGrantMembers":
        return lacks("user", "userId") || lacksProject() || lacks("grant", "grantId");
      case "userGrants":
        return lacks("user", "userId") || lacksProject() || lacks("grant", "projectGrantId");
      case "projectGrants":
        return lacksProject() || !orgIds.has(textMember(fieldsOf(member(fields, "projectGrant")), "grantedOrgId"));
      case "projectRoles":
      case "oidcApps":
      case "apiApps":
        return lacksProject();
      case "appKeys":
        return lacksProject() || lacks("app", "appId");
      default:
        return false;
    }
  }

  /** True for a member of another organization's project: an export repeats these in every organization. */
  isRepeated(section: string, org: number, element: unknown): boolean {
    const projectId = section === "projectMembers" ? projectIdOf(section, fieldsOf(element)) : "";
    if (projectId === "" || this.#isNotHeld("project", projectId)) return false;
    return this.#placesOf(org).every((at) => this.#isNotHeld(`project of ${at}`, projectId));
  }

  /** The same of an item. */
  repeats({ key, org, bytes }: { readonly key: string; readonly org: number; readonly bytes: Buffer }): boolean {
    return key === "projectMembers" && this.isRepeated(key, org, JSON.parse(bytes.toString()));
  }

  /** True when an import leaves the element out. */
  isLeftOut(section: string, org: number, element: unknown, orgIds: ReadonlySet<string>): boolean {
    return this.isForgotten(section, element) || this.leadsOut(section, org, element, orgIds);
  }

  /** All places of the organization at a place. */
  #placesOf(org: number): readonly number[] {
    if (this.#places === undefined) {
      this.#places = new Map();
      for (const [at, { orgId }] of this.#orgs.entries())
        this.#places.set(orgId, [...(this.#places.get(orgId) ?? []), at]);
    }
    return this.#places.get(this.#orgs[org]?.orgId ?? "") ?? [org];
  }

  #hold(kind: string, fields: Fields, name: string): void {
    const id = textMember(fields, name);
    if (id !== "") this.#held.set(`${kind} ${id}`, HELD);
  }

  /** An element without the id has no reference. */
  #isNotHeld(kind: string, id: string): boolean {
    return id !== "" && this.#held.get(`${kind} ${id}`) !== HELD;
  }
}

/** The object within an element that names the project; absent: the element itself. */
const projectHolders: Readonly<Record<string, string>> = {
  projectGrants: "projectGrant",
  oidcApps: "app",
  apiApps: "app",
};

/** The project that an element refers to; "" for none. */
export function projectIdOf(section: string, fields: Fields): string {
  const holder = projectHolders[section];
  return textMember(holder === undefined ? fields : fieldsOf(fields[holder]), "projectId");
}

function isOfUser(section: string): boolean {
  return section === "humanUsers" || section === "machineUsers";
}
