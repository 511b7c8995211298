import { type Fields, fieldsOf, member, memberAt, textMember } from "../json/members.ts";
import { createWalker, type Layout } from "../json/walker.ts";
import type { Way } from "../rules/route.ts";
import { createOrgRewriter, withMappedIdp } from "./org-map.ts";
import { HEAD } from "./org-sections.ts";
import type { Part } from "./parts.ts";
import type { BodyScan, Extent, Section } from "./scan-types.ts";

/** The smallest thing that is sent: the head of an organization, or one element of one of its lists. */
export interface Item {
  /** Its place in the order of sending; the same for the same input and routing, so a journal can name it. */
  readonly index: number;
  readonly org: number;
  /** camelCase key of its section, or HEAD. */
  readonly key: string;
  readonly way: Way;
  /** An element as it stands in the input; for a head, its members without braces. Holds until the next item is read. */
  readonly bytes: Buffer;
  readonly line: number;
  /** A link within a user, which the service makes with the user. */
  readonly isWithinUser?: boolean;
}

/** Reads part of the input; a chunk holds until the next one is asked for. */
export type ReadExtent = (extent: Extent) => AsyncIterable<Buffer>;

const elements: Layout = { elements: undefined };

/**
 * The items of the parts that are wanted, in order and in portions; elements that break the service's rules are skipped.
 * `wants` is asked per item index and, to skip whole parts cheaply, for a part's range.
 */
export async function* readItems(
  parts: readonly Part[],
  scan: Pick<BodyScan, "orgs" | "orgMap" | "idpMap">,
  read: ReadExtent,
  wants: (first: number, count: number) => boolean,
): AsyncGenerator<Item[]> {
  const rewrite = scan.orgMap === undefined ? (json: Buffer) => json : createOrgRewriter(scan.orgMap);
  const { idpMap } = scan;
  const rewriteLink: Rewrite =
    idpMap === undefined
      ? rewrite
      : (json) =>
          json.includes("dp")
            ? Buffer.from(JSON.stringify(withMappedIdp(JSON.parse(rewrite(json).toString()), idpMap)))
            : rewrite(json);
  for (const part of parts) {
    if (!wants(part.first, part.count)) continue;
    const { section } = part;
    const items =
      section === undefined
        ? readHead(part, scan, read, rewriteLink)
        : (section.isWithinUsers ? readLinks : readSection)(
            part,
            section,
            read,
            holdsLinks.has(section.key) ? rewriteLink : rewrite,
          );
    for await (const portion of items) yield portion.filter(({ index }) => wants(index, 1));
  }
}

/** Lists whose elements have ids of identity providers: links, and users with links within. */
const holdsLinks: ReadonlySet<string> = new Set(["userLinks", "humanUsers"]);

type Rewrite = (json: Buffer) => Buffer;

async function* readHead(
  part: Part,
  scan: Pick<BodyScan, "orgs">,
  read: ReadExtent,
  rewrite: Rewrite,
): AsyncGenerator<Item[]> {
  const org = scan.orgs[part.org] as BodyScan["orgs"][number]; // parts are made from the scan
  const pieces: Buffer[] = [];
  for (const { key, ...extent } of org.head) {
    pieces.push(Buffer.from(`${pieces.length === 0 ? "" : ","}${JSON.stringify(key)}:`));
    for await (const chunk of read(extent)) pieces.push(Buffer.from(chunk));
  }
  const { first: index, way } = part;
  const object = rewrite(Buffer.concat([Buffer.from("{"), ...pieces, Buffer.from("}")]));
  yield [{ index, org: part.org, key: HEAD, way, bytes: object.subarray(1, -1), line: org.line }];
}

async function* readSection(part: Part, section: Section, read: ReadExtent, rewrite: Rewrite): AsyncGenerator<Item[]> {
  let portion: Item[] = [];
  let position = 0;
  const { key, viaUsers, invalid } = section;
  const { org, way, first } = part;
  const walker = createWalker(elements, {
    value: (_, bytes, line) => {
      const at = position;
      position += 1;
      if (invalid.has(at) || viaUsers.has(at) !== (way === "users")) return;
      const sent = rewrite(key === "machineUsers" ? withOwnId(bytes) : bytes);
      portion.push({ index: first + at, org, key, way, bytes: sent, line: section.line + line - 1 });
    },
  });
  for await (const chunk of read(section)) {
    walker.push(chunk);
    if (portion.length > 0) yield portion;
    portion = [];
  }
}

/** The links within the users of a section. */
async function* readLinks(part: Part, section: Section, read: ReadExtent, rewrite: Rewrite): AsyncGenerator<Item[]> {
  let portion: Item[] = [];
  let position = 0;
  let { first: index } = part;
  const walker = createWalker(elements, {
    value: (_, bytes, line) => {
      if (!section.invalid.has(position))
        for (const link of linksWithin(rewrite(bytes))) {
          const { org, way } = part;
          const place = { index, org, key: section.key, way, line: section.line + line - 1, isWithinUser: true };
          portion.push({ ...place, bytes: Buffer.from(JSON.stringify(link)) });
          index += 1;
        }
      position += 1;
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

const IDPS = Buffer.from('"idps"');

/**
 * The links within an entry of `humanUsers` (`user.idps`), as elements of `userLinks`. The service makes them with the user: an existing user
 * gets them only as such elements. Few entries have any, so the others are not parsed.
 */
export function linksWithin(entry: Buffer): readonly Fields[] {
  return entry.includes(IDPS) ? linksOf(JSON.parse(entry.toString())) : [];
}

/** The same of a parsed entry; of one without an id none, since nothing tells whose they are. */
export function linksOf(entry: unknown): readonly Fields[] {
  const userId = textMember(fieldsOf(entry), "userId");
  const links = memberAt(entry, ["user", "idps"]);
  if (userId === "" || !Array.isArray(links)) return [];
  return links.map((link: unknown) => {
    const fields = fieldsOf(link);
    const name = textMember(fields, "displayName");
    return {
      userId,
      idpId: textMember(fields, "configId"),
      providedUserId: String(member(fields, "externalUserId") ?? ""),
      ...(name === "" ? {} : { providedUserName: name }),
    };
  });
}
