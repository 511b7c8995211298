import { fieldsOf, memberAt, textMember } from "../../../core/json/members.ts";
import { missingIdpLine } from "../../../ui/summary/import-plan.ts";
import type { Asking } from "../../shared/asking.ts";
import { listIdps } from "../../shared/list-idps.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import type { ImportRun } from "../import-run.ts";
import { type Plan, readSection } from "./plan.ts";
import type { TargetState } from "./target-state.ts";

/** An identity provider that the target lacks, and how many links of the input refer to it. */
export interface MissingIdp {
  readonly idpId: string;
  readonly links: number;
}

/**
 * Names the identity providers of links of the input that neither the target nor the input has: these links will fail. Returns them
 * with the number of their links. Raises what listing providers raises.
 */
export async function reportIdps(
  { ui }: Pick<ImportRun, "ui">,
  plan: Plan,
  { orgs }: TargetState,
  asking: Asking,
): Promise<readonly MissingIdp[]> {
  const links = new Map<string, number>();
  for await (const items of readSection(plan, "userLinks", asking.signal)) {
    for (const { bytes } of items) {
      const idpId = textMember(fieldsOf(JSON.parse(bytes.toString())), "idpId");
      links.set(idpId, (links.get(idpId) ?? 0) + 1);
    }
  }
  for await (const items of readSection(plan, "humanUsers", asking.signal))
    for (const { bytes } of items) for (const idpId of idpsWithin(bytes)) links.set(idpId, (links.get(idpId) ?? 0) + 1);
  for (const key of ["oidcIdps", "jwtIdps"] as const) {
    for await (const items of readSection(plan, key, asking.signal)) {
      for (const { bytes } of items) links.delete(textMember(fieldsOf(JSON.parse(bytes.toString())), "idpId"));
    }
  }
  if (links.size === 0) return [];
  const existing = [...orgs.values()].filter(({ isRemoved }) => !isRemoved).map(({ id }) => id);
  const ours = existing.filter((id) => plan.scan.orgs.some(({ orgId }) => orgId === id));
  // The list of any organization has the providers of the instance.
  const asked = ours.length > 0 ? ours : existing.slice(0, 1);
  const idps = await ifOffered(() => listIdps(asking, new Set(asked)));
  if (idps === undefined) return [];
  for (const { id } of idps) links.delete(id);
  for (const [idpId, number] of links) ui.warn(missingIdpLine(idpId, number, idps));
  return [...links].map(([idpId, number]) => ({ idpId, links: number }));
}

const IDPS = Buffer.from('"idps"');

/** The providers of the links within an entry: those of a user without a hash. Few entries have any, so the others are not parsed. */
function idpsWithin(entry: Buffer): readonly string[] {
  if (!entry.includes(IDPS)) return [];
  const idps = memberAt(JSON.parse(entry.toString()), ["user", "idps"]);
  return Array.isArray(idps) ? idps.map((idp) => textMember(fieldsOf(idp), "configId")).filter((id) => id !== "") : [];
}
