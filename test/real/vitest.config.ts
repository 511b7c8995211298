import { defineConfig } from "vitest/config";

/** Tests against a real service, one file after the other: a service takes what the machine has. `npm run test:real` runs them. */
export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["test/real/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 360_000,
    fileParallelism: false,
    // A service that has just started answers now and then before it knows its own token; every test makes ids of its own each time.
    retry: 1,
    globalSetup: ["test/helpers/pack-once.ts"],
  },
});
