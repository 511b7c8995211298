import { createHash, type Hash } from "node:crypto";
import { lstatSync, rmSync } from "node:fs";
import { format, parse, resolve } from "node:path";
import { BODY_BEGIN, bodyHead, bodyTail, nextList, nextOrg } from "../../core/merge/entry/body-text.ts";
import type { EntryBuffer } from "../../core/merge/entry/entry-buffer.ts";
import { type BesideList, besideLists, projectLists } from "../../core/merge/entry/entry-layout.ts";
import type { NewProject } from "../../core/merge/source-user.ts";
import { readFileBeginning } from "../input/file-beginning.ts";
import { Spool } from "../spool.ts";
import { heldOutput, type OutputOptions, openOutput } from "./output.ts";
import type { Output } from "./sink.ts";

/** One import body that was written. */
export interface BodyFile {
  readonly path: string;
  readonly users: number;
  /** Ids of organizations besides the one of the settings that have some of them; absent for none. */
  readonly otherOrgs?: string[];
  readonly bytes: number;
  /** Only on request: it costs as much as writing. */
  readonly sha256?: string;
}

export interface BodySettings {
  readonly path: string;
  readonly orgId: string;
  readonly timeout: string;
  /** Maximum of users per file; undefined: one file. */
  readonly split: number | undefined;
  /** Nothing may reach stdout before the body is complete (--strict). */
  readonly hold: boolean;
  readonly checksum: boolean;
  /** Projects that the body creates. */
  readonly projects?: readonly NewProject[] | undefined;
}

interface OpenFile {
  readonly output: Output;
  readonly hash: Hash | undefined;
  /** Entries of the other lists of the first organization; they follow its users. */
  readonly beside: Beside;
  /** Entries of the other organizations, which follow the first one. */
  readonly others: Map<string, { readonly entries: Spool; readonly beside: Beside }>;
  hasEntries: boolean;
  users: number;
  bytes: number;
}

type Beside = Readonly<Record<BesideList, Spool>>;

/** The import body, in one file or several of limited size, made visible together at the end. Raises output.* problems. */
export class BodyFiles {
  readonly #settings: BodySettings;
  readonly #options: OutputOptions;
  readonly #files: OpenFile[] = [];

