import { statSync } from "node:fs";
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
