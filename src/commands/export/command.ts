import { type AdminApi, notJson } from "../../admin/client.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import { createSpool, type Document } from "../../io/input/document.ts";
import { openOutput } from "../../io/output/output.ts";
import { type Exported, fetchExport } from "../../jobs/export/fetch-export.ts";
import { toExportRequest, warnAboutSelection } from "../../jobs/export/request.ts";
import { createRetry } from "../../jobs/shared/create-retry.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { orphanLine } from "../../ui/describe.ts";
import { exportLines, notCarriedLine } from "../../ui/export-summary.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import { connectTo } from "../shared/connect.ts";
import { readStorage, type Storage } from "../shared/object-storage.ts";
import { runGuarded } from "../shared/overwrite-guard.ts";
import type { ExportOptions } from "./declare.ts";

const DEFAULT_OUTPUT = "./export.json";

/** `export`: organizations of the source into a file, to stdout, or into object storage by the service itself. */
export async function exportOrgs(options: ExportOptions, context: Context): Promise<ExitCode> {
  const { gcsServiceAccount, tokenFile: secretFile, gcsBucket, output = DEFAULT_OUTPUT } = options;
  const paths = {
    inputs: [secretFile, gcsServiceAccount],
    outputs: [{ flag: "--output", path: gcsBucket === undefined ? output : undefined }],
  };
  return runGuarded("export", context, options, paths, async (ui, report) => {
    const { source, tokenFile, insecureHttp } = options;
    const storage = await readStorage(options, context);
    if (storage !== undefined && options.output !== undefined) {
      throw new ProblemError({ code: "usage.conflict", flags: ["--output", "--gcs-bucket"] });
    }
    if (options.json && options.output === "-")
      throw new ProblemError({ code: "usage.conflict", flags: ["--json", "--output -"] });
    const api = await connectTo("source", { url: source, tokenFile, insecureHttp }, context, ui);
    report.set({ source: api.address.host });
    warnAboutSelection(options, ui);
    try {
      if (storage === undefined) return await exportToOutput(api, options, { context, ui, report });
      api.redactor.add(storage.secret);
      return await exportToStorage(api, options, storage.location, { context, ui, report });
    } finally {
      await api.close();
    }
  });
}

interface Voice {
  readonly context: Context;
  readonly ui: Ui;
  readonly report: Report;
}

async function exportToOutput(
  api: AdminApi,
  options: ExportOptions,
  { context, ui, report }: Voice,
): Promise<ExitCode> {
  const path = options.output ?? DEFAULT_OUTPUT;
  const request = toExportRequest(options, options.timeout);
  const call = { api, ui, context };
  let exported: Exported;
  if (path === "-") {
    // Only a whole export may reach the reader: a pipe cannot take anything back.
    const { sink: spool, ...rest } = await fetchExport(call, request, () => createSpool(context.cleanUp));
    exported = rest;
    await copyOut(spool.finish("-"), context);
  } else {
    const outputs = { ...context, onOrphan: (left: string) => ui.warn(orphanLine(left)) };
    const { sink: output, ...rest } = await fetchExport(call, request, () => openOutput(path, outputs));
    exported = rest;
    await output.commit();
  }
  const { counts, bytes, sha256 } = exported;
  for (const line of exportLines(counts, bytes, path === "-" ? "stdout" : path)) ui.say(line);
  const { orgs, users, machineUsers, withHash, withOtp } = counts;
  report.set({ orgs, users, machineUsers, withHash, withOtp, bytes, sha256, output: path });
  return exitCodes.done;
}

async function copyOut(input: Document, context: Context): Promise<void> {
  const output = openOutput("-", context);
  try {
    for await (const chunk of input.read({ start: 0, end: input.bytes })) await output.write(chunk);
  } finally {
    await input.close();
  }
}

/** spec: Export request, gcs_output. A later version ignores it and hands the data back (service behaviour 2.10). */
async function exportToStorage(
  api: AdminApi,
  options: ExportOptions,
  gcs_output: Storage["location"],
  { context, ui, report }: Voice,
): Promise<ExitCode> {
  const { response_output: _, ...request } = toExportRequest(options, options.timeout);
  const call = (): ReturnType<AdminApi["exportData"]> => api.exportData({ ...request, gcs_output }, context.signal);
  const answer = await withRetry(call, createRetry(ui, context), context.signal);
  const text = (await answer.text()).trim();
  if (text !== "" && !text.startsWith("{")) throw notJson(answer, text);
  if (text !== "" && text !== "{}") {
    ui.warn(
      "the service handed the export back instead of writing it to object storage; it was not kept. Use --output.",
    );
    report.set({ outcome: "not-written" });
    return exitCodes.partial;
  }
  ui.say(`The instance accepted the request; look for ${gcs_output.path} in ${gcs_output.bucket}.`);
  ui.say(notCarriedLine());
  report.set({ outcome: "unknown" });
  return exitCodes.done;
}
