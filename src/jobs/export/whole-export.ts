import type { AdminApi } from "../../admin/client.ts";
import { newestEvent } from "../../admin/events.ts";
import { withRetry } from "../../admin/with-retry.ts";
import { describe } from "../../problem/describe.ts";
import { count, counted, duration, firstOf, shown } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import { type Asking, askingOf, type CallWorld } from "../shared/asking.ts";
import { type ListName, SlowLists } from "../shared/lists.ts";
import { ifOffered, notOffered } from "../shared/not-offered.ts";
import type { LogReading } from "../shared/read-log.ts";
import { searchOrgs } from "../shared/search-orgs.ts";
import type { ExportSink } from "./disk-room.ts";
import { type Fetched, fetchExport } from "./fetch-export.ts";
import { type Lacking, MissingParts } from "./missing-parts.ts";
import type { Held } from "./receive.ts";
import { type ExportFlags, toExportRequest, transportsOf } from "./request.ts";
import { selectOrgs } from "./select-orgs.ts";

/** The last export, complete or not. */
export type WholeExport<S> = Fetched<S> & {
  /** What the event log has and the export lacks; undefined if the log cannot be read. */
  readonly lacking: Lacking | undefined;
  /** Lists from which the service exports, and which had not read their newest events when the export was requested. */
  readonly slowLists: readonly ListName[];
};

/**
 * Repeats an export until it has all awaited users, and their metadata, that the event log had at the beginning, for at most `settleMs`: exports lag behind
 * the events, and their answers do not show it (service behaviour 0.15). Before each export it waits for the lists from which the service
 * exports. An export that is still incomplete is returned with what it lacks. Raises api.org-not-requested for an organization that was not requested, api.org-missing for a requested organization that is
 * missing, api.no-orgs for an export without organizations.
 */
export async function exportWhole<S extends ExportSink>(
  call: CallWorld,
  flags: ExportFlags,
  createSink: () => S | Promise<S>,
): Promise<WholeExport<S>> {
  const { api, context, ui } = call;
  const asking = askingOf(call);
  const { retry } = asking;
  const log = await openLog(asking, flags);
  const pauses = createPauses(flags.settleMs, context.now);
  let transports = transportsOf(flags.transport);
  const lists = log.isReadable ? slowListsOf(flags, asking) : undefined;
  for (;;) {
    const slowLists = (await lists?.()) ?? [];
    const listPauseMs = slowLists.length === 0 ? undefined : pauses.next();
    if (listPauseMs !== undefined) {
      ui.say(`${slowLine(slowLists)} Looking again in ${duration(listPauseMs)}.`);
      await retry.sleep(listPauseMs, context.signal);
      continue;
    }
    const orgIds = await selectOrgs(flags, asking);
    const fetched = await fetchExport(call, toExportRequest(flags, orgIds), transports, createSink);
    // The complete export may be too large for a transport that could not answer with this one.
    transports = transports.slice(transports.indexOf(fetched.transport));
    try {
      checkRequested(orgIds, fetched, api);
      const lacking = await log.compare(fetched.held);
      const absent = orgIds.filter((id) => !fetched.held.hasOrg(id) && (flags.orgId.includes(id) || !log.isReadable));
      const mayCome = lacking !== undefined && absent.every((id) => lacking.orgs.includes(id));
      const isHopeless = flags.mayBeAbsent !== true && !mayCome;
      const pauseMs = lacking === undefined || isHopeless || isWhole(lacking) ? undefined : pauses.next();
      if (pauseMs === undefined) {
        if (flags.mayBeAbsent !== true) await checkPresent(absent, { ...fetched, lacking }, asking);
        return { ...fetched, lacking, slowLists };
      }
      ui.say(`${shortLine(lacking as Lacking, fetched)} It lags behind; exporting again in ${duration(pauseMs)}.`); // without a pause there is nothing to say
      await retry.sleep(pauseMs, context.signal);
    } catch (error) {
      await fetched.sink.discard();
      throw error;
    }
    await fetched.sink.discard();
  }
}

/** An organization that was not requested must not reach a file or target, where it would overwrite existing data. */
function checkRequested(
  orgIds: readonly string[],
  { held }: Pick<Fetched<unknown>, "held">,
  { address: { host } }: AdminApi,
): void {
  const requested = new Set(orgIds);
  const others = requested.size === 0 ? [] : held.orgIds.filter((id) => !requested.has(id));
  if (others.length > 0) throw new ProblemError({ code: "api.org-not-requested", host, orgIds: others });
}

