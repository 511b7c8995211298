import { diffInstances } from "../../jobs/diff/diff-instances.ts";
import { askingOf } from "../../jobs/shared/asking.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import { diffLines, diffSummary, quietLines, toReported } from "../../ui/summary/diff-summary.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { connectPair } from "../shared/connect.ts";
import { runCommand } from "../shared/run-command.ts";
import type { DiffOptions } from "./declare.ts";

/** `diff`: lists the settings that differ between two instances. The exit code is 1 if any differs or cannot be read. */
export async function diff(options: DiffOptions, { context }: CommandWorld): Promise<ExitCode> {
  const paths = { inputs: [options.sourceTokenFile, options.targetTokenFile], outputs: [] };
  return runCommand({ name: "diff", context, options, paths }, async (ui, report, own) => {
    const [source, target] = await connectPair(options, { context, ui, report, own });
    const asking = (api: typeof source) => askingOf({ api, ui, context });
    const places = await diffInstances(asking(source), asking(target), options.orgId);
    const reported = places.map(toReported);
    report.set({
      places: reported,
      settings: places.flatMap(({ name, orgId, differences }) =>
        differences.map((one) => ({ place: name, ...(orgId === undefined ? {} : { orgId }), ...one })),
      ),
    });
    for (const line of diffLines(places, { source: source.address.host, target: target.address.host })) ui.say(line);
    if (places.every(({ state }) => state === "same")) return exitCodes.done;
    report.why(diffSummary(reported), quietLines(reported));
    return exitCodes.partial;
  });
}