  constructor(settings: BodySettings, options: OutputOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** Opens the first file, so that a problem with the output is known before the work. */
  async open(): Promise<void> {
    const { path, split, hold, checksum, orgId } = this.#settings;
    const name = split === undefined ? path : splitName(path, this.#files.length + 1);
    const isSwept = this.#files.length > 0;
    const output = openOutput(name, { ...this.#options, inBackground: true, isSwept });
    const held = hold && !output.isRevocable ? heldOutput(output, this.#options.cleanUp) : output;
    const file = {
      output: held,
      hash: checksum ? createHash("sha256") : undefined,
      beside: this.#createBeside(),
      others: new Map(),
      hasEntries: false,
      users: 0,
      bytes: 0,
    };
    this.#files.push(file);
    await write(file, Buffer.from(bodyHead(orgId)));
  }

  /** Appends every entry of the buffer. @param orgId undefined: the organization of the settings. */
  async append(entries: EntryBuffer, orgId: string | undefined): Promise<void> {
    const { split = Number.POSITIVE_INFINITY } = this.#settings;
    for (let from = 0; from < entries.count; ) {
      let file = this.#files.at(-1) as OpenFile; // `open` comes first
      if (file.users === split) {
        await this.#close(file);
        await this.open();
        file = this.#files.at(-1) as OpenFile;
      }
      const to = Math.min(entries.count, from + split - file.users);
      await this.#add(file, entries, from, to, orgId);
      file.users += to - from;
      from = to;
    }
  }

  /** The existing file with content that a body without users would replace; undefined if there are users or no such file. */
  worthKeeping(): string | undefined {
    const [first, ...others] = this.#files;
    if (first === undefined || others.length > 0 || first.users > 0) return undefined;
    const there = lstatSync(resolve(this.#options.cwd, first.output.path), { throwIfNoEntry: false });
    const emptyBytes = first.bytes + bodyTail(this.#settings.timeout).length;
    return there?.isFile() === true && there.size > emptyBytes ? first.output.path : undefined;
  }

  /** Ends the last file and makes all files visible. Deletes surplus split files of an earlier, longer run. */
  async commit(): Promise<readonly BodyFile[]> {
    await this.#close(this.#files.at(-1) as OpenFile);
    for (const { output } of this.#files) await output.commit();
    if (this.#settings.split !== undefined) this.#removeLeftOver();
    return this.#files.map(({ output, users, bytes, hash, others }) => ({
      path: output.path,
      users,
      ...(others.size === 0 ? {} : { otherOrgs: [...others.keys()] }),
      bytes,
      ...(hash === undefined ? {} : { sha256: hash.digest("hex") }),
    }));
  }

  discard(): void {
    for (const file of this.#files) {
      for (const spool of spoolsOf(file)) spool.remove();
      file.output.discard();
    }
  }

  /** Adds entries [from, to) of the buffer. */
  async #add(file: OpenFile, buffer: EntryBuffer, from: number, to: number, orgId: string | undefined): Promise<void> {
    const entries = buffer.slice(from, to);
    const other = orgId === undefined || orgId === this.#settings.orgId ? undefined : this.#otherOrg(file, orgId);
    const { beside } = other ?? file;
    for (const list of besideLists) beside[list].append(Buffer.from(buffer.beside(list, from, to)));
    if (other !== undefined) {
      other.entries.append(entries);
      return;
    }
    // Each entry begins with a comma, which the first of a list does not need.
    await write(file, file.hasEntries ? entries : entries.subarray(1));
    file.hasEntries = true;
  }

  #otherOrg({ others }: OpenFile, orgId: string): { readonly entries: Spool; readonly beside: Beside } {
    const other = others.get(orgId) ?? { entries: new Spool(this.#options.cleanUp), beside: this.#createBeside() };
    others.set(orgId, other);
    return other;
  }

  #createBeside(): Beside {
    const { cleanUp } = this.#options;
    return {
      userMetadata: new Spool(cleanUp),
      userLinks: new Spool(cleanUp),
      userGrants: new Spool(cleanUp),
    };
  }

  async #close(file: OpenFile): Promise<void> {
    await writeBeside(file, file.beside);
    await this.#writeProjects(file);
    for (const [orgId, { entries, beside }] of file.others) {
      await writeList(file, nextOrg(orgId), entries);
      await writeBeside(file, beside);
    }
    await write(file, Buffer.from(bodyTail(this.#settings.timeout)));
    for (const spool of spoolsOf(file)) spool.remove();
    file.output.close();
  }

  /** The projects to create, in the first file, and what each other organization of a file gets of them. */
  async #writeProjects(file: OpenFile): Promise<void> {
    const { projects = [] } = this.#settings;
    if (projects.length === 0) return;
    const lists = projectLists(projects, [...file.others.keys()], file === this.#files[0]);
    for (const [list, elements] of Object.entries(lists)) {
      if (elements.length === 0) continue;
      await write(file, Buffer.from(nextList(list) + elements.map((one) => `\n${JSON.stringify(one)}`).join(",")));
    }
  }

  /** Deletes only files with the next numbers in order: `body-2024.json` is not ours. */
  #removeLeftOver(): void {
    for (let number = this.#files.length + 1; ; number += 1) {
      const path = resolve(this.#options.cwd, splitName(this.#settings.path, number));
      if (!isBody(path)) return;
      rmSync(path);
    }
  }
}

/** True for a file that begins like a body: other files of that name are not ours to delete. */
function isBody(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  return readFileBeginning(path, BODY_BEGIN.length).toString() === BODY_BEGIN;
}

function spoolsOf({ beside, others }: OpenFile): readonly Spool[] {
  const ofOthers = [...others.values()].flatMap((other) => [other.entries, ...Object.values(other.beside)]);
  return [...Object.values(beside), ...ofOthers];
}

/** Writes the other lists of an organization, except empty ones. */
async function writeBeside(file: OpenFile, beside: Beside): Promise<void> {
  for (const list of besideLists) await writeList(file, nextList(list), beside[list]);
}

/** Writes the text that begins a list and the entries, unless there are none. */
async function writeList(file: OpenFile, begin: string, entries: Spool): Promise<void> {
  let isFirst = true;
  for await (const chunk of entries.chunks()) {
    if (isFirst) await write(file, Buffer.from(begin));
    await write(file, isFirst ? chunk.subarray(1) : chunk); // without the comma before the first entry
    isFirst = false;
  }
}

async function write(file: OpenFile, bytes: Uint8Array): Promise<void> {
  file.hash?.update(bytes);
  file.bytes += bytes.length;
  await file.output.write(bytes);
}

/** `out/body.json` → `out/body-0001.json`. */
export function splitName(path: string, number: number): string {
  const { dir, name, ext } = parse(path);
  return format({ dir, name: `${name}-${String(number).padStart(4, "0")}`, ext: ext || ".json" });
}
