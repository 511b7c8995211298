import type { Answer } from "../../http/answer.ts";
import type { Call, Instance } from "../../state/instance.ts";
import type { Seed } from "../../state/seed.ts";
import { checkpointPage } from "./memberships.ts";

/** The default database of a tenant. */
const DEFAULT_CONNECTION = {
  id: "con_0000000000000001",
  name: "Username-Password-Authentication",
  strategy: "auth0",
} as const;

type SourceConnection = Seed["sourceConnections"][number];

/** The connections of the seed, or the default database. */
export function connectionsOf({ seed }: Instance): readonly SourceConnection[] {
  return seed.sourceConnections.length === 0 ? [DEFAULT_CONNECTION] : seed.sourceConnections;
}

/** `GET /api/v2/connections`: with `take` in pages, each with the start of the next one, otherwise a bare list. */
export async function listConnections(call: Call, instance: Instance): Promise<Answer> {
  return checkpointPage("connections", connectionsOf(instance), call);
}

/** Whether a user signs in with a connection, by its identities; users without identities are in the database. */
export function isOf(user: Readonly<Record<string, unknown>>, { name, strategy }: SourceConnection): boolean {
  const { identities } = user;
  if (!Array.isArray(identities)) return strategy === "auth0";
  return identities.some((identity) => (identity as { connection?: unknown } | null)?.connection === name); // any JSON
}
