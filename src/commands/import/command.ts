import type { Context } from "../../context.ts";
import type { ImportVariant } from "../../contract/import-request.ts";
import type { KnownFile } from "../../core/document/recognize.ts";
import type { ImportWorld } from "../../jobs/import/import-run.ts";
import { runImport } from "../../jobs/import/run-import.ts";
import { sendRequest } from "../../jobs/import/send-request.ts";
import type { ImportSettings } from "../../jobs/import/settings.ts";
import { type ExitCode, ProblemError } from "../../problem.ts";
import { importSettings, restOfFaults } from "../shared/common-options.ts";
import { connectTo } from "../shared/connect.ts";
import { readStorage } from "../shared/object-storage.ts";
import { openBody } from "../shared/open-body.ts";
import { rejectOutputs, runGuarded } from "../shared/overwrite-guard.ts";
import { checkCommand, resumeCommand } from "./command-lines.ts";
import type { ImportOptions } from "./declare.ts";

/** `import [file]`: a user body, an export, or object storage that the service reads itself. */
export async function importFile(
  file: string | undefined,
  options: ImportOptions,
  context: Context,
  known: readonly KnownFile[],
): Promise<ExitCode> {
  const paths = {
    inputs: [file, options.tokenFile, options.gcsServiceAccount],
    outputs: [
      { flag: "--journal", path: journalOf(file, options) },
      { flag: "--manifest", path: options.manifest },
      ...rejectOutputs(options.rejects),
    ],
  };
  return runGuarded("import", context, options, paths, async (ui, report) => {
    const { target, tokenFile, insecureHttp } = options;
    const storage = await readStorage(options, context);
    if (storage !== undefined && file !== undefined) {
      throw new ProblemError({ code: "usage.conflict", flags: [file, "--gcs-bucket"] });
    }
    if (storage !== undefined && options.update)
      throw new ProblemError({ code: "usage.conflict", flags: ["--gcs-bucket", "--update"] });
    if (options.resume && options.restart)
      throw new ProblemError({ code: "usage.conflict", flags: ["--resume", "--restart"] });
    if (storage === undefined && (file ?? "") === "") throw new ProblemError({ code: "usage.no-file" });
    const api = await connectTo(
      "target",
      { url: target, tokenFile, insecureHttp, timeout: options.timeout },
      context,
      ui,
    );
    const world = { api, context, ui, report };
    const settings = importSettings(options, context);
    try {
      if (storage !== undefined) {
        api.redactor.add(storage.secret);
        const field: ImportVariant = options.from === "v2" ? "dataOrgsGcs" : "dataOrgsv1Gcs";
        report.set({ target: api.address.host, variant: field });
        const request = { [field]: storage.location, ...timeoutOf(options) };
        return await sendRequest(world, "object storage", request, options);
      }
      return await importNamed(file as string, world, settings, options, known); // without storage there is a file
    } finally {
      await api.close();
    }
  });
}

function timeoutOf({ timeout }: ImportOptions): { timeout?: string } {
  return timeout === undefined ? {} : { timeout };
}

function journalOf(file: string | undefined, { journal }: ImportOptions): string | undefined {
  return journal ?? (file === "-" || file === undefined ? undefined : `${file}.journal.ndjson`);
}

/** Beside the journal, unless it is said where. */
function manifestOf(journal: string | undefined, { manifest }: ImportOptions): string | undefined {
  return manifest ?? journal?.replace(/(\.journal)?(\.ndjson)?$/, ".manifest.ndjson");
}

async function importNamed(
  file: string,
  world: ImportWorld,
  settings: ImportSettings,
  options: ImportOptions,
  known: readonly KnownFile[],
): Promise<ExitCode> {
  const input = await openBody(file, world.context, known);
  const journal = journalOf(file, options);
  try {
    return await runImport({
      ...world,
      input,
      settings,
      journal: { journal, resume: options.resume, restart: options.restart, manifest: manifestOf(journal, options) },
      resumeCommand: journal === undefined ? undefined : resumeCommand(file, options, world.api.address.base),
      checkCommand: checkCommand(file, options, world.api.address.base),
      restOfFaults: restOfFaults(options),
    });
  } finally {
    await input.close();
  }
}
