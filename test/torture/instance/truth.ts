import type { MockServer } from "../../../src/mock/server.ts";
import { Caller } from "./caller.ts";
import { list, text } from "./json.ts";
import { objectsIn } from "./kinds.ts";
import type { Losses } from "./losses.ts";

/** A human user of the instance. */
export interface TrueUser {
  readonly id: string;
  /** True when the job under test created the user. */
  readonly isOurs: boolean;
  /** The user's second factor, once for each time that it was set. */
  readonly otps: readonly string[];
}

/** What the instance has at one moment. */
export interface Truth {
  /** The users that the instance had before the first job under test. */
  readonly past: ReadonlySet<string>;
  readonly users: ReadonlyMap<string, TrueUser>;
  /** `<type> <key>` of all other objects. */
  readonly others: ReadonlySet<string>;
}

const MOST = 1_000;

/**
 * Reads what an instance has by the service's own calls, without faults and without any code of the program under test: its users,
 * its export, and its events of second factors. An import without events shows at most one second factor of a user.
 */
export class TruthReader {
  readonly #caller: Caller;
  #before: ReadonlySet<string> = new Set();
  #past: ReadonlySet<string> | undefined;
  readonly #losses: Pick<Losses, "lost"> | undefined;

  /** @param losses users that the list of users lacks. */
  constructor(mock: Pick<MockServer, "url" | "token">, losses?: Pick<Losses, "lost">) {
    this.#caller = new Caller(mock, mock.token);
    this.#losses = losses;
  }

  /** The job under test creates every user from now on. */
  async startJob(): Promise<void> {
    this.#before = new Set(await this.#userIds());
    this.#past ??= this.#before;
  }

  async read(): Promise<Truth> {
    const [ids, given, orgs] = [await this.#userIds(), await this.#otpEvents(), await this.#export()];
    const otps = new Map(
      orgs
        .flatMap((org) => list(org, "humanUsers"))
        .map((entry) => [text(entry, "userId"), text(entry, "user", "otpCode")] as const),
    );
    const otpsOf = (id: string): string[] => {
      const times = Math.max(given.filter((user) => user === id).length, otps.get(id) ? 1 : 0);
      return Array.from({ length: times }, () => otps.get(id) ?? "");
    };
    const users = ids.map((id): TrueUser => ({ id, isOurs: !this.#before.has(id), otps: otpsOf(id) }));
    return {
      past: this.#past ?? new Set(),
      users: new Map(users.map((user) => [user.id, user])),
      others: new Set(orgs.flatMap(objectsIn)),
    };
  }

  async #userIds(): Promise<string[]> {
    const query = { query: { limit: MOST }, queries: [{ typeQuery: { type: "TYPE_HUMAN" } }] };
    const users = list(await this.#caller.expect("POST", "/v2/users", query), "result");
    const unlisted = [...(this.#losses?.lost ?? [])].flatMap(([id, skipping]) => (skipping === "users" ? [id] : []));
    return [...whole(users).map((user) => text(user, "userId")), ...unlisted];
  }

  /** The user of each event that sets a second factor. */
  async #otpEvents(): Promise<string[]> {
    const request = { limit: MOST, event_types: ["user.human.mfa.otp.added"] };
    const events = list(await this.#caller.expect("POST", "/admin/v1/events/_search", request), "events");
    return whole(events).map((event) => text(event, "aggregate", "id"));
  }

  async #export(): Promise<readonly unknown[]> {
    return list(await this.#caller.expect("POST", "/admin/v1/export", { with_otp: true, timeout: "1m" }), "orgs");
  }
}

function whole(page: readonly unknown[]): readonly unknown[] {
  if (page.length === MOST) throw new Error("more than a trial can read");
  return page;
}
