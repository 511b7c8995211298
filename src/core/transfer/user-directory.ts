import { uniqueUserName } from "../../contract/users.ts";
import { type Fields, fieldsOf, member, textMember } from "../json/members.ts";
import { IdTable } from "../tables/id-table.ts";
import { PositionSet } from "../tables/position-set.ts";

/** The members of an event that say which user exists, and under which name. */
export interface LifeEvent {
  readonly aggregate: { readonly id: string; readonly resourceOwner: string };
  readonly type: { readonly type: string };
  readonly payload?: unknown;
}

/** The events that a directory is made of. */
export const directoryEvents = [
  "user.human.added",
  "user.human.selfregistered",
  "user.machine.added",
  "user.username.changed",
  "user.domain.claimed",
  "user.removed",
  "org.removed",
  "org.policy.domain.added",
  "org.policy.domain.changed",
  "org.policy.domain.removed",
  "instance.policy.domain.added",
  "instance.policy.domain.changed",
] as const;

const REMOVED = 0;

/**
 * The users of the target by id and by user name, from its events, oldest first. A user name is unique in the whole instance, or in its
 * organization where the domain policy says so; case does not count (service behaviour 0.5). Ids and names are kept as fingerprints.
 */
export class UserDirectory {
  /** The mark of an id is its number; REMOVED for a removed user. */
  readonly #ids = new IdTable();
  /** The mark of a name is the number of its user. */
  readonly #names = new IdTable();
  /** The new names of renamed users, by number: their old names are free. */
  readonly #renamed = new Map<number, string>();
  /** Numbers of removed users: their names are free. */
  readonly #gone = new PositionSet();
  /** The organization of each number. */
  readonly #orgs: string[] = [""];
  /** The last number of each organization when it was removed: its users are removed with it (service behaviour 9.48). */
  readonly #ended = new Map<string, number>();
  /** Numbers of machine users. */
  readonly #machines = new PositionSet();
  readonly #ownPolicy = new Map<string, boolean>();
  #defaultPolicy = false;
  #last = REMOVED;

  take({ aggregate, type, payload }: LifeEvent): void {
    const { id, resourceOwner } = aggregate;
    const fields = fieldsOf(payload);
    switch (type.type) {
      case "user.removed":
        this.remove(id);
        return;
      case "org.removed":
        this.#ended.set(id, this.#last);
        return;
      case "user.username.changed":
      case "user.domain.claimed":
        this.rename(id, textMember(fields, "userName"), resourceOwner);
        return;
      case "org.policy.domain.removed":
        this.#ownPolicy.delete(resourceOwner);
        return;
      case "org.policy.domain.added":
      case "org.policy.domain.changed":
        this.#ownPolicy.set(resourceOwner, inOrgAlone(fields, this.#ownPolicy.get(resourceOwner)));
        return;
      case "instance.policy.domain.added":
      case "instance.policy.domain.changed":
        this.#defaultPolicy = inOrgAlone(fields, this.#defaultPolicy);
        return;
      default:
        this.expect(id, textMember(fields, "userName"), resourceOwner);
        if (type.type === "user.machine.added") this.#machines.add(this.#last);
    }
  }

  /** True for the id of a machine user. */
  isMachine(id: string): boolean {
    return this.#machines.has(this.#ids.get(id) ?? REMOVED);
  }

  /** The organization of the user with this id; undefined without one. */
  orgOf(id: string): string | undefined {
    const number = this.#ids.get(id) ?? REMOVED;
    return number === REMOVED || this.#isEnded(number) ? undefined : this.#orgs[number];
  }

  /** The organization with which the last user of this id was removed: the service keeps the id. undefined for any other user. */
  removedWith(id: string): string | undefined {
    const number = this.#ids.get(id) ?? REMOVED;
    return number !== REMOVED && this.#isEnded(number) ? this.#orgs[number] : undefined;
  }

  /** True for a name that an existing user has. @param id of a user who does not count. */
  isTaken(userName: string, orgId: string, id = ""): boolean {
    const key = this.#keyOf(userName, orgId);
    const number = this.#names.get(key);
    if (number === undefined || this.#gone.has(number) || this.#isEnded(number)) return false;
    if ((this.#renamed.get(number) ?? key) !== key) return false;
    return id === "" || this.#ids.get(id) !== number;
  }

  /** Adds a user that the target has, or will have. */
  expect(id: string, userName: string, orgId: string): void {
    this.#last += 1;
    this.#orgs.push(orgId);
    if (id !== "") {
      this.remove(id);
      this.#ids.set(id, this.#last);
    }
    this.#names.set(this.#keyOf(userName, orgId), this.#last);
  }

  /** The user does not exist any more, and the name is free. */
  remove(id: string): void {
    const number = this.#ids.get(id) ?? REMOVED;
    if (number === REMOVED) return;
    this.#gone.add(number);
    this.#ids.set(id, REMOVED);
  }

  /** The user gets another name, and the former one is free. */
  rename(id: string, userName: string, orgId: string): void {
    const number = this.#ids.get(id) ?? REMOVED;
    if (number === REMOVED) return;
    const key = this.#keyOf(userName, orgId);
    this.#renamed.set(number, key);
    this.#names.set(key, number);
  }

  #isEnded(number: number): boolean {
    return number <= (this.#ended.get(this.#orgs[number] ?? "") ?? REMOVED);
  }

  #keyOf(userName: string, orgId: string): string {
    const name = uniqueUserName(userName);
    return (this.#ownPolicy.get(orgId) ?? this.#defaultPolicy) ? `${orgId} ${name}` : ` ${name}`;
  }
}

/** Whether user names are unique in their organization alone; what an event does not mention stays. */
function inOrgAlone(fields: Fields, before = false): boolean {
  const value = member(fields, "userLoginMustBeDomain");
  return typeof value === "boolean" ? value : before;
}
