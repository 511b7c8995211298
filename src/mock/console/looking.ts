import type { Call } from "../state/instance.ts";

export const views = ["orgs", "users", "events", "mails", "requests"] as const;
export type View = (typeof views)[number];

/** What somebody looks at: it stands in the address, so that a page can be reloaded and linked to. */
export interface Looking {
  readonly view: View;
  /** In small letters; "" for everything. */
  readonly wanted: string;
  /** Users of that organization alone. */
  readonly org: string;
  /** From 1. */
  readonly page: number;
}

export function readLooking({ query }: Pick<Call, "query">): Looking {
  const view = views.find((one) => one === query.get("view"));
  const wanted = (query.get("q") ?? "").trim().toLowerCase();
  const page = Number(query.get("page") ?? 1);
  // A search without a view is after people: that is what one mostly looks for.
  return {
    view: view ?? (wanted === "" ? "orgs" : "users"),
    wanted,
    org: query.get("org") ?? "",
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The address of what is looked at, with some of it changed. */
export function hrefOf(looking: Looking, change: Partial<Looking>): string {
  const { view, wanted, org, page } = { ...looking, page: 1, ...change };
  const query = new URLSearchParams({ view });
  if (wanted !== "") query.set("q", wanted);
  if (org !== "" && view === "users") query.set("org", org);
  if (page > 1) query.set("page", String(page));
  return `/ui/console?${query}`;
}

/** Whether one of some texts holds what is wanted, whatever the case of its letters. */
export function fits(texts: readonly string[], wanted: string): boolean {
  return wanted === "" || texts.some((text) => text.toLowerCase().includes(wanted));
}
