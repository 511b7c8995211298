/** Groups of endpoints that a server may lack: the specification names none of them. */
export const groups = ["users", "orgs", "grpc-web", "sessions", "events"] as const;
export type Group = (typeof groups)[number];

/** What an endpoint that is missing may answer with. */
export const statuses = [404, 405, 501] as const;
type MissingStatus = (typeof statuses)[number];

/** The groups that are missing, and how they answer: as an unknown path, another method, or "not implemented". */
export type Missing = Readonly<Partial<Record<Group, MissingStatus>>>;

/** Reads `users,orgs=501`, the flag's form; no status is 404. Gives a sentence when it is not that. */
export function parseMissing(text: string): Missing | string {
  const missing: Partial<Record<Group, MissingStatus>> = {};
  for (const part of text.split(",")) {
    const [name = "", status = "404"] = part.trim().split("=");
    const group = groups.find((one) => one === name);
    const known = statuses.find((one) => String(one) === status);
    if (group === undefined) return `there is no group "${name}"; write one of ${groups.join(", ")}`;
    if (known === undefined) return `"${status}" is no status for ${name}; write one of ${statuses.join(", ")}`;
    missing[group] = known;
  }
  return missing;
}
