import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { openDocument } from "../../io/input/document.ts";
import { JOURNAL_ENDING } from "../../io/output/replaceable.ts";
import { readManifest } from "../../jobs/undo/read-manifest.ts";
import { runUndo } from "../../jobs/undo/run-undo.ts";
import { shown } from "../../problem/format.ts";
import { type ExitCode, ProblemError } from "../../problem.ts";
import { unfinishedLine } from "../../ui/summary/undo-summary.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { connectTo } from "../shared/connect.ts";
import { refuseOtherThanManifest } from "../shared/open-body.ts";
import { runCommand } from "../shared/run-command.ts";
import type { UndoOptions } from "./declare.ts";

/** `undo <manifest>`: deletes the users that a job created. The manifest names the target; another target is refused. */
export async function undo(file: string, options: UndoOptions, { context }: CommandWorld): Promise<ExitCode> {
  const paths = { inputs: [file, options.tokenFile], outputs: [] };
  const { force: _, ...common } = options; // of undo, --force is about users
  return runCommand({ name: "undo", context, options: common, paths }, async (ui, report, own) => {
    report.set({ inputs: [file] });
    const journal = file.replace(/\.manifest\.ndjson$/, JOURNAL_ENDING);
    const exists = (path: string): boolean => existsSync(resolve(context.cwd, path));
    if (journal !== file && exists(journal)) {
      if (!exists(file)) throw new ProblemError({ code: "input.missing", file, flag: "", journal });
      ui.warn(unfinishedLine(journal));
    }
    const input = own(await openDocument(file, context));
    await refuseOtherThanManifest(input);
    const manifest = await readManifest(input);
    const named = options.target ?? (context.env["ZITADEL_IMPORT_DOMAIN"] || undefined);
    const flags = { ...options, target: named ?? manifest.head.target, role: "IAM_OWNER" };
    const api = own(await connectTo("target", flags, context, ui));
    const { base, host } = api.address;
    const listed = manifest.head.target;
    if (base !== listed) throw new ProblemError({ code: "input.other-target", file, host, listed: shown(listed) });
    return runUndo({ api, context, ui, report, manifest, file, settings: options });
  });
}
