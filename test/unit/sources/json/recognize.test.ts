import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findRows } from "../../../../src/core/merge/find-rows.ts";
import { lists, presets } from "../../../../src/sources/json/presets.ts";
import { recognizeRows, refuseDocument } from "../../../../src/sources/json/recognize.ts";

const fixtures = readdirSync("fixtures/json").filter((name) => presets.some(({ id }) => id === name.split("-")[0]));

test.each(fixtures)("%s is recognized, by one preset", (name) => {
  const bytes = readFileSync(`fixtures/json/${name}/users.json`);
  const found = findRows({ file: "", bytes }, { kind: "found", lists }, { list: undefined, strictLines: false });
  expect(recognizeRows(found).id).toBe(name.split("-")[0]);
});

test("every preset has a fixture", () => {
  expect(new Set(fixtures.map((name) => name.split("-")[0]))).toEqual(new Set(presets.map(({ id }) => id)));
});

test("keys that are values of a user are not said", () => {
  const rows = [{ "ann@example.com": { name: "Ann" }, "5f7c8ec7c33c6c004bbafe82": 1, mail: "x" }];
  expect(() => recognizeRows({ shape: { kind: "rows" }, rows, keys: [], lists: [] })).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ paths: ["mail"] }) }),
  );
});

test("paths of leaves are said, and a map is proposed of those of the user", () => {
  const contact = { mails: ["x"], mail: "ann@example.com" };
  const rows = [
    {
      org: { id: 1, name: "Acme" },
      abt: { name: "Bau" },
      nr: { id: 7 },
      login: { name: "ann" },
      person: { contact, tags: {} },
    },
  ];
  expect(() => recognizeRows({ shape: { kind: "rows" }, rows, keys: [], lists: [] })).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({
        paths: [
          "org.id",
          "org.name",
          "abt.name",
          "nr.id",
          "login.name",
          "person.contact.mails",
          "person.contact.mail",
          "person.tags",
        ],
        mapping: "userId=nr.id,email=person.contact.mail,userName=login.name",
      }),
    }),
  );
});

const staff = JSON.stringify({ meta: { "a.b": [{ n: 1 }] }, data: { staff: [{ key: 1 }, { key: 2, mails: [{}] }] } });
const findIn = (text: string) =>
  findRows({ file: "", bytes: Buffer.from(text) }, { kind: "found", lists }, { list: undefined, strictLines: false });

test("lists of a document are said as --list takes them, the longest one first, also if it is cut off", () => {
  const said = { problem: expect.objectContaining({ lists: ["data.staff", 'meta."a.b"'] }) };
  expect(() => recognizeRows(findIn(staff))).toThrow(expect.objectContaining(said));
  expect(() => recognizeRows(findIn(staff.slice(0, -2)))).toThrow(expect.objectContaining(said));
});

test("a map whose paths are in a list of the document, and not in the document, is refused with the lists", () => {
  const mapping = (userId: string) => ({ fields: { userId }, metadata: {} });
  const said = { problem: { code: "usage.no-list", lists: ["data.staff", 'meta."a.b"'] } };
  expect(() => refuseDocument(mapping("key"), findIn(staff))).toThrow(expect.objectContaining(said));
  expect(() => refuseDocument(mapping("nr|meta.x"), findIn(staff))).not.toThrow();
  expect(() => refuseDocument(mapping("key"), findIn('{"nr":1}\n{"nr":2,"tags":[{}]}\n'))).not.toThrow();
});
