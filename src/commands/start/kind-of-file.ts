import { isUtf8 } from "node:buffer";
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { recognize } from "../../core/document/recognize.ts";
import { decodedBeginning } from "../../io/input/decoded-beginning.ts";
import { readFileBeginning } from "../../io/input/file-beginning.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { markedInputs, type Source } from "../../sources/source.ts";
import { findUnfit } from "../shared/unfit.ts";

/**
 * What a file or folder is: "body" for a file that can be imported as it is, else the id of the provider; undefined for an unknown kind.
 */
export function kindOf(path: string, sources: readonly Source[]): string | undefined {
  if (statSync(path).isDirectory()) return sources.find(({ users }) => users.folder !== undefined)?.id;
  const found = recognize(contentOf(path), markedInputs(sources));
  if (found === undefined) return /\.(csv|tsv)(\.gz)?$/i.test(path) ? "csv" : undefined;
  if (found.kind === "report") return undefined;
  return found.kind === "source" ? found.source : "body";
}

/** The beginning of the file's content. */
function contentOf(path: string): Buffer {
  return decodedBeginning(readFileBeginning(path));
}

/** The source that reads a file of an unknown kind most likely. */
export function likelyKind(path: string): "json" | "csv" {
  const isJson = /\.(nd)?jsonl?(\.gz)?$/i.test(path) || /^\s*[[{]/.test(contentOf(path).toString("latin1"));
  return isJson ? "json" : "csv";
}

/** Why a file cannot be read as users, as far as its beginning shows: the problem in words; undefined: it may be one, or it is a folder. */
export function whyUnfit(path: string): string | undefined {
  if (statSync(path).isDirectory()) return undefined;
  const beginning = contentOf(path);
  const file = basename(path);
  const unfit = findUnfit(beginning, "");
  if (unfit !== undefined) return sentences(describe({ code: "input.unfit", file, ...unfit })).trim();
  const lines = beginning.subarray(0, beginning.lastIndexOf("\n") + 1);
  if (isUtf8(lines)) return undefined;
  const line =
    lines
      .toString("latin1")
      .split("\n")
      .findIndex((text) => !isUtf8(Buffer.from(text, "latin1"))) + 1;
  return sentences(describe({ code: "input.not-utf8", file, line }));
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
