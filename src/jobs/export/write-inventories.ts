import type { Context } from "../../context.ts";
import { createObjectWalk } from "../../core/document/object-walk.ts";
import type { Document } from "../../io/input/document.ts";
import { bufferedOutput } from "../../io/output/buffered-output.ts";
import { openOutput } from "../../io/output/output.ts";
import { counted } from "../../problem/format.ts";
import type { Ui } from "../../ui/ui.ts";
import { scanInput } from "../shared/scan-input.ts";
import { importBlock, serviceUserOf, terraformOf, terraformSections } from "./inventory.ts";

/** The files of lists; absent: not wanted. */
export interface InventoryPaths {
  readonly serviceUsers?: string | undefined;
  readonly terraformImports?: string | undefined;
}

/** Writes lists of what an export has. Reads it once for both. Raises output.*. */
export async function writeInventories(
  document: Document,
  { serviceUsers, terraformImports }: InventoryPaths,
  { context, ui }: { readonly context: Context; readonly ui: Ui },
): Promise<void> {
  if (serviceUsers === undefined && terraformImports === undefined) return;
  const { scan } = await scanInput(document, { onFault() {} }, ui, context.signal);
  const open = (path: string | undefined) =>
    path === undefined ? undefined : bufferedOutput(openOutput(path, context));
  const table = open(serviceUsers);
  const blocks = open(terraformImports);
  const names = new Set<string>();
  let users = 0;
  table?.text(`${["org_id", "user_id", "user_name", "name", "to_do"].join(",")}\n`);
  const walk = createObjectWalk(
    (section) => section === "machineUsers" || (blocks !== undefined && terraformSections.has(section)),
    (object) => {
      const orgId = scan.orgs[object.org]?.orgId ?? "";
      const user = serviceUserOf(object, orgId);
      if (user !== undefined) {
        users += 1;
        table?.text(`${[user.orgId, user.userId, user.userName, user.name, TO_DO].map(cellOf).join(",")}\n`);
      }
      for (const one of blocks === undefined ? [] : terraformOf(object, orgId)) blocks?.text(importBlock(one, names));
    },
  );
  try {
    for await (const chunk of document.read({ start: 0, end: document.bytes })) walk.push(chunk);
    walk.end();
    await table?.commit();
    await blocks?.commit();
  } finally {
    table?.discard();
    blocks?.discard();
  }
  if (serviceUsers !== undefined)
    ui.say(`wrote ${serviceUsers}: ${counted(users, "service user")} whose tokens and client secrets stay behind`);
  if (terraformImports !== undefined) ui.say(`wrote ${terraformImports}: ${counted(names.size, "import block")}`);
}

const TO_DO =
  "keys work on the target; create a new personal access token or client secret there, and use it where the old one is used";

/** A cell that no spreadsheet takes for a formula. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
