import { expect, test } from "vitest";
import { createBodyScanner } from "../../../../../src/core/document/body-scan.ts";
import { type Item, readItems } from "../../../../../src/core/document/items.ts";
import { planParts } from "../../../../../src/core/document/parts.ts";
import type { BodyScan } from "../../../../../src/core/document/scan-types.ts";
import type { BatchResult } from "../../../../../src/core/transfer/answer/batch-result.ts";
import { ResultReader } from "../../../../../src/core/transfer/answer/result-reader.ts";
import { testUser, testUsers } from "../../../../helpers/bodies.ts";

/** Everything of a document as one batch. */
async function batchOf(document: unknown): Promise<{ items: Item[]; scan: BodyScan }> {
  const bytes = Buffer.from(JSON.stringify(document));
  const scanner = createBodyScanner({ file: "f", onFault() {}, withReferences: true });
  scanner.push(bytes);
  const scan = scanner.end();
  async function* read({ start, end }: { start: number; end: number }) {
    yield bytes.subarray(start, end);
  }
  const items: Item[] = [];
  for await (const portion of readItems(planParts(scan), scan, read, () => true)) items.push(...portion);
  return { items, scan };
}

async function resultOf(document: unknown, answer: unknown): Promise<BatchResult> {
  const { items, scan } = await batchOf(document);
  const result = new ResultReader((text) => text);
  result.push(Buffer.from(JSON.stringify(answer)));
  result.end();
  return result.finish({ items }, scan);
}

const body = (...orgs: object[]) => ({ dataOrgs: { orgs }, timeout: "1m" });
const there = { type: "org", id: "o", message: "ID=ORG-lapo2n Message=Errors.Org.AlreadyExisting" };
const error = (type: string, id: string, message: string) => ({ type, id, message });

test("created objects of a list that only a later version has are counted by its name", async () => {
  const success = { orgs: [{ orgId: "o", humanUserIds: ["u1"], groupIds: ["g1", "g2"] }] };
  const result = await resultOf(body({ orgId: "o", humanUsers: testUsers(1) }), { errors: [there], success });
  expect(result.others.get("groupIds")).toEqual({ created: 2, alreadyThere: 0, failed: 0 });
});

test("of two identities of a user at one provider, the one that the answer does not name as created is there", async () => {
  const link = (providedUserId: string) => ({ userId: "u1", idpId: "i", idpName: "I", providedUserId });
  const made = { userId: "u1", externalUserId: "second", displayName: "", idpId: "i" };
  const result = await resultOf(body({ orgId: "o", userLinks: [link("first"), link("second")] }), {
    errors: [there, error("user_link", "u1_i", "ID=V3-DKcYh Message=Errors.User.ExternalIDP.AlreadyExists")],
    success: { orgs: [{ orgId: "o", userLinks: [made] }] },
  });
  expect(result.others.get("user_link")).toMatchObject({ created: 1, failed: 0 });
  const [first] = (await batchOf(body({ orgId: "o", userLinks: [link("first"), link("second")] }))).items.filter(
    ({ key }) => key === "userLinks",
  );
  expect(result.existing.filter(({ type }) => type === "user_link").map(({ item }) => item)).toEqual([first?.index]);
});

test("an object that the answer does not mention is open, of any type", async () => {
  const org = {
    orgId: "o",
    humanUsers: testUsers(2),
    machineUsers: [{ userId: "m", user: { userName: "m", name: "M" } }],
    projects: [
      { projectId: "p", project: { name: "P" } },
      { projectId: "q", project: { name: "Q" } },
    ],
    userGrants: [{ userId: "u1", projectId: "p" }],
    orgMembers: [{ userId: "u1", roles: ["ORG_OWNER"] }],
  };
  const success = { orgs: [{ orgId: "o", humanUserIds: ["u1"], projectIds: ["q"], orgMembers: ["u1"] }] };
  const result = await resultOf(body(org), { errors: [there], success });
  expect(result.unknown).toEqual(["u2"]);
  expect(result.open.map(({ type, id }) => `${type} ${id}`)).toEqual([
    "machine_user m",
    "project p",
    "user_grant o_p_u1",
  ]);
  expect(Object.fromEntries(result.others)).toEqual({
    org: { created: 0, alreadyThere: 1, failed: 0 },
    machine_user: { created: 0, alreadyThere: 0, failed: 0, unknown: 1 },
    project: { created: 1, alreadyThere: 0, failed: 0, unknown: 1 },
    user_grant: { created: 0, alreadyThere: 0, failed: 0, unknown: 1 },
    org_member: { created: 1, alreadyThere: 0, failed: 0 },
  });
});

