import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import {
  ListExecutionsRequestSchema,
  ListTargetsRequestSchema,
} from "@zitadel/proto/zitadel/action/v2beta/action_service_pb";
import {
  ExportDataRequestSchema,
  ImportDataRequestSchema,
  ListEmailProvidersRequestSchema,
  ListEventsRequestSchema,
  ListEventTypesRequestSchema,
  ListIAMMembersRequestSchema,
  ListInstanceDomainsRequestSchema,
  ListInstanceTrustedDomainsRequestSchema,
  ListLoginPolicyIDPsRequestSchema,
  ListOrgsRequestSchema,
  ListProvidersRequestSchema,
  ListSecretGeneratorsRequestSchema,
  ListSMSProvidersRequestSchema,
  ListViewsRequestSchema,
} from "@zitadel/proto/zitadel/admin_pb";
import { ListMyZitadelPermissionsRequestSchema } from "@zitadel/proto/zitadel/auth_pb";
import { ListUsersRequestSchema } from "@zitadel/proto/zitadel/user/v2/user_service_pb";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const schemas = {
  "/auth/v1/permissions/zitadel/me/_search": ListMyZitadelPermissionsRequestSchema,
  "/admin/v1/import": ImportDataRequestSchema,
  "/admin/v1/export": ExportDataRequestSchema,
  "/admin/v1/events/_search": ListEventsRequestSchema,
  "/admin/v1/events/types/_search": ListEventTypesRequestSchema,
  "/admin/v1/orgs/_search": ListOrgsRequestSchema,
  "/admin/v1/views/_search": ListViewsRequestSchema,
  "/v2/users": ListUsersRequestSchema,
  // diff
  "/admin/v1/policies/login/idps/_search": ListLoginPolicyIDPsRequestSchema,
  "/admin/v1/idps/templates/_search": ListProvidersRequestSchema,
  "/admin/v1/email/_search": ListEmailProvidersRequestSchema,
  "/admin/v1/sms/_search": ListSMSProvidersRequestSchema,
  "/admin/v1/secretgenerators/_search": ListSecretGeneratorsRequestSchema,
  "/admin/v1/domains/_search": ListInstanceDomainsRequestSchema,
  "/admin/v1/trusted_domains/_search": ListInstanceTrustedDomainsRequestSchema,
  "/admin/v1/members/_search": ListIAMMembersRequestSchema,
  "/v2/actions/targets/search": ListTargetsRequestSchema,
  "/v2/actions/executions/search": ListExecutionsRequestSchema,
} as const;

const org = {
  orgId: "a",
  org: { name: "A" },
  domainPolicy: { orgId: "a", userLoginMustBeDomain: true },
  humanUsers: [testUser(1), testUser(2, { phone: { phone: "+41791234567" }, otpCode: "JBSWY3DPEHPK3PXP" })],
  machineUsers: [{ userId: "m", user: { userName: "bot", name: "Bot" } }],
  userMetadata: [{ id: "u1", key: "k", value: "dg==" }],
  projects: [{ projectId: "p", project: { name: "P" } }],
  projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
  userGrants: [{ userId: "u1", projectId: "p", roleKeys: ["r"] }],
  orgMembers: [{ userId: "u1", roles: ["ORG_OWNER"] }],
};

test("every body that is sent is one of the real schema, without an unknown field", async () => {
  const source = await startMock({ seed: { orgs: [org] } });
  const mock = await startMock();
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const { cwd, file } = inFolder(testBody(testUsers(3), "a"));
  writeFileSync(join(cwd, "v2.json"), JSON.stringify({ orgs: [org] }));
  writeFileSync(
    join(cwd, "v1.json"),
    JSON.stringify({ orgs: [{ ...org, domainPolicy: undefined, iamPolicy: { orgId: "a" } }] }),
  );
  writeFileSync(join(cwd, "key.json"), JSON.stringify({ type: "service_account", private_key: "k" }));
  const storage = ["--gcs-bucket", "b", "--gcs-path", "p", "--gcs-service-account", "key.json"];
  const runs = [
    ["import", "v2.json", "--batch-users", "1"],
    ["import", "v1.json"],
    ["import", file, "--verify"],
    ["import", file, "--dry-run"],
    ["import", ...storage],
    ["import", "--from", "v2", ...storage],
    ["export", "--org-id", "a", "--with-otp", "--output", "out.json"],
    ["export", "--org-id", "a", ...storage],
    ["copy", "--with-passwords"],
    ["verify", "v2.json"],
    ["diff"],
  ];
  for (const argv of runs) {
    const { exitCode, stderr } = await runCli(argv, { cwd, env });
    expect(exitCode, `${argv.join(" ")}\n${stderr}`).toBeLessThan(2);
  }
  const requests = [...mock.requests, ...source.requests].filter(({ method }) => method !== "GET");
  expect(requests.length).toBeGreaterThan(20);
  for (const { path, body } of requests) {
    const message = JSON.parse(body ?? "") as JsonValue;
    const schema = schemas[path as keyof typeof schemas];
    expect(
      () => fromJson<typeof schema>(schema, message, { ignoreUnknownFields: false }),
      `${path} ${body}`,
    ).not.toThrow();
  }
});
