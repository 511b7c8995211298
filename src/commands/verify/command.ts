import { mapIds } from "../../core/document/org-map.ts";
import { forgetBuiltIn } from "../../jobs/import/plan/built-in.ts";
import { checkMapped } from "../../jobs/import/plan/plan.ts";
import { askingOf } from "../../jobs/shared/asking.ts";
import { scanInput } from "../../jobs/shared/scan-input.ts";
import { searchOrgs } from "../../jobs/shared/search-orgs.ts";
import { verifyByEvents } from "../../jobs/verify/by-events.ts";
import { findOnlyOnTarget, verifyByExport } from "../../jobs/verify/by-export.ts";
import { Firsts, tellRepeated } from "../../jobs/verify/differences.ts";
import { verifySignIns } from "../../jobs/verify/sign-ins.ts";
import { type ExitCode, exitCodes, ProblemError, type RowProblem } from "../../problem.ts";
import { markedInputs } from "../../sources/source.ts";
import { organizationsOf } from "../../ui/report.ts";
import { absentOrgLines } from "../../ui/summary/foreseen.ts";
import { emptyLine } from "../../ui/summary/import-plan.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { connectTo } from "../shared/connect.ts";
import { openBody } from "../shared/open-body.ts";
import { orgMapFiles, readIdMaps } from "../shared/org-map.ts";
import { runCommand } from "../shared/run-command.ts";
import type { VerifyOptions } from "./declare.ts";

/**
 * `verify <file>`: compares a body with the target's events, and an export with a new export of the target, since the objects of an
 * instance import have no events (spec: Events).
 */
export async function verify(
  file: string,
  options: VerifyOptions,
  { context, sources }: CommandWorld,
): Promise<ExitCode> {
  const paths = { inputs: [file, options.tokenFile, ...orgMapFiles(options.orgMap)], outputs: [] };
  return runCommand({ name: "verify", context, options, paths }, async (ui, report, own) => {
    const maps = await readIdMaps(options, context);
    const api = own(await connectTo("target", options, context, ui));
    report.set({ target: api.address.host });
    const input = own(await openBody(file, context, markedInputs(sources)));
    const repeated = new Firsts<RowProblem>();
    const onFault = (fault: RowProblem): void => {
      if (fault.code === "user.duplicate-id") repeated.add(fault);
    };
    const { scan: read } = await scanInput(input, { onFault, withReferences: true }, ui, context.signal);
    tellRepeated(repeated, { ui, report });
    if (read.carries === "as-is") throw new ProblemError({ code: "input.not-a-body", file });
    const scan = mapIds(read, maps);
    checkMapped(scan, input.path);
    const by = options.by ?? (scan.carries === "export" ? "export" : "events");
    report.set({ by, inputs: [file], organizations: organizationsOf(scan.orgs) });
    const empty = emptyLine(scan, "compare");
    if (empty !== undefined) ui.warn(empty);
    const asking = askingOf({ api, ui, context });
    if (scan.carries === "export") await forgetBuiltIn(scan, input, asking);
    const comparison = { api, input, context, ui, report };
    const { exitCode, isThere } =
      by === "events"
        ? await verifyByEvents(comparison, scan, await findOnlyOnTarget(comparison, scan, options.timeout))
        : { exitCode: await verifyByExport(comparison, scan, options.timeout), isThere: () => false };
    // A new organization may be missing in the search for a moment, so only what is missing may have this reason.
    const existing = exitCode === exitCodes.done ? undefined : await searchOrgs(asking);
    for (const line of absentOrgLines(scan.orgs, existing)) ui.warn(line);
    const canSignIn = await verifySignIns(comparison, scan, { isThere, isRight: exitCode === exitCodes.done });
    return canSignIn && repeated.count === 0 ? exitCode : exitCodes.partial;
  });
}
