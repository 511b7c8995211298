import { listEvents } from "../../../admin/events.ts";
import { ProblemError } from "../../../problem.ts";
import { organizationsOf } from "../../../ui/report.ts";
import { missingOrgsLine } from "../../../ui/summary/foreseen.ts";
import { renamedOrgLine } from "../../../ui/summary/import-plan.ts";
import { askingOf } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { searchOrgs } from "../../shared/search-orgs.ts";
import type { ImportRun } from "../import-run.ts";
import type { Plan } from "./plan.ts";
import type { TargetState } from "./target-state.ts";

/**
 * Names the organizations of the input that the target does not have and that no name lets it create. An organization counts as missing
 * if neither the search nor the event log has it; without either of them, nothing is said. Raises api.org-unknown if all are missing:
 * every user would fail.
 */
export async function checkOrgs(run: ImportRun, plan: Plan): Promise<void> {
  const nameless = namelessOrgs(plan.scan);
  if (nameless.size === 0) return;
  const asking = askingOf(run);
  const existing = await searchOrgs(asking);
  if (existing === undefined || [...nameless].every((id) => existing.has(id))) return;
  const inLog = await ifOffered(async () => {
    const ids = new Set<string>();
    const { api, retry, signal } = asking;
    for await (const { aggregate } of listEvents(api, { eventTypes: ["org.added"] }, retry, signal))
      ids.add(aggregate.id);
    return ids;
  });
  const orgIds = [...nameless].filter((id) => !existing.has(id) && inLog?.has(id) === false);
  if (orgIds.length === 0) return;
  const all = new Set(plan.scan.orgs.map(({ orgId }) => orgId));
  if (orgIds.length === all.size) {
    const { sourceId } = plan.scan.orgs.find(({ orgId }) => orgId === orgIds[0]) ?? {};
    const mapped = sourceId === undefined ? {} : { sourceId };
    throw new ProblemError({ code: "api.org-unknown", host: run.api.address.host, orgIds, existing, ...mapped });
  }
  run.ui.warn(missingOrgsLine(orgIds, existing));
}

/** The organizations of the input that no entry gives a name. */
function namelessOrgs({ orgs }: Plan["scan"]): ReadonlySet<string> {
  const ids = new Set(orgs.map(({ orgId }) => orgId));
  for (const { orgId, name } of orgs) if (name !== undefined) ids.delete(orgId);
  return ids;
}

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
