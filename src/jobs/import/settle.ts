import type { Item } from "../../core/document/items.ts";
import { HEAD } from "../../core/document/org-sections.ts";
import { userIdOf } from "../../core/document/user-id.ts";
import { fieldsOf } from "../../core/json/members.ts";
import type { Way } from "../../core/rules/route.ts";
import { type Counts, countOne, type Existing, type Failure, NO_RESULT } from "../../core/transfer/batch-result.ts";
import { type Batch, toBatch } from "../../core/transfer/batches.ts";
import { elementTypes } from "../../core/transfer/element-types.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import { type Outcome, toOutcome } from "../../core/transfer/outcome.ts";
import { countUsers, type JobProgress, rangeOf } from "./progress.ts";
import type { SendContext } from "./send-context.ts";

/** Writes down what items that stand together came to, and tells of it. `carried` are places of other items that went along. */
export function settle(
  items: readonly Item[],
  outcome: Outcome,
  { journal, onDone }: Pick<SendContext, "journal" | "onDone">,
  progress: JobProgress,
  { way = "import", carried = [] }: { readonly way?: Way; readonly carried?: readonly number[] } = {},
): void {
  const { unknown, open, failures } = outcome;
  const lists = { unknown: [...unknown], open: [...open], failures: [...failures], carried: [...carried] };
  const entry: DoneEntry = { kind: "done", ...rangeOf(items), way, users: countUsers(items), ...outcome, ...lists };
  progress.settle(items, entry);
  try {
    journal.append(entry);
  } finally {
    onDone(entry); // what was answered counts, also when the disk is full
  }
}

/** Tells users whose id this job has sent before; only where it matters, because it takes memory. */
export function repeats(
  items: readonly Item[],
  { failOnExisting }: Pick<SendContext, "failOnExisting">,
  progress: JobProgress,
): (entry: Existing) => boolean {
  const repeated = failOnExisting ? progress.repeatedUsers({ items }) : undefined;
  return ({ item }) => item !== undefined && repeated?.has(item) === true;
}

/**
 * Takes out of a batch what is settled by now, because it went along with something else, and what can go nowhere, because its
 * organization was refused: that fails for the same reason. Returns what is left.
 */
export function withoutSettled(batch: Batch, context: SendContext, progress: JobProgress): Batch | undefined {
  const isClosed = (item: Item): boolean => item.key !== HEAD && progress.whyClosed(item) !== undefined;
  for (const run of runsOf(batch.items, isClosed)) settle(run, failedAs(run, context, progress), context, progress);
  const left = batch.items.filter(({ index }) => !progress.state.done.has(index));
  if (left.length === batch.items.length) return batch;
  return left.length === 0 ? undefined : toBatch(left, batch.buffers);
}

/** The items that are wanted, in runs of those that stand together. */
export function runsOf(items: readonly Item[], isWanted: (item: Item) => boolean): Item[][] {
  const runs: Item[][] = [];
  let open: Item[] | undefined;
  for (const item of items) {
    if (!isWanted(item)) open = undefined;
    else if (open === undefined) {
      open = [item];
      runs.push(open);
    } else open.push(item);
  }
  return runs;
}

function failedAs(items: readonly Item[], { scan }: SendContext, progress: JobProgress): Outcome {
  const others = new Map<string, Counts>();
  const failures: Failure[] = items.map((item) => {
    const { message, cause } = progress.whyClosed(item) as Failure; // asked of such items alone
    const { type, id } = nameOf(item, scan.orgs[item.org]?.orgId ?? "");
    if (type !== "human_user") countOne(others, type, "failed");
    return { type, id, message, cause, item: item.index, line: item.line };
  });
  return toOutcome({ ...NO_RESULT, failures, others }, { whose: () => "theirs", failOnExisting: false });
}

/** The service's name for an item's type, and the item's id in its errors. */
function nameOf({ key, bytes }: Item, orgId: string): { readonly type: string; readonly id: string } {
  if (key === "humanUsers") return { type: "human_user", id: userIdOf(bytes) };
  const type = elementTypes[key];
  if (type === undefined) return { type: key, id: "" };
  return { type: type.type, id: type.errorId(type.keyOf(fieldsOf(JSON.parse(bytes.toString()))), orgId) };
}
