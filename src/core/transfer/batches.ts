import type { Item } from "../document/items.ts";
import { HEAD, isOwnAggregate, ownedLists, stepOf, USER_STEP } from "../document/org-sections.ts";
import type { BodyScan } from "../document/scan-types.ts";
import type { Way } from "../rules/route.ts";
import { type BatchBuffers, type BufferPool, ByteStore } from "./buffer-pool.ts";

/** What is sent in one call. Items stand in the order of sending. */
export interface Batch {
  readonly items: readonly Item[];
  readonly bytes: number;
  /** The memory its items are in; halves share it. */
  readonly buffers: BatchBuffers;
}

/** An item that was copied into the memory of its batch: an object of numbers, because a batch has thousands of them. */
class KeptItem implements Item {
  readonly index: number;
  readonly org: number;
  readonly key: string;
  readonly way: Way;
  readonly line: number;
  readonly isWithinUser: boolean;
  readonly #buffers: BatchBuffers;
  readonly #start: number;
  readonly #end: number;

  constructor({ index, org, key, way, line, bytes, isWithinUser = false }: Item, buffers: BatchBuffers) {
    this.index = index;
    this.org = org;
    this.key = key;
    this.way = way;
    this.line = line;
    this.isWithinUser = isWithinUser;
    this.#buffers = buffers;
    this.#start = buffers.items.append(bytes);
    this.#end = this.#start + bytes.length;
  }

  get bytes(): Buffer {
    return this.#buffers.items.view(this.#start, this.#end);
  }
}

/**
 * How large a call may get. `bytes` is measured on the JSON: each field's name, quotes and braces make it longer than the protobuf
 * form that the service's limit of 4 MiB is about (service behaviour 2.9), so it is a safe upper estimate.
 */
export interface BatchLimits {
  /** Elements of any kind: each takes the service about as long as a user. */
  readonly users: number;
  readonly bytes: number;
}

export interface BatchSettings {
  /** Asked before each item, by the way it goes. */
  readonly limits: (way: Way) => BatchLimits;
  readonly mayShare: (earlier: Item, later: Item) => boolean;
  readonly pool: BufferPool;
}

/** What an organization's entry costs besides its items. */
const ORG_BYTES = 96;

/**
 * Cuts a stream of items into batches. `limits` is asked before each item: it may shrink while batches are under way. `mayShare` tells
 * whether an item may go into one call with the one before it.
 */
export async function* toBatches(
  items: AsyncIterable<readonly Item[]>,
  { limits, mayShare, pool }: BatchSettings,
): AsyncGenerator<Batch> {
  let open: Item[] = [];
  let buffers = pool.take();
  let bytes = 0;
  let users = 0;
  for await (const portion of items) {
    for (const item of portion) {
      const size = item.bytes.length + (item.key === HEAD ? ORG_BYTES : 1);
      const limit = limits(item.way);
      const last = open.at(-1);
      // A batch that begins with an organization need not wait for the one before (mayOverlap).
      const mayEnd = item.key === HEAD && users >= limit.users / 2;
      const isFull = users >= limit.users || bytes + size > limit.bytes || mayEnd;
      if (last !== undefined && (isFull || !mayShare(last, item))) {
        yield { items: open, bytes, buffers };
        open = [];
        buffers = pool.take();
        bytes = 0;
        users = 0;
      }
      open.push(new KeptItem(item, buffers));
      bytes += size;
      if (item.key !== HEAD) users += 1;
    }
  }
  if (open.length > 0) yield { items: open, bytes, buffers };
}

/** Elements of any kind; the head of an organization is none. */
export function countElements({ items }: Pick<Batch, "items">): number {
  return items.reduce((sum, { key }) => (key === HEAD ? sum : sum + 1), 0);
}

/** Lists whose elements are a part of their user. */
export const userParts: ReadonlySet<string> = new Set(["userMetadata", "userLinks", "machineKeys"]);

/**
 * One call is for one way, unless there is but one. What belongs to users is in later calls than the users: only the answer says which users
 * existed before. The service works on grants organization by organization, so in a call with several of
 * them a user's grant may come before the project's grant it builds on (service behaviour 2.1; tried): no call has both,
 * also if triggers are between them. Where only users may overlap, nothing else is in their calls.
 */
