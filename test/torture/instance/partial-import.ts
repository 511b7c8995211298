import { type Fields, fields, list } from "./json.ts";

/** The lists of an organization in the order in which the service imports them, round by round (service behaviour 2.1). */
const rounds = [
  [
    ...["domains", "oidcIdps", "humanUsers", "machineUsers", "userMetadata", "machineKeys", "userLinks", "projects"],
    ...["oidcApps", "apiApps", "appKeys", "actions", "projectRoles"],
  ],
  ["triggerActions", "projectGrants", "userGrants"],
  ["orgMembers", "projectGrantMembers", "projectMembers"],
] as const;
const allLists: ReadonlySet<string> = new Set(rounds.flat());

/** The import of a service that stops after `most` objects: the same body with these objects alone. */
export function partialImport(body: Fields, most: number): Fields {
  const container = Object.keys(body).find((name) => name !== "timeout") ?? "";
  let left = most;
  const take = (entries: readonly unknown[]): readonly unknown[] => {
    const taken = entries.slice(0, left);
    left -= taken.length;
    return taken;
  };
  const orgs = list(body[container], "orgs").map(fields);
  const kept = new Map<Fields, Record<string, unknown>>();
  for (const [index, names] of rounds.entries()) {
    for (const org of orgs) {
      if (index === 0 && take([org]).length > 0) kept.set(org, withoutLists(org));
      const part = kept.get(org);
      if (part === undefined) continue;
      for (const name of names) if (org[name] !== undefined) part[name] = take(list(org, name));
    }
  }
  return { ...body, [container]: { ...fields(body[container]), orgs: [...kept.values()] } };
}

function withoutLists(org: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(org).filter(([name]) => !allLists.has(name)));
}
