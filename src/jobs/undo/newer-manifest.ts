import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isLater } from "../../core/rules/moment.ts";
import type { ManifestHead } from "../../core/transfer/manifest-entries.ts";
import { journalBeside } from "../../io/output/replaceable.ts";
import { manifestHeadOf, numberedManifest } from "../shared/manifest-head.ts";

/**
 * The newest manifest of a later run of the same command into the same target, beside this one (`copy-2.manifest.ndjson` beside
 * `copy.manifest.ndjson`); undefined if there is none. What cannot be read is none.
 */
export function newerManifest(file: string, { target, mark = "" }: ManifestHead, cwd: string): string | undefined {
  const [, own = "1"] = NUMBER.exec(file) ?? [];
  const first = file.replace(NUMBER, "");
  const later = namesBeside(first, cwd)
    .map((name) => ({ name, number: Number(NUMBER.exec(name)?.[1] ?? 1) }))
    .filter(({ name, number }) => number > Number(own) && name === basename(numberedManifest(first, number)))
    .sort((a, b) => b.number - a.number)
    .map(({ name }) => join(dirname(first), name));
  return later.find((path) => {
    const head = headOf(resolve(cwd, path));
    return head !== undefined && head.target === target && (head.mark === undefined || isLater(head.mark, mark));
  });
}

/** The journal of the import that wrote the manifest, beside it; undefined if the import is finished, or if the journal has a place of its own. */
export function unfinishedJournal(file: string, cwd: string): string | undefined {
  const journal = journalBeside(file.replace(NUMBER, "").replace(MANIFEST, ""));
  return MANIFEST.test(file) && existsSync(resolve(cwd, journal)) ? journal : undefined;
}

const MANIFEST = /\.manifest\.ndjson$/;
const NUMBER = /-(\d+)(?=(?:\.manifest)?(?:\.[^./\\]*)?$)/;

function namesBeside(file: string, cwd: string): readonly string[] {
  try {
    return readdirSync(resolve(cwd, dirname(file)));
  } catch {
    return [];
  }
}

function headOf(path: string): ManifestHead | undefined {
  try {
    const head = manifestHeadOf(path);
    return head === "none" ? undefined : head;
  } catch {
    return undefined;
  }
}
