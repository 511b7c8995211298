import type { Item } from "../../core/document/items.ts";
import type { Way } from "../../core/rules/route.ts";
import type { Existing } from "../../core/transfer/answer/batch-result.ts";
import type { Outcome } from "../../core/transfer/answer/outcome.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import { countUsers, type JobProgress, rangeOf } from "./progress.ts";
import type { SendContext } from "./ways/way.ts";

/** Has written down what items that stand together came to, soon, and tells of it. `carried` are places of other items that went along. */
export function settle(
  items: readonly Item[],
  outcome: Outcome,
  { journal, onDone }: Pick<SendContext, "journal" | "onDone">,
  progress: JobProgress,
  { way = "import", carried = [] }: { readonly way?: Way; readonly carried?: readonly number[] } = {},
): void {
  const { unknown, open, failures, made, ...numbers } = outcome;
  const lists = { unknown: [...unknown], open: [...open], failures: [...failures], carried: [...carried] };
  const entry: DoneEntry = {
    kind: "done",
    ...rangeOf(items),
    way,
    users: countUsers(items),
    ...numbers,
    made: toRanges(made),
    ...lists,
  };
  progress.settle(items, entry);
  try {
    journal.appendSoon(entry);
  } finally {
    onDone(entry); // what was answered counts, also when the disk is full
  }
}

/** Places in order, as ranges of neighbours. */
function toRanges(places: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const place of [...places].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === place - 1) last[1] = place;
    else ranges.push([place, place]);
  }
  return ranges;
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
