import { createHash } from "node:crypto";
import { createBodyScanner } from "../../core/document/body-scan.ts";
import { createObjectWalk, type WalkedObject } from "../../core/document/object-walk.ts";
import type { BodyScan, ScanSettings } from "../../core/document/scan-types.ts";
import type { Document } from "../../io/input/document.ts";
import { ProblemError, type RowProblem } from "../../problem.ts";
import type { Ui } from "../../ui/ui.ts";

/** Reads the whole input once: its content, its faults, and its SHA-256 in hex. */
export async function scanInput(
  input: Document,
  settings: Omit<ScanSettings, "file">,
  ui: Ui,
  signal: AbortSignal,
): Promise<{ scan: BodyScan; sha256: string }> {
  if (input.bytes === 0) throw new ProblemError({ code: "input.empty", file: input.path });
  const onFault = (problem: RowProblem): void => settings.onFault(placed(input, problem));
  const scanner = createBodyScanner({ ...settings, onFault, file: input.path });
  const hash = createHash("sha256");
  try {
    await readWhole(input, { signal, ui }, (chunk) => {
      hash.update(chunk);
      scanner.push(chunk);
    });
    return { scan: scanner.end(), sha256: hash.digest("hex") };
  } catch (error) {
    if (!(error instanceof ProblemError) || !("line" in error.problem)) throw error;
    throw new ProblemError({ ...error.problem, ...placeOf(input, error.problem.line) }, { cause: error });
  }
}

/** A fault with its file and line, and those of the user that it names. */
function placed(input: Document, problem: RowProblem): RowProblem {
  const here = placeOf(input, problem.line);
  if (!("firstLine" in problem)) return { ...problem, ...here };
  const first = placeOf(input, problem.firstLine);
  return { ...problem, ...here, firstLine: first.line, ...(first.file === here.file ? {} : { firstFile: first.file }) };
}

/** Passes a whole input to `take`; with `ui`, a progress line is shown. Raises the signal's reason. */
async function readWhole(
  input: Document,
  { signal, ui }: { readonly signal: AbortSignal; readonly ui?: Ui },
  take: (chunk: Buffer) => void,
): Promise<void> {
  let read = 0;
  const progress = ui?.progress("reading", { unit: "bytes", amount: () => ({ done: read, total: input.bytes }) });
  try {
    for await (const chunk of input.read({ start: 0, end: input.bytes })) {
      signal.throwIfAborted();
      take(chunk);
      read += chunk.length;
    }
  } finally {
    progress?.stop();
  }
}

/** Passes the objects of the sections that are wanted to `take`, of an input that was scanned before. Raises as `readWhole`. */
export async function walkObjects(
  input: Document,
  world: Parameters<typeof readWhole>[1],
  wants: (section: string) => boolean,
  take: (object: WalkedObject) => void,
): Promise<void> {
  const walk = createObjectWalk(wants, take);
  await readWhole(input, world, (chunk) => walk.push(chunk));
  walk.end();
}

/** The file and line of a line of an input, which may be joined from several files. */
export function placeOf(
  input: Pick<Document, "path" | "place">,
  line: number,
): { readonly file: string; readonly line: number } {
  return input.place?.(line) ?? { file: input.path, line };
}
