import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt, outputProblem } from "../attempt.ts";
import { type OutputOptions, openOutput } from "./output.ts";

/** The file of a folder in which orgferry notes the checksums of what it wrote there. */
const RECORD = ".orgferry.sha256";

/**
 * The folder, or its first numbered name (`rejects-2`), in which every one of these files is missing or as orgferry wrote it: a file that
 * was edited is neither replaced nor deleted. Raises output.unwritable.
 */
export function folderToWrite(dir: string, names: readonly string[], { cwd }: Pick<OutputOptions, "cwd">): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? dir : `${dir.replace(/[/\\]+$/, "")}-${number}`;
    if (attempt(() => isOwn(resolve(cwd, name), names), outputProblem(name))) return name;
  }
}

function isOwn(folder: string, names: readonly string[]): boolean {
  const written = readRecord(folder);
  return names.every((name) => {
    const path = join(folder, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() !== true || written.get(name) === checksumOf(path);
  });
}

/** Notes the checksums of the files that exist, after they were written. Without any of them, there is no note. */
export async function noteWritten(dir: string, names: readonly string[], options: OutputOptions): Promise<void> {
  const folder = resolve(options.cwd, dir);
  const there = names.filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile());
  if (there.length === 0) {
    rmSync(join(folder, RECORD), { force: true });
    return;
  }
  const output = openOutput(join(dir, RECORD), options);
  try {
    const lines = there.map((name) => `${checksumOf(join(folder, name))}  ${name}\n`);
    await output.write(Buffer.from(lines.join("")));
    await output.commit();
  } finally {
    output.discard();
  }
}

/** The lines of `sha256sum`. */
function readRecord(folder: string): ReadonlyMap<string, string> {
  const path = join(folder, RECORD);
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, "utf8").split("\n");
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

function checksumOf(path: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(2 ** 16);
  const fd = openSync(path, "r");
  try {
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) hash.update(chunk.subarray(0, read));
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
}
