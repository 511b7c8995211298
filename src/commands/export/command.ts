import { type AdminApi, notJson } from "../../admin/client.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import { openDocument } from "../../io/input/document.ts";
import { isReadOnce } from "../../io/input/patterns.ts";
import { toExportRequest } from "../../jobs/export/request.ts";
import { selectOrgs } from "../../jobs/export/select-orgs.ts";
import { copyOut, toFile, toSpool } from "../../jobs/export/sinks.ts";
import { exportFields, tellExport, tellLeftCodes } from "../../jobs/export/tell-export.ts";
import { exportWhole, type WholeExport } from "../../jobs/export/whole-export.ts";
import { writeInventories } from "../../jobs/export/write-inventories.ts";
import { createRetry } from "../../jobs/shared/asking.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import { notCarriedLine, unknownLines } from "../../ui/summary/export-summary.ts";
import { type NextStep, sayNext, shellLine } from "../../ui/terminal/next-steps.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { inventoryOutputs } from "../shared/common-options.ts";
import { connectTo } from "../shared/connect.ts";
import { readStorage, type Storage } from "../shared/object-storage.ts";
import { refuseBoth } from "../shared/output-guard.ts";
import { runCommand } from "../shared/run-command.ts";
import type { ExportOptions } from "./declare.ts";

const DEFAULT_OUTPUT = "./export.json";

/** `export`: writes organizations of the source to a file or to stdout, or lets the service write them to object storage. */
export async function exportOrgs(options: ExportOptions, { context }: CommandWorld): Promise<ExitCode> {
  const { gcsServiceAccount, tokenFile: secretFile, gcsBucket, output = DEFAULT_OUTPUT } = options;
  const paths = {
    inputs: [secretFile, gcsServiceAccount],
    outputs: [
      { flag: "--output", path: gcsBucket === undefined ? output : undefined, kind: "export" as const },
      ...inventoryOutputs(options),
    ],
  };
  return runCommand({ name: "export", context, options, paths }, async (ui, report) => {
    const storage = await readStorage(options, context);
    if (storage !== undefined && options.output !== undefined) refuseBoth("--output", "--gcs-bucket");
    if (options.json && options.output === "-") refuseBoth("--json", "--output -");
    const [list] = inventoryOutputs(options).filter(({ path }) => path !== undefined);
    // A pipe cannot be read once more.
    if (list !== undefined && (options.output === "-" || gcsBucket !== undefined)) {
      refuseBoth(list.flag, gcsBucket === undefined ? "--output -" : "--gcs-bucket");
    }
    const api = await connectTo("source", options, context, ui);
    report.set({ source: api.address.host });
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
  const call = { api, ui, context };
  const flags = { ...options, settleMs: options.settle };
  let exported: Omit<WholeExport<unknown>, "sink">;
  if (path === "-") {
    // The reader gets the complete export or nothing: a pipe cannot take data back.
    const { sink: spool, ...rest } = await exportWhole(call, flags, () => toSpool(context));
    exported = rest;
    await copyOut(spool.finish("-"), context);
  } else {
    const { sink: output, ...rest } = await exportWhole(call, flags, () => toFile(path, context, ui));
    exported = rest;
    await output.commit();
    const written = await openDocument(path, context);
    try {
      await writeInventories(written, options, { context, ui });
    } finally {
      await written.close();
    }
  }
  report.set({ ...exportFields(exported), ...(await tellLeftCodes(call, exported, flags)), output: path });
  for (const line of unknownLines(exported.unknown)) ui.warn(line);
  const exitCode = tellExport(exported, path === "-" ? "stdout" : path, ui, options);
  if (!isReadOnce(path, context.cwd) && exitCode === exitCodes.done) sayNext(ui, nextSteps(path));
  return exitCode;
}

function nextSteps(path: string): NextStep[] {
  return [
    { why: "Rehearse on this machine", command: shellLine(["orgferry", "mock", "--seed", path]) },
    { why: "Print the plan of an import", command: shellLine(["orgferry", "import", path, "--dry-run"]) },
  ];
}

/** Sends the request with gcs_output (spec: Export request). Later versions ignore it and return the data (service behaviour 2.10). */
async function exportToStorage(
  api: AdminApi,
  options: ExportOptions,
  gcs_output: Storage["location"],
  { context, ui, report }: Voice,
): Promise<ExitCode> {
  const retry = createRetry(ui, context);
  const orgIds = await selectOrgs(api, options, retry, context.signal);
  const { response_output: _, ...request } = toExportRequest(options, orgIds);
  const call = (): ReturnType<AdminApi["exportData"]> => api.exportData({ ...request, gcs_output }, context.signal);
  const answer = await withRetry(call, retry, context.signal);
  const text = (await answer.text()).trim();
  if (text !== "" && !text.startsWith("{")) throw notJson(answer, text);
  if (text !== "" && text !== "{}") {
    ui.warn(
      "the service returned the export instead of writing it to object storage, and orgferry did not keep it. Use --output.",
    );
    report.set({ outcome: "not-written" });
    return exitCodes.partial;
  }
  ui.say(`The instance accepted the request. Check that ${gcs_output.path} is in ${gcs_output.bucket}.`);
  ui.say(notCarriedLine());
  report.set({ outcome: "unknown" });
  return exitCodes.done;
}
