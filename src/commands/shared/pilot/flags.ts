import type { Command, OptionValues } from "@commander-js/extra-typings";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { type Condition, conditionOf, selectableFields } from "../../../core/select/selection.ts";
import { parseCount } from "../parse-flags.ts";

// A pilot: some of the users first, all of them later.

const NONE: readonly string[] = [];
const NO_CONDITIONS: readonly Condition[] = [];

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
