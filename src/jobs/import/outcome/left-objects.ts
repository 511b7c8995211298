import type { ReportFields } from "../../../ui/report.ts";
import { grantsAgain, heldBack, objectLines, onTarget } from "../../../ui/summary/left-objects.ts";
import type { ImportRun } from "../import-run.ts";
import type { Items } from "../plan/plan.ts";
import type { GrantAgain } from "../plan/removed-objects.ts";
import { readLoginNames } from "./login-names.ts";
import { readObjectNames } from "./object-names.ts";

/** Prints and reports what the run leaves as it is on the target besides users, with the login names of their owners. */
export async function tellLeft(
  run: Pick<ImportRun, "context" | "report" | "ui">,
  items: Items,
  found: Pick<
    ReportFields<"import">,
    "otherDifferences" | "otherDifferencesCount" | "onlyOnTarget" | "onlyOnTargetCount" | "heldBack" | "heldBackCauses"
  >,
  isUpdate: boolean,
): Promise<void> {
  const { otherDifferences = [], onlyOnTarget = [], heldBack: unsent = [] } = found;
  const objects = [...otherDifferences, ...onlyOnTarget, ...unsent];
  const owners = objects.flatMap(({ userId = [] }) => userId);
  const loginNames = Object.fromEntries(await readLoginNames(run, items, new Set(owners)));
  const { objectNames: names = new Map() } = run.report;
  for (const [id, name] of await readObjectNames(run, items, objects)) names.set(id, name);
  const objectNames = Object.fromEntries(names);
  const told = { ...found, loginNames, objectNames, ...(isUpdate ? { update: {} } : {}) };
  for (const one of [...onTarget(told), ...heldBack(told)]) run.ui.warn(one.words, ...objectLines(one));
  run.report.set({ ...found, ...(names.size === 0 ? {} : { objectNames }) });
}

/** Prints which project grants of the input come again although another account removed them, or have come. */
export async function tellGrantsAgain(
  run: Pick<ImportRun, "context" | "ui">,
  items: Items,
  grants: readonly GrantAgain[],
  isDone: boolean,
): Promise<void> {
  if (grants.length === 0) return;
  const names = Object.fromEntries(await readObjectNames(run, items, grants));
  const again = grantsAgain(grants, names, isDone);
  run.ui.warn(again.words, ...objectLines(again));
}
