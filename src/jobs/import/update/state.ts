import { resolve } from "node:path";
import * as z from "zod";
import type { InstanceAddress } from "../../../admin/address.ts";
import { newestEvent } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { comparedFields } from "../../../core/compared-fields.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { createDigester } from "../../../core/events/digest.ts";
import { isSavedLog, type SavedLog, saveLog } from "../../../core/events/instance-log.ts";
import { lockJournal } from "../../../io/journal/lock.ts";
import { readStateFile, type StateContent, writeStateFile } from "../../../io/state/state-file.ts";
import { ProblemError } from "../../../problem.ts";
import { deadRunLine, OTHER_SELF_LINE, type StateUse, stateLine } from "../../../ui/summary/update-plan.ts";
import { askingOf } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import type { ImportRun } from "../import-run.ts";
import { hasMark, Mark, type ReadLog, toMark } from "./mark.ts";
import type { UpdateWay } from "./open-update.ts";

const Side = z.object({ base: z.string(), mark: Mark });

const count = z.number().int().nonnegative();

/** The head of a state file. It holds no id, address or hash of a user; the words of the file are digests. */
const StateHead = z.object({
  /** The compared fields, in the order of the digests of a user. */
  fields: z.array(z.string()),
  /** The key of the digests. */
  key: z.string(),
  /** The service user that runs the copy. */
  self: z.string(),
  source: Side,
  target: Side,
  orgs: z.array(z.string()),
  users: z.object({
    orgLives: z.array(z.tuple([z.string(), count])),
    endedLives: z.array(count),
    users: z.array(z.tuple([z.string(), count])),
  }),
  metadata: z.object({
    keys: z.array(z.string()),
    cleared: z.array(z.tuple([count, count])),
    events: count,
  }),
});
type StateHead = z.infer<typeof StateHead>;

/** The log that an earlier run has read, if it still holds. */
export interface SavedState extends Pick<StateHead, "key" | "source" | "target"> {
  readonly log: SavedLog;
}

/** A state file that no other run uses. */
export interface OpenState {
  readonly saved: SavedState | undefined;
  /** An earlier run with the file ended without a result: no report has the users that it created. */
  readonly isAfterKilled: boolean;
  save(read: Omit<ReadLog, "edits">): Promise<void>;
}

type Run = Pick<ImportRun, "api" | "source" | "ui" | "report" | "context" | "settings">;

/**
 * Locks the state file for this run, and prints whether it is used: it must be of the same version and instances, which still have the
 * events that they had, and of the same organizations and service user. Without a state the run reads the whole log, with the same
 * result. Raises journal.locked, state.not-one, state.other-direction.
 */
