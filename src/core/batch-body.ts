import type { Item } from "./items.ts";
import { HEAD } from "./org-sections.ts";
import type { Survey } from "./survey.ts";

const COMMA = Buffer.from(",");
const END_LIST = Buffer.from("]");
const END_OBJECT = Buffer.from("}");

/**
 * The body of one call, put together from the bytes of its items: they are never decoded. spec: Import body for users; service
 * behaviour 1.1 (`dataOrgsv1` is an object), 2.4 (`timeout` is required).
 */
export function toBody(
  items: readonly Item[],
  { container, orgs }: Pick<Survey, "container" | "orgs">,
  timeout: string,
): Buffer {
  const pieces: Buffer[] = [Buffer.from(`{"${container}":{"orgs":[`)];
  let separator = "";
  for (const [org, sections] of byOrg(items)) {
    pieces.push(Buffer.from(`${separator}{"orgId":${JSON.stringify(orgs[org]?.orgId)}`));
    for (const [key, elements] of sections) addSection(pieces, key, elements);
    pieces.push(END_OBJECT);
    separator = ",";
  }
  pieces.push(Buffer.from(`]},"timeout":${JSON.stringify(timeout)}}`));
  return Buffer.concat(pieces);
}

function addSection(pieces: Buffer[], key: string, items: readonly Item[]): void {
  if (key === HEAD) {
    for (const { bytes } of items) if (bytes.length > 0) pieces.push(COMMA, bytes);
    return;
  }
  pieces.push(Buffer.from(`,${JSON.stringify(key)}:[`));
  for (const [index, { bytes }] of items.entries()) {
    if (index > 0) pieces.push(COMMA);
    pieces.push(bytes);
  }
  pieces.push(END_LIST);
}

/** One entry per organization, one list per section, also when a batch goes round the organizations more than once. */
function byOrg(items: readonly Item[]): Map<number, Map<string, Item[]>> {
  const orgs = new Map<number, Map<string, Item[]>>();
  for (const item of items) {
    const sections = orgs.get(item.org) ?? new Map<string, Item[]>();
    orgs.set(item.org, sections);
    const elements = sections.get(item.key);
    if (elements === undefined) sections.set(item.key, [item]);
    else elements.push(item);
  }
  return orgs;
}
