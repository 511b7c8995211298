import type { Context } from "../../context.ts";
import type { ImportSettings, RejectsWriter, UpdateSettings } from "../../jobs/import/settings.ts";
import { ProblemError } from "../../problem.ts";
import type { BatchOptions, CommonOptions, PageOptions, RemovalOptions, UpdateOptions } from "./common-options.ts";
import { readIdMaps } from "./org-map.ts";
import { refuseBoth } from "./output-guard.ts";
import type { PilotFlags } from "./pilot/flags.ts";

/** The settings of an import, from its flags. `yesCommand` is the command line that asks nothing. Raises usage.conflict (only the users API creates users without e-mail), and what reading the map raises. */
export async function importSettings(
  options: SendingFlags,
  context: Pick<Context, "cwd" | "stdin" | "signal" | "cleanUp">,
  {
    writer,
    inputs,
    yesCommand,
  }: { readonly writer: RejectsWriter; readonly inputs: readonly string[]; readonly yesCommand: string },
): Promise<ImportSettings> {
  const { via, from, timeout, maxMails, rejects, skipInvalid, dryRun, verify } = options;
  const { batchUsers, batchBytes, concurrency, maxConcurrency } = options;
  if (!options.mail && via === "import") refuseBoth("--via import", "--no-mail");
  const update = updateSettings(options);
  return {
    plan: {
      via,
      noMail: !options.mail,
      ...(await readIdMaps(options, context)),
      from,
      update,
    },
    calls: { batchUsers, batchBytes, concurrency, maxConcurrency, timeout },
    consent: { yes: options.yes, yesCommand, heal: options.heal, maxMails },
    failOn: { existing: options.failOnExisting, different: options.failOnDifferent },
    rejects: rejects === undefined ? undefined : { dir: rejects, writer, inputs },
    skipInvalid,
    dryRun,
    verify,
  };
}

/** The parsed flags of `import` and `copy` that say how users are sent. */
type SendingFlags = BatchOptions & UpdateFlags & { readonly timeout?: string };

/** Where a user finds the input faults that the terminal does not list; undefined: nowhere. */
export function restOfFaults({
  rejects,
  dryRun,
  json,
  report,
  html,
}: Pick<BatchOptions & CommonOptions & PageOptions, "rejects" | "dryRun" | "json" | "report" | "html">):
  | string
  | undefined {
  if (rejects !== undefined && !dryRun) return "the rejects";
  return json || report !== undefined || html !== undefined ? "the report" : undefined;
}

/** The parsed flags of updates; only `copy` has those of removals. */
type UpdateFlags = UpdateOptions &
  Partial<RemovalOptions & PilotFlags> &
  Pick<BatchOptions, "failOnExisting"> & { readonly shard?: unknown };

/** The settings of an update, from its flags; undefined: existing users stay unchanged. Raises usage.conflict, usage.invalid. */
function updateSettings(flags: UpdateFlags): UpdateSettings | undefined {
  const { update, prefer, maxDeletes, state, failOnExisting, shard, limit, only = [], where = [] } = flags;
  if (flags.delete === true && flags.deactivate === true) refuseBoth("--delete", "--deactivate");
  const removals = flags.delete === true ? "delete" : flags.deactivate === true ? "deactivate" : undefined;
  if (update && failOnExisting) refuseBoth("--update", "--fail-on-existing");
  if (!update) {
    const alone = prefer !== undefined ? "--prefer" : removals !== undefined ? `--${removals}` : undefined;
    const rest = maxDeletes !== undefined ? "--max-deletes" : state !== undefined ? "--state" : undefined;
    const flag = alone ?? rest;
    if (flag !== undefined) throw new ProblemError({ code: "usage.invalid", message: `${flag} needs --update.` });
    return undefined;
  }
  return {
    prefer: prefer ?? "none",
    removals,
    maxDeletes,
    state,
    isPart: shard !== undefined || limit !== undefined || only.length + where.length > 0,
  };
}
