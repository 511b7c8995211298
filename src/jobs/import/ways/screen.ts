import { type Item, readItems } from "../../../core/document/items.ts";
import { HEAD } from "../../../core/document/org-sections.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import {
  type BatchResult,
  type Counts,
  countOne,
  type Existing,
  type Failure,
  NO_RESULT,
} from "../../../core/transfer/answer/batch-result.ts";
import { elementTypes } from "../../../core/transfer/answer/element-types.ts";
import { toOutcome } from "../../../core/transfer/answer/outcome.ts";
import { type Batch, toBatch } from "../../../core/transfer/batches.ts";
import { shown } from "../../../problem/format.ts";
import { isAlive, isRemoved, lastLifeEvent } from "../../shared/user-life.ts";
import { repeats, runsOf, settle } from "../ledger.ts";
import type { TargetState } from "../plan/target-state.ts";
import type { JobProgress } from "../progress.ts";
import type { SendContext } from "./way.ts";

/**
 * Takes out of a batch what must not be sent, and settles it: what can go nowhere, because its organization was refused or removed,
 * fails for the same reason; so does a user who was removed from another organization, to which the service would take him back
 * (service behaviour 0.11), and one whose id belongs to a user that the service would write over (0.43); the instance's own things are
 * there. What went along with something else is settled by now. Returns what is left.
 */
export async function screenBatch(
  batch: Batch,
  context: SendContext,
  progress: JobProgress,
): Promise<Batch | undefined> {
  const unfit = await findUnfit(batch.items, context, progress);
  const whyNot = (item: Item): Failure | undefined => unfit.get(item) ?? progress.whyClosed(item);
  const isOpen = ({ index }: Item): boolean => !progress.state.done.has(index);
  for (const run of runsOf(batch.items, (item) => isOpen(item) && whyNot(item) !== undefined)) {
    settleAs(run, failing(run, whyNot, context), context, progress);
  }
  for (const run of runsOf(batch.items, (item) => isOpen(item) && progress.leftAlone.has(item.index))) {
    settleAs(
      run,
      { ...NO_RESULT, existing: run.map((item) => ({ ...placeOf(item, context), message: "" })) },
      context,
      progress,
    );
  }
  const left = batch.items.filter(isOpen);
  if (left.length === batch.items.length) return batch;
  return left.length === 0 ? undefined : toBatch(left, batch.buffers);
}

function settleAs(run: readonly Item[], result: BatchResult, context: SendContext, progress: JobProgress): void {
  const { failOnExisting } = context;
  const isRepeat = repeats(run, context, progress);
  settle(run, toOutcome(result, { whose: () => "theirs", isRepeat, failOnExisting }), context, progress);
}

function failing(run: readonly Item[], whyNot: (item: Item) => Failure | undefined, context: SendContext): BatchResult {
  const others = new Map<string, Counts>();
  const failures = run.map((item): Failure => {
    const { message, cause } = whyNot(item) as Failure; // asked of such items alone
    const place = placeOf(item, context);
    if (place.type !== "human_user") countOne(others, place.type, "failed");
    return { ...place, message, cause };
  });
  return { ...NO_RESULT, failures, others };
}

/** How the service names an item, and where it stands. */
function placeOf({ key, bytes, org, index: item, line }: Item, { scan }: SendContext): Omit<Existing, "message"> {
  const orgId = scan.orgs[org]?.orgId ?? "";
  if (key === HEAD) return { type: "org", id: orgId, item, line };
  if (key === "humanUsers") return { type: "human_user", id: userIdOf(bytes), item, line };
  const type = elementTypes[key];
  if (type === undefined) return { type: key, id: "", item, line };
  return { type: type.type, id: type.errorId(type.keyOf(fieldsOf(JSON.parse(bytes.toString()))), orgId), item, line };
}

/**
 * Users that must not be sent as they are: who was removed from another organization, and whose id belongs to a user of the other kind or,
 * of a machine user, of another organization. Who was removed from this organization comes back, which 2.x cannot do.
 */
