import { type Fields, fieldsOf, member, textMember } from "../json/members.ts";
import { createWalker } from "../json/walker.ts";
import { ExtentIndex } from "../tables/extent-index.ts";
import type { ReadExtent } from "./items.ts";
import type { Part } from "./parts.ts";
import { routeKey } from "./scan-totals.ts";
import type { BodyScan } from "./scan-types.ts";

/** One entry of a user's metadata. */
export interface UserEntry {
  readonly userId: string;
  readonly key: string;
  /** base64, as it stands in the input. */
  readonly value: string;
}

/** An element of `userMetadata`. */
export function userEntry(fields: Fields): UserEntry {
  const [userId, key] = [textMember(fields, "id"), textMember(fields, "key")];
  return { userId, key, value: String(member(fields, "value") ?? "") };
}

/** One of them without its user, with its place in the order of sending. */
export type MetadataEntry = Omit<UserEntry, "userId"> & { readonly item: number };

/** Finds the metadata of a user of the users API, for the request that creates the user. */
export interface UserMetadata {
  of(org: number, userId: string): Promise<readonly MetadataEntry[]>;
}

/** No metadata is in requests that create users: it is sent afterwards. */
export const metadataApart: UserMetadata = { of: async () => [] };

/** Reads the lists of metadata once, and keeps the positions of the entries of these users; the entries stay in the input. */
export async function indexMetadata(
  parts: readonly Part[],
  { routed, repeatedIds }: Pick<BodyScan, "routed" | "repeatedIds">,
  read: ReadExtent,
): Promise<UserMetadata> {
  const index = new ExtentIndex();
  for (const part of parts) {
    const { section, org, first } = part;
    if (routed.size === 0 || section?.key !== "userMetadata") continue;
    let position = 0;
    const walker = createWalker(
      { elements: undefined },
      {
        value: (_, bytes, __, offset) => {
          const userId = textMember(fieldsOf(JSON.parse(bytes.toString())), "id");
          const key = routeKey(org, userId);
          const start = section.start + offset;
          if (routed.get(key) !== undefined && !repeatedIds.has(userId))
            index.add(key, { item: first + position, start, end: start + bytes.length });
          position += 1;
        },
      },
    );
    for await (const chunk of read(section)) walker.push(chunk);
  }
  return {
    async of(org, userId) {
      const entries: MetadataEntry[] = [];
      for (const { item, ...extent } of index.find(routeKey(org, userId))) {
        const fields = fieldsOf(JSON.parse(await textOf(read(extent))));
        // Two keys may share a fingerprint.
        if (textMember(fields, "id") !== userId) continue;
        entries.push({ item, key: textMember(fields, "key"), value: String(member(fields, "value")) });
      }
      return entries;
    },
  };
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(Buffer.from(chunk));
  return Buffer.concat(pieces).toString();
}
