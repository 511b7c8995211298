import { statSync } from "node:fs";
import { recognize } from "../../core/document/recognize.ts";
import { firstKeys } from "../../core/json/first-keys.ts";
import type { OutputKind } from "../../problem.ts";
import { readFileBeginning } from "../input/file-beginning.ts";
import { refusePlanted } from "../links.ts";

/** What an output would replace. `special`: a folder, a device, a pipe; `other`: a file that orgferry does not write. */
export type Replaced = OutputKind | "nothing" | "other" | "special";

/**
 * What is at the path of an output, by its beginning: nothing (also an empty file), a report or a page of one, an import body, an export,
 * or users of Auth0. A path that cannot be looked at is `nothing`: the code that opens the output names the reason.
 */
export function findReplaced(goal: string): Replaced {
  try {
    refusePlanted(goal);
    const stats = statSync(goal, { throwIfNoEntry: false });
    if (stats === undefined || stats.size === 0) return stats?.isFile() === false ? "special" : "nothing";
    return stats.isFile() ? kindOf(readFileBeginning(goal)) : "special";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "other" : "nothing";
  }
}

function kindOf(beginning: Buffer): OutputKind | "other" {
  const text = beginning.toString();
  if (text.startsWith("<!doctype html>") && text.includes("orgferry")) return "report";
  const keys = firstKeys(beginning);
  if ([...keys][0] === "schemaVersion") return "report";
  const found = recognize(beginning, []);
  if (found !== undefined) return found.kind === "body" ? "body" : "export";
  return keys.has("user_id") ? "users" : "other";
}

/** The end of the name of an import's journal, behind that of its input. */
export const JOURNAL_ENDING = ".journal.ndjson";

/** The journal of an input without `--journal`. */
export function journalBeside(file: string): string {
  return `${file}${JOURNAL_ENDING}`;
}
