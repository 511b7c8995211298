import type { MockServer, SkippingList } from "../../../src/mock/api.ts";
import type { Random } from "../random.ts";
import { Caller } from "./caller.ts";
import { fields, list, text } from "./json.ts";
import type { Asked } from "./wire.ts";

/** A call that writes, while it is under way. */
interface Writing {
  /** The lists that it has entries of. */
  readonly lists: ReadonlySet<string>;
  /** Those of them that another call wrote at the same time. */
  readonly shared: Set<string>;
  /** The users that it names. */
  readonly ids: ReadonlySet<string>;
}

/** Another account of the instance. */
const HAND = { userId: "another-hand", roles: ["IAM_OWNER"] };
/** The metadata that it sets. */
export const BY_HAND = "by-hand";

/**
 * Loses what concurrent writes lose: the lists of users and of login names skip some users that overlapping calls created (service
 * behaviour 0.41). Of everything else, the lists would skip entries too, so overlapping calls with such entries are harm. Another account
 * sometimes uses a lost user at once.
 */
export class Losses {
  /** The proportion of the users of overlapping calls that are lost. */
  rate = 0;
  /** The users who are lost, until they are deleted. */
  readonly lost = new Map<string, SkippingList>();
  /** The users that the program deleted. */
  readonly deleted = new Set<string>();
  /** The lost users that another account used. */
  readonly used = new Set<string>();
  /** Those of them that have metadata from it. */
  readonly given = new Set<string>();
  readonly harm: string[] = [];
  readonly #mock: MockServer;
  readonly #random: Random;
  readonly #hand: Caller;
  readonly #underWay = new Set<Writing>();

  constructor(mock: MockServer, random: Random, token: string) {
    this.#mock = mock;
    this.#random = random;
    this.#hand = new Caller(mock, token);
    mock.addToken(token, HAND);
  }

  /** A call begins; undefined if it creates nothing. */
  begin({ method, path, body }: Asked): Writing | undefined {
    const lists = this.rate > 0 && method === "POST" ? listsIn(path, body) : new Map<string, readonly unknown[]>();
    if (lists.size === 0) return undefined;
    const users = lists.get("humanUsers") ?? [];
    const ids = new Set(users.map((user) => text(user, "userId")));
    const writing = { lists: new Set(lists.keys()), shared: new Set<string>(), ids };
    for (const other of this.#underWay)
      for (const name of lists.keys()) {
        if (!other.lists.has(name)) continue;
        other.shared.add(name);
        writing.shared.add(name);
      }
    this.#underWay.add(writing);
    return writing;
  }

  /** Its work is done, with this answer. */
  async end(writing: Writing | undefined, answer: unknown): Promise<void> {
    if (writing === undefined) return;
    this.#underWay.delete(writing);
    for (const name of writing.shared) if (name !== "humanUsers") this.harm.push(`concurrent writes of ${name}`);
    if (!writing.shared.has("humanUsers")) return;
    const created = [
      ...list(fields(fields(answer)["success"]), "orgs").flatMap((org) => list(org, "humanUserIds")),
      text(answer, "userId"),
    ];
    for (const id of created) {
      if (typeof id !== "string" || id === "" || !writing.ids.has(id) || !this.#random.chance(this.rate)) continue;
      const skipping = this.#random.pick(["login names", "login names", "users"] as const);
      this.#mock.skipUser(id, skipping);
      this.lost.set(id, skipping);
      if (this.#random.chance(0.2)) await this.#use(id);
    }
  }

  /** The program deleted a user. */
  removed(path: string): void {
    const [, id] = /^\/v2\/users\/([^/?]+)$/.exec(path) ?? [];
    if (id === undefined) return;
    this.deleted.add(decodeURIComponent(id));
    this.lost.delete(decodeURIComponent(id));
  }

  async #use(id: string): Promise<void> {
    const user = `/v2/users/${encodeURIComponent(id)}`;
    const value = Buffer.from("1").toString("base64");
    const how = this.#random.pick(["metadata", "lock", "session"] as const);
    const answer = {
      metadata: () => this.#hand.send("POST", `${user}/metadata`, { metadata: [{ key: BY_HAND, value }] }),
      lock: () => this.#hand.send("POST", `${user}/lock`, {}),
      session: () => this.#hand.send("POST", "/v2/sessions", { checks: { user: { userId: id } } }),
    }[how]();
    if (!(await answer).ok) return;
    this.used.add(id);
    if (how === "metadata") this.given.add(id);
  }
}

/** The lists of an import, or of the creation of one user, with their entries. */
function listsIn(path: string, body: Buffer): Map<string, readonly unknown[]> {
  const lists = new Map<string, readonly unknown[]>();
  const add = (name: string, entries: readonly unknown[]): void => {
    if (entries.length > 0) lists.set(name, [...(lists.get(name) ?? []), ...entries]);
  };
  if (path === "/v2/users/human") {
    const user = fields(JSON.parse(body.toString()));
    add("humanUsers", [user]);
    add("userMetadata", list(user, "metadata"));
  }
  if (path !== "/admin/v1/import") return lists;
  for (const variant of Object.values(fields(JSON.parse(body.toString()))))
    for (const org of list(variant, "orgs"))
      for (const [name, value] of Object.entries(fields(org))) if (Array.isArray(value)) add(name, value);
  return lists;
}
