import fc from "fast-check";
import { expect, test } from "vitest";
import type { SameName } from "../../../../../src/core/merge/join/packed-join.ts";
import { RowReader } from "../../../../../src/io/rows/row-reader.ts";
import type { Source } from "../../../../../src/sources/source.ts";
import { people } from "../../../../conformance/people-source.ts";
import { hostilePasswords, hostileProfiles } from "../../../../helpers/hostile-rows.ts";
import {
  type MergeOptions,
  type MergeOutcome,
  memoryInput,
  mergeInMemory,
  mergeRows,
} from "../../../../helpers/merge-in-memory.ts";
import { runs } from "../../../../helpers/runs.ts";

/** What a run leaves behind: nothing but the problem, when there was one. */
function written(outcome: MergeOutcome): Partial<MergeOutcome> {
  return outcome.problem === undefined ? outcome : { problem: outcome.problem };
}

const sameNames = fc.constantFrom<SameName>("first", "password", "link", "reject");
const readings = fc.constantFrom<MergeOptions["reading"]>("careful", "bytes");
const verifiers = fc.constantFrom<MergeOptions["verifiers"]>(["bcrypt"], ["bcrypt", "argon2"], ["pbkdf2"]);

test("a join in parts gives what a join in memory gives, for any rows", async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(
      hostileProfiles,
      hostilePasswords,
      fc.record({ sameName: sameNames, reading: readings, verifiers, findsSharedNames: fc.boolean() }),
      fc.integer({ min: 1, max: 7 }),
      async (users, passwords, options, parts) => {
        const whole = await mergeInMemory(users, passwords, options as MergeOptions);
        const parted = await mergeInMemory(users, passwords, { ...(options as MergeOptions), parts });
        expect(written(parted)).toEqual(written(whole));
        plain += whole.entries.length;
      },
    ),
    { numRuns: runs(600) },
  );
  // The rows must not be so hostile that nothing but refusals is compared.
  expect(plain).toBeGreaterThan(runs(600));
});

// A provider whose users have names that are not their addresses, and few different values, so that all users share some.
const few = (prefix: string, last: number): fc.Arbitrary<string> => fc.nat(last).map((n) => `${prefix}${n}`);
const maybe = <T>(given: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(given, { nil: undefined, freq: 4 });
const mail = few("", 9).map((name) => `${name}@x.org`);
const HASH = "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234";
const person = fc.record({
  id: maybe(few("p|", 9)),
  login: maybe(few("U", 9)),
  mail: maybe(mail),
  hash: fc.constantFrom(undefined, undefined, HASH, "bad"),
  accounts: maybe(fc.tuple(fc.record({ provider: few("i", 2), subject: few("s", 9) }))),
  robot: fc.constantFrom(undefined, undefined, undefined, true),
  gone: fc.constantFrom(undefined, undefined, undefined, true),
});
const password = fc.record({
  id: maybe(few("", 9)),
  mail: maybe(mail),
  hash: fc.constantFrom(
    undefined,
    HASH,
    HASH,
    "bad",
    `$argon2id$v=19$m=65536,t=3,p=4$${"A".repeat(22)}$${"B".repeat(43)}`,
  ),
  date: fc.nat(3),
  isFaulty: fc.constantFrom(false, false, false, true),
});
type Password = typeof password extends fc.Arbitrary<infer Row> ? Row : never;
const source: Source = {
  ...people,
  users: { ...people.users, shape: { kind: "rows" } },
  credentials: { flag: "passwords", defaultPath: "./passwords", description: "", shape: { kind: "rows" } },
  createRows: (settings, now) => ({
    ...people.createRows(settings, now),
    ownIdPrefix: "p|",
    load: async (columns) => {
      const readers = await people.createRows(settings, now).load(columns);
      return {
        ...readers,
        readUser: (row) => ({ ...readers.readUser(row), isGone: "gone" in row }),
        readCredential: (row) => {
          const { id, mail: email, hash, date, isFaulty } = row as Password;
          return {
            ownId: id,
            email,
            hash,
            dateMs: date,
            faults: isFaulty ? [{ code: "field.missing", field: "x" }] : [],
          };
        },
      };
    },
  }),
};
const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

test("the same where names are not addresses, and all users share values", async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 30 }),
      fc.option(fc.array(password, { minLength: 1, maxLength: 30 }), { nil: undefined }),
      fc.record({ sameName: sameNames, verifiers, findsSharedNames: fc.boolean() }),
      fc.integer({ min: 1, max: 7 }),
      async (users, passwords, options, parts) => {
        const credentials = passwords === undefined ? undefined : lines(passwords);
        const given = { ...options, source } as MergeOptions;
        const whole = await mergeInMemory(lines(users), credentials, given);
        const parted = await mergeInMemory(lines(users), credentials, { ...given, parts });
        expect(written(parted)).toEqual(written(whole));
        most = Math.max(most, whole.entries.length);
      },
    ),
    { numRuns: runs(600) },
  );
  expect(most).toBeGreaterThan(3);
});

test("a file that has changed at its second reading ends the run: no user gets the password of another one", async () => {
  const user = (n: number): string => `{"user_id":"auth0|${n}","email":"u${n}@x.org"}\n`;
  const rows = Array.from({ length: 40 }, (_, n) => user(n));
  const exchanged = [...rows.slice(0, 20), user(21), user(20), ...rows.slice(22)];
  const longer = [...rows, user(40)];
  for (const later of [exchanged, longer, rows.slice(0, 39)]) {
    const reader = (content: readonly string[]): RowReader => {
      const files = [memoryInput("users", Buffer.from(content.join("")), 1_000)];
      return new RowReader({ name: "users", files }, { shape: { kind: "rows" }, strictLines: false });
    };
    const users = Object.assign(reader(rows), { again: async () => reader(later) });
    const { problem } = await mergeRows(users, undefined, { parts: 3 });
    expect(problem).toEqual({ code: "input.changed", file: "users" });
  }
});
