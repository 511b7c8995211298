import { defaultHashLimits } from "../../contract/hash-limits.ts";
import { BreachCounts, type CountedBreach } from "../rules/hash-costs.ts";
import type { HashKind } from "../rules/hash-forms.ts";
import type { HumanUserFacts } from "../rules/human-user.ts";
import { countRoute, NO_ROUTES, type RouteCounts, type Routing, routeUser, type Way } from "../rules/route.ts";
import { IdTable } from "../tables/id-table.ts";
import type { ScanCounts } from "./scan-types.ts";

/** The counts of an empty document. */
export const NO_COUNTS = {
  orgs: 0,
  users: 0,
  machineUsers: 0,
  withHash: 0,
  withOtp: 0,
  withLinks: 0,
  withRecoveryCodes: 0,
  recoveryCodesByUsersApi: 0,
  unknownFieldsByUsersApi: 0,
  mails: 0,
  closedMails: 0,
  sms: 0,
  invalidUsers: 0,
  otherFaults: 0,
};

/** Adds up what a document holds while it is read. */
export class ScanTotals {
  readonly #routing: Routing;
  readonly #counts = { ...NO_COUNTS };
  readonly #orgIds = new Set<string>();
  readonly #hashes = new Map<HashKind, number>();
  readonly #breaches = new BreachCounts(defaultHashLimits);
  readonly #routed = new IdTable();
  #routes = NO_ROUTES;
  #closed = 0;

  constructor(routing: Routing) {
    this.#routing = routing;
  }

  get counts(): ScanCounts {
    return this.#counts;
  }

  /** How many password hashes there are of each kind. */
  get hashes(): ReadonlyMap<HashKind, number> {
    return this.#hashes;
  }

  /** Hashes that are out of the default limits. */
  get breaches(): readonly CountedBreach[] {
    return this.#breaches.list;
  }

  get routes(): RouteCounts {
    return this.#routes;
  }

  /** Inactive and locked users. */
  get closed(): number {
    return this.#closed;
  }

  /** Who goes through the users API, by `routeKey`. */
  get routed(): IdTable {
    return this.#routed;
  }

  /** Counts an organization once, in however many entries it stands. */
  org(orgId: string): void {
    this.#orgIds.add(orgId);
    this.#counts.orgs = this.#orgIds.size;
  }

  machineUser(): void {
    this.#counts.machineUsers += 1;
  }

  invalidUser(): void {
    this.#counts.users += 1;
    this.#counts.invalidUsers += 1;
  }

  otherFaults(count = 1): void {
    this.#counts.otherFaults += count;
  }

  wayOf(user: HumanUserFacts): Way {
    return routeUser(user, this.#routing);
  }

  /** Counts a user that is fine and returns the way it goes. `hasUnknown`: some of it is not known. */
  user(user: HumanUserFacts, org: number, hasUnknown = false): Way {
    const counts = this.#counts;
    counts.users += 1;
    if (user.hashKind !== undefined) {
      counts.withHash += 1;
      this.#hashes.set(user.hashKind, (this.#hashes.get(user.hashKind) ?? 0) + 1);
    }
    this.#breaches.add(user.breaches);
    if (user.hasOtp) counts.withOtp += 1;
    if (user.hasLinks) counts.withLinks += 1;
    if (user.hasRecoveryCodes) counts.withRecoveryCodes += 1;
    if (user.getsMail) counts.mails += 1;
    if (user.getsMail && user.isClosed) counts.closedMails += 1;
    if (user.getsSms) counts.sms += 1;
    if (user.isClosed) this.#closed += 1;
    const way = this.wayOf(user);
    if (way === "users") {
      if (user.hasRecoveryCodes) counts.recoveryCodesByUsersApi += 1;
      if (hasUnknown) counts.unknownFieldsByUsersApi += 1;
      this.#routes = countRoute(this.#routes, user, this.#routing);
      if (user.userId !== "") this.#routed.set(routeKey(org, user.userId), 0);
    }
    return way;
  }
}

/** The key of a user in the table of users who go through the users API. */
export function routeKey(org: number, userId: string): string {
  return `${org} ${userId}`;
}
