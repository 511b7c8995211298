import type { AdminApi } from "../../admin/client.ts";
import { newestEvent } from "../../admin/events.ts";
import { type RetryContext, withRetry } from "../../admin/with-retry.ts";
import { describe } from "../../problem/describe.ts";
import { count, counted, duration } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import { createRetry } from "../shared/create-retry.ts";
import { notOffered } from "../shared/not-offered.ts";
import type { ExportSink } from "./disk-room.ts";
import { type Lacking, MissingUsers } from "./event-users.ts";
import { type Fetched, fetchExport } from "./fetch-export.ts";
import type { ExportCall, Held } from "./receive.ts";
import { type ExportFlags, type Transport, toExportRequest } from "./request.ts";
import { selectOrgs } from "./select-orgs.ts";

/** An export as whole as it got. */
export type WholeExport<S> = Fetched<S> & {
  /** What the event log knows and the export does not hold; undefined when the log cannot be read. */
  readonly lacking: Lacking | undefined;
};

/**
 * Exports until everybody who is awaited and whom the event log knew at the beginning is in it, for `settleMs` at most: what the service exports lags behind
 * what it has recorded, and nothing in its answer says so (service behaviour 0.15). An export that is still short is given back
 * with what it lacks. Raises api.org-not-requested when it holds an organization that the request did not name, api.org-missing when an
 * organization that was asked for is not in it, api.no-orgs when none is.
 */
export async function exportWhole<S extends ExportSink>(
  call: ExportCall,
  flags: ExportFlags,
  createSink: () => S | Promise<S>,
): Promise<WholeExport<S>> {
  const { api, context, ui } = call;
  const retry = createRetry(ui, context);
  const log = await openLog(call, flags, retry);
  const pauses = createPauses(flags.settleMs, context.now);
  let transport: Transport = flags.transport;
  for (;;) {
    const orgIds = await selectOrgs(api, flags, retry, context.signal);
    const fetched = await fetchExport(call, toExportRequest(flags, orgIds), transport, createSink);
    // One that was small enough while it lacked somebody may be too large when it is whole.
    if (fetched.transport === "grpc-web") transport = "grpc-web";
    try {
      checkRequested(orgIds, fetched, api);
      const lacking = await log.compare(fetched.held);
      const absent = orgIds.filter((id) => !fetched.held.hasOrg(id) && (flags.orgId.includes(id) || !log.isReadable));
      const mayCome = lacking !== undefined && absent.every((id) => lacking.orgs.includes(id));
      const isHopeless = flags.mayBeAbsent !== true && !mayCome;
      const pauseMs = lacking === undefined || isHopeless || isWhole(lacking) ? undefined : pauses.next();
      if (pauseMs === undefined) {
        if (flags.mayBeAbsent !== true) checkPresent(absent, fetched, api);
        return { ...fetched, lacking };
      }
      ui.say(`${shortLine(lacking as Lacking, fetched)} It lags behind; exporting again in ${duration(pauseMs)}.`); // a pause has its reason
      await retry.sleep(pauseMs, context.signal);
    } catch (error) {
      await fetched.sink.discard();
      throw error;
    }
    await fetched.sink.discard();
  }
}

/** What was not requested is written into no file and no target: it would overwrite what is there under its id. */
function checkRequested(
  orgIds: readonly string[],
  { held }: Pick<Fetched<unknown>, "held">,
  { address: { host } }: AdminApi,
): void {
  const requested = new Set(orgIds);
  const others = requested.size === 0 ? [] : held.orgIds.filter((id) => !requested.has(id));
  if (others.length > 0) throw new ProblemError({ code: "api.org-not-requested", host, orgIds: others });
}

function checkPresent(absent: readonly string[], { counts }: Fetched<unknown>, { address: { host } }: AdminApi): void {
  if (absent.length > 0) throw new ProblemError({ code: "api.org-missing", host, orgIds: absent });
  if (counts.orgs === 0) throw new ProblemError({ code: "api.no-orgs", host });
}

/** What is missing of an export that is not whole, as a sentence. */
export function shortLine({ users, orgs }: Lacking, { counts }: Pick<Fetched<unknown>, "counts">): string {
  const known = counts.users + counts.machineUsers + users;
  const whole = orgs.length === 0 ? "" : ` and ${counted(orgs.length, "organization")}`;
  return `the export lacks ${count(users)} of ${counted(known, "user")}${whole} that the event log knows.`;
}

/** True when nothing is lacking. */
export function isWhole({ users, orgs }: Lacking): boolean {
  return users === 0 && orgs.length === 0;
}

/** The event log, as far as the instance lets it be read. */
interface Log {
  readonly isReadable: boolean;
  compare(held: Held): Promise<Lacking | undefined>;
}

/** An instance that does not tell its events can only be believed; that is said. */
async function openLog({ api, ui, context }: ExportCall, flags: ExportFlags, retry: RetryContext): Promise<Log> {
  const { signal } = context;
  const giveUp = (error: unknown): undefined => {
    const problem = notOffered(error);
    if (problem === undefined) throw error;
    ui.warn(
      `whether the export holds everybody is not known, since events cannot be read: ${describe(problem).message}`,
    );
    return undefined;
  };
  const mark = await withRetry(() => newestEvent(api, signal), retry, signal).catch(giveUp);
  if (mark === undefined || Number.isNaN(Date.parse(mark))) {
    return { isReadable: false, compare: async () => undefined };
  }
  const { orgId: orgIds, excludeOrgId: excludedOrgIds, awaited = "everybody" } = flags;
  const missing = new MissingUsers({ orgIds, excludedOrgIds, mark, awaited });
  return {
    isReadable: true,
    async compare(held) {
      const lacking = await missing.compare(held, { api, ui, retry, signal }).catch(giveUp);
      if (lacking === undefined) ui.warn(UNCOMPARED_LINE);
      return lacking;
    },
  };
}

const UNCOMPARED_LINE = "the export could not be compared with the event log: whether it holds everybody is not known.";

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/** Pauses that grow, until the time since the first of them is over. */
function createPauses(limitMs: number, now: () => Date): { next(): number | undefined } {
  let startedMs: number | undefined;
  let waitedMs = 0;
  let pauseMs = FIRST_PAUSE_MS;
  return {
    next() {
      startedMs ??= now().getTime();
      const next = Math.min(pauseMs, limitMs - Math.max(now().getTime() - startedMs, waitedMs));
      if (next <= 0) return undefined;
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      waitedMs += next;
      return next;
    },
  };
}
