import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { ExportDataRequestSchema, ExportDataResponseSchema } from "@zitadel/proto/zitadel/admin_pb.js";
import { expect, test } from "vitest";
import { fullOrg, otherOrg } from "../helpers/full-org.ts";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";

const EXPORT = "/zitadel.admin.v1.AdminService/ExportData";
const HASH = "$2b$10$abcdefghijklmnopqrstuuM1NmTCB1Wc9MzZ0IYiSbJIE3Z1fsbhG";

/** A message with its head, as a client sends it. */
function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

interface Frames {
  readonly message: Buffer | undefined;
  readonly trailers: Readonly<Record<string, string>>;
}

/** The frames of an answer: at most one message, and then the trailers. */
function framesOf(bytes: Buffer): Frames {
  let message: Buffer | undefined;
  let trailers = {};
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at + 1);
    const frame = bytes.subarray(at + 5, at + 5 + length);
    if (bytes.readUInt8(at) === 0) message = frame;
    else
      trailers = Object.fromEntries(
        frame
          .toString()
          .trimEnd()
          .split("\r\n")
          .map((line) => line.split(/: (.*)/s)),
      );
    at += 5 + length;
  }
  return { message, trailers };
}

async function call({ mock }: MockClient, body: Uint8Array, { path = EXPORT, token = mock.token } = {}) {
  const response = await fetch(`${mock.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/grpc-web+proto", "x-grpc-web": "1" },
    body,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, ...framesOf(bytes) };
}

const requestOf = (fields: object) =>
  framed(toBinary(ExportDataRequestSchema, create(ExportDataRequestSchema, fields)));

test("an export over gRPC-Web holds what the documented call answers, to the byte as the real encoder writes it", async () => {
  const client = await startMock();
  await client.importOrgs(fullOrg, otherOrg, { orgId: "3", org: { name: "Three" }, humanUsers: [human("ä|1")] });
  const { status, message, trailers } = await call(client, requestOf({ withPasswords: true, withOtp: true }));
  expect([status, trailers]).toEqual([200, { "grpc-status": "0" }]);
  const decoded = fromBinary(ExportDataResponseSchema, message ?? Buffer.of());
  expect(toJson(ExportDataResponseSchema, decoded)).toEqual(await client.exportAll());
  expect(message?.length).toBe(toBinary(ExportDataResponseSchema, decoded).length);
});

test("it takes organizations and secrets as the documented call does", async () => {
  const users = [human("a", { hashedPassword: { value: HASH } })];
  const orgs = ["1", "2"].map((orgId) => ({
    orgId,
    org: { name: orgId },
    ...(orgId === "1" ? { humanUsers: users } : {}),
  }));
  const client = await startMock({ seed: { orgs } });
  const { message } = await call(client, requestOf({ orgIds: ["1", "none"] }));
  const { orgs: found } = fromBinary(ExportDataResponseSchema, message ?? Buffer.of());
  expect(found.map(({ orgId }) => orgId)).toEqual(["1"]);
  expect(message?.includes(HASH)).toBe(false);
});

test("it has no limit on its size, where the documented call has one (service behaviour 0.14)", async () => {
  const client = await startMock();
  const humanUsers = Array.from({ length: 6000 }, (_, index) =>
    human(`u${index}`, {
      profile: { firstName: "n".repeat(200), lastName: "n".repeat(200), nickName: "n".repeat(200) },
    }),
  );
  const half = humanUsers.length / 2;
  await client.importOrgs({ orgId: "1", org: { name: "A" }, humanUsers: humanUsers.slice(0, half) });
  await client.importOrgs({ orgId: "1", humanUsers: humanUsers.slice(half) });
  const documented = await client.post("/admin/v1/export", {});
  expect(documented).toMatchObject({ status: 429, body: { code: 8 } });
  const { message, trailers } = await call(client, requestOf({}));
  expect(trailers).toEqual({ "grpc-status": "0" });
  const [, size] = /\((\d+) vs\. 4194304\)/.exec((documented.body as { message: string }).message) ?? [];
  expect(message?.length).toBe(Number(size));
  const { orgs } = fromBinary(ExportDataResponseSchema, message ?? Buffer.of());
  expect(orgs[0]?.humanUsers).toHaveLength(6000);
});

test("a missing permission is in the trailers", async () => {
  const client = await startMock({ seed: { tokens: [{ token: "manager", roles: ["IAM_USER_MANAGER"] }] } });
  expect((await call(client, requestOf({}), { token: "wrong" })).trailers).toMatchObject({
    "grpc-status": "16",
    "grpc-message": "Errors.Token.Invalid (AUTH-7fs1e)",
    "grpc-status-details-bin": expect.any(String),
  });
  expect((await call(client, requestOf({}), { token: "manager" })).trailers).toMatchObject({ "grpc-status": "7" });
});

test.each([
  ["no message at all", Buffer.of(), EXPORT, "2", "EOF"],
  ["a message that was cut", framed(Buffer.of(1, 2, 3)).subarray(0, 6), EXPORT, "2", "unexpected EOF"],
  ["a message that is none", framed(Buffer.of(0xff)), EXPORT, "13", /^grpc: error unmarshalling request/],
  ["another method", framed(Buffer.of()), EXPORT.replace("Export", "Import"), "12", /^unknown method ImportData for/],
  ["another service", framed(Buffer.of()), "/zitadel.auth.v1.AuthService/Get", "12", /^unknown service/],
])("%s is refused in the headers", async (_title, body, path, status, message) => {
  const { headers, bytes } = await call(await startMock(), body, { path });
  expect([headers.get("grpc-status"), bytes.length]).toEqual([status, 0]);
  expect(headers.get("grpc-message")).toMatch(message);
});

test("without its content type there is nothing at that path", async () => {
  const { post } = await startMock();
  expect(await post(EXPORT, {})).toMatchObject({ status: 404, body: { code: 5 } });
});
