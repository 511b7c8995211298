import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** A dry run of a release. `npm run test:release` runs it; it downloads Node for the executables. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/release/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 300_000, fileParallelism: false },
});
