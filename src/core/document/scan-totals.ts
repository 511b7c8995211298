import { defaultHashLimits } from "../../contract/hash-limits.ts";
import { BreachCounts, type CountedBreach } from "../rules/hash-costs.ts";
import type { HashKind } from "../rules/hash-forms.ts";
import type { HumanUserFacts } from "../rules/human-user.ts";
import { countRoute, NO_ROUTES, type Routing, routeUser, type Way } from "../rules/route.ts";
import { IdTable } from "../tables/id-table.ts";

/** The counts of an empty document. */
export const NO_COUNTS = {
  orgs: 0,
  users: 0,
  /** Users to which the service gives an id. */
  withoutId: 0,
  machineUsers: 0,
  withHash: 0,
  withOtp: 0,
  /** Users with links to identity providers within their entries. */
  withLinks: 0,
  /** Users with recovery codes, and those of them that go through the users API, which drops the codes (service behaviour 9.8). */
  withRecoveryCodes: 0,
  recoveryCodesByUsersApi: 0,
  /** Users with fields or states that orgferry does not know and that go through the users API, which does not get them. */
  unknownFieldsByUsersApi: 0,
  mails: 0,
  /** Those of them to inactive and locked users. */
  closedMails: 0,
  sms: 0,
  closedSms: 0,
  invalidUsers: 0,
  /** Faults of other elements than human users. The service refuses the call for them, and they cannot be skipped. */
  otherFaults: 0,
};

export type ScanCounts = Readonly<typeof NO_COUNTS>;

/** Ids of the users that some counts count, the first thousand. */
export type NamedInScan = Readonly<
  Record<
    "withRecoveryCodes" | "recoveryCodesByUsersApi" | "unknownFieldsByUsersApi" | "unknownStates" | "uselessHashes",
    readonly string[]
  >
>;
const MOST_NAMED = 1_000;

/** Adds up what a document holds while it is read. */
export class ScanTotals {
  readonly counts = { ...NO_COUNTS };
  readonly named = {
    withRecoveryCodes: [] as string[],
    recoveryCodesByUsersApi: [] as string[],
    unknownFieldsByUsersApi: [] as string[],
    unknownStates: [] as string[],
    uselessHashes: [] as string[],
  };
  /** How many password hashes there are of each kind. */
  readonly hashes = new Map<HashKind, number>();
  /** Hashes that are out of the default limits. */
  readonly breaches: CountedBreach[] = [];
  /** Who goes through the users API, by `routeKey`. */
  readonly routed = new IdTable();
  routes = NO_ROUTES;
  /** Inactive and locked users. */
  closed = 0;
  readonly #routing: Routing;
  readonly #orgIds = new Set<string>();
  readonly #breachCounts = new BreachCounts(defaultHashLimits, this.breaches);

  constructor(routing: Routing) {
    this.#routing = routing;
  }

  /** Counts an organization once, in however many entries it stands. */
  org(orgId: string): void {
    this.#orgIds.add(orgId);
    this.counts.orgs = this.#orgIds.size;
  }

  machineUser(): void {
    this.counts.machineUsers += 1;
  }

  invalidUser(): void {
    this.counts.users += 1;
    this.counts.invalidUsers += 1;
  }

  otherFaults(count = 1): void {
    this.counts.otherFaults += count;
  }

  /** Names a user of a count. */
  name(list: keyof NamedInScan, userId: string): void {
    if (userId !== "" && this.named[list].length < MOST_NAMED) this.named[list].push(userId);
  }

  wayOf(user: HumanUserFacts): Way {
    return routeUser(user, this.#routing);
  }

  /** Counts a user that is fine and returns the way it goes. `hasUnknown`: some of it is not known. */
  user(user: HumanUserFacts, org: number, hasUnknown = false): Way {
    const counts = this.counts;
    counts.users += 1;
    if (user.userId === "") counts.withoutId += 1;
    if (user.hashKind !== undefined) {
      counts.withHash += 1;
      if (user.hashKind === "none") this.name("uselessHashes", user.userId);
      this.hashes.set(user.hashKind, (this.hashes.get(user.hashKind) ?? 0) + 1);
    }
    this.#breachCounts.add(user.breaches);
    if (user.hasOtp) counts.withOtp += 1;
    if (user.hasLinks) counts.withLinks += 1;
    if (user.hasRecoveryCodes) this.#count("withRecoveryCodes", user);
    if (user.getsMail) counts.mails += 1;
    if (user.getsMail && user.isClosed) counts.closedMails += 1;
    if (user.getsSms) counts.sms += 1;
    if (user.getsSms && user.isClosed) counts.closedSms += 1;
    if (user.isClosed) this.closed += 1;
    const way = this.wayOf(user);
    if (way === "users") {
      if (user.hasRecoveryCodes) this.#count("recoveryCodesByUsersApi", user);
      if (hasUnknown) this.#count("unknownFieldsByUsersApi", user);
      this.routes = countRoute(this.routes, user, this.#routing);
      if (user.userId !== "") this.routed.set(routeKey(org, user.userId), 0);
    }
    return way;
  }

  #count(what: Exclude<keyof NamedInScan, "unknownStates" | "uselessHashes">, { userId }: HumanUserFacts): void {
    this.counts[what] += 1;
    this.name(what, userId);
  }
}

/** The key of a user in the table of users who go through the users API. */
export function routeKey(org: number, userId: string): string {
  return `${org} ${userId}`;
}
