import { lookup } from "node:dns/promises";
import * as z from "zod";
import type { AdminApi } from "../../admin/client.ts";
import { newestEvent } from "../../admin/events.ts";
import { createUsersApi } from "../../admin/users-api.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { probeRights } from "../../jobs/import/preflight/probe.ts";
import { ProblemError, type Side } from "../../problem.ts";
import { duration } from "../../ui/format.ts";
import type { Ui } from "../../ui/ui.ts";
import { connectTo, type InstanceFlags } from "../shared/connect.ts";
import { type Check, failed, ok, warn } from "./check.ts";

/** Nobody notices less; more, and what is compared by time is compared wrongly. */
const CLOCK_MS = 60_000;
/** Whoever wants to know how things are is told at once; a busy service is not asked again and again. */
const NO_RETRY: RetryContext = {
  sleep: async () => {},
  random: () => 0,
  onPause: (problem) => {
    throw new ProblemError(problem);
  },
};
const MyInstance = z.object({ instance: z.object({ version: z.string() }) });

/** Everything that a command with this instance needs of it, one thing after the other; what cannot work any more is not tried. */
export async function checkInstance(side: Side, flags: InstanceFlags, context: Context, ui: Ui): Promise<Check[]> {
  const checks: Check[] = [];
  try {
    const api = await connectTo(side, flags, context, ui);
    try {
      checks.push(await checkName(side, api));
      await reach(side, api, context, checks);
    } finally {
      await api.close();
    }
  } catch (error) {
    checks.push(failed(side, error));
  }
  return checks;
}

/** Where the name leads; behind a proxy that is the proxy's affair, and what is unreachable shows anyway. */
async function checkName(side: Side, { address }: AdminApi): Promise<Check> {
  const { hostname, protocol } = new URL(address.origin);
  const name = `${side} address`;
  const scheme = protocol === "https:" ? "https" : "plain http";
  try {
    const found = await lookup(hostname.replace(/^\[|\]$/g, ""));
    return ok(name, `${address.host} (${scheme}) is ${found.address}`);
  } catch {
    return warn(name, `${address.host}: the name cannot be resolved here; a proxy may know it.`);
  }
}

async function reach(side: Side, api: AdminApi, { signal, now }: Context, checks: Check[]): Promise<void> {
  const begun = now().getTime();
  if (side === "target") {
    await probeRights(api, NO_RETRY, signal);
    checks.push(ok("target token", "may import (IAM_OWNER)"));
  } else {
    await api.searchOrgs({ query: { offset: "0", limit: 1, asc: true } }, signal);
    checks.push(ok("source token", "may export (IAM_OWNER_VIEWER or more)"));
  }
  const answer = await api.request(
    { path: endpoints.searchOrgs.path, body: Buffer.from('{"query":{"limit":1}}'), role: "IAM_OWNER_VIEWER" },
    signal,
  );
  await answer.text();
  checks.push(
    checkClock(side, answer.date, now().getTime()),
    ok(`${side} speed`, `${duration(now().getTime() - begun)} for two calls`),
  );
  checks.push(await checkVersion(side, api, signal), await checkEvents(side, api, signal));
  if (side === "target") checks.push(await checkUsersApi(api, signal));
}

/** A clock that is away from ours by more than anybody would notice. */
export function checkClock(side: Side, theirs: Date | undefined, ourMs: number): Check {
  const name = `${side} clock`;
  if (theirs === undefined) return warn(name, "the service does not tell its time.");
  const offMs = Math.abs(theirs.getTime() - ourMs);
  return offMs > CLOCK_MS
    ? warn(name, `${duration(offMs)} away from this machine's: set this one.`)
    : ok(name, `within ${duration(Math.max(offMs, 1_000))} of this machine's`);
}

/** service behaviour 0.21 tells of health alone; the instance itself tells its version (tried on 2.62 and 4). */
async function checkVersion(side: Side, api: AdminApi, signal: AbortSignal): Promise<Check> {
  const name = `${side} version`;
  const call = {
    method: "GET",
    path: "/admin/v1/instances/me",
    body: Buffer.alloc(0),
    role: "IAM_OWNER_VIEWER",
  } as const;
  try {
    const text = await (await api.request(call, signal)).text();
    return ok(name, MyInstance.parse(JSON.parse(text)).instance.version);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === "run.aborted") throw error;
    return warn(name, "the service does not tell.");
  }
}

async function checkEvents(side: Side, api: AdminApi, signal: AbortSignal): Promise<Check> {
  const name = `${side} events`;
  try {
    await newestEvent(api, signal);
    return ok(name, "can be read");
  } catch (error) {
    const { detail } = failed(name, error, "warn");
    return warn(
      name,
      `cannot be read, so whether an export is whole and what is there already is not known: ${detail}`,
    );
  }
}

async function checkUsersApi(api: AdminApi, signal: AbortSignal): Promise<Check> {
  const found = await createUsersApi(api).probe(signal);
  return found === "there"
    ? ok("target users API", "there: verified addresses stay verified, and nobody is mailed without need")
    : warn(
        "target users API",
        `${found}: everybody goes through the import endpoint, which mails those without a password.`,
      );
}
