import { createHash } from "node:crypto";
import { createBodyScanner } from "../../core/document/body-scan.ts";
import type { BodyScan, ScanSettings } from "../../core/document/scan-types.ts";
import type { Document } from "../../io/input/document.ts";
import { ProblemError } from "../../problem.ts";
import type { Ui } from "../../ui/ui.ts";

/** Reads the whole input once: what is in it, whether the service would take it, and its SHA-256 in hex. */
export async function scanInput(
  input: Document,
  settings: Omit<ScanSettings, "file">,
  ui: Ui,
  signal: AbortSignal,
): Promise<{ scan: BodyScan; sha256: string }> {
  if (input.bytes === 0) throw new ProblemError({ code: "input.empty", file: input.path });
  const scanner = createBodyScanner({ ...settings, file: input.path });
  const hash = createHash("sha256");
  let read = 0;
  const progress = ui.progress("reading", { unit: "bytes", amount: () => ({ done: read, total: input.bytes }) });
  try {
    for await (const chunk of input.read({ start: 0, end: input.bytes })) {
      signal.throwIfAborted();
      hash.update(chunk);
      scanner.push(chunk);
      read += chunk.length;
    }
    return { scan: scanner.end(), sha256: hash.digest("hex") };
  } finally {
    progress.stop();
  }
}
