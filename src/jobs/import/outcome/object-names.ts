import { namedElement } from "../../../core/document/org-sections.ts";
import { fieldsOf, member } from "../../../core/json/members.ts";
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
    const takeElement = (list: string, element: unknown): void => {
      const { id = "", name = "" } = namedElement(list, element) ?? {};
      take(id, name);
    };
    for (const list of ["projects", "machineUsers"] as const)
      for await (const portion of readSection(items, list, signal))
        for (const { bytes } of portion) takeElement(list, JSON.parse(bytes.toString()));
    if (objects.some(({ type }) => type === "userLinks" || type.endsWith("Idps")))
      for await (const { bytes } of readHeads(items, signal)) {
        const head = fieldsOf(JSON.parse(`{${bytes.toString()}}`));
        for (const list of IDPS) for (const one of [member(head, list) ?? []].flat()) takeElement(list, one);
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
