import { newestEvent, readViews } from "../../admin/events.ts";
import { withRetry } from "../../admin/with-retry.ts";
import { personEvents, stateEvents, type View } from "../../contract/events.ts";
import { grantEventTypes } from "../../core/events/rebuild/grant-fold.ts";
import { creationEvents, lifeEvents, MACHINE_ADDED, USER_REMOVED } from "../../core/events/user-life.ts";
import { isLater } from "../../core/rules/moment.ts";
import type { Asking } from "./asking.ts";

/** A list that the service fills from the event log. */
interface List {
  /** Its reader of the log; the number is of the list's form. */
  readonly view: RegExp;
  /** Events that its reader reads, of types that every known version knows (service behaviour 9.15, 9.17). */
  readonly eventTypes: readonly string[];
}

/** The lists of users, in the words of messages. */
export const userLists = {
  "login names": { view: /^projections\.login_names\d+$/, eventTypes: lifeEvents },
  users: {
    view: /^projections\.users\d+$/,
    eventTypes: [
      ...creationEvents,
      MACHINE_ADDED,
      USER_REMOVED,
      "user.username.changed",
      ...personEvents,
      ...stateEvents,
    ],
  },
  metadata: {
    view: /^projections\.user_metadata\d+$/,
    eventTypes: ["user.metadata.set", "user.metadata.removed", "user.metadata.removed.all"],
  },
  grants: { view: /^projections\.user_grants\d+$/, eventTypes: grantEventTypes },
  "identity provider links": {
    view: /^projections\.idp_user_links\d+$/,
    eventTypes: ["user.human.externalidp.added", "user.human.externalidp.removed"],
  },
} as const satisfies Readonly<Record<string, List>>;

export type ListName = keyof typeof userLists;

/** How far a list is: undefined if the instance does not say it. */
export function isUpTo(list: ListName, creationDate: string, views: readonly View[]): boolean | undefined {
  const positions = views.filter(({ viewName }) => userLists[list].view.test(viewName));
  if (positions.length === 0) return undefined;
  return positions.every(({ eventTimestamp }) => hasReached(eventTimestamp, creationDate));
}

function hasReached(position: string, date: string): boolean {
  return !Number.isNaN(Date.parse(position)) && !Number.isNaN(Date.parse(date)) && !isLater(date, position);
}

/**
 * Looks at lists until they have read the log up to where it is now. Events of concurrent calls are not in the order of their dates, so a
 * list is also complete when it has read the event that is the newest at a later look.
 */
export class SlowLists {
  readonly #names: readonly ListName[];
  readonly #asking: Asking;
  /** Of this organization only. */
  readonly #orgId: string | undefined;
  #behind: readonly { readonly name: ListName; readonly newest: string }[] | undefined;

  constructor(names: readonly ListName[], asking: Asking, orgId?: string) {
    this.#names = names;
    this.#asking = asking;
    this.#orgId = orgId;
  }

  /** The lists that have not read events that were there at the first look. Raises what reading events raises. */
  async look(): Promise<readonly ListName[]> {
    const isFirst = this.#behind === undefined;
    const before = this.#behind ?? (await this.#newestOf(this.#names));
    const { api, retry, signal } = this.#asking;
    const views = before.length === 0 ? [] : await withRetry(() => readViews(api, signal), retry, signal);
    const behind = before.filter(({ name, newest }) => isUpTo(name, newest, views) === false);
    if (isFirst || behind.length === 0) this.#behind = behind;
    else {
      const now = await this.#newestOf(behind.map(({ name }) => name));
      this.#behind = behind.filter(({ name }) => now.some((of) => of.name === name && !isUpTo(name, of.newest, views)));
    }
    return this.#behind.map(({ name }) => name);
  }

  async #newestOf(
    names: readonly ListName[],
  ): Promise<readonly { readonly name: ListName; readonly newest: string }[]> {
    const { api, retry, signal } = this.#asking;
    const owner = this.#orgId === undefined ? {} : { resource_owner: this.#orgId };
    const newest = async (name: ListName) => {
      const request = { event_types: [...userLists[name].eventTypes], ...owner };
      const event = await withRetry(() => newestEvent(api, signal, request), retry, signal);
      return event === undefined ? [] : [{ name, newest: event.creationDate }];
    };
    return (await Promise.all(names.map(newest))).flat();
  }
}
