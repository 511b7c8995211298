import type { Context } from "../../context.ts";
import type { ImportVariant } from "../../contract/import-request.ts";
import type { KnownFile } from "../../core/document/recognize.ts";
import type { SelectionRules } from "../../core/select/selection.ts";
import type { Document } from "../../io/input/document.ts";
import { joinDocuments } from "../../io/input/joined-document.ts";
import { expandNames, isReadOnce } from "../../io/input/patterns.ts";
import { journalBeside } from "../../io/output/replaceable.ts";
import type { ImportWorld } from "../../jobs/import/import-run.ts";
import { runImport } from "../../jobs/import/job.ts";
import { sendRequest } from "../../jobs/import/request.ts";
import type { ImportSettings, JobFiles } from "../../jobs/import/settings.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { markedInputs } from "../../sources/source.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommandWorld, GivenFlag } from "../shared/command-entry.ts";
import { nextCommands, resumeCommand, yesCommand } from "../shared/command-lines.ts";
import { connectTo } from "../shared/connect.ts";
import { importSettings, restOfFaults } from "../shared/import-settings.ts";
import { readStorage } from "../shared/object-storage.ts";
import { openBody } from "../shared/open-body.ts";
import { orgMapFiles } from "../shared/org-map.ts";
import { refuseBoth, rejectOutputs } from "../shared/output-guard.ts";
import { pilotFiles } from "../shared/pilot/flags.ts";
import { readPilot, refuseForPilot, selectFrom } from "../shared/pilot/select.ts";
import { type Own, runCommand } from "../shared/run-command.ts";
import type { ImportOptions } from "./declare.ts";
import { filesOfShard, resolveShard, type Shard } from "./shard.ts";

/** `import [files...]`: sends a body, an export or several files, or lets the service read object storage. */
export async function importFiles(
  names: readonly string[],
  options: ImportOptions,
  { context, sources, given }: CommandWorld,
): Promise<ExitCode> {
  const found = findFiles(names, options, context);
  const files = found instanceof ProblemError ? names : found.files;
  const [file] = files;
  const paths = {
    inputs: [
      ...files,
      options.tokenFile,
      options.gcsServiceAccount,
      ...orgMapFiles(options.orgMap),
      ...pilotFiles(options),
    ],
    outputs: [
      { flag: "--journal", path: journalOf(file, options, context) },
      { flag: "--manifest", path: options.manifest },
      ...rejectOutputs(options.rejects),
    ],
  };
  return runCommand({ name: "import", context, options, paths }, async (ui, report, own) => {
    if (found instanceof ProblemError) throw found;
    const storage = await readStorage(options, context);
    if (storage !== undefined && file !== undefined) refuseBoth(file, "--gcs-bucket");
    if (storage !== undefined && options.update) refuseBoth("--gcs-bucket", "--update");
    if (options.resume && options.restart) refuseBoth("--resume", "--restart");
    const pilot = await readPilot(options, context);
    const { shard } = found;
    refuseForPilot(pilot, { "--shard": shard !== undefined, "--gcs-bucket": storage !== undefined });
    if (shard !== undefined) report.set({ shard: { ...shard, files: found.all } });
    if (storage === undefined && (names[0] ?? "") === "") throw new ProblemError({ code: "usage.no-file" });
    if (storage === undefined && file === undefined) return nothingToSend(ui, report);
    const api = own(await connectTo("target", options, context, ui));
    const world = { api, context, ui, report };
    const settings = await importSettings(options, context, {
      writer: shard === undefined ? "import" : `import ${shard.index}/${shard.of}`,
      inputs: files,
      yesCommand: yesCommand(["import", ...names], given),
    });
    if (storage !== undefined) {
      api.redactor.add(storage.secret);
      const field: ImportVariant = options.from === "v2" ? "dataOrgsGcs" : "dataOrgsv1Gcs";
      report.set({ target: api.address.host, variant: field });
      const request = { [field]: storage.location, ...timeoutOf(options) };
      return sendRequest(world, "object storage", request, settings);
    }
    return importNamed(found, { ...world, own }, settings, options, { given, pilot, known: markedInputs(sources) });
  });
}

