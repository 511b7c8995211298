import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { DocumentShape } from "../../../../src/core/rows/documents.ts";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { openInput } from "../../../../src/io/input/input.ts";
import { readMembers } from "../../../../src/io/rows/document-members.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

const shape: DocumentShape = { kind: "document", list: ["users"], name: { key: "realm", flag: "--realm" } };

/** The members that are found, and what is read of the input afterwards. */
async function read(
  text: string,
  wanted: string | undefined,
  isPipe: boolean,
  isAnywhere = false,
): Promise<[unknown, string]> {
  const cwd = tempDir();
  writeFileSync(join(cwd, "realm.json"), text);
  const { signal } = new AbortController();
  const context = { cwd, stdin: Readable.from([Buffer.from(text)]), signal, cleanUp: createCleanUp() };
  const input = await openInput(isPipe ? "-" : "realm.json", { ...context, flag: "--users", twice: isAnywhere });
  const found = new Map<string, unknown>();
  const about = {
    keys: isAnywhere ? ["roles", "organizations"] : ["roles", "groups"],
    isAnywhere,
    take(members: ReadonlyMap<string, unknown>) {
      for (const [key, value] of members) found.set(key, value);
    },
  };
  const { files } = await readMembers({ name: "realm.json", files: [input] }, shape, about, wanted);
  const block = Buffer.alloc(64);
  let rest = "";
  for (let length = -1; length !== 0; rest += block.toString("utf8", 0, length))
    length = (await files[0]?.read(block)) ?? 0;
  await files[0]?.close();
  return [Object.fromEntries(found), rest];
}

const one = '{"realm":"a","roles":{"realm":[1]},"groups":[2],"users":[{"roles":3}],"clients":[]}';
const two = `[${one},{"realm":"b","roles":{"realm":[4]},"users":[{"id":1}]}]`;

describe.each([
  ["a file", false],
  ["a pipe", true],
])("of %s", (_, isPipe) => {
  test.each<[string, string, string | undefined, object]>([
    ["the only document", one, undefined, { roles: { realm: [1] }, groups: [2] }],
    ["the first of several", two, undefined, { roles: { realm: [1] }, groups: [2] }],
    ["the one that is wanted", two, "b", { roles: { realm: [4] } }],
    ["none, where none is wanted", two, "c", {}],
    ["none of a list of users alone", '{"realm":"a","users":[{"id":1}]}', undefined, {}],
    ["none of what is no JSON", '{"roles":{"realm":[1]},oops', undefined, { roles: { realm: [1] } }],
  ])("%s", async (_name, text, wanted, members) => {
    expect(await read(text, wanted, isPipe)).toEqual([members, text]);
  });

  const behind = '{"users":[{"organizations":3}],"roles":5,"organizations":[{"alias":"x"}],"realm":"a"}';
  const several = `[${one},${behind.replace('"a"', '"b"')}]`;
  test.each<[string, string, string | undefined, object]>([
    ["behind the list", behind, undefined, { roles: 5, organizations: [{ alias: "x" }] }],
    ["of the document whose name comes last", several, "b", { roles: 5, organizations: [{ alias: "x" }] }],
    ["of the first document alone", several, "a", { roles: { realm: [1] } }],
    ["of a document that is cut off", behind.slice(0, 60), undefined, { roles: 5 }],
  ])("%s, where they may stand anywhere", async (_name, text, wanted, members) => {
    expect(await read(text, wanted, isPipe, true)).toEqual([members, text]);
  });
});
