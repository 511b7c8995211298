import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import {
  call,
  createOrg,
  importOrgs,
  isLong,
  readEvents,
  signIn,
  tokenOfAnother,
  uniqueId,
  useInstance,
} from "./harness.ts";

/** bcrypt, cost 4: of "hunter2-Old". */
const HASH = "$2b$04$abcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";
const MANIFEST = "body.json.manifest.ndjson";

function user(id: string, fields: object = { hashedPassword: { value: HASH } }): { userId: string; user: object } {
  return {
    userId: id,
    user: {
      userName: `${id}@example.com`,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: `${id}@example.com`, isEmailVerified: true },
      ...fields,
    },
  };
}

describe.each(isLong ? (["v415", "v413", "v4", "v2"] as const) : (["v415"] as const))("undo on %s", (version) => {
  const target = useInstance(version);

  test("users who were deleted from the wrong organization, and are imported into the right one", async () => {
    const wrong = await createOrg(target(), uniqueId("wrong"));
    const right = await createOrg(target(), uniqueId("right"));
    const ids = [uniqueId("u"), uniqueId("u"), uniqueId("u")] as const;
    const cwd = tempDir();
    const write = (orgId: string, name: string): void => {
      const projectId = `${ids[0]}-${name}`;
      const org = {
        orgId,
        humanUsers: ids.map((id) => user(id)),
        projects: [{ projectId, project: { name } }],
        projectRoles: [{ projectId, roleKey: "reader", displayName: "Reader" }],
        userGrants: [{ userId: ids[0], projectId, roleKeys: ["reader"] }],
        orgMembers: [{ userId: ids[1], roles: ["ORG_OWNER"] }],
        userMetadata: ids.map((id) => ({ id, key: "theme", value: "ZGFyaw==" })),
      };
      writeFileSync(join(cwd, `${name}.json`), JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" }));
    };
    write(wrong, "wrong");
    write(right, "right");
    const run = async (...args: readonly string[]) => {
      const { stdout, stderr } = await runBin([...args, "--json"], { cwd, env: target().targetEnv });
      return { report: JSON.parse(stdout), stderr };
    };
    const first = await run("import", "wrong.json", "--verify");
    expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 3 } });
    const undone = await run("undo", "wrong.json.manifest.ndjson", "--yes");
    expect(undone.report, undone.stderr).toMatchObject({ exitCode: 0, users: { removed: 3 } });
    // The others of these builds have versions that say nothing.
    expect(undone.stderr.includes("\nids: ")).toBe(version === "v413");
    const again = await run("import", "right.json", "--verify");
    if (version === "v415") {
      expect(again.report, again.stderr).toMatchObject({
        exitCode: 0,
        users: { created: 3 },
        metadataCompared: 3,
        differentCount: 0,
        otherObjects: { user_grant: { created: 1 }, org_member: { created: 1 } },
      });
      for (const id of ids) expect(await homeOf(id)).toBe(right);
      expect((await run("undo", "right.json.manifest.ndjson", "--yes")).report).toMatchObject({
        users: { removed: 3 },
      });
    } else {
      expect(again.report, again.stderr).toMatchObject({ exitCode: 1, users: { created: 0, failed: 3 } });
      expect(again.report.failureCauses).toMatchObject({ "user-removed": 3 });
      for (const id of ids) expect(await homeOf(id)).toBeUndefined();
    }
  });

  /** The organization of a user, by the service's own list. */
  async function homeOf(id: string): Promise<string | undefined> {
    const answer = await fetch(`${target().url}/v2/users/${id}`, {
      headers: { authorization: `Bearer ${target().token}` },
    });
    return ((await answer.json()) as { user?: { details?: { resourceOwner?: string } } }).user?.details?.resourceOwner;
  }

  test("keeps users who were changed or got rights by another account", async () => {
    const org = await createOrg(target(), uniqueId("undo"));
    const kinds = ["plain", "profile", "metadata", "locked", "link", "otp", "grant", "manager", "role"];
    const ids = kinds.map(uniqueId);
    const idOf = (kind: string): string => ids[kinds.indexOf(kind)] ?? "";
    const cwd = tempDir();
    const body = { dataOrgs: { orgs: [{ orgId: org, humanUsers: ids.map((id) => user(id)) }] }, timeout: "5m0s" };
    writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
    const env = target().targetEnv;
    expect((await runBin(["import", "body.json"], { cwd, env })).exitCode).toBe(0);
    const admin = { ...target(), token: await tokenOfAnother(target(), uniqueId("admin")) };
    const inOrg = async (method: "POST" | "PUT", path: string, of: object = {}): Promise<{ id?: string }> => {
      const headers = {
        authorization: `Bearer ${admin.token}`,
        "x-zitadel-orgid": org,
        "content-type": "application/json",
      };
      const answer = await fetch(`${admin.url}${path}`, { method, headers, body: JSON.stringify(of) });
      expect(answer.status, `${path} ${await answer.clone().text()}`).toBeLessThan(300);
      return (await answer.json()) as { id?: string };
    };
    await inOrg("PUT", `/management/v1/users/${idOf("profile")}/profile`, {
      firstName: "X",
      lastName: "Y",
      displayName: "X Y",
    });
    await inOrg("POST", `/management/v1/users/${idOf("metadata")}/metadata/k`, { value: "dg==" });
    await call(admin, "POST", `/v2/users/${idOf("locked")}/lock`, {});
    const oidc = { name: uniqueId("idp"), issuer: "https://idp.example", clientId: "a", clientSecret: "b" };
    const { id: idpId } = await inOrg("POST", "/admin/v1/idps/generic_oidc", {
      ...oidc,
      providerOptions: { isLinkingAllowed: true },
    });
    const idpLink = { idpId, userId: uniqueId("sub"), userName: "ext" };
    await call(admin, "POST", `/v2/users/${idOf("link")}/links`, { idpLink });
    await call(admin, "POST", `/v2/users/${idOf("otp")}/otp_email`, {});
    const { id: projectId } = await inOrg("POST", "/management/v1/projects", { name: uniqueId("project") });
    await inOrg("POST", `/management/v1/users/${idOf("grant")}/grants`, { projectId });
    await inOrg("POST", "/management/v1/orgs/me/members", { userId: idOf("manager"), roles: ["ORG_OWNER_VIEWER"] });
    await inOrg("POST", "/admin/v1/members", { userId: idOf("role"), roles: ["IAM_OWNER_VIEWER"] });
    const undo = async (...flags: string[]) =>
      JSON.parse((await runBin(["undo", MANIFEST, "--json", "--yes", ...flags], { cwd, env })).stdout);
    const report = await undo();
    expect(report).toMatchObject({ exitCode: 1, users: { listed: 9, removed: 1, kept: 8, failed: 0 } });
    const reasons = Object.fromEntries(
      report.kept.map(({ id, reason }: { id: string; reason: string }) => [kinds[ids.indexOf(id)], reason]),
    );
    const changed = kinds.slice(1, -1).map((kind) => [kind, "changed"]);
    expect(reasons).toEqual({ ...Object.fromEntries(changed), role: "protected" });
    expect(await undo("--force")).toMatchObject({ exitCode: 1, users: { removed: 7, alreadyGone: 1, kept: 1 } });
  });

  test("deletes users that the job created, but none who existed, signed in or changed the password", async () => {
    const org = await createOrg(target(), uniqueId("undo"));
    const [before, signed, begun, changed, one] = ["before", "signed", "begun", "changed", "auth0|one"].map(
      uniqueId,
    ) as [string, string, string, string, string];
    await importOrgs(target(), { orgId: org, humanUsers: [user(before)] });
    const viaUsersApi = uniqueId("bare");
    const many = Array.from({ length: 40 }, () => user(uniqueId("many")));
    const humanUsers = [before, signed, begun, changed, one].map((id) => user(id)).concat(user(viaUsersApi, {}), many);
    const cwd = tempDir();
    writeFileSync(
      join(cwd, "body.json"),
      JSON.stringify({ dataOrgs: { orgs: [{ orgId: org, humanUsers }] }, timeout: "5m0s" }),
    );
    const env = target().targetEnv;
    const undo = async (...flags: string[]) => {
      const { stdout, stderr } = await runBin(["undo", MANIFEST, "--json", ...flags], { cwd, env });
      expect(stdout, stderr).toContain("{");
      return JSON.parse(stdout) as { exitCode: number; users: object; kept: readonly { id: string; reason: string }[] };
    };
    const imported = await runBin(["import", "body.json"], { cwd, env });
    expect(imported.exitCode, imported.stderr).toBe(0);
    const ids = readFileSync(join(cwd, MANIFEST), "utf8").match(/(?<="id":")[^"]+/g) ?? [];
    expect([...ids].sort()).toEqual(
      [signed, begun, changed, one, viaUsersApi, ...many.map(({ userId }) => userId)].sort(),
    );

    expect(await signIn(target(), signed, "hunter2-Old")).toBe("signed in");
    expect(await signIn(target(), one, "another")).toBe("wrong password");
    expect((await target().post("/v2/sessions", { checks: { user: { userId: begun } } })).status).toBe(201);
    const password = { newPassword: { password: "Another-1-Secret" }, currentPassword: "hunter2-Old" };
    expect((await target().post(`/v2/users/${changed}/password`, password)).status).toBe(200);

    expect(await undo("--dry-run")).toMatchObject({ exitCode: 1, users: { listed: 45, toRemove: 41, kept: 4 } });
    const report = await undo("--yes");
    expect(report).toMatchObject({ exitCode: 1, users: { listed: 45, removed: 41, kept: 4, failed: 0, unknown: 0 } });
    expect(Object.fromEntries(report.kept.map(({ id, reason }) => [id, reason]))).toEqual({
      [signed]: "signed-in",
      [begun]: "signed-in",
      [one]: "signed-in",
      // By the account of the job, as a later copy does.
      [changed]: "password-updated",
    });
    const removed = await readEvents(target(), { types: ["user.removed"], orgId: org });
    expect(removed.map(({ aggregate }) => aggregate.id).sort()).toEqual(
      [viaUsersApi, ...many.map(({ userId }) => userId)].sort(),
    );

    expect(await undo("--yes", "--force")).toMatchObject({ exitCode: 0, users: { removed: 4, alreadyGone: 41 } });
    expect(await signIn(target(), before, "hunter2-Old")).toBe("signed in");
  });
});
