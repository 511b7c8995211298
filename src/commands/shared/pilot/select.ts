import type { Context } from "../../../context.ts";
import { isSelective, type SelectionRules } from "../../../core/select/selection.ts";
import type { Document } from "../../../io/input/document.ts";
import { selectUsers } from "../../../io/input/selected-document.ts";
import { readText } from "../../../io/input/text.ts";
import { count, unmetLine } from "../../../problem/format.ts";
import { ProblemError } from "../../../problem.ts";
import type { Report } from "../../../ui/report.ts";
import type { Ui } from "../../../ui/ui.ts";
import { refuseBoth } from "../output-guard.ts";
import type { PilotFlags } from "./flags.ts";

/** Millions of ids. */
const MAX_FILE_BYTES = 2 ** 28;

/** What an entry of `--only` is. */
export const ONLY_NAMES = "id, user name or e-mail address";

/** Which users are wanted; undefined: all. Raises usage.invalid, and what reading a file raises. */
export async function readPilot(
  { only, where, limit }: PilotFlags,
  context: Pick<Context, "cwd" | "stdin" | "signal" | "cleanUp">,
): Promise<SelectionRules | undefined> {
  const names = new Set<string>();
  for (const entry of only.flatMap((text) => text.split(","))) {
    const text = entry.trim();
    const list = text.startsWith("@")
      ? (await readText(text.slice(1), { ...context, flag: "--only @<file>" }, MAX_FILE_BYTES)).split(/\r?\n/)
      : [text];
    for (const name of list) if (name.trim() !== "") names.add(name.trim());
  }
  if (only.length > 0 && names.size === 0) {
    throw new ProblemError({ code: "usage.invalid", message: "--only names no user." });
  }
  const rules = { only: only.length === 0 ? undefined : names, where, limit };
  return isSelective(rules) ? rules : undefined;
}

/** Refuses flags that need all users. Raises usage.conflict. */
export function refuseForPilot(
  rules: SelectionRules | undefined,
  flags: Readonly<Record<string, boolean | undefined>>,
): void {
  if (rules === undefined) return;
  const flag = rules.limit !== undefined ? "--limit" : rules.only !== undefined ? "--only" : "--where";
  for (const [other, isGiven] of Object.entries(flags)) if (isGiven === true) refuseBoth(flag, other);
}

/** The document with the selected users only. Says how many they are. Raises usage.invalid when there are none. */
export async function selectFrom(
  document: Document,
  rules: SelectionRules | undefined,
  { ui, report, context }: { readonly ui: Ui; readonly report: Report; readonly context: Pick<Context, "signal"> },
): Promise<Document> {
  if (rules === undefined) return document;
  const { document: chosen, selected, users, unmet } = await selectUsers(document, rules, context.signal);
  report.set({ notSelected: users - selected });
  if (unmet.length > 0) ui.warn(unmetLine("--only", unmet, `${ONLY_NAMES} of a user`));
  if (selected === 0) {
    throw new ProblemError({
      code: "usage.invalid",
      message: `none of the ${count(users)} users is selected by --only, --where and --limit.`,
    });
  }
  ui.say(`selected: ${count(selected)} of ${count(users)} users; ${count(users - selected)} are not sent in this run`);
  return chosen;
}
