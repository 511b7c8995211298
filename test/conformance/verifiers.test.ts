import { expect, test } from "vitest";
import { mergeInMemory } from "../helpers/merge-in-memory.ts";
import { people } from "./people-source.ts";

const ARGON2 = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG";
const BCRYPT = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";

const hashes = (...all: readonly string[]): string =>
  JSON.stringify({ people: all.map((hash, at) => ({ id: `p-${at}`, login: `user-${at}`, hash })) });

test("a hash of a kind that the target does not check costs its user, with the reason", async () => {
  const { counts, reasons } = await mergeInMemory(hashes(ARGON2, BCRYPT), undefined, { source: people });
  expect(counts).toMatchObject({ users: { written: 1, rejected: 1 }, hashes: { bcrypt: 1 } });
  expect(reasons).toMatchObject([{ code: "field.hash", field: "hash", rule: "not-enabled" }]);
});

test("it is written as it is where the target checks its kind", async () => {
  const options = { source: people, verifiers: ["bcrypt", "argon2"] as const };
  const { counts, entries } = await mergeInMemory(hashes(ARGON2, BCRYPT), undefined, options);
  expect(counts).toMatchObject({ users: { withHash: 2 }, hashes: { argon2: 1, bcrypt: 1 } });
  expect(entries.map((entry) => JSON.parse(entry).user.hashedPassword.value)).toEqual([ARGON2, BCRYPT]);
});

test("or dropped and counted on request: no hash stays that a user could not sign in with", async () => {
  const options = { source: people, unverifiable: "drop" as const };
  const { counts, entries } = await mergeInMemory(hashes(ARGON2, "$2b$10$short", "plain", BCRYPT), undefined, options);
  expect(counts).toMatchObject({ users: { withHash: 1, withoutHash: 3, rejected: 0 }, remarks: { "hash-dropped": 3 } });
  expect(entries.filter((entry) => entry.includes("hashedPassword"))).toHaveLength(1);
});

test("rows of credentials are judged alike, and a hash that is no bcrypt is kept as it is", async () => {
  const users = ["1", "2", "3"].map((id) => JSON.stringify({ user_id: `auth0|${id}`, email: `u${id}@example.com` }));
  const rows = [ARGON2, BCRYPT, "$1$x"].map((passwordHash, at) =>
    JSON.stringify({ _id: { $oid: String(at + 1) }, passwordHash }),
  );
  const files = [users.join("\n"), rows.join("\n")] as const;
  const refused = await mergeInMemory(...files);
  expect(refused.counts?.users).toMatchObject({ written: 1, rejected: 2 });
  const options = { verifiers: ["bcrypt", "argon2"] as const, unverifiable: "drop" as const };
  const { counts, entries } = await mergeInMemory(...files, options);
  expect(counts).toMatchObject({
    users: { withHash: 2, withoutHash: 1 },
    passwords: { used: 3, withoutHash: 1 },
    hashes: { argon2: 1, bcrypt: 1 },
    remarks: { "hash-dropped": 1 },
  });
  expect(entries.map((entry) => JSON.parse(entry).user.hashedPassword?.value)).toEqual([ARGON2, BCRYPT, undefined]);
});

test.each([
  ["drop", "bytes", undefined],
  ["drop", "careful", undefined],
  ["drop", "bytes", 3],
  ["later", "bytes", undefined],
  ["later", "bytes", 3],
] as const)(
  "only users who are written lose a hash of a row of credentials (%s, %s, parts %s)",
  async (unverifiable, reading, parts) => {
    const users = [
      { user_id: "auth0|1", email: "u1@example.com" },
      { user_id: "auth0|2", email: "not an address" },
      { user_id: "auth0|4", email: "u4@example.com" },
    ];
    // The third row belongs to no user, the first is replaced by a newer one.
    const rows = [
      ["1", "$1$x"],
      ["2", "$1$x"],
      ["3", "$1$x"],
      ["1", "$1$y"],
      ["4", BCRYPT],
    ] as const;
    const lines = (all: readonly object[]): string => all.map((row) => JSON.stringify(row)).join("\n");
    const credentials = lines(rows.map(([id, passwordHash]) => ({ _id: { $oid: id }, passwordHash })));
    const { counts, metadata } = await mergeInMemory(lines(users), credentials, { unverifiable, reading, parts });
    expect(counts).toMatchObject({
      users: { written: 2, rejected: 1, withHash: 1 },
      remarks: { "hash-dropped": 1 },
      remarkedUsers: { "hash-dropped": ["auth0|1"] },
    });
    // `orgferry invite` finds them by it.
    expect(metadata.split("orgferry_password")).toHaveLength(unverifiable === "later" ? 2 : 1);
  },
);

test("hashes that the target cannot check are counted by their verifier, also of rejected users", async () => {
  const pbkdf2 = "$pbkdf2-sha256$27500$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG";
  for (const unverifiable of ["reject", "drop"] as const) {
    const file = hashes(ARGON2, BCRYPT, pbkdf2, ARGON2, "$2b$10$short");
    const { counts } = await mergeInMemory(file, undefined, { source: people, unverifiable });
    expect(counts?.unverifiable).toEqual({ argon2: 2, pbkdf2: 1 });
  }
});

test.each([
  ["argon2d", ARGON2.replace("argon2id", "argon2d")],
  ["argon2-version", ARGON2.replace("v=19", "v=16")],
  ["argon2-version", ARGON2.replace("v=19$", "")],
  ["unknown-kind", "$scram-sha-256$4096$c2FsdA$aGFzaA"],
  ["prefix", "$2x$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG"],
  ["prefix", "plain"],
])("says why no setting helps: %s", async (rule, hash) => {
  const options = { source: people, verifiers: ["bcrypt", "argon2", "pbkdf2"] as const };
  const { counts, reasons } = await mergeInMemory(hashes(hash), undefined, options);
  expect(reasons).toMatchObject([{ code: "field.hash", rule }]);
  expect(counts?.unverifiable).toEqual({});
});

test("a user without a hash and with a link gets no e-mail if the address is verified", async () => {
  const person = (id: string, more: object): object => ({ id, login: id, mail: `${id}@example.com`, ...more });
  const accounts = [{ provider: "155", subject: "x" }];
  const file = JSON.stringify({
    people: [
      person("a", { confirmed: true, accounts }),
      person("b", { accounts }),
      person("c", { confirmed: true, hash: ARGON2, accounts }),
      person("d", { confirmed: true, hash: BCRYPT, accounts }),
    ],
  });
  const { counts, links, entries } = await mergeInMemory(file, undefined, { source: people, unverifiable: "drop" });
  expect(counts?.users).toMatchObject({ written: 4, silent: 3 });
  expect(links.match(/"userId":"\w"/g)).toEqual(['"userId":"d"']);
  expect(entries.map((entry) => JSON.parse(entry).user.idps?.length)).toEqual([1, 1, 1, undefined]);
});
