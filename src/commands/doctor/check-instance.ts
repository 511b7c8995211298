import { lookup } from "node:dns/promises";
import { setTimeout } from "node:timers/promises";
import type { AdminApi } from "../../admin/client.ts";
import { newestEvent } from "../../admin/events.ts";
import { createUsersApi } from "../../admin/users-api.ts";
import { askClock, readInstanceVersion } from "../../admin/version.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import { parseDurationMs } from "../../contract/duration.ts";
import { isKnownVersion, NEWEST_VERSION } from "../../contract/versions.ts";
import { hasMailProvider } from "../../jobs/import/plan/mail-provider.ts";
import { probeRights } from "../../jobs/import/plan/probe.ts";
import type { Asking } from "../../jobs/shared/asking.ts";
import { type ListedIdp, listIdps } from "../../jobs/shared/list-idps.ts";
import { ifOffered } from "../../jobs/shared/not-offered.ts";
import { searchOrgs } from "../../jobs/shared/search-orgs.ts";
import { duration, idsWithNames } from "../../problem/format.ts";
import { ProblemError, type Side } from "../../problem.ts";
import { NO_MAIL_PROVIDER } from "../../ui/summary/import-plan.ts";
import type { Ui } from "../../ui/ui.ts";
import { connectTo, type InstanceFlags } from "../shared/connect.ts";
import { type Check, failed, ok, warn } from "./check.ts";
import { checkHashes, type Probed } from "./check-hashes.ts";

/** A smaller difference has no effect. A larger one makes comparisons by time wrong. */
const CLOCK_MS = 60_000;
/** One attempt: the check shows the current state, and does not add load to a busy service. */
const NO_RETRY: RetryContext = {
  sleep: async () => {},
  random: () => 0,
  onPause: (problem) => {
    throw new ProblemError(problem);
  },
};
const MAX_LOOKUP_MS = 10_000;

/** What is checked of an instance. */
export interface InstanceToCheck {
  readonly side: Side;
  readonly flags: InstanceFlags;
  /** Find out which password hashes it accepts. */
  readonly probe: boolean;
}

interface IdpOfSide extends ListedIdp {
  readonly side: Side;
}

/** The checks of an instance, and what a probe of it found. */
export interface Checked {
  readonly checks: readonly Check[];
  readonly idps: readonly IdpOfSide[];
  readonly probe?: Probed["probe"];
}

/** Checks in order what a command needs of this instance. A failed check skips the checks that depend on it. */
export async function checkInstance(
  { side, flags, probe: isProbed }: InstanceToCheck,
  context: Context,
  ui: Ui,
): Promise<Checked> {
  const checks: Check[] = [];
  let probe: Probed["probe"] | undefined;
  let idps: readonly IdpOfSide[] = [];
  try {
    const api = await connectTo(side, { ...flags, isExact: true }, context, ui);
    try {
      checks.push(await checkName(side, api, flags, context.signal));
      idps = await reach(side, api, context, checks);
      if (isProbed) {
        const version = checks.find(({ name, status }) => name === versionName(side) && status === "ok")?.detail;
        const probed = await checkHashes(api, version, { context, ui });
        checks.push(...probed.checks);
        probe = probed.probe;
      }
    } finally {
      await api.close();
    }
  } catch (error) {
    checks.push(failed(side, error));
  }
  return { checks, idps, ...(probe === undefined ? {} : { probe }) };
}

/** Resolves the host name within the time limit of a call. Behind a proxy, the proxy resolves it. */
async function checkName(
  side: Side,
  { address }: AdminApi,
  { timeout = "" }: InstanceFlags,
  signal: AbortSignal,
): Promise<Check> {
  const { hostname, protocol } = new URL(address.origin);
  const name = `${side} address`;
  const scheme = protocol === "https:" ? "https" : "plain http";
  const done = new AbortController();
  const late = setTimeout(parseDurationMs(timeout) ?? MAX_LOOKUP_MS, undefined, {
    signal: AbortSignal.any([signal, done.signal]),
  });
  try {
    const found = await Promise.race([lookup(hostname.replace(/^\[|\]$/g, "")), late]);
    if (found === undefined)
      return warn(name, `${address.host}: the name service of this machine did not answer in time.`);
    return ok(name, `${address.host} (${scheme}) resolves to ${found.address}`);
  } catch {
    signal.throwIfAborted();
    return warn(name, `${address.host}: this machine cannot resolve the name; a proxy may.`);
  } finally {
    late.catch(() => {}); // it is stopped
    done.abort();
  }
}

