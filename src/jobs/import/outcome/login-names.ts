import { machineIdOf, userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import type { Names } from "../../../problem/format.ts";
import { ProblemError } from "../../../problem.ts";
import type { ImportRun } from "../import-run.ts";
import { type Items, readSection } from "../plan/plan.ts";

/** After an interrupt, the input is read for so long: nothing waits for names. */
const INTERRUPTED_MS = 500;

const SECTIONS = [
  ["humanUsers", userIdOf],
  ["machineUsers", machineIdOf],
] as const;

/** The login names of users, also service users, of the input and of the target, by id: people know these, and not the ids. Reads the input, if there are ids. */
export async function readLoginNames(
  { context: { signal }, report: { targetNames = new Map() } }: Pick<ImportRun, "context" | "report">,
  items: Items,
  ids: ReadonlySet<string>,
): Promise<Names> {
  const names = new Map<string, string>([...targetNames].filter(([id]) => ids.has(id)));
  if (ids.size === 0) return names;
  const until = signal.aborted ? performance.now() + INTERRUPTED_MS : undefined;
  try {
    for (const [section, idOf] of SECTIONS)
      for await (const portion of readSection(items, section, until === undefined ? signal : undefined)) {
        if (until !== undefined && performance.now() > until) break;
        for (const { bytes } of portion) {
          const id = idOf(bytes);
          if (!ids.has(id)) continue;
          const name = textMember(fieldsOf(member(fieldsOf(JSON.parse(bytes.toString())), "user")), "userName");
          if (name !== "") names.set(id, name);
        }
      }
  } catch (error) {
    // The names are an addition: the outcome of the run stands without them.
    if (!(error instanceof ProblemError)) throw error;
  }
  return names;
}

/** Adds the login names of the users that the report names. */
export async function reportLoginNames(run: ImportRun, items: Items): Promise<void> {
  const names = await readLoginNames(run, items, run.report.namedIds());
  if (names.size > 0) run.report.set({ loginNames: Object.fromEntries(names) });
}
