import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions, addPageOptions, addTargetOptions } from "../shared/common-options.ts";
import { parseCount } from "../shared/parse-flags.ts";

/** Calls at a time, unless the flag says otherwise. */
const DEFAULT_CALLS = 16;

/** Declares `undo <manifest>` and its flags. */
export function declareUndo(program: Command) {
  const named = program
    .command("undo")
    .description("remove the users that an import or a copy created, and nobody else")
    .argument("<manifest>", "the manifest that the import or copy wrote");
  const own = addTargetOptions(named)
    .option("--dry-run", "find out who would be removed, say it, and stop", false)
    .option("-y, --yes", "do not ask", false)
    .option("--force", "remove also who has signed in or changed the password since", false)
    .option("--concurrency <n>", "calls at a time", parseCount, DEFAULT_CALLS);
  return addCommonOptions(addPageOptions(own));
}

/** The flags of `undo`, as the command line hands them over. */
export type UndoOptions = ReturnType<ReturnType<typeof declareUndo>["opts"]>;