export async function openState(
  run: Run,
  { orgs }: Pick<BodyScan, "orgs">,
  { self }: UpdateWay,
  path: string,
): Promise<OpenState> {
  const { api, source, ui, report, context, settings } = run;
  // A dry run only reads, and leaves what a killed run left for the run that says so.
  const place = { ...context, makesFolder: true };
  const lock = settings.dryRun ? undefined : lockJournal(resolve(context.cwd, path), place);
  if (lock?.deadSince !== undefined) {
    ui.warn(deadRunLine(lock.deadSince));
    report.set({ killedRun: lock.deadSince });
  }
  report.lastly(() => lock?.release());
  const { retry, signal } = askingOf(run);
  // The grants that the service leaves out of an export are an organization of the document once more.
  const orgIds = [...new Set(orgs.map(({ orgId }) => orgId))].sort();
  const found = readStateFile(path, context);
  const content = found === "broken" || found === "other-version" ? undefined : found;
  const head = StateHead.safeParse(content?.head).data;
  if (head !== undefined && source !== undefined) refuseOtherDirection(path, head, source.address, api.address);
  const wanted =
    found === undefined ? "none" : found === "other-version" ? found : await judge(head, { ...run, self, orgIds });
  const saved = wanted === "used" && head !== undefined && content !== undefined ? toSaved(head, content) : undefined;
  const use = wanted === "used" && saved === undefined ? "broken" : wanted;
  const line = stateLine(use, head?.target.mark.at ?? "");
  if (use === "other-job" && head?.self !== self) ui.warn(OTHER_SELF_LINE);
  if (use === "broken") ui.warn(line);
  else ui.say(`state:    ${line}`);
  report.set({ state: use });
  // The run reads the source's events after this: the next one continues from here.
  const newest =
    source === undefined
      ? undefined
      : await ifOffered(() => withRetry(() => newestEvent(source, signal), retry, signal));
  return {
    saved,
    isAfterKilled: lock?.deadSince !== undefined,
    async save({ log, key, mark }) {
      if (settings.dryRun || source === undefined || mark === undefined || newest === undefined) return;
      const { users, metadata } = saveLog(log);
      const next: StateHead = {
        fields: [...comparedFields],
        key,
        self,
        source: { base: source.address.base, mark: toMark(newest, log.digest) },
        target: { base: api.address.base, mark },
        orgs: orgIds,
        users: {
          orgLives: users.texts.orgLives.map(([id, life]) => [id, life]),
          endedLives: [...users.texts.endedLives],
          users: users.texts.users.map(([id, all]) => [id, all]),
        },
        metadata: {
          keys: [...metadata.texts.keys],
          cleared: metadata.texts.cleared.map(([user, at]) => [user, at]),
          events: metadata.texts.events,
        },
      };
      lock?.check();
      const words = [users, metadata].flatMap(({ ids, records }) => [ids.seeds, ids.records, records]);
      await writeStateFile(path, { head: next, words }, context);
    },
  };
}

/** What a state file is about, for people: the addresses of the instances, and the time up to which the target's log was read. */
export interface StateFacts {
  readonly source: string;
  readonly target: string;
  readonly readUntil: string;
}

/** Reads a state file. "damaged": a state file that the next copy cannot use. Raises state.not-one for any other file. */
export function readStateFacts(path: string, context: { readonly cwd: string }): StateFacts | "damaged" {
  const content = readStateFile(path, context);
  const head = typeof content === "object" ? StateHead.safeParse(content.head).data : undefined;
  if (head === undefined) return "damaged";
  return { source: head.source.base, target: head.target.base, readUntil: head.target.mark.at };
}

/** undefined for a content that `save` cannot have written, although its checksum is right. */
function toSaved(head: StateHead, { words }: StateContent): SavedState | undefined {
  const { users, metadata } = head;
  const [userSeeds = NONE, userIds = NONE, userRecords = NONE, seeds = NONE, ids = NONE, records = NONE] = words;
  const log = {
    users: { ids: { seeds: userSeeds, records: userIds }, records: userRecords, texts: users },
    metadata: { ids: { seeds, records: ids }, records, texts: metadata },
  };
  return isSavedLog(log) ? { ...head, log } : undefined;
}

const NONE = new Uint32Array();

/** A nightly copy whose two instances were exchanged would overwrite the source. Raises state.other-direction. */
function refuseOtherDirection(
  file: string,
  head: StateHead,
  source: InstanceAddress,
  { base, host }: InstanceAddress,
): void {
  if (head.source.base !== base || head.target.base !== source.base || base === source.base) return;
  throw new ProblemError({ code: "state.other-direction", file, source: source.host, target: host });
}

/** Decides whether a state is used, or why not. */
async function judge(
  head: StateHead | undefined,
  { api, source, self, orgIds, ui, context }: Run & { readonly self: string; readonly orgIds: readonly string[] },
): Promise<StateUse> {
  if (head === undefined) return "broken";
  if (head.fields.join(" ") !== comparedFields.join(" ")) return "other-version";
  if (head.target.base !== api.address.base || head.source.base !== source?.address.base) return "other-instance";
  const asking = askingOf({ api, ui, context });
  const digest = createDigester(head.key);
  if (!(await hasMark(asking, head.target.mark, digest))) return "target-reset";
  if (!(await hasMark({ ...asking, api: source }, head.source.mark, digest))) return "source-reset";
  return head.self === self && head.orgs.join(" ") === orgIds.join(" ") ? "used" : "other-job";
}
