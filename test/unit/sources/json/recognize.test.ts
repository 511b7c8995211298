import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findRows } from "../../../../src/core/merge/find-rows.ts";
import { describe } from "../../../../src/problem/describe.ts";
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

test("of a state that is an object, its text is proposed, and never as the name of the user", () => {
  const rows = [{ id: 1, mail: "ann@example.com", status: { id: 2, name: "gesperrt" } }];
  expect(() => recognizeRows({ shape: { kind: "rows" }, rows, keys: [], lists: [] })).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({ mapping: "userId=id,email=mail,state=status.name" }),
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

const sparse = [
  { "Kunden-Nr": "1", "E-Mail": "ann@example.com", aktiv: true, "gesperrt am": null, gelöscht: false },
  { "Kunden-Nr": "2", "E-Mail": "bo@example.com" },
];
const lines = (rows: readonly object[]) => `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]`;

test.each([
  ["with one user per line", `{"kunden":${lines(sparse)}}`],
  [
    "with two lists of one object per line",
    `{"kunden":${lines(sparse)},"rollen":${lines([{ n: 1 }, { n: 2 }, { n: 3 }])}}`,
  ],
  ["on one line", JSON.stringify({ stand: "x", rollen: [{ n: 1 }, { n: 2 }, { n: 3 }], kunden: sparse })],
  ["of indented lines", JSON.stringify({ kunden: sparse }, undefined, 2)],
])("a map of the first users is proposed together with their list, of a document %s", (_, text) => {
  const proposal = {
    list: "kunden",
    mapping: "userId=Kunden-Nr,email=E-Mail,state=aktiv|gesperrt am,deleted=gelöscht",
    paths: ["Kunden-Nr", "E-Mail", "aktiv", "gesperrt am", "gelöscht"],
  };
  expect(() => recognizeRows(findIn(text))).toThrow(
    expect.objectContaining({ problem: expect.objectContaining(proposal) }),
  );
});

test("the proposed list stands in front of the map and of the presets, and the others behind", () => {
  const mapping = "userId=nr,email=<path>";
  const problem = { code: "usage.unknown-rows", paths: ["nr"], presets: ["okta"], mapping, list: "staff" } as const;
  const { hint } = describe({ ...problem, lists: ["staff", "teams"] });
  expect(hint).toContain(
    `Name the paths with --list staff --map ${mapping},… or --list staff --preset okta; other lists: teams.`,
  );
});

test("no list is proposed of a user with a list", () => {
  const user = { "Kunden-Nr": 1, "E-Mail": "ann@example.com", rollen: [{ id: 1, n: 1 }] };
  const proposal = { list: undefined, lists: ["rollen"], mapping: "userId=Kunden-Nr,email=E-Mail" };
  expect(() => recognizeRows(findIn(JSON.stringify(user)))).toThrow(
    expect.objectContaining({ problem: expect.objectContaining(proposal) }),
  );
});

test("a map whose paths are in a list of the document, and not in the document, is refused with the lists", () => {
  const mapping = (userId: string) => ({ fields: { userId }, metadata: {} });
  const said = { problem: { code: "usage.no-list", lists: ["data.staff", 'meta."a.b"'] } };
  expect(() => refuseDocument(mapping("key"), findIn(staff))).toThrow(expect.objectContaining(said));
  expect(() => refuseDocument(mapping("nr|meta.x"), findIn(staff))).not.toThrow();
  expect(() => refuseDocument(mapping("key"), findIn('{"nr":1}\n{"nr":2,"tags":[{}]}\n'))).not.toThrow();
});
