import type { BodyScan } from "../../core/document/scan-types.ts";
import { type UserEntry, userEntry } from "../../core/document/user-metadata.ts";
import { MetadataComparison } from "../../core/events/metadata-comparison.ts";
import { userKey } from "../../core/events/user-life.ts";
import { fieldsOf } from "../../core/json/members.ts";
import type { Document } from "../../io/input/document.ts";
import { walkObjects } from "../shared/scan-input.ts";

/** The input of a comparison. */
interface Compared {
  readonly input: Document;
  readonly context: { readonly signal: AbortSignal };
}

/** What belongs to a user and is not as in the input: names of fields, such as `metadata.<key>`. */
export interface EntryDifferences {
  readonly line: number;
  readonly different: string[];
  readonly changedSince: string[];
}

/** The metadata of a body, to be compared with the events of the target; undefined if the body has none. No user gets that of ids that occur several times. */
export async function expectMetadata(
  run: Compared,
  scan: Pick<BodyScan, "orgs" | "sections" | "repeatedIds">,
): Promise<MetadataComparison | undefined> {
  if (!scan.sections.some(({ key }) => key === "userMetadata")) return undefined;
  const expected = new MetadataComparison();
  await eachEntry(run, scan, ({ orgId, userId, key, value }) => {
    if (!scan.repeatedIds.has(userId)) expected.expect(orgId, userId, key, value);
  });
  return expected;
}

/**
 * Entries that are not as in the input, by the id of their organization and of their user, and how many entries were compared: those of
 * missing users are not.
 */
export async function differentMetadata(
  run: Compared,
  scan: Pick<BodyScan, "orgs">,
  compared: MetadataComparison,
  isMissing: (orgId: string, userId: string) => boolean,
): Promise<{ readonly users: Map<string, EntryDifferences>; readonly entries: number }> {
  const found = new Map<string, EntryDifferences>();
  let entries = 0;
  await eachEntry(run, scan, ({ orgId, userId, key, line }) => {
    const result = compared.takeResult(orgId, userId, key);
    if (result !== undefined && !isMissing(orgId, userId)) entries += 1;
    if (result === undefined || result === "same") return;
    const name = userKey(orgId, userId);
    const user = found.get(name) ?? { line, different: [], changedSince: [] };
    found.set(name, user);
    (result === "different" ? user.different : user.changedSince).push(`metadata.${key}`);
  });
  return { users: found, entries };
}

/** Every entry of metadata of a document. */
export async function eachEntry(
  { input, context }: Compared,
  { orgs }: Pick<BodyScan, "orgs">,
  onEntry: (entry: UserEntry & { readonly orgId: string; readonly line: number }) => void,
): Promise<void> {
  await walkObjects(
    input,
    context,
    (section) => section === "userMetadata",
    ({ org, value, line }) => onEntry({ orgId: orgs[org]?.orgId ?? "", line, ...userEntry(fieldsOf(value)) }),
  );
}