async function findUnfit(
  items: readonly Item[],
  { api, scan, target, retry, signal }: SendContext,
  progress: JobProgress,
): Promise<ReadonlyMap<Item, Failure>> {
  const unfit = new Map<Item, Failure>();
  if (target === undefined) return unfit;
  for (const item of items) {
    const isMachine = item.key === "machineUsers";
    if ((!isMachine && item.key !== "humanUsers") || progress.state.done.has(item.index)) continue;
    const id = isMachine ? machineIdOf(item.bytes) : userIdOf(item.bytes);
    const from = target.removedFrom?.(id);
    const isTwo = !isMachine && target.isSentAsMachine?.(id) === true;
    if (id === "" || !(isMachine || isTwo || from !== undefined || target.isMachine(id))) continue;
    const orgId = scan.orgs[item.org]?.orgId ?? "";
    const fail = (cause: Failure["cause"], message = ""): void =>
      void unfit.set(item, { type: "", id, message, cause }); // the place is put in later
    const last = await lastLifeEvent(id, { api, retry, signal });
    if (isAlive(last)) {
      const home = last.aggregate.resourceOwner;
      const isOtherKind = (last.type.type === MACHINE_ADDED) !== isMachine;
      if (home !== orgId && (isMachine || isOtherKind))
        fail("in-other-org", `organization ${shown(api.redactor.clean(home))}`);
      else if (isOtherKind) fail("id-of-other-kind");
    } else if (isTwo) fail("id-of-other-kind");
    else if (last !== undefined && !isMachine && from === orgId) progress.comingBack.add(item.index);
    else if (last !== undefined && !isMachine && from !== undefined) fail("user-removed");
  }
  return unfit;
}

const MACHINE_ADDED = "user.machine.added";

/** The ids of the machine users of an input. Reads their lists once. */
export async function readMachineIds({
  parts,
  scan,
  read,
  signal,
}: Pick<SendContext, "parts" | "scan" | "read" | "signal">): Promise<IdTable> {
  const ids = new IdTable();
  const lists = parts.filter(({ section }) => section?.key === "machineUsers");
  for await (const items of readItems(lists, scan, read, () => true)) {
    signal.throwIfAborted();
    for (const { bytes } of items) ids.set(machineIdOf(bytes), 0);
  }
  return ids;
}

/** The id that the service gives a machine user: the one within (service behaviour 2.6), which is sent where the entry has it outside. */
export function machineIdOf(entry: Buffer): string {
  const fields = fieldsOf(JSON.parse(entry.toString()));
  return textMember(fieldsOf(member(fields, "user")), "userId") || textMember(fields, "userId");
}

/** Of those who were removed and should come back, 2.x says that they are there, and they are not. */
export async function removedAreMissing<T extends BatchResult>(
  result: T,
  asking: Pick<SendContext, "api" | "retry" | "signal">,
  progress: JobProgress,
): Promise<T> {
  const gone = new Set<Existing>();
  for (const one of result.existing) {
    const { type, item, id } = one;
    if (type === "human_user" && item !== undefined && (await isStillGone(item, id, asking, progress))) gone.add(one);
  }
  if (gone.size === 0) return result;
  const failures = [...gone].map((one): Failure => ({ ...one, cause: "user-removed" }));
  const existing = result.existing.filter((one) => !gone.has(one));
  return { ...result, existing, failures: [...result.failures, ...failures] };
}

/** True for a user who was to come back and has not, though the service says that the id is there; an attempt that was lost may have done it. */
export async function isStillGone(
  item: number,
  userId: string,
  asking: Pick<SendContext, "api" | "retry" | "signal">,
  { comingBack, state }: Pick<JobProgress, "comingBack" | "state">,
): Promise<boolean> {
  return comingBack.has(item) && (!state.lost.has(item) || (await isRemoved(userId, asking)));
}

/** What is imported into an organization that was removed is found by nobody (service behaviour 0.11): it is not sent. */
export function closeRemovedOrgs(target: TargetState, { orgs }: Pick<BodyScan, "orgs">, progress: JobProgress): void {
  for (const [index, { orgId: id }] of orgs.entries()) {
    if (target.orgs.get(id)?.isRemoved !== true) continue;
    progress.closeOrg(index, { type: "org", id, message: "", cause: "org-removed" });
  }
}
