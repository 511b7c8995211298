import type { AdminApi } from "../../admin/client.ts";
import type { Context } from "../../context.ts";
import { createSpool, type Document, openDocument } from "../../io/input/document.ts";
import { openOutput } from "../../io/output/output.ts";
import { fetchExport } from "../../jobs/export/fetch-export.ts";
import { toExportRequest, warnAboutSelection } from "../../jobs/export/request.ts";
import { runImport } from "../../jobs/import/run-import.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { orphanLine } from "../../ui/describe.ts";
import { exportLines } from "../../ui/export-summary.ts";
import type { Ui } from "../../ui/ui.ts";
import { connectTo } from "../shared/connect.ts";
import { rejectOutputs, runGuarded } from "../shared/overwrite-guard.ts";
import type { CopyOptions } from "./declare.ts";

/** `copy`: organizations from one instance into another. Nothing is left on disk, unless the export is to be kept. */
export async function copyOrgs(options: CopyOptions, context: Context): Promise<ExitCode> {
  const paths = {
    inputs: [options.sourceTokenFile, options.targetTokenFile],
    outputs: [{ flag: "--keep", path: options.keep }, ...rejectOutputs(options.rejects)],
  };
  return runGuarded("copy", context, options, paths, async (ui, report) => {
    const { insecureHttp } = options;
    const source = await connectTo(
      "source",
      { url: options.source, tokenFile: options.sourceTokenFile, insecureHttp },
      context,
      ui,
    );
    const target = await connectTo(
      "target",
      { url: options.target, tokenFile: options.targetTokenFile, insecureHttp },
      context,
      ui,
    );
    report.set({ source: source.address.host, target: target.address.host });
    try {
      if (source.address.base === target.address.base) {
        throw new ProblemError({ code: "usage.same-instance", host: source.address.host });
      }
      warnAboutSelection(options, ui);
      const input = await fetchInput(source, options, context, ui);
      if (input === undefined) return exitCodes.done;
      try {
        const job = { journal: undefined, resume: false, restart: false };
        return await runImport({
          api: target,
          input,
          flags: options,
          job,
          resumeCommand: undefined,
          context,
          ui,
          report,
        });
      } finally {
        await input.close();
      }
    } finally {
      await Promise.all([source.close(), target.close()]);
    }
  });
}

/** The export as an input; undefined when there is nothing in it. */
async function fetchInput(
  api: AdminApi,
  options: CopyOptions,
  context: Context,
  ui: Ui,
): Promise<Document | undefined> {
  const request = toExportRequest(options, options.timeout);
  const call = { api, ui, context };
  const name = `export of ${api.address.host}`;
  const { keep } = options;
  if (keep === undefined) {
    const { sink, counts, bytes } = await fetchExport(call, request, () => createSpool(context.cleanUp));
    for (const line of exportLines(counts, bytes, "a temporary file")) ui.say(line);
    if (counts.orgs > 0) return sink.finish(name);
    await sink.discard();
    return undefined;
  }
  const outputs = { ...context, onOrphan: (path: string) => ui.warn(orphanLine(path)) };
  const { sink, counts, bytes } = await fetchExport(call, request, () => openOutput(keep, outputs));
  await sink.commit();
  for (const line of exportLines(counts, bytes, keep)) ui.say(line);
  return counts.orgs > 0 ? openDocument(keep, context) : undefined;
}
