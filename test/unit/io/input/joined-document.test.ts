import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createBodyScanner } from "../../../../src/core/document/body-scan.ts";
import type { Document } from "../../../../src/io/input/document.ts";
import { joinDocuments } from "../../../../src/io/input/joined-document.ts";

const { signal } = new AbortController();

/** A document of this text, handed out a few bytes at a time, in one buffer that is used again. */
function documentOf(path: string, text: string, chunkBytes = 7): Document {
  const bytes = Buffer.from(text);
  const shared = Buffer.alloc(chunkBytes);
  return {
    path,
    bytes: bytes.length,
    async *read({ start, end }) {
      for (let at = start; at < end; at += chunkBytes) {
        const part = bytes.subarray(at, Math.min(end, at + chunkBytes));
        part.copy(shared);
        yield shared.subarray(0, part.length);
      }
    },
    close: async () => {},
  };
}

async function textOf(document: Document, extent = { start: 0, end: document.bytes }): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of document.read(extent)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

const user = (id: string) => ({ userId: id, user: { userName: id, profile: { firstName: "Zoë" } } });
const body = (orgId: string, ids: readonly string[], indent?: number) =>
  JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers: ids.map(user) }] }, timeout: "10m" }, undefined, indent);

test("several bodies are joined, with the organizations of all and the first timeout", async () => {
  const texts = [body("a", ["1", "2"], 2), body("b", []), '{"dataOrgs":{"orgs":[ \n ]}}', body("a", ["3"], 1)];
  const { document, files } = await joinDocuments(
    texts.map((text, at) => documentOf(`${at}.json`, text)),
    signal,
  );
  const joined = await textOf(document);
  expect(document.bytes).toBe(Buffer.byteLength(joined));
  expect(JSON.parse(joined)).toEqual({
    dataOrgs: { orgs: texts.flatMap((text) => JSON.parse(text).dataOrgs.orgs) },
    timeout: "10m",
  });
  expect(files).toEqual(
    texts.map((text, at) => ({
      path: `${at}.json`,
      bytes: Buffer.byteLength(text),
      sha256: createHash("sha256").update(text).digest("hex"),
    })),
  );
  expect(document.path).toBe("0.json and 3 more");
});

test("any extent can be read", async () => {
  const { document } = await joinDocuments(
    [documentOf("a", body("a", ["1"])), documentOf("b", body("b", ["2"], 3))],
    signal,
  );
  const joined = Buffer.from(await textOf(document));
  for (let start = 0; start < joined.length; start += 13) {
    const end = Math.min(joined.length, start + 40);
    expect(await textOf(document, { start, end })).toBe(joined.subarray(start, end).toString());
  }
});

test("a line is found in its file", async () => {
  const texts = [
    `\n\n${body("a", ["u1", "u2"], 2)}\n`,
    body("b", ["u3"]),
    `${body("c", ["u4", "u5"], 1)}`.replaceAll("\n", "\r\n"),
  ];
  const { document } = await joinDocuments(
    texts.map((text, at) => documentOf(String(at), text)),
    signal,
  );
  const seen: string[] = [];
  const scanner = createBodyScanner({
    file: document.path,
    onFault() {},
    onUser(userId, _, line) {
      const place = document.place?.(line) ?? { file: "", line: 0 };
      const lines = (texts[Number(place.file)] ?? "").split("\n");
      seen.push(userId);
      expect(lines.slice(place.line - 1, place.line + 1).join()).toContain(`"${userId}"`);
    },
  });
  for await (const chunk of document.read({ start: 0, end: document.bytes })) scanner.push(chunk);
  scanner.end();
  expect(seen).toEqual(["u1", "u2", "u3", "u4", "u5"]);
});

test("exports are joined as exports", async () => {
  const one = JSON.stringify({ orgs: [{ orgId: "a" }] });
  const { document } = await joinDocuments([documentOf("a", one), documentOf("b", '{"orgs":[{"orgId":"b"}]}')], signal);
  expect(JSON.parse(await textOf(document))).toEqual({ orgs: [{ orgId: "a" }, { orgId: "b" }] });
});

test.each([
  ["a body and an export", '{"orgs":[]}'],
  ["a request of another variant", '{"data_orgs_gcs":{"path":"p"},"timeout":"5m0s"}'],
  ["organizations as a text", '{"data_orgsv1":"{\\"orgs\\":[]}"}'],
  ["something else", '{"users":[]}'],
  ["two bodies in one", '{"dataOrgs":{"orgs":[]},"data_orgs":{"orgs":[]}}'],
])("%s cannot be joined", async (_, text) => {
  const joined = joinDocuments([documentOf("a.json", body("a", ["1"])), documentOf("b.json", text)], signal);
  await expect(joined).rejects.toMatchObject({ problem: { code: "input.not-joinable", file: "b.json" } });
});

test("a truncated file is named", async () => {
  const joined = joinDocuments(
    [documentOf("a.json", body("a", ["1"])), documentOf("b.json", body("b", ["2"]).slice(0, -9))],
    signal,
  );
  await expect(joined).rejects.toMatchObject({ problem: { code: "input.unclosed", file: "b.json" } });
});
