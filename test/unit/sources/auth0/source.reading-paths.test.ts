import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RowKind } from "../../../../src/core/merge/merge-job.ts";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { type Input, openInput } from "../../../../src/io/input/input.ts";
import { readAhead } from "../../../../src/io/rows/read-ahead.ts";
import { RowReader } from "../../../../src/io/rows/row-reader.ts";
import { auth0 } from "../../../../src/sources/auth0/source.ts";
import type { Source } from "../../../../src/sources/source.ts";
import { hostilePasswords, hostileProfiles } from "../../../helpers/hostile-rows.ts";
import { type MergeOutcome, mergeInMemory, mergeRows } from "../../../helpers/merge-in-memory.ts";
import { runs } from "../../../helpers/runs.ts";
import { settingsOf } from "../../../helpers/settings-of.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

/** What a run leaves behind: nothing but the problem, when there was one. */
function written(outcome: MergeOutcome): Partial<MergeOutcome> {
  return outcome.problem === undefined ? outcome : { problem: outcome.problem };
}

test("the fast path gives what the parser path gives, with any chunks", async () => {
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

test("roles and groups of app_metadata are counted row by row, however alike the rows are", async () => {
  const texts = [
    { roles: ["editor"] },
    { roles: ["editor"] },
    { roles: [""] },
    { groups: ["sales"] },
    { plan: "gold" },
  ];
  const others = [{ groups: "sales" }, { groups: "" }, { roles: [], groups: ["a", "b"] }];
  const rows = [...texts, ...others].map((metadata, at) => {
    const named = { user_id: `auth0|${at}`, email: `user${at}@x.org`, email_verified: true, name: "Ann" };
    return JSON.stringify({ ...named, app_metadata: metadata });
  });
  for (const lines of [rows, rows.toReversed()])
    for (const reading of ["careful", "bytes"] as const) {
      const { counts } = await mergeInMemory(lines.join("\n"), undefined, { reading });
      const fields = { app_metadata: 8, "app_metadata.roles": 2, "app_metadata.groups": 3 };
      expect(counts?.leftBehind.fields, reading).toEqual(fields);
    }
});

test("a plain and a full profile reject the same values of the fields that both read", async () => {
  const both = ["user_id", "email", "email_verified", "name", "blocked"];
  const readers = await Promise.all(
    ["plain", "full"].map(async (profile) => {
      const settings = settingsOf(auth0, { profile: [profile] });
      return (await (auth0 as Source).createRows(settings, new Date(0)).load(undefined)).readUser;
    }),
  );
  const usual = { user_id: "auth0|1", email: "a@x.org", email_verified: true, name: "Ann", blocked: false };
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...both), fc.jsonValue(), { minKeys: 1 }), (given) => {
      const [plain, full] = readers.map((read) => {
        const { user, faults } = read({ ...usual, ...given });
        return { faults: faults.map(({ code, field }) => [code, field]).sort(), state: user?.state };
      });
      expect(plain).toEqual(full);
    }),
    { numRuns: runs(1_000) },
  );
});

test("a second thread that reads ahead gives what one thread gives", async () => {
  const cwd = tempDir();
  const { signal } = new AbortController();
  const seeds = new Uint32Array([4, 5, 6]);
  const { fast: fields, ownIdPrefix } = (auth0 as Source).createRows(settingsOf(auth0), new Date(0));
  if (fields === undefined) throw new Error("nothing that a thread could read");
  // The thread is a program of its own, which only the build makes.
  const program = new URL("../../../../dist/reader-thread.cjs", import.meta.url);
  const columns = { fields, ownIdPrefix, seeds };
  // Kept in parts, the users are read twice.
  const parted = fc.constantFrom(undefined, 2);
  await fc.assert(
    fc.asyncProperty(
      hostileProfiles,
      hostilePasswords,
      fc.boolean(),
      parted,
      async (users, passwords, multiline, parts) => {
        writeFileSync(join(cwd, "users"), users);
        writeFileSync(join(cwd, "passwords"), passwords);
        const run = async (isAhead: boolean): Promise<MergeOutcome> => {
          const inputs: Input[] = [];
          const open = async (name: string, rows: RowKind): Promise<RowReader> => {
            const options = {
              cwd,
              stdin: process.stdin,
              signal,
              cleanUp: createCleanUp(),
              flag: `--${name}`,
              twice: true,
            };
            const input = await openInput(name, options);
            inputs.push(input);
            const form = { shape: { kind: "rows" as const }, strictLines: multiline };
            const reader = new RowReader({ name, files: [input] }, form);
            return isAhead
              ? readAhead(reader, { rows, columns, signal, program, isReadAgain: rows === "users" })
              : reader;
          };
          const outcome = await mergeRows(await open("users", "users"), await open("passwords", "credentials"), {
            seeds,
            parts,
          });
          for (const input of inputs) await input.close();
          return outcome;
        };
        expect(written(await run(true))).toEqual(written(await run(false)));
      },
    ),
    { numRuns: runs(25) },
  );
});
