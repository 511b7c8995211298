import { closeSync, openSync, readSync, statSync } from "node:fs";
import { recognize } from "../../core/document/recognize.ts";
import { BEGINNING_BYTES } from "../../core/json/first-keys.ts";
import { markedInputs, type Source } from "../../sources/source.ts";

/**
 * What a file or folder is: "body" for a file that can be imported as it is, else the id of the provider; undefined for an unknown kind.
 */
export function kindOf(path: string, sources: readonly Source[]): string | undefined {
  if (statSync(path).isDirectory()) return sources.find(({ users }) => users.folder !== undefined)?.id;
  const beginning = Buffer.alloc(BEGINNING_BYTES);
  const file = openSync(path, "r");
  const length = readSync(file, beginning);
  closeSync(file);
  const found = recognize(beginning.subarray(0, length), markedInputs(sources));
  if (found === undefined) return /\.(csv|tsv)$/i.test(path) ? "csv" : undefined;
  return found.kind === "source" ? found.source : "body";
}
