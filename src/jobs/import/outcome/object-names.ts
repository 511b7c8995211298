import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { ProblemError } from "../../../problem.ts";
import type { ReportFields } from "../../../ui/report.ts";
import type { ImportRun } from "../import-run.ts";
import { type Items, readHeads, readSection } from "../plan/plan.ts";

type Found = ReportFields<"import">;
type Listed = NonNullable<Found["heldBack" | "onlyOnTarget" | "otherDifferences"]>[number];

/** Lists of identity providers, which are in the heads of organizations. */
const IDPS = ["oidcIdps", "jwtIdps"] as const;

/**
 * The names in the input of the organizations, projects, service users and identity providers of these objects, by id. Reads the lists of the
 * input that may have them. Raises the signal's reason.
 */
export async function readObjectNames(
  { context: { signal } }: Pick<ImportRun, "context">,
  items: Items,
  objects: readonly Listed[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const wanted = new Set(objects.flatMap(idsIn));
  const take = (id: string, name: string): void =>
    void (id !== "" && name !== "" && wanted.has(id) && names.set(id, name));
  for (const { orgId, name = "" } of items.scan.orgs) take(orgId, name);
  if (wanted.size === 0) return names;
  try {
    for await (const portion of readSection(items, "projects", signal))
      for (const { bytes } of portion) {
        const project = fieldsOf(JSON.parse(bytes.toString()));
        take(textMember(project, "projectId"), textMember(fieldsOf(member(project, "project")), "name"));
      }
    for await (const portion of readSection(items, "machineUsers", signal))
      for (const { bytes } of portion) {
        const machine = fieldsOf(JSON.parse(bytes.toString()));
        take(textMember(machine, "userId"), textMember(fieldsOf(member(machine, "user")), "userName"));
      }
    if (objects.some(({ type }) => type === "userLinks" || type.endsWith("Idps")))
      for await (const { bytes } of readHeads(items, signal)) {
        const head = fieldsOf(JSON.parse(`{${bytes.toString()}}`));
        for (const one of IDPS.flatMap((list) => member(head, list) ?? []).map(fieldsOf))
          take(textMember(one, "idpId"), textMember(fieldsOf(member(one, "idp")), "name"));
      }
  } catch (error) {
    // The names are an addition: the outcome of the run stands without them.
    if (!(error instanceof ProblemError)) throw error;
  }
  return names;
}

/** The ids that an object names: its id is made of several, and each of them may have an underscore. */
function idsIn({ id, orgId = "", userId = "", ...others }: Listed): readonly string[] {
  const parts = id.split("_");
  const { projectId = "", grantedOrgId = "" } = others;
  return [orgId, userId, projectId, grantedOrgId, id, ...parts, ...parts.map((_, at) => parts.slice(0, at).join("_"))];
}
