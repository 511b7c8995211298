import { scanInput } from "../../jobs/shared/scan-input.ts";
import { verifyByEvents } from "../../jobs/verify/by-events.ts";
import { verifyByExport } from "../../jobs/verify/by-export.ts";
import { verifySignIns } from "../../jobs/verify/sign-ins.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { markedInputs } from "../../sources/source.ts";
import { organizationsOf } from "../../ui/report.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { connectTo } from "../shared/connect.ts";
import { openBody } from "../shared/open-body.ts";
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
  const paths = { inputs: [file, options.tokenFile], outputs: [] };
  return runCommand({ name: "verify", context, options, paths }, async (ui, report, own) => {
    const api = own(await connectTo("target", options, context, ui));
    report.set({ target: api.address.host });
    const input = own(await openBody(file, context, markedInputs(sources)));
    const { scan } = await scanInput(input, { onFault() {} }, ui, context.signal);
    if (scan.carries === "as-is") throw new ProblemError({ code: "input.not-a-body", file });
    const by = options.by ?? (scan.carries === "export" ? "export" : "events");
    report.set({ by, inputs: [file], organizations: organizationsOf(scan.orgs) });
    const comparison = { api, input, context, ui, report };
    const { exitCode, isThere } =
      by === "events"
        ? await verifyByEvents(comparison, scan)
        : { exitCode: await verifyByExport(comparison, scan, options.timeout), isThere: () => false };
    return (await verifySignIns(comparison, scan, { isThere, isRight: exitCode === exitCodes.done }))
      ? exitCode
      : exitCodes.partial;
  });
}
