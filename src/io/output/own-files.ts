import { existsSync, rmSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ProblemError } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import { realPathOf } from "../links.ts";
import { type BufferedOutput, bufferedOutput } from "./buffered-output.ts";
import { hasContentMark } from "./content-mark.ts";
import { type OutputOptions, openOutput, tryOutput } from "./output.ts";
import { removeEmpty, removeOrphans } from "./temporary-file.ts";

/** The file of a folder of rejects that says why. */
export const REASONS = "reasons.ndjson";

/** What a command writes into a folder. */
export interface FolderFiles {
  /** The command. */
  readonly owner: string;
  /** All files that a run may write. */
  readonly names: readonly string[];
  /** Files that the run reads: a folder with one of them is kept, as if the file were edited. */
  readonly inputs?: readonly string[];
}

/**
 * The folder, or its first numbered name (`rejects-2`), in which every one of these files is missing or as this command wrote it: a file
 * that was edited, that another command wrote, or that the run reads, is neither replaced nor deleted. Raises output.unwritable.
 */
function folderToWrite(dir: string, files: FolderFiles, { cwd, flag }: Pick<OwnFilesOptions, "cwd" | "flag">): string {
  let found: string | undefined;
  // Behind a folder with an input: those before it have what it is a part of.
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? dir : numbered(dir, number);
    const folder = resolve(cwd, name);
    const isRead = attempt(() => hasInput(folder, files, cwd), outputProblem(name, flag));
    const isFree = !isRead && attempt(() => isUnchanged(folder, files), outputProblem(name, flag));
    if (isRead) found = undefined;
    else if (isFree) found ??= name;
    if (found !== undefined && !existsSync(folder)) return found;
  }
}

/** Raises output.unwritable if the path exists and is no folder. */
function refuseOtherThanFolder(dir: string, { cwd, flag }: OwnFilesOptions): void {
  const stat = attempt(() => statSync(resolve(cwd, dir), { throwIfNoEntry: false }), outputProblem(dir, flag));
  if (stat?.isDirectory() === false)
    throw new ProblemError({ code: "output.unwritable", file: dir, reason: "EEXIST", flag });
}

/** `rejects-2`; in a folder without a name of its own (`.`, `..`), a folder of that name. */
function numbered(dir: string, number: number): string {
  const hasName = /[^./\\]/.test(basename(dir));
  return hasName ? `${dir.replace(/[/\\]+$/, "")}-${number}` : join(dir, `rejects-${number}`);
}

function isUnchanged(folder: string, { owner, names }: FolderFiles): boolean {
  return filesOf(folder, names).every((path) => hasContentMark(path, owner));
}

function hasInput(folder: string, { names, inputs = [] }: FolderFiles, cwd: string): boolean {
  const read = new Set(inputs.map((path) => realPathOf(cwd, path)));
  return filesOf(folder, names).some((path) => read.has(realPathOf(cwd, path)));
}

function filesOf(folder: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

export interface OwnFilesOptions extends OutputOptions {
  /** The flag that names another folder. */
  readonly flag: string;
  /** Called, with the commit, if the files go to another folder than the wanted one. */
  readonly onMoved: (from: string, to: string) => void;
}

/**
 * The files that a run writes into a folder where people edit them. They become visible together. Files of an earlier run are replaced,
 * and deleted if this run does not write them, but none that was edited: `folderToWrite` finds the folder, also once more at the end.
 * The constructor writes and deletes a file in it: it raises output.unwritable, output.full, output.planted, before the run does any work.
 */
export class OwnFiles {
  readonly #files: FolderFiles;
  readonly #options: OwnFilesOptions;
  readonly #outputs = new Map<string, BufferedOutput>();
  readonly #wanted: string;
  #path: string;

  constructor(path: string, files: FolderFiles, options: OwnFilesOptions) {
    refuseOtherThanFolder(path, options);
    this.#wanted = path;
    this.#path = folderToWrite(path, files, options);
    tryOutput(join(this.#path, REASONS), options);
    this.#files = files;
    this.#options = { ...options, markedBy: files.owner };
  }

  /** The folder; after `commit`, the one that has the files. */
  get path(): string {
    return this.#path;
  }

  /** True if the folder gets a file. */
  get isUsed(): boolean {
    return this.#outputs.size > 0;
  }

  has(name: string): boolean {
    return this.#outputs.has(name);
  }

  /** The file of this name. The folder is created with its first file. Raises output.unwritable, output.planted. */
  open(name: string): BufferedOutput {
    const known = this.#outputs.get(name);
    if (known !== undefined) return known;
    const output = bufferedOutput(openOutput(join(this.#path, name), this.#options));
    this.#outputs.set(name, output);
    return output;
  }

  /** Raises output.unwritable, output.full. */
  async commit(): Promise<void> {
    for (const output of this.#outputs.values()) output.close();
    const { cwd, flag } = this.#options;
    const first = this.#path;
    this.#path = folderToWrite(this.#wanted, this.#files, this.#options);
    const isMoved = this.#path !== first;
    if (this.#path !== this.#wanted && this.isUsed) this.#options.onMoved(this.#wanted, this.#path);
    const folder = resolve(cwd, this.#path);
    for (const [name, output] of this.#outputs) await output.commit(isMoved ? join(this.#path, name) : undefined);
    const unused = this.#files.names.filter((name) => !this.has(name));
    const old = filesOf(folder, unused);
    attempt(
      () => {
        for (const path of old) rmSync(path);
      },
      outputProblem(this.#path, flag),
    );
    removeOrphans(join(resolve(cwd, first), "any")); // also if this run wrote nothing
    if (old.length > 0) removeEmpty([folder]); // an empty folder that was there before is the user's
  }

  discard(): void {
    // The first output may have created the folder and removes it when it is empty.
    for (const output of [...this.#outputs.values()].reverse()) output.discard();
  }
}
