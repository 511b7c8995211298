import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { useMemoryForFolders } from "../helpers/memory-temp.ts";

useMemoryForFolders();

/** Starts the files of the matrix first. They take longest; vitest alone would start them last, because the files are small. */
class MatrixFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isMatrix = ({ moduleId }: TestSpecification) => Number(moduleId.includes("/matrix-"));
    return (await super.sort(files)).sort((a, b) => isMatrix(b) - isMatrix(a));
  }
}

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
    sequence: { sequencer: MatrixFirst },
  },
});
