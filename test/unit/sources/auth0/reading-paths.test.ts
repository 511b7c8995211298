import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { openInput } from "../../../../src/io/input.ts";
import { hostilePasswords, hostileProfiles } from "../../../helpers/hostile-rows.ts";
import { type MergeOutcome, mergeInMemory, mergeReaders } from "../../../helpers/merge-in-memory.ts";
import { runs } from "../../../helpers/runs.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

/** What a run leaves behind: nothing but the problem, when there was one. */
function written(outcome: MergeOutcome): Partial<MergeOutcome> {
  return outcome.problem === undefined ? outcome : { problem: outcome.problem };
}

test("the byte path gives what the careful path gives, wherever the chunks end", async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(
      hostileProfiles,
      hostilePasswords,
      fc.boolean(),
      fc.integer({ min: 1, max: 500 }),
      async (users, passwords, multiline, chunkBytes) => {
        const careful = await mergeInMemory(users, passwords, { reading: "careful", multiline });
        const bytes = await mergeInMemory(users, passwords, { reading: "bytes", multiline, chunkBytes });
        expect(written(bytes)).toEqual(written(careful));
        plain += careful.entries.length;
      },
    ),
    { numRuns: runs(1_500) },
  );
  // The rows must not be so hostile that nothing but refusals is compared.
  expect(plain).toBeGreaterThan(runs(1_500));
});

test("a second thread that reads ahead gives what one thread gives", async () => {
  // The thread is a program of its own, so this runs the built one.
  const built = (await import(
    "../../../../dist/merge-auth0.cjs" as string
  )) as typeof import("../../../../src/sources/auth0/merge.ts");
  const cwd = tempDir();
  await fc.assert(
    fc.asyncProperty(hostileProfiles, hostilePasswords, fc.boolean(), async (users, passwords, multiline) => {
      writeFileSync(join(cwd, "users"), users);
      writeFileSync(join(cwd, "passwords"), passwords);
      const open = async (name: string) =>
        openInput(name, {
          cwd,
          stdin: process.stdin,
          signal: new AbortController().signal,
          cleanUp: createCleanUp(),
          flag: `--${name}`,
          twice: true,
        });
      const run = async (reading: "bytes" | "ahead"): Promise<MergeOutcome> => {
        const inputs = [await open("users"), await open("passwords")] as const;
        const outcome = await mergeReaders(...inputs, { reading, multiline, merge: built.mergeAuth0 });
        for (const input of inputs) await input.close();
        return outcome;
      };
      expect(written(await run("ahead"))).toEqual(written(await run("bytes")));
    }),
    { numRuns: runs(25) },
  );
});
