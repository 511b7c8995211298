import type { KnownFile } from "../core/document/recognize.ts";
import { inputsOf, type Source } from "./source.ts";

/** The files of providers that are known by their fields. */
export function knownFiles(sources: readonly Source[]): readonly KnownFile[] {
  return sources.flatMap((source) =>
    inputsOf(source).flatMap(({ flag, marks }) =>
      marks === undefined ? [] : [{ source: source.id, title: source.title, flag, marks }],
    ),
  );
}
