import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { recognize } from "../../core/document/recognize.ts";
import { readFileBeginning } from "../../io/input/file-beginning.ts";
import { markedInputs, type Source } from "../../sources/source.ts";

/**
 * What a file or folder is: "body" for a file that can be imported as it is, else the id of the provider; undefined for an unknown kind.
 */
export function kindOf(path: string, sources: readonly Source[]): string | undefined {
  if (statSync(path).isDirectory()) return sources.find(({ users }) => users.folder !== undefined)?.id;
  const found = recognize(readFileBeginning(path), markedInputs(sources));
  if (found === undefined) return /\.(csv|tsv)$/i.test(path) ? "csv" : undefined;
  if (found.kind === "report") return undefined;
  return found.kind === "source" ? found.source : "body";
}

/** As many files of a folder are looked at. */
const MOST_FILES = 100;

/**
 * A file to name in place of a folder: one with users or hashes of a provider whose exports are no folders. undefined: a file, or a folder
 * of another content.
 */
export function fileInstead(path: string, sources: readonly Source[]): string | undefined {
  if (!statSync(path).isDirectory()) return undefined;
  const files = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isFile());
  const kinds = files.slice(0, MOST_FILES).map(({ name }) => [name, kindOf(join(path, name), sources)] as const);
  const ofFolders = sources.filter(({ users }) => users.folder !== undefined).map(({ id }) => id);
  if (kinds.some(([, kind]) => kind !== undefined && ofFolders.includes(kind))) return undefined;
  return kinds.find(([, kind]) => kind !== undefined)?.[0];
}
