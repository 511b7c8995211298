import { type AdminApi, notJson } from "../../admin/client.ts";
import { withRetry } from "../../admin/with-retry.ts";
import { isReadOnce } from "../../io/input/patterns.ts";
import { nameInactive } from "../../jobs/export/inactive-names.ts";
import { toExportRequest } from "../../jobs/export/request.ts";
import { selectOrgs } from "../../jobs/export/select-orgs.ts";
import { copyOut, exportToDocument } from "../../jobs/export/sinks.ts";
import { exportFields, tellExport, tellInactive, tellLeftParts } from "../../jobs/export/tell-export.ts";
import { writeInventories } from "../../jobs/export/write-inventories.ts";
import { askingOf } from "../../jobs/shared/asking.ts";
import { findInactive } from "../../jobs/verify/inactive.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import { EXPORT_LACKS, notCarriedLine, unknownLines } from "../../ui/summary/export-summary.ts";
import { type NextStep, sayNext, shellLine } from "../../ui/terminal/next-steps.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { inventoryOutputs } from "../shared/common-options.ts";
import { connectTo } from "../shared/connect.ts";
import { readStorage, type Storage } from "../shared/object-storage.ts";
import { refuseBoth } from "../shared/output-guard.ts";
import { runCommand, type Voice } from "../shared/run-command.ts";
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
  return runCommand({ name: "export", context, options, paths }, async (ui, report, own) => {
    const storage = await readStorage(options, context);
    if (storage !== undefined && options.output !== undefined) refuseBoth("--output", "--gcs-bucket");
    if (options.json && options.output === "-") refuseBoth("--json", "--output -");
    const [list] = inventoryOutputs(options).filter(({ path }) => path !== undefined);
    // A pipe cannot be read once more.
    if (list !== undefined && (options.output === "-" || gcsBucket !== undefined)) {
      refuseBoth(list.flag, gcsBucket === undefined ? "--output -" : "--gcs-bucket");
    }
    const api = own(await connectTo("source", options, context, ui));
    report.set({ source: api.address.host });
    if (storage === undefined) return exportToOutput(api, options, { context, ui, report });
    api.redactor.add(storage.secret);
    return exportToStorage(api, options, storage.location, { context, ui, report });
  });
}

async function exportToOutput(
  api: AdminApi,
  options: ExportOptions,
  { context, ui, report }: Voice,
): Promise<ExitCode> {
  const path = options.output ?? DEFAULT_OUTPUT;
  const call = { api, ui, context };
  const flags = { ...options, settleMs: options.settle };
  // The reader gets the complete export or nothing: a pipe cannot take data back.
  const { exported, document } = await exportToDocument(call, flags, path === "-" ? undefined : path, path);
  let inactive: ReturnType<typeof tellInactive>;
  try {
    if (path === "-") await copyOut(document, context);
    else await writeInventories(document, options, { context, ui });
    const found = await findInactive(call, exported.held);
    inactive = tellInactive(found && (await nameInactive(found, document, context.signal)), "export", ui);
  } finally {
    await document.close();
  }
  const { left } = await tellLeftParts(call, exported, flags);
  report.set({ ...exportFields(exported), ...inactive, ...left, output: path });
  for (const line of unknownLines(exported.unknown)) ui.warn(line);
  const exitCode = tellExport(exported, path === "-" ? "stdout" : path, ui, options, left);
  if (exitCode === exitCodes.partial) report.why(EXPORT_LACKS);
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
  const asking = askingOf({ api, ui, context });
  const orgIds = await selectOrgs(options, asking);
  const { response_output: _, ...request } = toExportRequest(options, orgIds);
  const call = (): ReturnType<AdminApi["exportData"]> => api.exportData({ ...request, gcs_output }, context.signal);
  const answer = await withRetry(call, asking.retry, asking.signal);
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
