import type { AdminApi } from "../../admin/client.ts";
import type { Context } from "../../context.ts";
import { type Document, openDocument } from "../../io/input/document.ts";
import { toFile, toSpool } from "../../jobs/export/sinks.ts";
import { exportFields, tellExport, tellLeftCodes } from "../../jobs/export/tell-export.ts";
import { exportWhole, type WholeExport } from "../../jobs/export/whole-export.ts";
import { writeInventories } from "../../jobs/export/write-inventories.ts";
import type { ImportInput } from "../../jobs/import/import-run.ts";
import { runImport } from "../../jobs/import/job.ts";
import { probeRights } from "../../jobs/import/plan/probe.ts";
import type { JobFiles } from "../../jobs/import/settings.ts";
import { askingOf } from "../../jobs/shared/asking.ts";
import { exportName } from "../../problem/format.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { yesCommand } from "../shared/command-lines.ts";
import { inventoryOutputs } from "../shared/common-options.ts";
import { connectTo, flagsOf, refuseSameInstance } from "../shared/connect.ts";
import { importSettings, restOfFaults } from "../shared/import-settings.ts";
import { orgMapFiles } from "../shared/org-map.ts";
import { rejectOutputs } from "../shared/output-guard.ts";
import { pilotFiles } from "../shared/pilot/flags.ts";
import { readPilot, refuseForPilot, selectFrom } from "../shared/pilot/select.ts";
import { runCommand } from "../shared/run-command.ts";
import type { CopyOptions } from "./declare.ts";

/** Where a copy writes the ids of the users that it creates: where --manifest says, beside the state file, or in the working folder. */
function manifestOf({ manifest, state }: CopyOptions): JobFiles["manifest"] {
  const path = manifest ?? `${state ?? "copy"}.manifest.ndjson`;
  return { path, isOptional: manifest === undefined };
}

/** `copy`: exports organizations from one instance and imports them into another. No file stays on disk, except with --keep. */
export async function copyOrgs(options: CopyOptions, { context, given }: CommandWorld): Promise<ExitCode> {
  const paths = {
    inputs: [options.sourceTokenFile, options.targetTokenFile, ...orgMapFiles(options.orgMap), ...pilotFiles(options)],
    outputs: [
      { flag: "--keep", path: options.keep, kind: "export" as const },
      { flag: "--state", path: options.state },
      { flag: "--manifest", path: options.manifest },
      ...inventoryOutputs(options),
      ...rejectOutputs(options.rejects),
    ],
  };
  return runCommand({ name: "copy", context, options, paths }, async (ui, report) => {
    const pilot = await readPilot(options, context);
    refuseForPilot(pilot, { "--delete": options.delete, "--deactivate": options.deactivate });
    const settings = await importSettings(options, context, ui, yesCommand(["copy"], given));
    const source = await connectTo("source", flagsOf("source", options), context, ui);
    const target = await connectTo("target", flagsOf("target", options), context, ui);
    report.set({ source: source.address.host, target: target.address.host });
    try {
      await refuseSameInstance(source, target, context);
      // Checked before the long export: the target must accept imports.
      await probeRights(askingOf({ api: target, ui, context }));
      const { input: whole, exportCode, lackingOrgs } = await fetchInput(source, options, { context, ui, report });
      try {
        await writeInventories(whole, options, { context, ui });
        const input = { ...(await selectFrom(whole, pilot, { context, ui, report })) };
        const importCode = await runImport({
          api: target,
          source,
          input: Object.assign(input, { lackingOrgs }),
          settings,
          files: {
            journal: undefined,
            resume: false,
            restart: false,
            manifest: manifestOf(options),
            resumeCommand: undefined,
            next: {},
            restOfFaults: restOfFaults(options),
          },
          context,
          ui,
          report,
        });
        return importCode === exitCodes.done ? exportCode : importCode;
      } finally {
        await whole.close();
      }
    } finally {
      await Promise.all([source.close(), target.close()]);
    }
  });
}

/** The export as an input, and its completeness. */
async function fetchInput(
  api: AdminApi,
  options: CopyOptions,
  { context, ui, report }: { readonly context: Context; readonly ui: Ui; readonly report: Report },
): Promise<{ readonly input: Document } & Completeness> {
  const call = { api, ui, context };
  const flags = { ...options, settleMs: options.settle };
  const name = exportName(api.address.host);
  const { keep } = options;
  const tell = async (exported: Omit<WholeExport<unknown>, "sink">): Promise<void> => {
    const left = await tellLeftCodes(call, exported, flags);
    report.set({ export: { ...exportFields(exported), ...left }, missing: exported.lacking?.users });
  };
  if (keep === undefined) {
    const { sink, ...exported } = await exportWhole(call, flags, () => toSpool(context));
    await tell(exported);
    return {
      input: sink.finish(name),
      ...completenessOf(exported, tellExport(exported, "a temporary file", ui, options)),
    };
  }
  const { sink, ...exported } = await exportWhole(call, flags, () => toFile(keep, context, ui));
  await sink.commit();
  await tell(exported);
  return {
    input: await openDocument(keep, context),
    ...completenessOf(exported, tellExport(exported, keep, ui, options)),
  };
}

/** The completeness of an export: its exit code, and the organizations with missing users. */
interface Completeness extends Pick<ImportInput, "lackingOrgs"> {
  readonly exportCode: ExitCode;
}

function completenessOf({ lacking }: Pick<WholeExport<unknown>, "lacking">, exportCode: ExitCode): Completeness {
  return { exportCode, lackingOrgs: lacking === undefined ? undefined : [...lacking.orgs, ...lacking.partOrgs] };
}