async function checkPresent(
  absent: readonly string[],
  { counts, lacking }: Pick<WholeExport<unknown>, "counts" | "lacking">,
  asking: Asking,
): Promise<void> {
  const { host } = asking.api.address;
  if (absent.length > 0) {
    const removed = lacking?.removedOrgs.filter(({ id }) => absent.includes(id)) ?? [];
    const existing = removed.length === absent.length ? undefined : await searchOrgs(asking);
    throw new ProblemError({ code: "api.org-missing", host, orgIds: absent, removed, existing });
  }
  if (counts.orgs === 0) throw new ProblemError({ code: "api.no-orgs", host });
}

const SHOWN_USERS = 10;

/** What an incomplete export lacks, and has too much, in a sentence or two. */
export function shortLine(
  { users, metadata, orgs, deleted }: Lacking,
  { counts }: Pick<Fetched<unknown>, "counts">,
): string {
  const known = counts.users + counts.machineUsers + users;
  const parts = [
    ...(users > 0 ? [`${count(users)} of ${counted(known, "user")}`] : []),
    ...(metadata.length > 0
      ? [`${count(metadata.length)} metadata ${metadata.length === 1 ? "entry" : "entries"}`]
      : []),
    ...(orgs.length > 0 ? [counted(orgs.length, "organization")] : []),
  ];
  const lacks = parts.length === 0 ? [] : [`lacks ${parts.join(" and ")} that the event log knows`];
  const were = deleted.length === 1 ? "was" : "were";
  const named = firstOf(deleted.map(shown), SHOWN_USERS);
  const has = deleted.length === 0 ? [] : [`has ${counted(deleted.length, "user")} who ${were} deleted: ${named}`];
  return `the export ${[...lacks, ...has].join(", and ")}.`;
}

/** Lists that lag behind, as a sentence. */
export function slowLine(slowLists: readonly ListName[]): string {
  return `the service's lists lag behind its event log: ${slowLists.join(", ")}.`;
}

/** Looks at the lists from which the service exports users; an instance that does not say how far they are has none that lag behind. */
function slowListsOf({ orgId }: ExportFlags, asking: Asking): () => Promise<readonly ListName[]> {
  const lists = new SlowLists(EXPORTED_LISTS, asking, orgId.length === 1 ? orgId[0] : undefined);
  return async () => (await ifOffered(() => lists.look())) ?? [];
}

const EXPORTED_LISTS = ["users", "metadata", "grants", "identity provider links"] as const;

/** True when nothing is lacking, and no user of the export was deleted. */
export function isWhole({ users, metadata, orgs, deleted }: Lacking): boolean {
  return users === 0 && metadata.length + orgs.length + deleted.length === 0;
}

/** The event log, if the instance allows reading it. */
interface Log {
  readonly isReadable: boolean;
  compare(held: Held): Promise<Lacking | undefined>;
}

/** Prints a warning if events cannot be read: then the export cannot be checked. */
async function openLog(reading: LogReading, flags: ExportFlags): Promise<Log> {
  const { api, ui, retry, signal } = reading;
  const giveUp = (error: unknown): undefined => {
    const problem = notOffered(error);
    if (problem === undefined) throw error;
    ui.warn(
      `it is unknown whether the export has all users, because events cannot be read: ${describe(problem).message}`,
    );
    return undefined;
  };
  const mark = (await withRetry(() => newestEvent(api, signal), retry, signal).catch(giveUp))?.creationDate;
  if (mark === undefined || Number.isNaN(Date.parse(mark))) {
    return { isReadable: false, compare: async () => undefined };
  }
  const { orgId: orgIds, excludeOrgId: excludedOrgIds, awaited = "all-users" } = flags;
  const missing = new MissingParts({ orgIds, excludedOrgIds, mark, awaited });
  return {
    isReadable: true,
    async compare(held) {
      const lacking = await missing.compare(held, reading).catch(giveUp);
      if (lacking === undefined) ui.warn(UNCOMPARED_LINE);
      return lacking;
    },
  };
}

const UNCOMPARED_LINE = "the export could not be compared with the event log: it is unknown whether it has all users.";

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/** Growing pauses, until the time since the first one exceeds the limit. */
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
