import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Tests against a real service. `npm run test:real` runs them. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/real/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 360_000,
    // Each file starts services, and waits for them more than it computes; a scratch instance is for one file at a time.
    maxWorkers: process.env["ORGFERRY_TEST_SERVICE"] === undefined ? 1 : 4,
    // A service that has just started answers now and then before it knows its own token; every test makes ids of its own each time.
    retry: 1,
    globalSetup: ["test/helpers/pack-once.ts"],
  },
});