test("an action that the service lists among the roles is no role", async () => {
  const org = {
    orgId: "o",
    actions: [{ actionId: "act", action: { name: "act", script: "s" } }],
    projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
  };
  const success = { orgs: [{ orgId: "o", projectRoles: ["act", "p_r"], actionIds: ["act"] }] };
  const { others } = await resultOf(body(org), { errors: [there], success });
  expect(others.get("project_role")).toEqual({ created: 1, alreadyThere: 0, failed: 0 });
});

test("an id among the successes and the errors is a failure, not a success", async () => {
  const errors = [there, error("human_user", "u1", "ID=X-1 Message=Errors.Internal")];
  const success = { orgs: [{ orgId: "o", humanUserIds: ["u1", "u2"] }] };
  const { created, failures } = await resultOf(body({ orgId: "o", humanUsers: testUsers(2) }), { errors, success });
  expect(created).toHaveLength(1);
  expect(failures).toMatchObject([{ id: "u1", cause: "other" }]);
});

test("of two errors for one id both are reported, and the user counts once", async () => {
  const errors = [
    there,
    error("human_user", "u1", "ID=A-1 Message=First"),
    error("human_user", "u1", "ID=A-2 Message=Second"),
  ];
  const { failures } = await resultOf(body({ orgId: "o", humanUsers: testUsers(1) }), {
    errors,
    success: { orgs: [{ orgId: "o" }] },
  });
  expect(failures.map(({ message }) => message)).toEqual(["ID=A-1 Message=First", "ID=A-2 Message=Second"]);
  expect(failures.filter(({ item }) => item !== undefined)).toHaveLength(1);
});

test("an organization whose name is taken is a failure, and so is everything in it", async () => {
  const org = {
    orgId: "o",
    org: { name: "O" },
    domains: [{ domainName: "o.example" }],
    humanUsers: testUsers(2),
    projects: [{ projectId: "p", project: { name: "P" } }],
  };
  const errors = [error("org", "o", "ID=V3-DKcYh Message=Errors.Org.AlreadyExists Parent=(x)")];
  const result = await resultOf(body(org), { errors, success: {} });
  expect(result.failures.map(({ type, id, cause }) => [type, id, cause])).toEqual([
    ["org", "o", "org-name-taken"],
    ["human_user", "u1", "org-name-taken"],
    ["human_user", "u2", "org-name-taken"],
    ["project", "p", "org-name-taken"],
  ]);
  expect(result.open).toEqual([]);
});

test("a removed organization of 2.x is called there, and nothing goes into it", async () => {
  const result = await resultOf(body({ orgId: "o", humanUsers: testUsers(1) }), { errors: [there], success: {} });
  expect(result.failures.map(({ type, cause }) => [type, cause])).toEqual([
    ["org", "org-removed"],
    ["human_user", "org-removed"],
  ]);
});

test("a removed organization of 4.x accepts users that no list shows", async () => {
  const org = { orgId: "o", org: { name: "O" }, humanUsers: testUsers(1) };
  const errors = [error("org", "o", "ID=COMMA-Bd2jj Message=Errors.Org.Domain.AlreadyExists")];
  const success = { orgs: [{ orgId: "o", humanUserIds: ["u1"] }] };
  const { created, failures } = await resultOf(body(org), { errors, success });
  expect(created).toHaveLength(1);
  expect(failures).toMatchObject([{ type: "org", cause: "org-removed" }]);
});

test("an answer without a word about successes leaves everything open", async () => {
  const { unknown, failures } = await resultOf(body({ orgId: "o", humanUsers: testUsers(2) }), { errors: [there] });
  expect(unknown).toEqual(["u1", "u2"]);
  expect(failures).toEqual([]);
});

