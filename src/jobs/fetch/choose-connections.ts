import type { Connection } from "../../contract/auth0.ts";
import { shown } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import type { FetchCall } from "./fetch-call.ts";
import { retried } from "./fetch-call.ts";

/** The connection of one export; without an id, all users of the tenant. */
export interface Choice {
  readonly id?: string;
  readonly name?: string;
}

const ALL_USERS: readonly Choice[] = [{}];
const ID = /^con_[A-Za-z0-9]{16}$/;

/**
 * The connections to export: the named ones, or all users. For all users, prints the connections if the token may list them. Raises
 * api.no-connection, auth.*, api.*, net.*.
 */
export async function chooseConnections(call: FetchCall, wanted: readonly string[]): Promise<readonly Choice[]> {
  if (wanted.length === 0) {
    await printConnections(call);
    return ALL_USERS;
  }
  if (wanted.every((name) => ID.test(name))) return unique(wanted.map((id) => ({ id })));
  const all = await list(call);
  return unique(wanted.map((name) => find(name, all, call)));
}

function list(call: FetchCall): Promise<readonly Connection[]> {
  return retried(call, () => call.api.connections(call.context.signal));
}

function find(name: string, all: readonly Connection[], { api }: FetchCall): Choice {
  const found = all.find((one) => one.name === name) ?? all.find((one) => one.id === name);
  if (found !== undefined) return { id: found.id, name: found.name };
  const names = all.map((one) => one.name);
  throw new ProblemError({ code: "api.no-connection", host: api.address.host, name, names });
}

function unique(choices: readonly Choice[]): readonly Choice[] {
  return [...new Map(choices.map((choice) => [choice.id, choice])).values()];
}

/** A token that may not list connections is enough for the export. */
async function printConnections(call: FetchCall): Promise<void> {
  const { ui, api } = call;
  try {
    const all = await list(call);
    const named = all.map(({ name, strategy }) => (strategy ? `${shown(name)} (${shown(strategy)})` : shown(name)));
    ui.say(
      `all users of ${api.address.host}, of the connections ${named.join(", ")}; --connection selects some of them`,
    );
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "auth.no-scope") throw error;
    ui.say(`all users of ${api.address.host} (a token with ${error.problem.scope} can list the connections)`);
  }
}
