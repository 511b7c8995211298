import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import type { UpdateSettings } from "../../jobs/import/settings.ts";
import { ProblemError } from "../../problem.ts";
import { parseWhole } from "./parse-flags.ts";

/** Adds the flags that control whether existing users are updated. */
export function addUpdateOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option("--update", "update existing users to match the source, field by field", false)
    .addOption(
      new Option(
        "--prefer <side>",
        "which value wins where the target was changed by someone else (default: none, a conflict with exit 1)",
      ).choices(["source", "target"] as const),
    );
}

/** Adds the flags that control what happens to users that the source deleted. */
export function addRemovalOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option("--delete", "with --update: delete users that the source deleted and a copy created", false)
    .option("--deactivate", "with --update: deactivate these users instead", false)
    .option(
      "--max-deletes <n>",
      "delete no users at all if more than this would be deleted in one organization (default: 1 in 100, at least 10)",
      parseWhole,
    )
    .option(
      "--state <file>",
      "with --update: file that records what was compared, so that the next run reads new events only",
    );
}

/** The parsed flags of updates and removals. */
export interface UpdateFlags {
  readonly update: boolean;
  readonly prefer?: "source" | "target";
  readonly delete?: boolean;
  readonly deactivate?: boolean;
  readonly maxDeletes?: number;
  readonly state?: string;
  readonly failOnExisting: boolean;
}

/** The settings of an update, from its flags; undefined: existing users stay unchanged. Raises usage.conflict, usage.invalid. */
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
