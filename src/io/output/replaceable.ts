import { closeSync, openSync, readSync, statSync } from "node:fs";
import { recognize } from "../../core/document/recognize.ts";
import { BEGINNING_BYTES, firstKeys } from "../../core/json/first-keys.ts";
import { refusePlanted } from "../links.ts";

/** What an output would replace. `special`: a folder, a device, a pipe; `other`: a file that orgferry does not write. */
export type Replaced = "nothing" | "report" | "data" | "other" | "special";

/**
 * What is at the path of an output, by its beginning: nothing (also an empty file), a report or a page of one, an import body or an
 * export. A path that cannot be looked at is `nothing`: the code that opens the output names the reason.
 * @param marks fields of files of another program that the output may replace.
 */
export function findReplaced(goal: string, marks: readonly string[] = []): Replaced {
  try {
    refusePlanted(goal);
    const stats = statSync(goal, { throwIfNoEntry: false });
    if (stats === undefined || stats.size === 0) return stats?.isFile() === false ? "special" : "nothing";
    return stats.isFile() ? kindOf(readBeginning(goal), marks) : "special";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "other" : "nothing";
  }
}

function kindOf(beginning: Buffer, marks: readonly string[]): "report" | "data" | "other" {
  const text = beginning.toString();
  if (text.startsWith("<!doctype html>") && text.includes("orgferry")) return "report";
  const keys = firstKeys(beginning);
  if ([...keys][0] === "schemaVersion") return "report";
  return recognize(beginning, []) !== undefined || marks.some((mark) => keys.has(mark)) ? "data" : "other";
}

function readBeginning(path: string): Buffer {
  const beginning = Buffer.alloc(BEGINNING_BYTES);
  const fd = openSync(path, "r");
  try {
    return beginning.subarray(0, readSync(fd, beginning));
  } finally {
    closeSync(fd);
  }
}
