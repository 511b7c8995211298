import type { Item } from "../document/items.ts";
import { HEAD } from "../document/org-sections.ts";
import type { BodyScan } from "../document/scan-types.ts";
import { type Batch, groupBy } from "./batches.ts";
import type { ByteStore } from "./buffer-pool.ts";

const COMMA = Buffer.from(",");
const END_LIST = Buffer.from("]");
const END_OBJECT = Buffer.from("}");

/**
 * The body of one call, put together in the batch's own memory from the bytes of its items: they are never decoded. spec: Import body for users; service
 * behaviour 1.1 (`dataOrgsv1` is an object), 2.4 (`timeout` is required).
 */
export function toBody(
  { items, buffers }: Batch,
  { container, orgs }: Pick<BodyScan, "container" | "orgs">,
  timeout: string,
): Buffer {
  const { body } = buffers;
  const text = (piece: string): number => body.append(Buffer.from(piece));
  body.clear();
  text(`{"${container}":{"orgs":[`);
  let separator = "";
  // One entry per organization, one list per section, also when a batch goes round the organizations more than once.
  for (const [org, own] of groupBy(items, (item) => item.org)) {
    text(`${separator}{"orgId":${JSON.stringify(orgs[org]?.orgId)}`);
    for (const [key, elements] of groupBy(own, (item) => item.key)) addSection(body, key, elements);
    body.append(END_OBJECT);
    separator = ",";
  }
  text(`]},"timeout":${JSON.stringify(timeout)}}`);
  return body.view();
}

function addSection(body: ByteStore, key: string, items: readonly Item[]): void {
  if (key !== HEAD) body.append(Buffer.from(`,${JSON.stringify(key)}:[`));
  for (const [index, { bytes }] of items.entries()) {
    // A head follows the orgId, if it has any members.
    if (key === HEAD ? bytes.length > 0 : index > 0) body.append(COMMA);
    body.append(bytes);
  }
  if (key !== HEAD) body.append(END_LIST);
}
