import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

/** `    at name (file:line:column)`, with or without a name. */
const FRAME = /^(\s+at (?:.* \(|async )?)(.+):(\d+):(\d+)(\)?)$/gm;

/**
 * An error's stack with positions in the sources instead of the built files, by the source maps beside these. A frame without a map
 * is unchanged. Never throws. Only for bugs: Node's own `--enable-source-maps` reads every map at every start.
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
    return new SourceMap(JSON.parse(readFileSync(path, "utf8")) as SourceMapPayload); // written by our build
  } catch {
    return undefined; // the unchanged stack is more useful than another failure
  }
}
