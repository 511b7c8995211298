import fc from "fast-check";
import { expect, test } from "vitest";
import type { Document } from "../../../../src/io/input/document.ts";
import { selectUsers } from "../../../../src/io/input/selected-document.ts";

/** A document in chunks of this size. */
function documentOf(text: string, chunkBytes: number): Document {
  const bytes = Buffer.from(text);
  return {
    path: "body.json",
    bytes: bytes.length,
    async *read({ start, end }) {
      for (let at = start; at < end; at += chunkBytes) yield bytes.subarray(at, Math.min(end, at + chunkBytes));
    },
    close: async () => {},
  };
}

async function textOf(document: Document, chunk = document.bytes): Promise<string> {
  const pieces: Buffer[] = [];
  for (let start = 0; start < document.bytes; start += chunk) {
    const end = Math.min(document.bytes, start + chunk);
    for await (const bytes of document.read({ start, end })) pieces.push(Buffer.from(bytes));
  }
  return Buffer.concat(pieces).toString();
}

const { signal } = new AbortController();
const id = fc.constantFrom("a", "b", "c", "d", "ü\n");
const member = fc.record({ key: fc.constant("k,]}"), value: fc.string() });
const org = fc.record(
  {
    orgId: fc.constantFrom("1", "2"),
    userMetadata: fc.array(fc.tuple(id, member).map(([owner, rest]) => ({ id: owner, ...rest }))),
    humanUsers: fc.array(id.map((userId) => ({ userId, user: { userName: `n${userId}` } }))),
    userGrants: fc.array(id.map((userId) => ({ userId, projectId: "p" }))),
    projects: fc.array(fc.constant({ projectId: "p" })),
  },
  { requiredKeys: ["orgId"] },
);

test("a selected document is what a filter of the parsed one gives, in any layout and any chunks, with the same lines", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(org),
      fc.subarray<string>(["a", "b", "c", "d", "ü\n"], { minLength: 1 }),
      fc.constantFrom("", " ", "\n\t"),
      fc.integer({ min: 1, max: 40 }),
      async (orgs, only, space, chunk) => {
        const text = JSON.stringify({ dataOrgs: { orgs } }, undefined, space);
        const rules = { only: new Set(only), where: [], limit: undefined };
        const { document, selected, users } = await selectUsers(documentOf(text, chunk), rules, signal);
        const wanted: readonly string[] = only;
        const isKept = (owner: string): boolean => wanted.includes(owner) || !ids.has(owner);
        const ids = new Set<string>(orgs.flatMap(({ humanUsers = [] }) => humanUsers.map(({ userId }) => userId)));
        const expected = orgs.map((one) => ({
          ...one,
          ...(one.userMetadata && { userMetadata: one.userMetadata.filter((metadata) => isKept(metadata.id)) }),
          ...(one.humanUsers && { humanUsers: one.humanUsers.filter(({ userId }) => wanted.includes(userId)) }),
          ...(one.userGrants && { userGrants: one.userGrants.filter(({ userId }) => isKept(userId)) }),
        }));
        const blanked = await textOf(document, chunk);
        expect(JSON.parse(blanked)).toEqual({ dataOrgs: { orgs: expected } });
        expect(blanked.replace(/[^\n]/g, "")).toBe(text.replace(/[^\n]/g, ""));
        expect(selected).toBe(expected.flatMap(({ humanUsers = [] }) => humanUsers).length);
        expect(users).toBe(orgs.flatMap(({ humanUsers = [] }) => humanUsers).length);
      },
    ),
  );
});

test("a broken document is reported with its line", async () => {
  const rules = { only: undefined, where: [], limit: 1 };
  await expect(selectUsers(documentOf('{"dataOrgs":\n{"orgs":[{"orgId" 1', 8), rules, signal)).rejects.toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ line: 2 }) }),
  );
});
