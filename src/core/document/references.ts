import { type Fields, fieldsOf, member, textMember } from "../json/members.ts";
import { IdTable } from "../tables/id-table.ts";

const HELD = 0;
const DROPPED = 1;

/**
 * The ids of the objects of an export. An export also holds members and grants of users of organizations that it does not hold, and
 * members of projects that these granted. On a target without those organizations, such references have no object. That is no failure of
 * the copy: the references are skipped, and counted. Ids are kept as fingerprints.
 */
export class References {
  readonly #held = new IdTable();

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
    const lacks = (kind: string, ...names: string[]): boolean => names.some((name) => this.#lacks(kind, fields, name));
    switch (section) {
      case "orgMembers":
      case "userMetadata":
      case "userLinks":
      case "machineKeys":
        return lacks("user", section === "userMetadata" ? "id" : "userId");
      case "projectMembers":
        return lacks("user", "userId") || lacks("project", "projectId") || lacks(`project of ${org}`, "projectId");
      case "projectGrantMembers":
        return lacks("user", "userId") || lacks("project", "projectId") || lacks("grant", "grantId");
      case "userGrants":
        return lacks("user", "userId") || lacks("project", "projectId") || lacks("grant", "projectGrantId");
      case "projectGrants": {
        const grant = fieldsOf(member(fields, "projectGrant"));
        return this.#lacks("project", grant, "projectId") || !orgIds.has(textMember(grant, "grantedOrgId"));
      }
      case "projectRoles":
        return lacks("project", "projectId");
      case "oidcApps":
      case "apiApps":
        return this.#lacks("project", fieldsOf(fields["app"]), "projectId");
      case "appKeys":
        return lacks("project", "projectId") || lacks("app", "appId");
      default:
        return false;
    }
  }

  #hold(kind: string, fields: Fields, name: string): void {
    const id = textMember(fields, name);
    if (id !== "") this.#held.set(`${kind} ${id}`, HELD);
  }

  /** An element without the id has no reference. */
  #lacks(kind: string, fields: Fields, name: string): boolean {
    const id = textMember(fields, name);
    return id !== "" && this.#held.get(`${kind} ${id}`) !== HELD;
  }
}

function isOfUser(section: string): boolean {
  return section === "humanUsers" || section === "machineUsers";
}
