import { readItems } from "../../../core/document/items.ts";
import { HEAD } from "../../../core/document/org-sections.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { organizationsOf } from "../../../ui/report.ts";
import { renamedOrgLine } from "../../../ui/summary/import-plan.ts";
import type { ImportRun } from "../import-run.ts";
import type { Plan } from "./plan.ts";
import type { TargetState } from "./target-state.ts";

/**
 * Reports the organizations with their names on the target. Prints those that have another name there: an import does not rename them. An
 * organization that gets another id on the target may have another name there.
 */
export async function reportOrgs(
  { ui, report }: Pick<ImportRun, "ui" | "report">,
  { scan, parts, read }: Plan,
  { orgs }: TargetState,
): Promise<void> {
  report.set({ organizations: organizationsOf(scan.orgs, (orgId) => orgs.get(orgId)?.name) });
  const heads = parts.filter(({ section }) => section === undefined);
  const renamed = new Map<string, { orgId: string; name: string; targetName: string }>();
  for await (const items of readItems(heads, scan, read, () => true)) {
    for (const { org, bytes, key } of items) {
      const { orgId = "", sourceId } = scan.orgs[org] ?? {};
      const there = orgs.get(orgId);
      if (key !== HEAD || sourceId !== undefined || there === undefined || there.isRemoved) continue;
      const name = textMember(fieldsOf(member(fieldsOf(JSON.parse(`{${bytes.toString()}}`)), "org")), "name");
      if (name !== "" && name !== there.name) renamed.set(orgId, { orgId, name, targetName: there.name });
    }
  }
  if (renamed.size === 0) return;
  for (const one of renamed.values()) ui.warn(renamedOrgLine(one));
  report.set({ renamedOrgs: [...renamed.values()] });
}
