import { userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, member, memberAt, textMember } from "../../../core/json/members.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { type Plan, readSection } from "../plan/plan.ts";

/** How many users of the input that this job created have neither a password nor an account at an identity provider there. */
export async function countWithoutPassword(
  plan: Plan,
  { made, madeIds }: Pick<JobState, "made" | "madeIds">,
  signal: AbortSignal,
): Promise<number> {
  const { users, withHash } = plan.scan.counts;
  if (users === withHash) return 0;
  const linked = new IdTable();
  for await (const items of readSection(plan, "userLinks", signal)) {
    for (const { bytes } of items) linked.set(textMember(fieldsOf(JSON.parse(bytes.toString())), "userId"), 0);
  }
  const found = new Set(madeIds);
  const wants = (first: number, count: number): boolean => found.size > 0 || made.intersects(first, count);
  let without = 0;
  for await (const items of readSection(plan, "humanUsers", signal, wants)) {
    for (const { index, bytes } of items) {
      const id = userIdOf(bytes);
      if (!made.has(index) && !found.has(id)) continue;
      const user = member(fieldsOf(JSON.parse(bytes.toString())), "user");
      const hasPassword = memberAt(user, ["hashedPassword", "value"]) || memberAt(user, ["password"]);
      if (!hasPassword && linked.get(id) === undefined) without += 1;
    }
  }
  return without;
}
