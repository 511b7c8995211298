import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { useMemoryForFolders } from "./helpers/memory-temp.ts";

useMemoryForFolders();

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**", "test/release/**"],
    // Property tests take a few seconds on a quiet machine; a busy one may need many times that.
    testTimeout: 180_000 * Math.max(1, Number(process.env["PROPERTY_RUNS"] ?? 1)),
    hookTimeout: 120_000,
    // Many tests wait for programs that they start; by default, vitest would not use one of two processors.
    maxWorkers: "100%",
    // A test that changes a module loads it anew, before and after (user-fields.test.ts). With isolation, each file would load the program again.
    isolate: false,
    globalSetup: ["test/helpers/pack-once.ts"],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["text-summary"],
      // These run in the built program alone, where nothing is counted: e2e/migrate.test.ts tests the second thread, e2e/guide.test.ts the
      // questions on a terminal.
      exclude: [
        "src/io/rows/read-ahead.ts",
        "src/io/rows/reader-thread.ts",
        "src/commands/start/ask.ts",
        "src/commands/start/command.ts",
        "src/commands/start/flag-questions.ts",
        "src/commands/start/target.ts",
      ],
      // A floor in % of the lines, not a goal. test/repository/coverage.test.ts finds a room without one.
      thresholds: {
        "src/core/**": { lines: 95 },
        "src/io/**": { lines: 94 },
        "src/sources/**": { lines: 97 },
        "src/admin/**": { lines: 95 },
        "src/contract/**": { lines: 95 },
        "src/jobs/**": { lines: 93 },
        "src/commands/**": { lines: 86 },
        "src/mock/**": { lines: 95 },
        "src/problem/**": { lines: 90 },
        "src/problem.ts": { lines: 95 },
        "src/ui/**": { lines: 93 },
        "src/cli.ts": { lines: 88 },
      },
    },
  },
});
