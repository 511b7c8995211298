import { fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ExportDataResponseSchema } from "@zitadel/proto/zitadel/admin_pb";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadProtobuf, toExportJson } from "../../../../src/admin/grpc-web/export-json.ts";
import { fullOrg, otherOrg } from "../../../helpers/full-org.ts";
import { encodeExport } from "../../../helpers/grpc-export-server.ts";
import { runs } from "../../../helpers/runs.ts";

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function decode(bytes: Buffer, pieceBytes = 1_000): Promise<{ text: string; unknown: string[] }> {
  const unknown: string[] = [];
  let text = "";
  for await (const chunk of toExportJson(inPieces(bytes, pieceBytes), await loadProtobuf(), (field) =>
    unknown.push(field),
  ))
    text += chunk.toString();
  return { text, unknown };
}

/** What the whole-message way of the same library gives. */
const whole = (bytes: Buffer): JsonValue =>
  toJson(ExportDataResponseSchema, fromBinary(ExportDataResponseSchema, bytes));

test("an organization with all fields is written like the library's JSON, in the same order", async () => {
  const bytes = encodeExport({ orgs: [fullOrg, otherOrg, { orgId: "3" }] });
  for (const pieceBytes of [1, 7, 100, 100_000]) {
    const { text, unknown } = await decode(bytes, pieceBytes);
    expect(text).toBe(JSON.stringify(whole(bytes)));
    expect(unknown).toEqual([]);
  }
});

test("an empty message is {}", async () => {
  expect((await decode(Buffer.alloc(0))).text).toBe("{}");
});

test("any users are written like the library's JSON", async () => {
  const user = fc.record({
    userId: fc.string(),
    state: fc.constantFrom("USER_STATE_ACTIVE", "USER_STATE_INACTIVE", "USER_STATE_UNSPECIFIED"),
    user: fc.record({
      userName: fc.string({ unit: "grapheme" }),
      profile: fc.record({ firstName: fc.string(), gender: fc.constantFrom("GENDER_FEMALE", "GENDER_UNSPECIFIED") }),
      email: fc.record({ email: fc.string(), isEmailVerified: fc.boolean() }),
      hashedPassword: fc.record({ value: fc.string() }),
    }),
  });
  const org = fc.record({
    orgId: fc.string(),
    humanUsers: fc.array(user),
    userMetadata: fc.array(fc.record({ id: fc.string(), value: fc.base64String() })),
    orgState: fc.constantFrom("ORG_STATE_ACTIVE", "ORG_STATE_UNSPECIFIED"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(org, { maxLength: 4 }), fc.integer({ min: 1, max: 500 }), async (orgs, pieceBytes) => {
      const bytes = encodeExport({ orgs });
      expect((await decode(bytes, pieceBytes)).text).toBe(JSON.stringify(whole(bytes)));
    }),
    { numRuns: runs(100) },
  );
});

const delimited = (number: number, value: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from([((number << 3) & 0x7f) | 2 | (number > 15 ? 0x80 : 0), ...(number > 15 ? [number >> 4] : [])]),
    Buffer.from([value.length]),
    value,
  ]);

test("an unknown field of a newer service is reported once, at any depth", async () => {
  const newInUser = delimited(60, Buffer.from("new"));
  const user = Buffer.concat([delimited(1, Buffer.from("u1")), newInUser]);
  const org = Buffer.concat([
    delimited(1, Buffer.from("o")),
    delimited(14, user),
    delimited(14, user),
    delimited(99, Buffer.from("new")),
  ]);
  const { text, unknown } = await decode(delimited(1, org));
  expect(JSON.parse(text)).toEqual({ orgs: [{ orgId: "o", humanUsers: [{ userId: "u1" }, { userId: "u1" }] }] });
  expect(unknown).toEqual(["zitadel.v1.v1.DataHumanUser field 60", "field 99"]);
});

test("a list that continues after another field does not repeat its key", async () => {
  const user = delimited(14, delimited(1, Buffer.from("u")));
  const machine = delimited(15, delimited(1, Buffer.from("m")));
  await expect(decode(delimited(1, Buffer.concat([user, machine, user])))).rejects.toThrow("malformed");
});

test("a truncated message is broken", async () => {
  const bytes = encodeExport({ orgs: [fullOrg] });
  await expect(decode(bytes.subarray(0, bytes.length - 3))).rejects.toThrow("unclosed");
});
