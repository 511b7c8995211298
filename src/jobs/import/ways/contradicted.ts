import type { Item } from "../../../core/document/items.ts";
import type { BatchResult, Failure } from "../../../core/transfer/answer/batch-result.ts";
import type { SenderContext } from "./way.ts";

/**
 * Settles users that an answer names among the created ones and among the errors: a user whose creation is this job's by the event log was
 * created, and the error stays a failure that is in no number of users. Raises net.*, auth.refused.
 */
export async function settleContradicted<T extends BatchResult>(
  result: T,
  items: readonly Item[],
  { provenance }: Pick<SenderContext, "provenance">,
): Promise<T> {
  const contradicted = new Set(result.contradicted);
  if (contradicted.size === 0) return result;
  const ours = new Map<number, Item>();
  for (const item of items) {
    if (!contradicted.has(item.index)) continue;
    if (await provenance.isOwnUser(item)) ours.set(item.index, item);
  }
  const isOurs = ({ item }: { readonly item?: number }): boolean => item !== undefined && ours.has(item);
  const errors = result.existing.filter(isOurs).map((entry): Failure => ({ ...entry, cause: "already-there" }));
  const failures = [...result.failures, ...errors].map((failure): Failure => {
    if (!isOurs(failure)) return failure;
    const { item: _, ...rest } = failure;
    return rest;
  });
  const existing = result.existing.filter((entry) => !isOurs(entry));
  return { ...result, created: [...result.created, ...ours.values()], failures, existing };
}
