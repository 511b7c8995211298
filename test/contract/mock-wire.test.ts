import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import {
  DataOrgSchema,
  ExportDataRequestSchema,
  ExportDataResponseSchema,
  ImportDataRequestSchema,
  ImportDataResponseSchema,
  ListEventsRequestSchema,
  ListEventsResponseSchema,
} from "@zitadel/proto/zitadel/admin_pb.js";
import { expect, test } from "vitest";
import { fullExport, fullOrg, otherOrg } from "../helpers/full-org.ts";
import { human, startMock } from "../helpers/mock-client.ts";

const IMPORT = "/admin/v1/import";
const orgs = [fullOrg, otherOrg];

test("the organization of these tests has every field of the real DataOrg", () => {
  expect(Object.keys(fullOrg).sort()).toEqual(DataOrgSchema.fields.map(({ jsonName }) => jsonName).sort());
});

test("export → import into an empty instance → export is the same document, and parses under the real schema", async () => {
  const source = await startMock();
  const first = await source.post(IMPORT, { dataOrgs: { orgs }, timeout: "1m" });
  expect(first.body).not.toHaveProperty("errors");
  const exported = await source.exportAll();
  expect(exported).toEqual(fullExport);
  fromJson(ExportDataResponseSchema, exported as JsonValue);

  const target = await startMock();
  const request = { dataOrgs: exported, timeout: "1m" };
  fromJson(ImportDataRequestSchema, request as JsonValue);
  // Generated domains exist already, and the members of projects are listed twice.
  const { errors } = (await target.post(IMPORT, request)).body as { errors: { type: string; id: string }[] };
  expect(errors.map(({ type, id }) => `${type} ${id}`)).toEqual([
    ...["domain 1_acme.127.0.0.1", "domain 2_bolt.127.0.0.1", "project_member 2_p_m"],
  ]);
  expect(await target.exportAll()).toEqual(exported);
});

test("an answer with every success list parses under the real schema", async () => {
  const { post } = await startMock();
  const { body } = await post(IMPORT, { dataOrgs: { orgs }, timeout: "1m" });
  const { success } = fromJson(ImportDataResponseSchema, body as JsonValue);
  const { $typeName: _type, orgId, idpLinks, ...lists } = success?.orgs[0] ?? {};
  expect([orgId, idpLinks]).toEqual(["1", []]);
  expect(Object.entries(lists).filter(([, list]) => !Array.isArray(list) || list.length === 0)).toEqual([]);
});

test("an answer with errors, one with nothing and that of a file variant parse under the real schema", async () => {
  const { post } = await startMock({ seed: { orgs } });
  for (const request of [
    { dataOrgs: { orgs }, timeout: "1m" },
    { dataOrgs: {}, timeout: "1m" },
    { data_orgs_gcs: { bucket: "b", path: "p", serviceaccount_json: "e30=" }, timeout: "1m" },
    { timeout: "1m" },
  ]) {
    fromJson(ImportDataRequestSchema, request as JsonValue);
    const { status, body } = await post(IMPORT, request);
    expect(status).toBe(200);
    fromJson(ImportDataResponseSchema, body as JsonValue);
  }
});

test("an export without secrets and an empty one parse under the real schema", async () => {
  const { mock, post } = await startMock({ seed: { orgs } });
  const request = {
    org_ids: ["1"],
    excluded_org_ids: [],
    with_passwords: false,
    timeout: "30s",
    response_output: true,
  };
  fromJson(ExportDataRequestSchema, request);
  const { body, text } = await post("/admin/v1/export", request);
  const { orgs: found } = fromJson(ExportDataResponseSchema, body as JsonValue);
  expect(found.map(({ orgId }) => orgId)).toEqual(["1"]);
  expect(text).not.toMatch(/hashedPassword|otpCode|JBSWY/);
  mock.removeOrg("1");
  mock.removeOrg("2");
  fromJson(ExportDataResponseSchema, (await post("/admin/v1/export", {})).body as JsonValue);
});

test("events of every kind parse under the real schema", async () => {
  const { mock, post, importOrgs } = await startMock();
  const phone = { phone: "+41791234567" };
  await importOrgs(fullOrg, otherOrg);
  await importOrgs({ orgId: "2", humanUsers: [human("b", { phone, email: { email: "b@example.com" } })] });
  await importOrgs({ orgId: "2", humanUsers: [{ ...human("c"), state: "USER_STATE_INACTIVE" }] });
  mock.removeUser("b");
  mock.removeOrg("2");
  const request = { asc: true, limit: 1000, from: "2020-01-01T00:00:00Z" };
  fromJson(ListEventsRequestSchema, request);
  const { body } = await post("/admin/v1/events/_search", request);
  const { events } = fromJson(ListEventsResponseSchema, body as JsonValue);
  expect(new Set(events.map(({ type }) => type?.type))).toEqual(
    new Set([
      "action.added",
      "org.added",
      "org.domain.added",
      "org.domain.primary.set",
      "org.domain.verified",
      "org.flow.trigger_actions.set",
      "org.idp.config.added",
      "org.member.added",
      "org.customtext.set",
      ...["domain", "label", "lockout", "login", "password.complexity", "privacy"].map(
        (policy) => `org.policy.${policy}.added`,
      ),
      "org.removed",
      "project.added",
      "project.application.oidc.key.added",
      "project.grant.added",
      "project.grant.member.added",
      "project.member.added",
      "project.role.added",
      "user.grant.added",
      "user.machine.key.added",
      "user.human.added",
      "user.human.email.verified",
      "user.human.externalidp.added",
      "user.human.initialization.code.added",
      "user.human.mfa.otp.added",
      "user.human.mfa.otp.verified",
      "user.human.phone.code.added",
      "user.human.phone.verified",
      "user.deactivated",
      "user.locked",
      "user.machine.added",
      "user.metadata.set",
      "user.removed",
    ]),
  );
  fromJson(
    ListEventsResponseSchema,
    (await post("/admin/v1/events/_search", { event_types: ["none"] })).body as JsonValue,
  );
});
