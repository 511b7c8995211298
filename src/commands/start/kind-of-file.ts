import { isUtf8 } from "node:buffer";
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { recognize } from "../../core/document/recognize.ts";
import { decodedBeginning } from "../../io/input/decoded-beginning.ts";
import { readFileBeginning } from "../../io/input/file-beginning.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { firstOf, printable } from "../../problem/format.ts";
import type { FoundKind, RunProblem } from "../../problem.ts";
import { markedInputs, type Source } from "../../sources/source.ts";
import { findUnfit } from "../shared/unfit.ts";

/**
 * What a file or folder is: "body" for a file that can be imported as it is, else the id of the provider; undefined for an unknown kind.
 */
export function kindOf(path: string, sources: readonly Source[]): string | undefined {
  if (statSync(path).isDirectory()) return sources.find(({ users }) => users.folder !== undefined)?.id;
  const found = recognizedIn(contentOf(path), sources);
  if (found === undefined) return /\.(csv|tsv)(\.gz)?$/i.test(path) ? "csv" : undefined;
  if (found.kind === "report") return undefined;
  return found.kind === "source" ? found.source : "body";
}

function recognizedIn(beginning: Buffer, sources: readonly Source[]): FoundKind | undefined {
  return recognize(beginning, markedInputs(sources));
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

/** Why a file or folder cannot be read as users, as far as its beginning and the names show; undefined: it may be. */
export function whyUnfit(path: string, sources: readonly Source[]): string | undefined {
  if (statSync(path).isDirectory()) return whyUnfitFolder(path, sources);
  const beginning = contentOf(path);
  const file = basename(path);
  if (beginning.length === 0) return inWords({ code: "input.empty", file });
  if (beginning.toString().trim() === "") return inWords({ code: "input.no-rows", file });
  const unfit = findUnfit(beginning, "");
  if (unfit !== undefined) return inWords({ code: "input.unfit", file, ...unfit }).trim();
  const hashes = hashesOf(recognizedIn(beginning, sources), sources);
  if (hashes !== undefined)
    return `${printable(file)}: has the password hashes of ${hashes.title}. Name the file with the users; the hashes are asked for later.`;
  const lines = beginning.subarray(0, beginning.lastIndexOf("\n") + 1);
  if (isUtf8(lines)) return undefined;
  const line =
    lines
      .toString("latin1")
      .split("\n")
      .findIndex((text) => !isUtf8(Buffer.from(text, "latin1"))) + 1;
  return inWords({ code: "input.not-utf8", file, line });
}

function inWords(problem: RunProblem): string {
  return sentences(describe(problem));
}

/** The source whose second file was recognized. */
function hashesOf(found: FoundKind | undefined, sources: readonly Source[]): Source | undefined {
  if (found?.kind !== "source") return undefined;
  return sources.find(({ id, credentials }) => id === found.source && credentials?.flag === found.flag);
}

/** As many files of a folder are looked at. */
const MOST_FILES = 100;
/** As many are named. */
const MOST_NAMED = 5;

/** A folder is fit if it has a file of a provider that exports folders, or JSON of no known kind. */
function whyUnfitFolder(path: string, sources: readonly Source[]): string | undefined {
  const [ofFolders] = sources.filter(({ users }) => users.folder !== undefined);
  if (ofFolders?.users.folder === undefined) return undefined;
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const kinds = names.slice(0, MOST_FILES).map((name) => ({ name, kind: kindOf(join(path, name), sources) }));
  if (kinds.some(({ kind }) => kind === ofFolders.id)) return undefined;
  const known = kinds.filter(
    ({ name, kind }) => kind !== undefined && whyUnfit(join(path, name), sources) === undefined,
  );
  // A table is known by its name alone.
  const sure = known.filter(({ kind }) => kind !== "csv");
  const toName = (sure.length > 0 ? sure : known).map(({ name }) => printable(name));
  if (toName.length > 0)
    return `Only a ${ofFolders.title} export is read as a folder. Name a file in it: ${firstOf(toName, MOST_NAMED)}`;
  const isUnknown =
    names.length > MOST_FILES || kinds.some(({ name, kind }) => kind === undefined && IS_JSON.test(name));
  if (isUnknown) return undefined;
  const inside = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  return inWords({ code: "input.no-files", file: basename(path), names: ofFolders.users.folder.names, inside });
}

const IS_JSON = /\.json(\.gz)?$/i;
