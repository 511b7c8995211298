import { ElementComparison } from "../../../core/compare/element-comparison.ts";
import { fieldsOf as comparedFields, type NamedText } from "../../../core/compare/element-fields.ts";
import { elementId } from "../../../core/document/org-sections.ts";
import { GRANT_ADDED, grantChanges, grantRemovals } from "../../../core/events/belonging-log.ts";
import { fieldsOf, textMember, textsMember } from "../../../core/json/members.ts";
import { describe } from "../../../problem/describe.ts";
import { ProblemError } from "../../../problem.ts";
import type { ReportFields } from "../../../ui/report.ts";
import { askingOf } from "../../shared/asking.ts";
import { readLog } from "../../shared/read-log.ts";
import { Firsts } from "../../verify/differences.ts";
import type { ImportRun } from "../import-run.ts";
import { type Plan, readSection } from "../plan/plan.ts";
import { tellLeft } from "./left-objects.ts";

type Difference = NonNullable<ReportFields<"import">["otherDifferences"]>[number];

const LIST = "userGrants";

/**
 * Prints and reports which role grants of the input the target has with other roles, as an update does for all objects: the service answers
 * that they exist, and changes none. A warning says that this is unknown. Raises run.aborted.
 */
export async function tellOtherRoles(run: ImportRun, plan: Plan): Promise<void> {
  try {
    const { list, count } = await findOtherRoles(run, plan);
    if (count > 0) await tellLeft(run, plan, { otherDifferences: list, otherDifferencesCount: count }, false);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
    run.ui.warn(
      `the roles of existing grants could not be compared with the input: ${describe(error.problem).message}`,
    );
  }
}

async function findOtherRoles(run: ImportRun, plan: Plan): Promise<Firsts<Difference>> {
  const different = new Firsts<Difference>();
  const comparison = new ElementComparison();
  await eachGrant(run, plan, ({ key, roleKeys }) => comparison.expect(key, compared(roleKeys)));
  if (comparison.size === 0) return different;
  const asking = askingOf(run);
  const orgIds = plan.scan.orgs.map(({ orgId }) => orgId);
  /** The roles of grants that were changed since they were added; undefined of those that were removed. */
  const since = new Map<string, readonly string[] | undefined>();
  await readLog("", { eventTypes: [...grantChanges, ...grantRemovals], orgIds }, { ...asking }, (event) => {
    const { aggregate, type, payload } = event;
    since.set(aggregate.id, grantRemovals.includes(type.type) ? undefined : rolesOf(payload));
  });
  await readLog("comparing role grants", { eventTypes: [GRANT_ADDED], orgIds }, asking, ({ aggregate, payload }) => {
    const roles = since.has(aggregate.id) ? since.get(aggregate.id) : rolesOf(payload);
    if (roles !== undefined) comparison.find(keyOf(aggregate.resourceOwner, payload), compared(roles), true);
  });
  await eachGrant(run, plan, ({ key, roleKeys, ...grant }) => {
    const fields = [...(comparison.takeVerdict(key, compared(roleKeys))?.different ?? [])];
    if (fields.length > 0) different.add({ type: LIST, ...grant, roleKeys: [...roleKeys], fields });
  });
  return different;
}

/** Passes the role grants of the input that have an id. */
async function eachGrant(
  { context: { signal } }: Pick<ImportRun, "context">,
  plan: Plan,
  take: (grant: Record<"key" | "id" | "orgId" | "userId", string> & { readonly roleKeys: readonly string[] }) => void,
): Promise<void> {
  for await (const items of readSection(plan, LIST, signal))
    for (const { bytes, org } of items) {
      const grant: unknown = JSON.parse(bytes.toString());
      const { orgId = "" } = plan.scan.orgs[org] ?? {};
      const id = elementId(LIST, grant);
      const userId = textMember(fieldsOf(grant), "userId");
      if (id !== undefined) take({ key: keyOf(orgId, grant), id, orgId, userId, roleKeys: rolesOf(grant) });
    }
}

/** Several organizations may give a user roles in one project. */
function keyOf(orgId: string, grant: unknown): string {
  return `${orgId}\u0000${elementId(LIST, grant)}`;
}

function rolesOf(grant: unknown): readonly string[] {
  return textsMember(fieldsOf(grant), "roleKeys");
}

function compared(roleKeys: readonly string[]): readonly NamedText[] {
  return comparedFields(LIST, { roleKeys });
}