export function mayShareCall(
  { orgs, sections }: { readonly orgs: readonly unknown[]; readonly sections: readonly { readonly key: string }[] },
  isOneWay: () => boolean,
  onlyUsers = false,
): BatchSettings["mayShare"] {
  const areProjectsGranted = orgs.length > 1 && sections.some(({ key }) => key === "projectGrants");
  const isApart = onlyUsers || sections.some(({ key }) => Object.hasOwn(ownedLists, key));
  const isLater = ({ key }: Pick<Item, "key">): boolean => stepOf(key) > USER_STEP;
  return (earlier, later) =>
    (earlier.way === later.way || isOneWay()) &&
    !(isApart && isLater(later) && !isLater(earlier)) &&
    !(areProjectsGranted && later.key === "userGrants" && earlier.key !== "userGrants");
}

/** Two batches with half of the elements, or of the bytes, each; undefined when there is one element alone. */
export function halve(batch: Batch, by: "count" | "bytes"): readonly [Batch, Batch] | undefined {
  const elements = countElements(batch);
  if (elements < 2) return undefined;
  const goal = by === "count" ? Math.ceil(elements / 2) : batch.bytes / 2;
  let done = 0;
  let count = 0;
  let at = 0;
  while (at < batch.items.length && (done < goal || count === 0) && count < elements - 1) {
    const { key, bytes } = batch.items[at] as Item; // at < length
    if (key !== HEAD) count += 1;
    done += by === "bytes" ? bytes.length : key === HEAD ? 0 : 1;
    at += 1;
  }
  return [toBatch(batch.items.slice(0, at), batch.buffers), toBatch(batch.items.slice(at), batch.buffers)];
}

/** A batch of some items of another one. */
export function toBatch(items: readonly Item[], whole: BatchBuffers): Batch {
  // A separate body: the call for the whole one may still be running.
  const buffers = { items: whole.items, body: new ByteStore() };
  return { items, buffers, bytes: items.reduce((sum, { bytes }) => sum + bytes.length + 1, 0) };
}

/**
 * True when `later` may be sent while `earlier` is still under way: it needs nothing that `earlier` makes. Users may overtake each
 * other, but not the head of their organization, nor one that may make it in another entry (several files may be of one organization);
 * what refers to users waits for everything before it. Roles and members are events of one project or organization: the service refuses some
 * of them that are written concurrently (service behaviour 9.24). With `onlyUsers`, what is not a human user is sent while nothing else is under way: a
 * service that loses entries of its lists to concurrent writes may lose a domain, a grant or metadata, too, and only human users are
 * looked for afterwards (service behaviour 0.41).
 */
export function mayOverlap(
  earlier: Pick<Batch, "items">,
  later: Pick<Batch, "items">,
  { orgs }: Pick<BodyScan, "orgs">,
  onlyUsers = false,
): boolean {
  if (onlyUsers && !(hasOnlyUsers(earlier) && hasOnlyUsers(later))) return false;
  const steps = [earlier, later]
    .flatMap(({ items }) => [items.at(0), items.at(-1)])
    .map((item) => stepOf(item?.key ?? ""));
  if (Math.max(...steps) > USER_STEP)
    return Math.min(...steps) === Math.max(...steps) && [...earlier.items, ...later.items].every(isOwnAggregate);
  const heads = earlier.items.filter(({ key }) => key === HEAD);
  if (heads.length === 0) return true;
  const begun = new Set(heads.map(({ org }) => org));
  // A head without members makes nothing.
  const made = new Set(heads.flatMap(({ org, bytes }) => (bytes.length === 0 ? [] : (orgs[org]?.orgId ?? []))));
  return !later.items.some(({ org }) => begun.has(org) || (made.size > 0 && made.has(orgs[org]?.orgId ?? "")));
}

/** The head of an organization without members makes nothing. */
function hasOnlyUsers({ items }: Pick<Batch, "items">): boolean {
  return items.every(({ key, bytes }) => (key === HEAD ? bytes.length === 0 : key === "humanUsers"));
}

/** The groups of what has the same key, in the order in which they begin. */
export function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
