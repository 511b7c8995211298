import type { DescMessage } from "@bufbuild/protobuf";
import { DataOrgSchema } from "@zitadel/proto/zitadel/admin_pb.js";
import { DataOrgSchema as V1DataOrgSchema } from "@zitadel/proto/zitadel/v1_pb.js";
import { expect, test } from "vitest";
import { createOrgRewriter, orgIdMembers } from "../../../../src/core/document/org-map.ts";

const map = new Map([
  ["a", "A"],
  ["b", "b/ü"],
]);
const rewrite = (value: unknown): unknown =>
  JSON.parse(createOrgRewriter(map)(Buffer.from(JSON.stringify(value))).toString());

test("every reference to an organization is rewritten, in both spellings, and nothing else", () => {
  expect(
    rewrite({
      domainPolicy: { orgId: "a", userLoginMustBeDomain: true },
      domain_policy: { org_id: "b" },
      domains: [{ orgId: "a", details: { resourceOwner: "a" }, domainName: "a" }, { orgId: "c" }],
      projectGrant: { projectId: "a", grantedOrgId: "b", granted_org_id: "a", roleKeys: ["a"] },
      user: { userName: "a", userId: "a" },
    }),
  ).toEqual({
    domainPolicy: { orgId: "A", userLoginMustBeDomain: true },
    domain_policy: { org_id: "b/ü" },
    domains: [{ orgId: "A", details: { resourceOwner: "A" }, domainName: "a" }, { orgId: "c" }],
    projectGrant: { projectId: "a", grantedOrgId: "b/ü", granted_org_id: "A", roleKeys: ["a"] },
    user: { userName: "a", userId: "a" },
  });
});

test("an id that is written with escapes is found, and what holds none keeps its bytes", () => {
  const rewriter = createOrgRewriter(map);
  expect(JSON.parse(rewriter(Buffer.from('{"orgId":"\\u0061"}')).toString())).toEqual({ orgId: "A" });
  const bytes = Buffer.from('{"orgId": "c",  "n": 1.0}');
  expect(rewriter(bytes)).toBe(bytes);
});

/** Names of all text members of a message and what is in it. */
function textMembers({ fields }: DescMessage, seen = new Set<DescMessage>()): string[] {
  return fields.flatMap((field) => {
    const { message } = field as { message?: DescMessage };
    if (message === undefined) return [field.jsonName];
    if (seen.has(message)) return [];
    seen.add(message);
    return textMembers(message, seen);
  });
}

test.each([
  ["data_orgs", DataOrgSchema],
  ["data_orgsv1", V1DataOrgSchema],
])("the schema of %s has no other member that sounds like the id of an organization", (_, schema) => {
  const suspects = textMembers(schema).filter((name) => /org.*id|resource.?owner/i.test(name));
  expect(new Set(suspects)).toEqual(orgIdMembers);
});
