import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import type { UpdateSettings } from "../../jobs/import/settings.ts";
import { ProblemError } from "../../problem.ts";
import { parseWhole } from "./parse-flags.ts";

/** Adds the flags that say whether users who are there are brought up to date. */
export function addUpdateOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option("--update", "bring users who are there to what the source says, field by field", false)
    .addOption(
      new Option(
        "--prefer <side>",
        "whose value counts where somebody else has changed it on the target (default: neither; it is left, and exit 1)",
      ).choices(["source", "target"] as const),
    );
}

/** Adds the flags that say what becomes of users whom the source has removed. */
export function addRemovalOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option("--delete", "with --update: remove users whom the source has removed and a copy had made", false)
    .option("--deactivate", "with --update: deactivate them in place of that", false)
    .option(
      "--max-deletes <n>",
      "nobody is removed where it would be more than that of one organization (default: 1 in 100, at least 10)",
      parseWhole,
    )
    .option(
      "--state <file>",
      "with --update: remember in this file what was compared, so that the next run reads only what is new",
    );
}

/** These flags, as the command line hands them over. */
export interface UpdateFlags {
  readonly update: boolean;
  readonly prefer?: "source" | "target";
  readonly delete?: boolean;
  readonly deactivate?: boolean;
  readonly maxDeletes?: number;
  readonly state?: string;
  readonly failOnExisting: boolean;
}

/** What these flags say; undefined: users who are there are left as they are. Raises usage.conflict, usage.invalid. */
export function updateSettings(flags: UpdateFlags): UpdateSettings | undefined {
  const { update, prefer, maxDeletes, state, failOnExisting } = flags;
  if (flags.delete === true && flags.deactivate === true) conflict("--delete", "--deactivate");
  const removals = flags.delete === true ? "delete" : flags.deactivate === true ? "deactivate" : undefined;
  if (update && failOnExisting) conflict("--update", "--fail-on-existing");
  if (!update) {
    const alone = prefer !== undefined ? "--prefer" : removals !== undefined ? `--${removals}` : undefined;
    const rest = maxDeletes !== undefined ? "--max-deletes" : state !== undefined ? "--state" : undefined;
    const flag = alone ?? rest;
    if (flag !== undefined) throw new ProblemError({ code: "usage.invalid", message: `${flag} needs --update.` });
    return undefined;
  }
  return {
    prefer: prefer ?? "none",
    ...(removals === undefined ? {} : { removals }),
    ...(maxDeletes === undefined ? {} : { maxDeletes }),
    ...(state === undefined ? {} : { state }),
  };
}

function conflict(first: string, second: string): never {
  throw new ProblemError({ code: "usage.conflict", flags: [first, second] });
}
