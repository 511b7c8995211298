import type { Context } from "../context.ts";
import { openImportInput } from "../io/import-input.ts";
import { type ExitCode, ProblemError } from "../problem.ts";
import { connectTo } from "./connect.ts";
import { runGuarded } from "./guarded-command.ts";
import { surveyInput } from "./import/survey-input.ts";
import type { CommonOptions } from "./run-command.ts";
import { verifyByEvents } from "./verify/by-events.ts";
import { verifyByExport } from "./verify/by-export.ts";

/** The flags of `verify`, as the command line hands them over. */
export interface VerifyOptions extends CommonOptions {
  readonly target?: string;
  readonly tokenFile?: string;
  readonly insecureHttp: boolean;
  readonly timeout: string;
  readonly by?: "events" | "export";
}

/**
 * `verify <file>`: a user body against the target's events, an export against a fresh export of the target, because the objects of
 * an instance import have no events (spec: Events).
 */
export async function verify(file: string, options: VerifyOptions, context: Context): Promise<ExitCode> {
  const paths = { inputs: [file, options.tokenFile], outputs: [] };
  return runGuarded("verify", context, options, paths, async (ui, report) => {
    const { target, tokenFile, insecureHttp } = options;
    const api = connectTo("target", { url: target, tokenFile, insecureHttp }, context, ui);
    report.set({ target: api.address.host });
    const input = await openImportInput(file, context);
    try {
      const { survey } = await surveyInput(input, { onFault() {} }, ui, context.signal);
      if (survey.carries === "as-is") throw new ProblemError({ code: "input.not-a-body", file });
      const by = options.by ?? (survey.carries === "export" ? "export" : "events");
      report.set({ by });
      const comparison = { api, input, context, ui, report };
      return by === "events"
        ? await verifyByEvents(comparison, survey)
        : await verifyByExport(comparison, survey, options.timeout);
    } finally {
      await input.close();
      await api.close();
    }
  });
}
