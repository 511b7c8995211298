import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Random } from "../random.ts";

/** Begins every state file: damaged in here, a file is another one, which is not written over. */
const BEGINNING = '{"orgferry":"state","version":'.length;

/** What happens to a state file between two runs; `earlier` are the ones that there were. Returns what it was, "" for nothing. */
export function damageState(random: Random, path: string, earlier: readonly Buffer[]): string {
  if (!existsSync(path)) return "";
  const bytes = readFileSync(path);
  const what = random.pick(["lost", "cut", "a byte", "empty", "an older one", "an older one"] as const);
  if (what === "lost") rmSync(path);
  else if (what === "cut") writeFileSync(path, bytes.subarray(0, random.below(bytes.length)));
  else if (what === "empty") writeFileSync(path, "");
  else if (what === "an older one" && earlier.length > 0) writeFileSync(path, random.pick(earlier));
  else if (what === "a byte" && bytes.length > BEGINNING) {
    const at = random.between(BEGINNING, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    writeFileSync(path, bytes);
  }
  return what;
}
