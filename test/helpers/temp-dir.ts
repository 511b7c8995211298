import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A private folder that goes away with the test that asked for it. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "orgferry-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
