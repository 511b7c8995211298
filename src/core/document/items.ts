import { createWalker, type Layout } from "../json/walker.ts";
import { HEAD, stepOf, USER_STEP } from "./org-sections.ts";
import type { BodyScan, Extent, Section } from "./scan-types.ts";

/** The smallest thing that is sent: the head of an organization, or one element of one of its lists. */
export interface Item {
  /** Its place in the order of sending; the same for the same input, so a journal can name it. */
  readonly index: number;
  readonly org: number;
  /** camelCase key of its section, or HEAD. */
  readonly key: string;
  /** An element as it stands in the input; for a head, its members without braces. Holds until the next item is read. */
  readonly bytes: Buffer;
  readonly line: number;
}

/** A run of items that stand together in the input: a head (no section) or a section. */
export interface Part {
  readonly org: number;
  /** Index of its first item. */
  readonly first: number;
  readonly count: number;
  readonly section?: Section;
}

/** Reads part of the input; a chunk holds until the next one is asked for. */
export type ReadExtent = (extent: Extent) => AsyncIterable<Buffer>;

/**
 * The order of sending (service behaviour 2.1): each organization's head and users first, organization by organization; then step
 * by step everything that refers to users, of all organizations. Any cut of this order into calls keeps references valid.
 */
export function planParts({ orgs, sections }: Pick<BodyScan, "orgs" | "sections">): Part[] {
  const parts: Part[] = [];
  let first = 0;
  const add = (org: number, count: number, section?: Section): void => {
    parts.push({ org, first, count, ...(section === undefined ? {} : { section }) });
    first += count;
  };
  const ordered = [...sections].sort(bySendingOrder);
  let next = 0;
  for (const org of orgs.keys()) {
    add(org, 1);
    for (; isUserSectionOf(ordered[next], org); next += 1) add(org, (ordered[next] as Section).count, ordered[next]);
  }
  for (const section of ordered.slice(next)) add(section.org, section.count, section);
  return parts;
}

/** How many items a plan has. */
export function itemCount(parts: readonly Part[]): number {
  const last = parts.at(-1);
  return last === undefined ? 0 : last.first + last.count;
}

function isUserSectionOf(section: Section | undefined, org: number): boolean {
  return section !== undefined && section.org === org && stepOf(section.key) <= USER_STEP;
}

function bySendingOrder(a: Section, b: Section): number {
  const stepA = stepOf(a.key);
  const stepB = stepOf(b.key);
  return stepA - stepB || a.org - b.org || a.key.localeCompare(b.key, "en") || a.start - b.start;
}

const elements: Layout = { elements: undefined };

/**
 * The items of the parts that are wanted, in order and in portions; elements that break the service's rules are left out.
 * `wants` is asked per item index and, to skip whole parts cheaply, for a part's range.
 */
export async function* readItems(
  parts: readonly Part[],
  scan: BodyScan,
  read: ReadExtent,
  wants: (first: number, count: number) => boolean,
): AsyncGenerator<Item[]> {
  for (const part of parts) {
    if (!wants(part.first, part.count)) continue;
    const items = part.section === undefined ? readHead(part, scan, read) : readSection(part, part.section, read);
    for await (const portion of items) yield portion.filter(({ index }) => wants(index, 1));
  }
}

async function* readHead(part: Part, scan: BodyScan, read: ReadExtent): AsyncGenerator<Item[]> {
  const org = scan.orgs[part.org] as BodyScan["orgs"][number]; // parts are made from the scan
  const pieces: Buffer[] = [];
  for (const { key, ...extent } of org.head) {
    pieces.push(Buffer.from(`${pieces.length === 0 ? "" : ","}${JSON.stringify(key)}:`));
    for await (const chunk of read(extent)) pieces.push(Buffer.from(chunk));
  }
  yield [{ index: part.first, org: part.org, key: HEAD, bytes: Buffer.concat(pieces), line: org.line }];
}

async function* readSection(part: Part, section: Section, read: ReadExtent): AsyncGenerator<Item[]> {
  let portion: Item[] = [];
  let position = 0;
  const { key, org } = { key: section.key, org: part.org };
  const walker = createWalker(elements, {
    value: (_, bytes, line) => {
      const at = position;
      position += 1;
      if (section.invalid.has(at)) return;
      const sent = key === "machineUsers" ? withOwnId(bytes) : bytes;
      portion.push({ index: part.first + at, org, key, bytes: sent, line: section.line + line - 1 });
    },
  });
  for await (const chunk of read(section)) {
    walker.push(chunk);
    if (portion.length > 0) yield portion;
    portion = [];
  }
}

/**
 * The service keeps a machine user's id only when it stands in `user.userId`, where its own export does not put it
 * (service behaviour 2.6).
 */
function withOwnId(bytes: Buffer): Buffer {
  const entry = JSON.parse(bytes.toString()) as { userId?: unknown; user_id?: unknown; user?: Record<string, unknown> }; // scanned
  const id = entry.userId ?? entry.user_id;
  if (id === undefined || entry.user === undefined || entry.user["userId"] || entry.user["user_id"]) return bytes;
  return Buffer.from(JSON.stringify({ ...entry, user: { ...entry.user, userId: id } }));
}
