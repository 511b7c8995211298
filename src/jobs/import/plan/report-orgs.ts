import { organizationsOf } from "../../../ui/report.ts";
import { renamedOrgLine } from "../../../ui/summary/import-plan.ts";
import type { ImportRun } from "../import-run.ts";
import type { Plan } from "./plan.ts";
import type { TargetState } from "./target-state.ts";

/**
 * Reports the organizations with their names on the target. Prints those that have another name there: an import does not rename them. An
 * organization that gets another id on the target may have another name there.
 */
export function reportOrgs(
  { ui, report }: Pick<ImportRun, "ui" | "report">,
  { scan }: Plan,
  { orgs }: TargetState,
): void {
  report.set({ organizations: organizationsOf(scan.orgs, (orgId) => orgs.get(orgId)?.name) });
  const renamed = new Map<string, { orgId: string; name: string; targetName: string }>();
  for (const { orgId, sourceId, name } of scan.orgs) {
    const there = orgs.get(orgId);
    if (sourceId !== undefined || there === undefined || there.isRemoved) continue;
    if (name !== undefined && name !== there.name) renamed.set(orgId, { orgId, name, targetName: there.name });
  }
  if (renamed.size === 0) return;
  for (const one of renamed.values()) ui.warn(renamedOrgLine(one));
  report.set({ renamedOrgs: [...renamed.values()] });
}