test("what leads out of an export is left out; what is broken within it fails", async () => {
  const projectMember = { projectId: "pa", userId: "u1", roles: ["PROJECT_OWNER"] };
  const document = {
    orgs: [
      {
        orgId: "a",
        humanUsers: testUsers(1),
        projects: [{ projectId: "pa", project: { name: "A" } }],
        orgMembers: [{ userId: "of-another-org", roles: ["ORG_OWNER"] }],
        projectMembers: [projectMember],
        projectGrants: [{ grantId: "g", projectGrant: { projectId: "pa", grantedOrgId: "elsewhere" } }],
        userGrants: [{ userId: "u1", projectId: "pa", roleKeys: ["r"] }],
      },
      { orgId: "b", projectMembers: [projectMember] },
    ],
  };
  const errors = [
    error("org_member", "a_of-another-org", "ID=ORG-GoXOn Message=Errors.User.NotFound"),
    error("project_member", "b_pa_u1", "ID=COMMAND-EbFMN Message=Errors.Project.NotFound"),
    error("project_grant", "a_pa_elsewhere", "ID=COMMAND-3m9gg Message=Errors.Org.NotFound"),
    error("user_grant", "a_pa_u1", "ID=COMMAND-4m9ff Message=Errors.Project.Role.NotFound"),
  ];
  const success = {
    orgs: [
      { orgId: "a", humanUserIds: ["u1"], projectIds: ["pa"], projectMembers: [{ projectId: "pa", userId: "u1" }] },
      { orgId: "b" },
    ],
  };
  const { failures, others } = await resultOf(document, { errors, success });
  expect(failures).toMatchObject([{ type: "user_grant", cause: "role-missing", userId: "u1", roleKeys: ["r"] }]);
  expect(others.get("org_member")).toMatchObject({ failed: 0, leftOut: 1 });
  expect(others.get("project_member")).toMatchObject({ created: 1, failed: 0, leftOut: 1 });
  expect(others.get("project_grant")).toMatchObject({ failed: 0, leftOut: 1 });
  const inBody = await resultOf(body(document.orgs[0] as object), { errors: errors.slice(0, 1), success });
  expect(inBody.failures).toMatchObject([{ type: "org_member", cause: "reference-missing" }]);
});

test("one name that stands for things of several organizations is none of them twice", async () => {
  const trigger = { flowType: "1", triggerType: "2", actionIds: [] };
  const orgs = ["o", "q"].map((orgId, at) => ({
    orgId,
    org: { name: orgId },
    humanUsers: testUsers(1, 1 + at),
    triggerActions: [trigger],
  }));
  const answer = {
    errors: [
      there,
      { ...there, id: "q" },
      error("human_user", "u2", "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting"),
      error("trigger_action", "1_2", "ID=COMMAND-Nfh52 Message=Errors.Flow.NoChanges.AlreadyExists"),
      error("trigger_action", "1_2", "ID=COMMAND-Nfh52 Message=Errors.Flow.NoChanges.AlreadyExists"),
    ],
    success: { orgs: [{ orgId: "o", humanUserIds: ["u1"] }, { orgId: "q" }] },
  };
  const { created, existing, unknown, open } = await resultOf(body(...orgs), answer);
  expect(created.map(({ org }) => org)).toEqual([0]);
  expect(
    existing.map(({ type, line, item }) => ({ type, isPlaced: line !== undefined && item !== undefined })),
  ).toEqual(["org", "org", "human_user", "trigger_action", "trigger_action"].map((type) => ({ type, isPlaced: true })));
  expect([...unknown, ...open]).toEqual([]);
});

test("an organization in several entries counts once: made by the first of them, or there before", async () => {
  const entry = (user: number) => ({ orgId: "o", org: { name: "O" }, humanUsers: [testUser(user)] });
  const success = {
    orgs: [
      { orgId: "o", humanUserIds: ["u1"] },
      { orgId: "o", humanUserIds: ["u2"] },
    ],
  };
  const document = body(entry(1), entry(2));
  const made = await resultOf(document, { errors: [there], success });
  expect(made.others.get("org")).toEqual({ created: 1, alreadyThere: 0, failed: 0 });
  expect(made.existing).toEqual([]);
  const found = await resultOf(document, { errors: [there, there], success });
  expect(found.others.get("org")).toBeUndefined();
  expect(found.existing).toMatchObject([{ type: "org", id: "o", line: 1 }]);
});

test("each entry of an organization that fails is a failure", async () => {
  const missing = error("org", "o", "ID=COMM-deLSk Message=Errors.Org.Invalid");
  const document = body({ orgId: "o" }, { orgId: "o" });
  const { failures } = await resultOf(document, { errors: [missing, missing], success: {} });
  expect(failures.map(({ type, item }) => [type, item])).toEqual([
    ["org", 0],
    ["org", 1],
  ]);
});
