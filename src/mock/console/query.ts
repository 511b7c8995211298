import type { Call } from "../state/instance.ts";

export const viewNames = ["orgs", "users", "events", "mails", "requests"] as const;
export type ViewName = (typeof viewNames)[number];

/** The part of the instance that a page shows. It stands in the address, so that a page can be reloaded and linked to. */
export interface ConsoleQuery {
  readonly view: ViewName;
  /** Search text in lower case; "" for no search. */
  readonly search: string;
  /** Shows the users of this organization alone; "" for all. */
  readonly org: string;
  /** From 1. */
  readonly page: number;
}

export function readQuery({ query }: Pick<Call, "query">): ConsoleQuery {
  const view = viewNames.find((name) => name === query.get("view"));
  const search = (query.get("q") ?? "").trim().toLowerCase();
  const page = Number(query.get("page") ?? 1);
  return {
    // Most searches are for users.
    view: view ?? (search === "" ? "orgs" : "users"),
    search,
    org: query.get("org") ?? "",
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The address of a query with some of it changed; the page is 1 unless the change names one. */
export function hrefOf(query: ConsoleQuery, change: Partial<ConsoleQuery>): string {
  const { view, search, org, page } = { ...query, page: 1, ...change };
  const parameters = new URLSearchParams({ view });
  if (search !== "") parameters.set("q", search);
  if (org !== "" && view === "users") parameters.set("org", org);
  if (page > 1) parameters.set("page", String(page));
  return `/ui/console?${parameters}`;
}
