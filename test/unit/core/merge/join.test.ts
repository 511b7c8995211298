import fc from "fast-check";
import { expect, test } from "vitest";
import { MergeResult } from "../../../../src/core/merge/counts.ts";
import { type ModelPassword, type ModelProfile, modelJoin } from "../../../helpers/join-model.ts";
import { mergeInMemory } from "../../../helpers/merge-in-memory.ts";
import { runs } from "../../../helpers/runs.ts";

// Small pools, so that ids and addresses meet all the time.
const ids = fc.constantFrom("507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012", "custom-1", "4", "5");
const emails = fc.constantFrom("a@x.org", "A@X.org", "b@x.org", "c@x.org", "D@x.org", "d@x.org");
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });
const hash = (n: number): string => `$2b$10$${String(n).padStart(2, "0").padEnd(53, "./aZ09")}`;

const profile: fc.Arbitrary<ModelProfile> = fc.record(
  {
    user_id: fc.oneof(
      { weight: 6, arbitrary: ids.map((id) => `auth0|${id}`) },
      { weight: 2, arbitrary: fc.constantFrom("google-oauth2|1", "samlp|2") },
      { weight: 1, arbitrary: fc.constant("") },
    ),
    email: emails,
    name: fc.constantFrom("Ann", "x".repeat(201), "Bo", "Cy"),
  },
  { requiredKeys: ["email"] },
);

const password: fc.Arbitrary<ModelPassword> = fc
  .record({
    oid: optional(ids),
    alt_id: fc.option(ids, { nil: undefined, freq: 2 }),
    email: fc.oneof(
      { weight: 5, arbitrary: optional<string | number>(emails) },
      { weight: 1, arbitrary: fc.constant(5) },
    ),
    passwordHash: fc.oneof(
      { weight: 6, arbitrary: fc.nat(60).map(hash) },
      { weight: 1, arbitrary: fc.constantFrom(undefined, "$1$md5", "") },
    ),
    date: optional(fc.constantFrom("2020-01-01T00:00:00.000Z", "2021-01-01T00:00:00Z", "2021-01-01T01:00:00+01:00")),
  })
  .map(({ oid, date, ...rest }) =>
    JSON.parse(
      JSON.stringify({
        ...rest,
        ...(oid === undefined ? {} : { _id: { $oid: oid } }),
        ...(date === undefined ? {} : { password_set_date: { $date: date } }),
      }),
    ),
  );

/** Both, as far as they can be compared. */
async function held(
  profiles: readonly ModelProfile[],
  passwords: readonly ModelPassword[],
  options: { readonly chunkBytes: number; readonly sameName: "first" | "password" },
): Promise<void> {
  const expected = modelJoin(profiles, passwords, options.sameName);
  const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const { counts, entries, reasons } = await mergeInMemory(lines(profiles), lines(passwords), options);
  const users = new Map(
    entries.map((text) => {
      const { userId, user } = JSON.parse(text);
      return [userId, user.hashedPassword?.value ?? null];
    }),
  );
  const linesOf = (file: string, keep: (code: string) => boolean): number[] => [
    ...new Set(reasons.filter((r) => r.file === file && keep(r.code)).map((r) => r.line)),
  ];
  const isUnmatched = (code: string): boolean => code === "password.unmatched";
  expect({
    users,
    rejected: new Set(linesOf("users", () => true)),
    used: counts?.passwords.used,
    superseded: counts?.passwords.superseded,
    rejectedRows: new Set(linesOf("passwords", (code) => !isUnmatched(code))),
    unmatched: new Set(linesOf("passwords", isUnmatched)),
  }).toEqual(expected);
  expect(counts?.users).toMatchObject({
    read: profiles.length,
    written: expected.users.size,
    rejected: expected.rejected.size,
  });
  expect(counts?.passwords).toMatchObject({
    read: passwords.length,
    rejected: expected.rejectedRows.size,
    unmatched: expected.unmatched.size,
  });
}

const passwords = fc.array(password, { minLength: 1, maxLength: 7 });
const chunkBytes = fc.integer({ min: 1, max: 400 });

test("the join gives every user the hash, and every row the bucket, that the plain rules give", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(profile, { minLength: 1, maxLength: 7 }),
      passwords,
      chunkBytes,
      (profiles, rows, bytes) => held(profiles, rows, { chunkBytes: bytes, sameName: "first" }),
    ),
    { numRuns: runs(2_000) },
  );
});

test("of two users with one name the one with a password is written, wherever it stands", async () => {
  const distinct = fc.uniqueArray(profile, {
    minLength: 1,
    maxLength: 7,
    selector: ({ user_id }) => user_id ?? Symbol("none"),
  });
  await fc.assert(
    fc.asyncProperty(distinct, passwords, chunkBytes, (profiles, rows, bytes) =>
      held(profiles, rows, { chunkBytes: bytes, sameName: "password" }),
    ),
    { numRuns: runs(1_500) },
  );
});

test("with any repetitions, every row ends in one bucket and both paths agree", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(profile, { minLength: 1, maxLength: 9 }), passwords, async (profiles, rows) => {
      const lines = (all: readonly object[]): string => all.map((row) => `${JSON.stringify(row)}\n`).join("");
      const bytes = await mergeInMemory(lines(profiles), lines(rows));
      expect(await mergeInMemory(lines(profiles), lines(rows), { reading: "careful" })).toEqual(bytes);
      const { users, passwords: counts } = bytes.counts ?? new MergeResult();
      expect(users.read).toBe(users.written + users.rejected);
      expect(counts.read).toBe(counts.used + counts.superseded + counts.unmatched + counts.rejected);
    }),
    { numRuns: runs(1_000) },
  );
});
