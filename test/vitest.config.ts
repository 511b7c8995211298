import { defineConfig } from "vitest/config";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000 * Number(process.env["PROPERTY_RUNS"] ?? 1),
    hookTimeout: 120_000,
    globalSetup: ["test/helpers/pack-once.ts"],
    coverage: {
      provider: "v8",
      include: ["core", "io", "sources", "admin"].map((room) => `src/${room}/**/*.ts`),
      reporter: ["text-summary"],
      // A floor in % of the lines, not a goal; runs of the built program, and so the second thread, count nothing here.
      thresholds: {
        "src/core/**": { lines: 95 },
        "src/io/**": { lines: 87 },
        "src/sources/**": { lines: 83 },
        "src/admin/**": { lines: 94 },
      },
    },
  },
});
