import { userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { ProblemError } from "../../../problem.ts";
import type { ImportRun } from "../import-run.ts";
import { type Items, readSection } from "../plan/plan.ts";

/** Adds the login names of the users that the report names: people know these, and not the ids. Reads the input, if there are any. */
export async function reportLoginNames({ report, context }: ImportRun, items: Items): Promise<void> {
  const ids = report.namedIds();
  if (ids.size === 0 || context.signal.aborted) return;
  const names = new Map<string, string>();
  try {
    for await (const portion of readSection(items, "humanUsers", context.signal)) {
      for (const { bytes } of portion) {
        const id = userIdOf(bytes);
        if (!ids.has(id)) continue;
        const name = textMember(fieldsOf(member(fieldsOf(JSON.parse(bytes.toString())), "user")), "userName");
        if (name !== "") names.set(id, name);
      }
    }
  } catch (error) {
    // The names are an addition: the outcome of the run stands without them.
    if (!(error instanceof ProblemError)) throw error;
  }
  if (names.size > 0) report.set({ loginNames: Object.fromEntries(names) });
}
