import type { DescMessage } from "@bufbuild/protobuf";
import { DataOrgSchema } from "@zitadel/proto/zitadel/admin_pb.js";
import { DataOrgSchema as DataOrgV1Schema } from "@zitadel/proto/zitadel/v1_pb.js";
import { expect, test } from "vitest";
import { type KnownFields, orgMembers } from "../../../src/contract/import-request.ts";

/** Fields that the descriptors lack: recovery codes came with 4.9 (service behaviour 9.8), the algorithm is of old programs (1.4). */
const OLDER_AND_NEWER = [
  "humanUsers.user.hashedPassword.algorithm",
  "humanUsers.user.recoveryCodes",
  "humanUsers.user.recoveryCodes.hash",
  "humanUsers.user.recoveryCodes.raw",
];

/** The paths of the fields of messages, as far as the table lists them. */
function pathsOf(message: DescMessage, known: KnownFields): string[] {
  return message.fields.flatMap(({ jsonName, message: inner }) => {
    const fields = known.get(jsonName);
    const paths = inner === undefined || fields === undefined ? [] : pathsOf(inner, fields);
    return [jsonName, ...paths.map((path) => `${jsonName}.${path}`)];
  });
}

function pathsIn(known: KnownFields): string[] {
  return [...known].flatMap(([name, fields]) => [
    name,
    ...(fields === undefined ? [] : pathsIn(fields).map((path) => `${name}.${path}`)),
  ]);
}

test("the members of an organization and their fields are those of the service's messages", () => {
  const paths = [DataOrgSchema, DataOrgV1Schema].flatMap((message) => pathsOf(message, orgMembers));
  expect(pathsIn(orgMembers).sort()).toEqual([...new Set([...paths, ...OLDER_AND_NEWER])].sort());
});

test("every list and setting has its fields, but for login texts", () => {
  const scalars = [...orgMembers].flatMap(([name, fields]) => (fields === undefined ? [name] : []));
  expect(scalars).toEqual(["orgId", "orgState", "loginTexts"]);
});
