import type { Connection } from "../../contract/auth0.ts";
import { shown } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import type { FetchCall } from "./fetch-call.ts";
import { retried } from "./fetch-call.ts";

/** What one export is of; without an id, of all users of the tenant. */
export interface Choice {
  readonly id?: string;
  readonly name?: string;
}

const EVERYBODY: readonly Choice[] = [{}];
const ID = /^con_[A-Za-z0-9]{16}$/;

/**
 * What to ask for: the connections that were named, or everybody. Then people are told which connections that is, if the token may list
 * them. Raises api.no-connection, auth.*, api.*, net.*.
 */
export async function chooseConnections(call: FetchCall, wanted: readonly string[]): Promise<readonly Choice[]> {
  if (wanted.length === 0) {
    await tellConnections(call);
    return EVERYBODY;
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

/** A token for the export alone is enough for the export. */
async function tellConnections(call: FetchCall): Promise<void> {
  const { ui, api } = call;
  try {
    const all = await list(call);
    const named = all.map(({ name, strategy }) => (strategy ? `${shown(name)} (${shown(strategy)})` : shown(name)));
    ui.say(`all users of ${api.address.host}, of the connections ${named.join(", ")}; --connection takes some of them`);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "auth.no-scope") throw error;
    ui.say(`all users of ${api.address.host} (a token with ${error.problem.scope} would tell of which connections)`);
  }
}
