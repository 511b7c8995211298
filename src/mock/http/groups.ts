import type { Group } from "../api.ts";

/** Groups of endpoints that an instance may not have. The specification has none of them. */
export const groups = ["users", "orgs", "grpc-web", "sessions", "events"] as const satisfies readonly Group[];

/** Statuses that a missing endpoint may answer. */
export const statuses = [404, 405, 501] as const;
type MissingStatus = (typeof statuses)[number];

/** The missing groups with the status they answer. */
export type Missing = Readonly<Partial<Record<Group, MissingStatus>>>;

/** Parses `users,orgs=501`, the form of the flag; without a status it is 404. Returns an error message for any other text. */
export function parseMissing(text: string): Missing | string {
  const missing: Partial<Record<Group, MissingStatus>> = {};
  for (const part of text.split(",")) {
    const [name = "", status = "404"] = part.trim().split("=");
    const group = groups.find((one) => one === name);
    const known = statuses.find((one) => String(one) === status);
    if (group === undefined) return `unknown group "${name}"; write one of ${groups.join(", ")}`;
    if (known === undefined) return `"${status}" is not a status for ${name}; write one of ${statuses.join(", ")}`;
    missing[group] = known;
  }
  return missing;
}
