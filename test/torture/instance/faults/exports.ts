import { toHttp } from "../wire.ts";
import { family, type Turn } from "./fault.ts";

interface Exported {
  orgs: Record<string, unknown>[];
}

/** An export with a change. */
function told(change: (document: Exported, turn: Turn) => unknown) {
  return (turn: Turn): void => {
    const document = structuredClone(turn.answer.body) as Partial<Exported>; // an export's
    turn.say({ status: 200, body: change({ orgs: [], ...document }, turn) });
  };
}

/** A user with only what every user has. */
function bare(entry: Record<string, unknown>): object {
  const { phone: _, profile, ...user } = (entry["user"] ?? {}) as Record<string, Record<string, unknown>>;
  const { firstName, lastName } = profile ?? {};
  return { ...entry, user: { ...user, profile: { firstName, lastName } } };
}

const bytes =
  (change: (turn: Turn) => Buffer | string) =>
  (turn: Turn): void =>
    void turn.socket.write(toHttp({ status: 200, headers: {} }, Buffer.from(change(turn))));

/** What only an export can do. Those that leave people out are lies: the event log alone knows better. */
export const exportFaults = family({ on: ["export"], work: "all" }, [
  { name: "nothing exported", act: told(() => ({})), isLie: true },
  { name: "no organizations", act: told(() => ({ orgs: [] })), isLie: true },
  { name: "an organization is missing", act: told(({ orgs }) => ({ orgs: orgs.slice(1) })), isLie: true },
  {
    name: "half of the users",
    act: told(({ orgs }) => ({
      orgs: orgs.map((org) => ({
        ...org,
        humanUsers: ((org["humanUsers"] ?? []) as unknown[]).filter((_, at) => at % 2 === 0),
      })),
    })),
    isLie: true,
  },
  {
    name: "an export without metadata",
    act: told(({ orgs }) => ({ orgs: orgs.map(({ userMetadata: _, ...org }) => org) })),
    isLie: true,
  },
  {
    name: "an export without numbers and nicknames",
    act: told(({ orgs }) => ({
      orgs: orgs.map((org) => ({ ...org, humanUsers: ((org["humanUsers"] ?? []) as Exported["orgs"]).map(bare) })),
    })),
    isLie: true,
  },
  {
    name: "an organization that was not requested",
    act: told(({ orgs }) => ({ orgs: [...orgs, ...orgs.map((org) => ({ ...org, orgId: "foreign" }))] })),
    isLie: true,
  },
  { name: "an organization twice", act: told(({ orgs }) => ({ orgs: [...orgs, ...orgs.slice(0, 1)] })), isLie: true },
  {
    name: "an organization without an id",
    act: told(({ orgs }) => ({ orgs: orgs.map((org, at) => (at === 0 ? { ...org, orgId: "" } : org)) })),
    isLie: true,
  },
  {
    name: "a user without content",
    act: told(({ orgs }) => ({ orgs: orgs.map((org) => ({ ...org, humanUsers: [{ userId: "1" }] })) })),
    isLie: true,
  },
  {
    name: "a user who is refused",
    act: told(({ orgs }) => ({
      orgs: orgs.map((org) => ({ ...org, humanUsers: [{ userId: "1", user: { userName: "x" } }] })),
    })),
    isLie: true,
  },
  {
    name: "lists that are none",
    act: told(({ orgs }) => ({ orgs: orgs.map((org) => ({ ...org, humanUsers: {} })) })),
    isLie: true,
  },
  {
    name: "fields of tomorrow",
    act: told(({ orgs }) => ({ orgs: orgs.map((org) => ({ ...org, tomorrow: [{ a: 1 }] })), next: 1 })),
  },
  { name: "an export with a mark", act: bytes(({ body }) => `\ufeff${body}`) },
  { name: "an export and more", act: bytes(({ body }) => `${body}{}`) },
  { name: "half an export", act: bytes(({ body }) => body.subarray(0, body.length / 2)) },
  { name: "an export in a text", act: bytes(({ body }) => JSON.stringify(body.toString())) },
  {
    name: "an export that is too large",
    act: (turn: Turn) =>
      turn.say({
        status: 429,
        body: { code: 8, message: "grpc: trying to send message larger than max (5 vs. 4194304)" },
      }),
  },
]);
