import { userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, member, memberAt, textMember } from "../../../core/json/members.ts";
import { checkHumanUser } from "../../../core/rules/human-user.ts";
import { startsInitial } from "../../../core/rules/route.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { type Plan, readSection } from "../plan/plan.ts";

/**
 * How many users of the input that this job created have neither a password nor an account at an identity provider there. `asked`: of these,
 * those who wait for an e-mail of the service, which asks for a password.
 */
export async function countWithoutPassword(
  plan: Plan,
  { made, madeIds }: Pick<JobState, "made" | "madeIds">,
  signal: AbortSignal,
): Promise<{ readonly without: number; readonly asked: number }> {
  const { users, withHash } = plan.scan.counts;
  if (users === withHash) return { without: 0, asked: 0 };
  const linked = new IdTable();
  for await (const items of readSection(plan, "userLinks", signal)) {
    for (const { bytes } of items) linked.set(textMember(fieldsOf(JSON.parse(bytes.toString())), "userId"), 0);
  }
  const found = new Set(madeIds);
  const wants = (first: number, count: number): boolean => found.size > 0 || made.intersects(first, count);
  let without = 0;
  let asked = 0;
  for await (const items of readSection(plan, "humanUsers", signal, wants)) {
    for (const { index, bytes, way } of items) {
      const id = userIdOf(bytes);
      if (!made.has(index) && !found.has(id)) continue;
      const entry: unknown = JSON.parse(bytes.toString());
      const user = member(fieldsOf(entry), "user");
      const hasPassword = memberAt(user, ["hashedPassword", "value"]) || memberAt(user, ["password"]);
      if (hasPassword || linked.get(id) !== undefined) continue;
      without += 1;
      const facts = checkHumanUser(entry, () => {});
      if (startsInitial(facts, way)) asked += 1;
    }
  }
  return { without, asked };
}
