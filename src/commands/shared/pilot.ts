import type { Command, OptionValues } from "@commander-js/extra-typings";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Context } from "../../context.ts";
import {
  type Condition,
  conditionOf,
  isSelective,
  type SelectionRules,
  selectableFields,
} from "../../core/select/selection.ts";
import type { Document } from "../../io/input/document.ts";
import { selectUsers } from "../../io/input/selected-document.ts";
import { readText } from "../../io/input/text.ts";
import { count } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import { refuseBoth } from "./output-guard.ts";
import { parseCount } from "./parse-flags.ts";

// A pilot: some of the users first, all of them later.

const NONE: readonly string[] = [];
const NO_CONDITIONS: readonly Condition[] = [];
/** Millions of ids. */
const MAX_FILE_BYTES = 2 ** 28;

/** Adds the flags that select users. */
export function addPilotOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .option(
      "--only <users>",
      "only these users: ids, user names or e-mail addresses, separated by commas, or @<file> with one per line; repeatable",
      (text: string, before: readonly string[]) => [...before, text],
      NONE,
    )
    .option(
      "--where <field=value>",
      "only users with this value, such as email=*@example.com or state!=inactive; hash= finds users without a password; repeatable, all must hold",
      addCondition,
      NO_CONDITIONS,
    )
    .option("--limit <n>", "only the first n of these users", parseCount);
}

function addCondition(text: string, before: readonly Condition[]): readonly Condition[] {
  const condition = conditionOf(text);
  if (condition !== undefined) return [...before, condition];
  throw new InvalidArgumentError(
    `It must be a field and a value, such as email=*@example.com. The fields are ${selectableFields.join(", ")}.`,
  );
}

/** The parsed flags. */
export interface PilotFlags {
  readonly only: readonly string[];
  readonly where: readonly Condition[];
  readonly limit?: number | undefined;
}

/** The files that the flags name. No output may replace them. */
export function pilotFiles({ only }: Pick<PilotFlags, "only">): readonly string[] {
  return only.flatMap((text) => (text.startsWith("@") ? [text.slice(1)] : []));
}

/** Which users are wanted; undefined: all. Raises usage.invalid, and what reading a file raises. */
export async function readPilot(
  { only, where, limit }: PilotFlags,
  context: Pick<Context, "cwd" | "stdin" | "signal" | "cleanUp">,
): Promise<SelectionRules | undefined> {
  const names = new Set<string>();
  for (const text of only) {
    const list = text.startsWith("@")
      ? (await readText(text.slice(1), { ...context, flag: "--only @<file>" }, MAX_FILE_BYTES)).split(/\r?\n/)
      : text.split(",");
    for (const name of list) if (name.trim() !== "") names.add(name.trim().toLowerCase());
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
  const { document: chosen, selected, users } = await selectUsers(document, rules, context.signal);
  report.set({ notSelected: users - selected });
  if (selected === 0) {
    throw new ProblemError({
      code: "usage.invalid",
      message: `none of the ${count(users)} users is selected by --only, --where and --limit.`,
    });
  }
  ui.say(`selected: ${count(selected)} of ${count(users)} users; ${count(users - selected)} are not sent in this run`);
  return chosen;
}
