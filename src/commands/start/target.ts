import { withoutPage } from "../../admin/address.ts";
import type { Context } from "../../context.ts";
import { checkRights } from "../../jobs/import/plan/probe.ts";
import { type Asking, askingOf } from "../../jobs/shared/asking.ts";
import { ifOffered } from "../../jobs/shared/not-offered.ts";
import { searchOrgs } from "../../jobs/shared/search-orgs.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import type { Ui } from "../../ui/ui.ts";
import { connectTo, withoutScheme } from "../shared/connect.ts";
import { correctedAddress, faultOf, hasHost } from "./answers.ts";
import type { Ask } from "./ask.ts";

// The questions about the target instance: its address, and a token.

/** An instance that answered, with a token that may import, and its organizations if it lists them. */
export interface Target {
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  readonly orgs: ReadonlyMap<string, string> | undefined;
}

interface World {
  readonly context: Context;
  readonly ui: Ui;
}

/** Asks until the instance answers and accepts the token: what is wrong is found before a file is read, and asked for again alone. */
export async function askTarget(ask: Ask, world: World): Promise<Target> {
  const { context, ui } = world;
  let address = context.env["ZITADEL_IMPORT_DOMAIN"] ?? "";
  let token = context.env["PAT_IMPORT_TOKEN"] ?? "";
  for (let isTokenWrong = false; ; ) {
    try {
      if (!isTokenWrong) {
        address = await askAddress(ask, address);
        await tryAddress(address, world);
      }
      token ||= await askToken(ask, isTokenWrong);
      if (token === "") {
        isTokenWrong = false;
        continue;
      }
      const env = { ZITADEL_IMPORT_DOMAIN: address, PAT_IMPORT_TOKEN: withoutScheme(token, "the token", ui) };
      return { address, env, orgs: await withApi(env, world, orgsFor) };
    } catch (error) {
      if (!(error instanceof ProblemError) || context.signal.aborted) throw error;
      const isTyped = error.problem.code === "auth.bad-token" && token !== context.env["PAT_IMPORT_TOKEN"];
      ui.fail(isTyped ? NO_TOKEN : sentences(describe(error.problem)));
      isTokenWrong = isOfToken(error.problem);
      if (isTokenWrong) token = "";
      else address = correctedAddress(address, error.problem);
    }
  }
}

/** Of a token that was typed: no variable has it. */
const NO_TOKEN =
  "this is not a token: it contains a line break, a space or another invalid character. Paste the token and nothing else.";

/** Makes calls to an instance. @param env its address and token, by the names of their variables. */
export async function withApi<T>(
  env: Target["env"],
  { context, ui }: World,
  work: (asking: Asking) => Promise<T>,
): Promise<T> {
  const inner = { ...context, env: { ...context.env, ...env } };
  const api = await connectTo("target", { insecureHttp: false }, inner, ui);
  try {
    return await work(askingOf({ api, ui, context: inner }));
  } finally {
    await api.close();
  }
}

/** @param initial the answer before, which was wrong. */
async function askAddress(ask: Ask, initial: string): Promise<string> {
  const refuse = (text: string) => refuseEmpty(text) ?? faultOf(withoutPage(text));
  const isSecret = (text: string) => !hasHost(text);
  return withoutPage(await ask.text("Address of the target instance", { initial, refuse, isSecret })).trim();
}

/** @param isAgain an empty answer is accepted: the instance may be the wrong one. */
async function askToken(ask: Ask, isAgain: boolean): Promise<string> {
  const question = "Access token of a service user with the role IAM_OWNER";
  return isAgain
    ? (await ask.secret(`${question} (empty: another address)`, () => undefined)).trim()
    : ask.secret(question, refuseEmpty);
}

function refuseEmpty(text: string): string | undefined {
  return text.trim() === "" ? "A value is needed." : undefined;
}

/** True for a problem that another token solves. A web page that refuses is none of the instance. */
function isOfToken(problem: RunProblem): boolean {
  if (problem.code === "auth.bad-token") return true;
  return (problem.code === "auth.refused" || problem.code === "auth.forbidden") && problem.isPage !== true;
}

/** Raises what is wrong with an address before a token is sent to it. A service refuses a call without a valid token. */
async function tryAddress(address: string, world: World): Promise<void> {
  const env = { ZITADEL_IMPORT_DOMAIN: address, PAT_IMPORT_TOKEN: "none" };
  const query = { offset: "0", limit: 1, asc: true };
  try {
    await withApi(env, world, ({ api, signal }) => api.searchOrgs({ query }, signal));
  } catch (error) {
    const isRefused = error instanceof ProblemError && error.problem.code === "auth.refused" && !error.problem.isPage;
    if (!isRefused) throw error;
  }
}

/** The organizations for users, if the token may import. That of the setup is the last one: users are seldom meant for it. */
async function orgsFor(asking: Asking): Promise<Target["orgs"]> {
  await checkRights(asking);
  const found = await searchOrgs(asking);
  if (found === undefined || found.size < 2) return found;
  const request = { asc: true, limit: 1, event_types: ["org.added"] };
  const first = await ifOffered(async () => (await asking.api.searchEvents(request, asking.signal)).events[0]);
  const own = first?.aggregate.id ?? "";
  const name = found.get(own);
  if (name === undefined) return found;
  return new Map([...[...found].filter(([id]) => id !== own), [own, name]]);
}
