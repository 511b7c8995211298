import { createHash, type Hash } from "node:crypto";
import { closeSync, lstatSync, openSync, readSync, rmSync } from "node:fs";
import { format, parse, resolve } from "node:path";
import { BODY_BEGIN, bodyHead, bodyTail, METADATA_BEGIN, nextOrg } from "../../core/merge/entry/body-text.ts";
import type { EntryBuffer } from "../../core/merge/entry/entry-buffer.ts";
import { Aside } from "./aside.ts";
import { heldOutput, type OutputOptions, openOutput } from "./output.ts";
import type { Output } from "./sink.ts";

/** One import body that was written. */
export interface BodyFile {
  readonly path: string;
  readonly users: number;
  readonly bytes: number;
  /** Only when asked for: it costs as much as writing. */
  readonly sha256?: string;
}

export interface BodySettings {
  readonly path: string;
  readonly orgId: string;
  readonly timeout: string;
  /** Users a file at most; undefined: one file. */
  readonly split: number | undefined;
  /** Nothing may reach stdout before it is sure that there will be a body (--strict). */
  readonly hold: boolean;
  readonly checksum: boolean;
}

interface OpenFile {
  readonly output: Output;
  readonly hash: Hash | undefined;
  /** Metadata of the first organization's users: it follows the last of them. */
  readonly metadata: Aside;
  /** What goes to other organizations: they follow the first one. */
  readonly others: Map<string, { readonly entries: Aside; readonly metadata: Aside }>;
  hasEntries: boolean;
  users: number;
  bytes: number;
}

/** The import body, in one file or several of limited size, made visible together at the end. Raises output.* problems. */
export class BodyFiles {
  readonly #settings: BodySettings;
  readonly #options: OutputOptions;
  readonly #files: OpenFile[] = [];

  constructor(settings: BodySettings, options: OutputOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** Opens the first file, so that an output that cannot be written is known before the work. */
  async open(): Promise<void> {
    const { path, split, hold, checksum, orgId } = this.#settings;
    const name = split === undefined ? path : splitName(path, this.#files.length + 1);
    const isSwept = this.#files.length > 0;
    const output = openOutput(name, { ...this.#options, inBackground: true, isSwept });
    const held = hold && !output.isRevocable ? heldOutput(output, this.#options.cleanUp) : output;
    const aside = { metadata: new Aside(this.#options.cleanUp), others: new Map() };
    const file = {
      output: held,
      hash: checksum ? createHash("sha256") : undefined,
      ...aside,
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
      await this.#add(file, entries.slice(from, to), entries.metadata(from, to), orgId);
      file.users += to - from;
      from = to;
    }
  }

  /** The file that nothing but a body without users would replace; undefined where there are users, or nothing worth keeping. */
  worthKeeping(): string | undefined {
    const [first, ...others] = this.#files;
    if (first === undefined || others.length > 0 || first.users > 0) return undefined;
    const there = lstatSync(resolve(this.#options.cwd, first.output.path), { throwIfNoEntry: false });
    const emptyBytes = first.bytes + bodyTail(this.#settings.timeout).length;
    return there?.isFile() === true && there.size > emptyBytes ? first.output.path : undefined;
  }

  /** Ends the last file and shows all of them; split files of an earlier, longer run go away. */
  async commit(): Promise<readonly BodyFile[]> {
    await this.#close(this.#files.at(-1) as OpenFile);
    for (const { output } of this.#files) await output.commit();
    if (this.#settings.split !== undefined) this.#removeLeftOver();
    return this.#files.map(({ output, users, bytes, hash }) => ({
      path: output.path,
      users,
      bytes,
      ...(hash === undefined ? {} : { sha256: hash.digest("hex") }),
    }));
  }

  discard(): void {
    for (const file of this.#files) {
      for (const aside of asidesOf(file)) aside.remove();
      file.output.discard();
    }
  }

  async #add(file: OpenFile, entries: Uint8Array, metadata: string, orgId: string | undefined): Promise<void> {
    if (orgId !== undefined && orgId !== this.#settings.orgId) {
      const { cleanUp } = this.#options;
      const other = file.others.get(orgId) ?? { entries: new Aside(cleanUp), metadata: new Aside(cleanUp) };
      file.others.set(orgId, other);
      other.entries.add(entries);
      other.metadata.add(Buffer.from(metadata));
      return;
    }
    // The first entry of a list is led by no comma.
    await write(file, file.hasEntries ? entries : entries.subarray(1));
    file.hasEntries = true;
    file.metadata.add(Buffer.from(metadata));
  }

  async #close(file: OpenFile): Promise<void> {
    await writeAside(file, METADATA_BEGIN, file.metadata);
    for (const [orgId, { entries, metadata }] of file.others) {
      await writeAside(file, nextOrg(orgId), entries);
      await writeAside(file, METADATA_BEGIN, metadata);
    }
    await write(file, Buffer.from(bodyTail(this.#settings.timeout)));
    for (const aside of asidesOf(file)) aside.remove();
    file.output.close();
  }

  /** Only the numbers that follow on directly: `body-2024.json` is no file of ours. */
  #removeLeftOver(): void {
    for (let number = this.#files.length + 1; ; number += 1) {
      const path = resolve(this.#options.cwd, splitName(this.#settings.path, number));
      if (!isBody(path)) return;
      rmSync(path);
    }
  }
}

/** True for a file that begins as every body does: nothing else of that name is ours to remove. */
function isBody(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const begin = Buffer.alloc(BODY_BEGIN.length);
  const fd = openSync(path, "r");
  readSync(fd, begin, 0, begin.length, 0);
  closeSync(fd);
  return begin.toString() === BODY_BEGIN;
}

function asidesOf({ metadata, others }: OpenFile): readonly Aside[] {
  return [metadata, ...[...others.values()].flatMap((other) => [other.entries, other.metadata])];
}

/** Writes what was set aside, if there is any, behind the text that begins its list. */
async function writeAside(file: OpenFile, begin: string, aside: Aside): Promise<void> {
  let isFirst = true;
  for await (const chunk of aside.chunks()) {
    if (isFirst) await write(file, Buffer.from(begin));
    await write(file, isFirst ? chunk.subarray(1) : chunk); // the comma in front of the first element
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