function timeoutOf({ timeout }: ImportOptions): { timeout?: string } {
  return timeout === undefined ? {} : { timeout };
}

/** The journal: the given path, or a file beside the first input. undefined for an input that cannot be read again. */
function journalOf(
  file: string | undefined,
  { journal }: ImportOptions,
  { cwd }: Pick<Context, "cwd">,
): string | undefined {
  return journal ?? (file === undefined || isReadOnce(file, cwd) ? undefined : journalBeside(file));
}

/** The files of the job, and the shard of them that this run sends. */
interface Files {
  readonly names: readonly string[];
  readonly all: readonly string[];
  readonly files: readonly string[];
  readonly shard: Shard | undefined;
}

/** Returns usage.conflict, usage.no-shard and input.missing instead of raising them. */
function findFiles(
  names: readonly string[],
  { shard: wanted }: Pick<ImportOptions, "shard">,
  { cwd, env }: Pick<Context, "cwd" | "env">,
): Files | ProblemError {
  try {
    const shard = wanted === undefined ? undefined : resolveShard(wanted, env);
    const all = expandNames(names, cwd);
    if (names.includes("-") && (all.length > 1 || shard !== undefined)) {
      refuseBoth("-", shard === undefined ? "other files" : "--shard");
    }
    return { names, all: [...all].sort(), files: shard === undefined ? all : filesOfShard(all, shard), shard };
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** Reports a shard without files: there are more shards than files. */
function nothingToSend(ui: Ui, report: Report): ExitCode {
  const users = { read: 0, sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0, notSent: 0, skipped: 0 };
  report.set({ users, files: [], calls: 0 });
  ui.say("there are more shards than files, so this shard has nothing to send.");
  return exitCodes.done;
}

/** The manifest: the given path, or a file beside the journal. */
function manifestOf(journal: string | undefined, { manifest }: ImportOptions): JobFiles["manifest"] {
  const path = manifest ?? journal?.replace(/(\.journal)?(\.ndjson)?$/, ".manifest.ndjson");
  return path === undefined ? undefined : { path, isOptional: false };
}

/** What an import of files needs besides its flags. */
interface ImportNames {
  readonly given: readonly GivenFlag[];
  /** Which users are sent; undefined: all. */
  readonly pilot: SelectionRules | undefined;
  readonly known: readonly KnownFile[];
}

async function importNamed(
  { files, names, shard }: Files,
  { own, ...world }: ImportWorld & { readonly own: Own },
  settings: ImportSettings,
  options: ImportOptions,
  { given, pilot, known }: ImportNames,
): Promise<ExitCode> {
  world.report.set({ inputs: files });
  const [file] = files;
  const again = files.length === 1 && file !== undefined && !isReadOnce(file, world.context.cwd) ? file : undefined;
  const whole = await openFiles(files, { ...world, own }, known, shard !== undefined);
  const journal = journalOf(file, options, world.context);
  return runImport({
    ...world,
    input: await selectFrom(whole, pilot, world),
    settings,
    files: {
      journal,
      isShard: shard !== undefined,
      resume: options.resume,
      restart: options.restart,
      manifest: manifestOf(journal, options),
      resumeCommand: journal === undefined ? undefined : resumeCommand(names, given, world.api.address.base),
      next:
        again === undefined
          ? {}
          : nextCommands(again, { ...options, isPilot: pilot !== undefined }, given, world.api.address.base),
      restOfFaults: restOfFaults(options),
    },
  });
}

/** Opens one file as it is, and several files or a shard as one document. The report lists the files. */
async function openFiles(
  files: readonly string[],
  { context, report, own }: Pick<ImportWorld, "context" | "report"> & { readonly own: Own },
  known: readonly KnownFile[],
  isShard: boolean,
): Promise<Document> {
  const opened: Document[] = [];
  for (const file of files) opened.push(own(await openBody(file, context, known)));
  const [only] = opened;
  if (only !== undefined && opened.length === 1 && !isShard) return only;
  const joined = await joinDocuments(opened, context.signal);
  report.set({ files: joined.files });
  return joined.document;
}
