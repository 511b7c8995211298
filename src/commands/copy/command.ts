import type { AdminApi } from "../../admin/client.ts";
import type { Context } from "../../context.ts";
import type { OrgMap } from "../../core/document/org-map.ts";
import { isInactiveGrant } from "../../core/events/inactive-objects.ts";
import { type Document, spoolDocument } from "../../io/input/document.ts";
import { joinDocuments } from "../../io/input/joined-document.ts";
import { leaveOutGrants } from "../../io/input/selected-document.ts";
import { Spool } from "../../io/spool.ts";
import { nameInactive } from "../../jobs/export/inactive-names.ts";
import { type LeftGrant, NO_GRANTS } from "../../jobs/export/left-parts.ts";
import { findRemovedOrgs } from "../../jobs/export/select-orgs.ts";
import { exportToDocument } from "../../jobs/export/sinks.ts";
import {
  exportFields,
  tellExport,
  tellInactive,
  tellLeftParts,
  tellRemovedOrgs,
} from "../../jobs/export/tell-export.ts";
import { writeInventories } from "../../jobs/export/write-inventories.ts";
import { activeThere } from "../../jobs/import/active-there.ts";
import { runImport } from "../../jobs/import/job.ts";
import { openRejects } from "../../jobs/import/outcome/rejects.ts";
import { probeRights } from "../../jobs/import/plan/probe.ts";
import type { JobFiles } from "../../jobs/import/settings.ts";
import { askingOf } from "../../jobs/shared/asking.ts";
import { findInactive } from "../../jobs/verify/inactive.ts";
import { exportName } from "../../problem/format.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import { EXPORT_LACKS } from "../../ui/summary/export-summary.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { sendCommand, yesCommand } from "../shared/command-lines.ts";
import { inventoryOutputs } from "../shared/common-options.ts";
import { connectPair } from "../shared/connect.ts";
import { importSettings, restOfFaults } from "../shared/import-settings.ts";
import { orgMapFiles } from "../shared/org-map.ts";
import { rejectOutputs } from "../shared/output-guard.ts";
import { pilotFiles } from "../shared/pilot/flags.ts";
import { readPilot, refuseForPilot, selectFrom } from "../shared/pilot/select.ts";
import { runCommand, type Voice } from "../shared/run-command.ts";
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
  return runCommand({ name: "copy", context, options, paths }, async (ui, report, own) => {
    const pilot = await readPilot(options, context);
    refuseForPilot(pilot, { "--delete": options.delete, "--deactivate": options.deactivate });
    const settings = await importSettings(options, context, {
      writer: "copy",
      inputs: [],
      yesCommand: yesCommand(["copy"], given),
    });
    openRejects(settings.rejects, { context, ui }).discard(); // a place that cannot be written is known before the long export
    const [source, target] = await connectPair(options, { context, ui, report, own });
    // Checked before the long export: the target must accept imports.
    await probeRights(askingOf({ api: target, ui, context }));
    const {
      input: whole,
      exportCode,
      lackingOrgs,
      deletedUsers,
      inactive,
      grantsOutside,
    } = await fetchInput({ source, target, orgMap: settings.plan.orgMap }, options, { context, ui, report });
    own(whole);
    await writeInventories(whole, options, { context, ui });
    const hasGrants = inactive.some(({ type }) => type === "user_grant");
    const active = hasGrants ? await leaveOutGrants(whole, isInactiveGrant(inactive), context.signal) : whole;
    const input = { ...(await selectFrom(active, pilot, { context, ui, report })) };
    const importCode = await runImport({
      api: target,
      source,
      input: Object.assign(input, { lackingOrgs, deletedUsers, inactive, grantsOutside }),
      settings,
      files: {
        journal: undefined,
        resume: false,
        restart: false,
        manifest: manifestOf(options),
        resumeCommand: undefined,
        next: { send: sendCommand(["copy"], given) },
        restOfFaults: restOfFaults(options),
      },
      context,
      ui,
      report,
    });
    if (importCode !== exitCodes.done) return importCode;
    if (exportCode === exitCodes.partial) report.why(EXPORT_LACKS);
    return exportCode;
  });
}

/** The export as an input, and its completeness: its exit code, and the organizations with missing users. */
async function fetchInput(
  { source: api, target, orgMap }: { source: AdminApi; target: AdminApi; orgMap: OrgMap },
  options: CopyOptions,
  { context, ui, report }: Voice,
) {
  const call = { api, ui, context };
  const flags = { ...options, settleMs: options.settle };
  const { keep } = options;
  const { exported, document: input } = await exportToDocument(call, flags, keep, exportName(api.address.host));
  const { lacking } = exported;
  const { left, grants } = await tellLeftParts(call, exported, flags, { api: target, orgMap });
  const inactive = await findInactive(call, exported.held);
  const open = inactive && (await activeThere(inactive, { ...call, api: target }, orgMap));
  const told = tellInactive(open && (await nameInactive(open, input, context.signal)), "copy", ui);
  // Without --org-id, nothing else names an organization that is gone at the source.
  const removed = flags.orgId.length > 0 ? [] : (lacking?.removedOrgs ?? []).map(({ id }) => id);
  const toldOrgs = tellRemovedOrgs(await findRemovedOrgs(removed, askingOf({ ...call, api: target }), orgMap), ui);
  report.set({ export: { ...exportFields(exported), ...left, ...told, ...toldOrgs }, missing: lacking?.users });
  const exportCode = tellExport(exported, keep ?? "a temporary file", ui, options);
  const lackingOrgs = lacking && [...lacking.orgs, ...lacking.partOrgs];
  return {
    input: await withGrants(input, (grants ?? NO_GRANTS).left, context),
    exportCode,
    lackingOrgs,
    deletedUsers: lacking?.deleted ?? [],
    inactive: inactive ?? [],
    grantsOutside: grants?.outside,
  };
}

/** The export, and the role grants that it lacks. */
async function withGrants(input: Document, grants: readonly LeftGrant[], context: Context): Promise<Document> {
  if (grants.length === 0) return input;
  const orgs = grants.map(({ orgId, ...grant }) => ({ orgId, userGrants: [grant] }));
  const spool = new Spool(context.cleanUp);
  spool.append(Buffer.from(JSON.stringify({ orgs })));
  const { document } = await joinDocuments([input, spoolDocument(input.path, spool)], context.signal);
  return document;
}