async function reach(
  side: Side,
  api: AdminApi,
  { signal, now }: Context,
  checks: Check[],
): Promise<readonly IdpOfSide[]> {
  const begun = now().getTime();
  if (side === "target") {
    await probeRights({ api, retry: NO_RETRY, signal });
    checks.push(ok("target token", "may import (role IAM_OWNER)"));
  } else {
    await api.searchOrgs({ query: { offset: "0", limit: 1, asc: true } }, signal);
    checks.push(ok("source token", "may export (role IAM_OWNER_VIEWER or higher)"));
  }
  const { date } = await askClock(api, signal);
  checks.push(
    checkClock(side, date, now().getTime()),
    ok(`${side} speed`, `${duration(now().getTime() - begun)} for two calls`),
  );
  checks.push(await checkVersion(side, api, signal), await checkEvents(side, api, signal));
  if (side === "target") checks.push(await checkUsersApi(api, signal));
  const asking = { api, retry: NO_RETRY, signal };
  const found = await searchOrgs(asking);
  checks.push(checkOrgs(side, found));
  const orgIds = found === undefined ? undefined : [...found.keys()].slice(0, SHOWN_ORGS);
  const idps = orgIds && (await ifOffered(() => listIdps(asking, orgIds)));
  checks.push(checkIdps(side, idps));
  if (side === "target") checks.push(...(await checkMails(asking)));
  return (idps ?? []).map((idp) => ({ side, ...idp }));
}

const SHOWN_ORGS = 20;
const SHOWN_IDPS = 20;

/** None if the instance does not say it. */
async function checkMails(asking: Asking): Promise<readonly Check[]> {
  const isActive = await hasMailProvider(asking);
  if (isActive === undefined) return [];
  return [isActive ? ok("target e-mails", "an e-mail provider is active") : warn("target e-mails", NO_MAIL_PROVIDER)];
}

/** Lists the organizations: `--org` and `--org-id` take their ids. */
function checkOrgs(side: Side, orgs: ReadonlyMap<string, string> | undefined): Check {
  const name = `${side} orgs`;
  if (orgs === undefined) return warn(name, "the instance does not list its organizations.");
  if (orgs.size === 0) return warn(name, "none: create one in the console of the instance (/ui/console).");
  return ok(name, idsWithNames(orgs, SHOWN_ORGS));
}

/** Lists the identity providers: `--idp` takes their ids. */
function checkIdps(side: Side, idps: readonly ListedIdp[] | undefined): Check {
  const name = `${side} idps`;
  if (idps === undefined) return warn(name, "the instance does not list its identity providers.");
  if (idps.length === 0)
    return ok(
      name,
      "no identity provider; to add one, use the console of the instance (/ui/console): Default Settings or an organization's Settings, Identity Providers",
    );
  const words = idps.map(({ id, name: title, type, orgId }): [string, string] => [
    id,
    [title, type, orgId === undefined ? "instance" : `organization ${orgId}`].filter((part) => part !== "").join(", "),
  ]);
  return ok(name, idsWithNames(new Map(words), SHOWN_IDPS));
}

/** Compares the clock of the instance with the local clock. */
export function checkClock(side: Side, theirs: Date | undefined, ourMs: number): Check {
  const name = `${side} clock`;
  if (theirs === undefined) return warn(name, "the responses have no Date header.");
  const offMs = Math.abs(theirs.getTime() - ourMs);
  return offMs > CLOCK_MS
    ? warn(name, `differs by ${duration(offMs)} from this machine: synchronize the clock of this machine.`)
    : ok(name, `differs by at most ${duration(Math.max(offMs, 1_000))} from this machine`);
}

function versionName(side: Side): string {
  return `${side} version`;
}

/** The version that the instance reports, and whether the rules of that version are known (service behaviour 9.1). */
async function checkVersion(side: Side, api: AdminApi, signal: AbortSignal): Promise<Check> {
  const name = versionName(side);
  const version = await readInstanceVersion(api, signal);
  if (version === undefined) return warn(name, "the instance does not report its version.");
  if (isKnownVersion(version)) return ok(name, version);
  return warn(
    name,
    `${version} is not a known version (the newest is ${NEWEST_VERSION}): orgferry applies the rules of the known versions.`,
  );
}

async function checkEvents(side: Side, api: AdminApi, signal: AbortSignal): Promise<Check> {
  const name = `${side} events`;
  try {
    await newestEvent(api, signal);
    return ok(name, "readable");
  } catch (error) {
    const { detail } = failed(name, error, "warn");
    return warn(
      name,
      `not readable, so orgferry cannot check whether an export is complete or which users exist: ${detail}`,
    );
  }
}

async function checkUsersApi(api: AdminApi, signal: AbortSignal): Promise<Check> {
  const found = await createUsersApi(api).probe(signal);
  return found === "there"
    ? ok("target users API", "available: verified e-mail addresses stay verified, without unnecessary e-mails")
    : warn(
        "target users API",
        `${found}: the import endpoint creates all users, and sends an e-mail to those without a password.`,
      );
}
