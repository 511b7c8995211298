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
      include: ["src/core/**", "src/io/**", "src/sources/**", "src/admin/**"],
      thresholds: { lines: 90 },
    },
  },
});
