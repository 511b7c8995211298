import { DataOrgSchema } from "@zitadel/proto/zitadel/admin_pb.js";
import { DataOrgSchema as DataOrgV1Schema } from "@zitadel/proto/zitadel/v1_pb.js";
import { expect, test } from "vitest";
import { orgMembers } from "../../../src/contract/import-request.ts";

test("the members of an organization are those of the service's messages", () => {
  const fields = [...DataOrgSchema.fields, ...DataOrgV1Schema.fields].map(({ jsonName }) => jsonName);
  expect([...orgMembers].sort()).toEqual([...new Set(fields)].sort());
});
