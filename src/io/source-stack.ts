import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

/** `    at name (file:line:column)`, with or without a name. */
const FRAME = /^(\s+at (?:.* \(|async )?)(.+):(\d+):(\d+)(\)?)$/gm;

/**
 * An error's stack with the places of the sources instead of the built files, by the maps beside these. A frame without a map stays
 * as it is. Never throws. For a bug only: Node's own `--enable-source-maps` would read every map at every start.
 */
export function toSourceStack(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return stack.replace(FRAME, (frame, before: string, file: string, line: string, column: string, after: string) => {
    if (!maps.has(file)) maps.set(file, mapOf(file));
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return frame;
    const source = entry.originalSource.replace(/^(?:\.\.\/)+/, "");
    return `${before}${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}${after}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  try {
    const path = `${file.startsWith("file:") ? fileURLToPath(file) : file}.map`;
    if (!existsSync(path)) return undefined;
    return new SourceMap(JSON.parse(readFileSync(path, "utf8")) as SourceMapPayload); // our own build wrote it
  } catch {
    return undefined; // the stack as it is tells more than another failure
  }
}
