import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { kindOf, likelyKind, whyUnfit } from "../../../../src/commands/start/kind-of-file.ts";
import { sources } from "../../../../src/sources/registry.ts";
import { testBody, testUsers } from "../../../helpers/bodies.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const auth0Rows = '{"user_id":"auth0|1","email":"a@example.com","name":"A","email_verified":true}\n';

test.each([
  ["users.ndjson", auth0Rows, "auth0"],
  ["marked.ndjson", `\ufeff${auth0Rows}`, "auth0"],
  ["users.csv", "id,email\n1,a@example.com\n", "csv"],
  ["body.json", testBody(testUsers(1)), "body"],
  ["notes.txt", "hello\n", undefined],
  ["users.json.gz", gzipSync(auth0Rows), "auth0"],
  ["cut.gz", gzipSync(auth0Rows.repeat(9_000)).subarray(0, 1_000), "auth0"],
  ["users.csv.gz", gzipSync("id,email\n1,a@example.com\n"), "csv"],
  ["body.json.gz", gzipSync(testBody(testUsers(1))), "body"],
  ["damaged.gz", Buffer.from([0x1f, 0x8b, 0, 0]), undefined],
])("start knows what %s is", async (name, content, kind) => {
  const path = join(tempDir(), name);
  writeFileSync(path, content);
  expect(kindOf(path, sources)).toBe(kind);
});

test.each([
  ["users.json", "[]", "json"],
  ["users.jsonl.gz", "", "json"],
  ["users.txt", ' {"users":[]}', "json"],
  ["users.txt", "id;email\n1;a@example.com\n", "csv"],
])("of an unknown kind, %s (%j) is most likely %s", (name, content, kind) => {
  const path = join(tempDir(), name);
  writeFileSync(path, content);
  expect(likelyKind(path)).toBe(kind);
});

test("a folder is of the provider that exports folders", () => {
  const path = join(tempDir(), "export");
  mkdirSync(path);
  expect(kindOf(path, sources)).toBe("keycloak");
});

const HASHES = '{"_id":{"$oid":"1"},"email":"a@example.com","passwordHash":"$2b$10$x"}\n';

test("of a folder with the files of another provider, those with users are named", () => {
  const path = tempDir();
  const write = (name: string, content: string) => writeFileSync(join(path, name), content);
  expect(whyUnfit(path, sources)).toMatch(/contains no files with the names of an export .*Is it the right folder\?/);
  write("notes.txt", "hello\n");
  expect(whyUnfit(path, sources)).toMatch(/contains no files .*It has notes\.txt/);
  write("passwords.json", HASHES);
  expect(whyUnfit(path, sources)).toMatch(/contains no files .*It has notes\.txt, passwords\.json/);
  write("aaa.csv", "id,email\n");
  expect(whyUnfit(path, sources)).toMatch(/Name a file in it: aaa\.csv$/);
  write("users.json", auth0Rows);
  expect(whyUnfit(path, sources)).toMatch(
    /Only a Keycloak export is read as a folder\. Name a file in it: users\.json$/,
  );
  write("more.json", auth0Rows);
  expect(whyUnfit(path, sources)).toMatch(/Name a file in it: more\.json, users\.json$/);
  write("acme-realm.json", '{"realm":"acme","users":[{"username":"a"}]}');
  expect(whyUnfit(path, sources)).toBeUndefined();
});

test("a folder with JSON of no known kind may be an export", () => {
  const path = tempDir();
  writeFileSync(join(path, "acme-users-0.json"), "[]");
  expect(whyUnfit(path, sources)).toBeUndefined();
});

test.each([
  ["latin1.csv", Buffer.from("id,email\n1,m\xfcller@example.com\n", "latin1"), /^latin1\.csv:2: is not UTF-8/],
  ["users.json", "", /^users\.json: is empty/],
  ["users.json.gz", gzipSync(""), /^users\.json\.gz: is empty/],
  ["users.json", " \n", /^users\.json: contains no rows/],
  ["passwords.json", HASHES, /^passwords\.json: has the password hashes of Auth0\. Name the file with the users/],
  ["users.json", auth0Rows, undefined],
  ["users.xlsx", Buffer.from("PK\x03\x04 and more"), /a spreadsheet/],
  ["users.csv", Buffer.from("id,email\n1,müller@example.com\n"), undefined],
  ["utf16.csv", Buffer.from("\ufeffid\temail\n", "utf16le"), undefined],
  ["users.csv.gz", gzipSync("id,email\n"), undefined],
  [
    "latin1.csv.gz",
    gzipSync(Buffer.from("id,email\n1,m\xfcller@example.com\n", "latin1")),
    /^latin1\.csv\.gz:2: is not/,
  ],
])("why %s cannot be read is said at once", (name, content, words) => {
  const path = join(tempDir(), name);
  writeFileSync(path, content);
  if (words === undefined) expect(whyUnfit(path, sources)).toBeUndefined();
  else expect(whyUnfit(path, sources)).toMatch(words);
});
