import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { forward, serve, startFront } from "../helpers/front.ts";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import {
  call,
  canStart,
  createOrg,
  type Instance,
  importOrgs,
  isLong,
  readEvents,
  signIn,
  tokenOfAnother,
  uniqueId,
  useInstance,
} from "./harness.ts";
import { HASH, PASSWORD, user } from "./rich-orgs.ts";

const OTHER_HASH = "$2b$04$abcdefghijklmnopqrstuu6bn3MCvIh7ujcIWHHpfkPVBL2w1h8xq";

// Deletions, overwrites and e-mails that must not happen; the truth is the target's event log.

interface Export {
  readonly orgs: { humanUsers?: { userId: string }[] }[];
}

describe.skipIf(!canStart).each(isLong ? (["v4", "v415"] as const) : (["v415"] as const))("on %s", (version) => {
  const source = useInstance(version);
  const target = useInstance(version);

  async function run(argv: readonly string[], more: Readonly<Record<string, string>> = {}, cwd = tempDir()) {
    const env = { ...source().sourceEnv, ...target().targetEnv, ...more };
    const { stdout, stderr } = await runBin([...argv, "--json"], { cwd, env });
    expect(stdout, stderr).toContain("{");
    return { report: JSON.parse(stdout), stderr, cwd };
  }

  const exportOf = async (instance: Instance, ...orgIds: readonly string[]): Promise<Export> => {
    const asked = { org_ids: orgIds, with_passwords: true, timeout: "5m0s", response_output: true };
    return (await instance.post("/admin/v1/export", asked)).body as Export;
  };

  /** A source that answers every export with this one. */
  const sourceThatExports = async (body: Export): Promise<Readonly<Record<string, string>>> => ({
    ZITADEL_EXPORT_DOMAIN: await startFront(source(), (path) =>
      path === "/admin/v1/export" ? { status: 200, body } : undefined,
    ),
  });

  const typesOf = async (instance: Instance, aggregateId: string): Promise<string[]> =>
    (await readEvents(instance, { types: [], aggregateId })).map(({ type }) => type.type);

  test("a user who never finished and has a password by now gets it by a lock and an unlock, and is not deleted", async () => {
    const org = uniqueId("unfinished");
    const ids = [uniqueId("u"), uniqueId("u"), uniqueId("u")] as const;
    const [one, killed, byOther] = ids;
    await importOrgs(source(), {
      orgId: org,
      org: { name: org },
      humanUsers: ids.map((id) => user(id, { hashedPassword: undefined })),
    });
    const copy = ["copy", "--org-id", org, "--with-passwords", "--update", "--delete", "--max-deletes", "0", "--yes"];
    expect((await run([...copy, "--via", "import"])).report).toMatchObject({ users: { created: 3 } });
    for (const id of ids) {
      expect(await typesOf(target(), id)).toContain("user.human.initialization.code.added");
      await call(source(), "POST", `/v2/users/${id}/lock`, {});
      await call(source(), "PUT", `/v2/users/human/${id}`, { password: { hashedPassword: { hash: HASH } } });
      await call(source(), "POST", `/v2/users/${id}/unlock`, {});
    }
    // As a run leaves a user that is killed after the lock.
    await call(target(), "POST", `/v2/users/${killed}/lock`, {});
    // Another account locks this user while the run is under way.
    const other = { ...target(), token: await tokenOfAnother(target(), uniqueId("other")) };
    let isLocked = false;
    const url = await startFront(target(), (path, body) => {
      const isQuestion = path.endsWith("/events/_search") && body.includes("initialization.check.succeeded");
      if (!isQuestion || !body.includes(byOther) || isLocked) return undefined;
      isLocked = true;
      // The question has no answer that the service did not give: the run asks again, after the lock.
      void call(other, "POST", `/v2/users/${byOther}/lock`, {});
      return { status: 503, body: {} };
    });
    const { report, stderr } = await run(copy, { ZITADEL_IMPORT_DOMAIN: url });
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      users: { updated: 2, conflict: 1, failed: 0 },
      update: { conflict: [{ userId: byOther, fields: ["hash"] }], delete: [], remake: [] },
    });
    for (const id of ids) expect(await typesOf(target(), id)).not.toContain("user.removed");
    for (const id of [one, killed]) expect(await signIn(target(), id, PASSWORD)).toBe("signed in");
    expect(await typesOf(target(), byOther)).not.toContain("user.unlocked");
    const again = await run(copy);
    expect(again.report, again.stderr).toMatchObject({
      update: { conflict: [{ userId: byOther, fields: ["state"] }] },
    });
  });

  test("--delete deletes no user while the export lacks users, and never a recreated one", async () => {
    const org = uniqueId("again");
    const [kept, again, gone] = [uniqueId("u"), uniqueId("u"), uniqueId("u")];
    await importOrgs(source(), {
      orgId: org,
      org: { name: org },
      humanUsers: [kept, again, gone].map((id) => user(id)),
    });
    const copy = ["copy", "--org-id", org, "--with-passwords", "--update", "--delete"];
    expect((await run(copy)).report).toMatchObject({ exitCode: 0, users: { created: 3 } });
    for (const id of [again, gone]) await call(source(), "DELETE", `/v2/users/${id}`);
    await importOrgs(source(), { orgId: org, humanUsers: [user(again)] });
    const [late] = (await exportOf(source(), org)).orgs;
    const humanUsers = late?.humanUsers?.filter(({ userId }) => userId === kept) ?? [];
    const lagging = await sourceThatExports({ orgs: [{ ...late, humanUsers }] });
    const early = await run([...copy, "--settle", "0s"], lagging);
    expect(early.report, early.stderr).toMatchObject({
      exitCode: 1,
      missing: 1,
      deleted: 0,
      update: { delete: [], incomplete: [gone] },
    });
    for (const id of [again, gone]) expect(await typesOf(target(), id)).not.toContain("user.removed");
    const whole = await run(copy);
    expect(whole.report, whole.stderr).toMatchObject({ exitCode: 0, update: { delete: [gone], incomplete: [] } });
    expect(await typesOf(target(), again)).not.toContain("user.removed");
    expect(await typesOf(target(), gone)).toContain("user.removed");
  });

  test("an export without metadata and numbers empties none, and a user with a role on the instance is not changed", async () => {
    const org = uniqueId("lacking");
    const [rich, emptied, administrator] = [uniqueId("u"), uniqueId("u"), uniqueId("u")];
    const ids = [rich, emptied, administrator];
    await importOrgs(source(), {
      orgId: org,
      org: { name: org },
      humanUsers: ids.map((id) => user(id, { phone: { phone: "+41791234567", isPhoneVerified: true } })),
      userMetadata: ids.map((id) => ({ id, key: "plan", value: "Z29sZA==" })),
    });
    const copy = ["copy", "--org-id", org, "--with-passwords", "--update", "--delete"];
    expect((await run(copy)).report).toMatchObject({ exitCode: 0, users: { created: 3 } });
    await call(target(), "POST", "/admin/v1/members", { userId: administrator, roles: ["IAM_OWNER_VIEWER"] });
    await call(source(), "PUT", `/v2/users/human/${administrator}`, { username: `${administrator}-renamed` });
    await call(source(), "DELETE", `/v2/users/${emptied}/phone`);
    const [whole] = (await exportOf(source(), org)).orgs;
    const humanUsers = (whole?.humanUsers ?? []).map((entry) => ({
      ...entry,
      user: { ...(entry as { user?: object }).user, phone: undefined },
    }));
    const env = await sourceThatExports({
      orgs: [{ ...whole, humanUsers, userMetadata: [] } as Export["orgs"][number]],
    });
    const before = await typesOf(target(), rich);
    const { report, stderr } = await run([...copy, "--settle", "0s"], env);
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      update: {
        update: [{ userId: emptied, fields: ["phone"] }],
        conflict: [{ userId: administrator, fields: ["userName"], reason: "protected" }],
        protected: [administrator],
        delete: [],
      },
    });
    expect(report.update.kept).toHaveLength(3);
    expect(report.update.kept).toContainEqual({ userId: rich, fields: ["phone", "metadata.plan"] });
    expect(await typesOf(target(), rich)).toEqual(before);
    expect(await typesOf(target(), emptied)).toContain("user.human.phone.removed");
    expect(await typesOf(target(), emptied)).not.toContain("user.metadata.removed");
    await call(source(), "DELETE", `/v2/users/${administrator}`);
    const last = await run([...copy, "--prefer", "target"]);
    expect(last.report, last.stderr).toMatchObject({
      exitCode: 0,
      update: { delete: [], kept: [], protected: [administrator] },
    });
    expect(await typesOf(target(), administrator)).not.toContain("user.removed");
  });

  test("an organization that was not requested is not written: the target's administrator keeps the password", async () => {
    const [one, two] = [uniqueId("one"), uniqueId("two")];
    const administrator = uniqueId("admin");
    await importOrgs(
      source(),
      { orgId: one, org: { name: one }, humanUsers: [user(uniqueId("u"))] },
      { orgId: two, org: { name: two }, humanUsers: [user(administrator)] },
    );
    await importOrgs(target(), { orgId: two, org: { name: two }, humanUsers: [user(administrator)] });
    const before = await typesOf(target(), administrator);
    const env = await sourceThatExports(await exportOf(source(), one, two));
    for (const more of [[], ["--update", "--prefer", "source"], ["--update", "--prefer", "target"]]) {
      const { report, stderr } = await run(["copy", "--org-id", one, "--with-passwords", ...more], env);
      expect(report, stderr).toMatchObject({
        exitCode: 5,
        problems: [{ code: "api.org-not-requested", message: expect.stringContaining(two) }],
      });
    }
    expect(await typesOf(target(), administrator)).toEqual(before);
    expect(await readEvents(target(), { types: [], orgId: one })).toEqual([]);
  });

  test("--no-mail sends nothing where the users API cannot be used", async () => {
    const orgId = await createOrg(target(), uniqueId("silent"));
    const id = uniqueId("u");
    const cwd = tempDir();
    const humanUsers = [user(id, { hashedPassword: undefined, email: { email: `${id}@example.com` } })];
    writeFileSync(
      join(cwd, "body.json"),
      JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers }] }, timeout: "5m0s" }),
    );
    const missing = { status: 404, body: { code: 5, message: "Not Found", details: [] } };
    const url = await startFront(target(), (path) => (path.startsWith("/v2/users") ? missing : undefined));
    const env = { ZITADEL_IMPORT_DOMAIN: url };
    const { report, stderr } = await run(["import", "body.json", "--no-mail"], env, cwd);
    expect(report, stderr).toMatchObject({ exitCode: 5, problems: [{ code: "api.no-mail-impossible" }] });
    expect(await typesOf(target(), id)).toEqual([]);
    expect(readdirSync(cwd)).toEqual(["body.json"]);
    // The same without the flag: that is the e-mail which was not sent.
    expect((await run(["import", "body.json", "--yes"], env, cwd)).report).toMatchObject({ users: { created: 1 } });
    expect(await typesOf(target(), id)).toContain("user.human.initialization.code.added");
  });

  test("a person that another account writes onto a service user of the job gets no role of the job", async () => {
    const org = uniqueId("over");
    await importOrgs(target(), { orgId: org, org: { name: org } });
    const [robot, other] = [uniqueId("robot"), uniqueId("robot")];
    const token = await tokenOfAnother(target(), uniqueId("writer"));
    let isWritten = false;
    const url = await serve(async (request, body, response) => {
      const isCreation = request.url === "/admin/v1/import" && body.includes(`"${robot}"`) && !isWritten;
      await forward(target().url, request, body, response, async () => {
        if (!isCreation) return;
        isWritten = true;
        const person = { dataOrgs: { orgs: [{ orgId: org, humanUsers: [user(robot)] }] }, timeout: "1m" };
        await call({ ...target(), token }, "POST", "/admin/v1/import", person);
      });
    });
    const machineUsers = [robot, other].map((id) => ({
      userId: id,
      user: { userId: id, userName: id, name: "Robot" },
    }));
    const orgMembers = [robot, other].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
    const body = { dataOrgs: { orgs: [{ orgId: org, machineUsers, orgMembers }] }, timeout: "5m0s" };
    const cwd = tempDir();
    writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
    const args = ["import", "body.json", "--batch-users", "1"];
    const { report, stderr } = await run(args, { ZITADEL_IMPORT_DOMAIN: url }, cwd);
    expect(isWritten).toBe(true);
    expect(report, stderr).toMatchObject({ exitCode: 1, otherObjects: { org_member: { created: 1, failed: 1 } } });
    expect(report.failures).toContainEqual(expect.objectContaining({ id: robot, cause: "taken-over" }));
    const members = await readEvents(target(), { types: ["org.member.added"], orgId: org });
    const ids = members.map(({ payload }) => payload?.["userId"]);
    expect(ids).toContain(other);
    expect(ids).not.toContain(robot);
  });

  test("nothing is written into a project or an action of another organization, and no user gets a right in it", async () => {
    const [theirs, ours] = [uniqueId("theirs"), uniqueId("ours")];
    const [projectId, actionId, robot] = [uniqueId("p"), uniqueId("a"), uniqueId("robot")];
    const project = (name: string) => ({
      projects: [{ projectId, project: { name } }],
      projectRoles: [{ projectId, roleKey: "admin", displayName: "Admin" }],
      actions: [{ actionId, action: { name, script: `function ${name}() {}`, timeout: "5s", allowedToFail: true } }],
    });
    await importOrgs(target(), { orgId: theirs, org: { name: theirs }, ...project("first") });
    await importOrgs(target(), { orgId: ours, org: { name: ours } });
    const before = await Promise.all([projectId, actionId].map((id) => typesOf(target(), id)));
    const mine = {
      orgId: ours,
      org: { name: ours },
      machineUsers: [{ userId: robot, user: { userId: robot, userName: robot, name: "Robot" } }],
      ...project("second"),
      apiApps: [{ appId: uniqueId("app"), app: { projectId, name: "app" } }],
      projectMembers: [{ projectId, userId: robot, roles: ["PROJECT_OWNER"] }],
      userGrants: [{ userId: robot, projectId, roleKeys: ["admin"] }],
    };
    const cwd = tempDir();
    writeFileSync(join(cwd, "mine.json"), JSON.stringify({ orgs: [mine] }));
    const dry = await run(["import", "mine.json", "--dry-run"], {}, cwd);
    expect(dry.report, dry.stderr).toMatchObject({ exitCode: 1, foreseen: { foreignObjects: 6 } });
    const { report, stderr } = await run(["import", "mine.json"], {}, cwd);
    expect(report, stderr).toMatchObject({ exitCode: 1, failureCauses: { "in-other-org": 2, consequence: 4 } });
    expect(report.otherObjects).toMatchObject({ machine_user: { created: 1 }, project_member: { created: 0 } });
    expect(await Promise.all([projectId, actionId].map((id) => typesOf(target(), id)))).toEqual(before);
  });

  test("a role that another account took away is not given back the next night", async () => {
    const org = uniqueId("taken");
    const [owner, stays] = [uniqueId("u"), uniqueId("u")];
    const orgMembers = [owner, stays].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
    const projects = [{ projectId: `p-${org}`, project: { name: "P" } }];
    const projectRoles = [{ projectId: `p-${org}`, roleKey: "r", displayName: "R" }];
    const userGrants = [owner, stays].map((userId) => ({ userId, projectId: `p-${org}`, roleKeys: ["r"] }));
    const humanUsers = [user(owner), user(stays)];
    await importOrgs(source(), {
      ...{ orgId: org, org: { name: org }, humanUsers, projects, projectRoles, userGrants, orgMembers },
    });
    const args = ["copy", "--org-id", org, "--with-passwords", "--update", "--delete", "--no-mail"];
    const first = await run(args);
    expect(first.report, first.stderr).toMatchObject({ exitCode: 0, otherObjects: { org_member: { created: 2 } } });
    const other = { ...target(), token: await tokenOfAnother(target(), uniqueId("other")) };
    const grants = await readEvents(target(), { types: ["user.grant.added"], orgId: org });
    const grant = grants.find(({ payload }) => payload?.["userId"] === owner)?.aggregate.id;
    for (const path of [`orgs/me/members/${owner}`, `users/${owner}/grants/${grant}`]) {
      const headers = { authorization: `Bearer ${other.token}`, "x-zitadel-orgid": org };
      const answer = await fetch(`${other.url}/management/v1/${path}`, { method: "DELETE", headers });
      expect(answer.status, path).toBe(200);
    }
    const second = await run(args);
    expect(second.report, second.stderr).toMatchObject({
      otherObjects: { org_member: { created: 0, heldBack: 1 }, user_grant: { created: 0, heldBack: 1 } },
      heldBackCauses: { "taken-away": 2 },
    });
    expect(second.stderr).toContain("another account, or the user, removed it on the target");
    const added = await readEvents(target(), { types: ["org.member.added", "user.grant.added"], orgId: org });
    const times = added.filter(({ payload }) => payload?.["userId"] === owner);
    expect(times).toHaveLength(2);
  });

  test("objects that another account removed are not created again the next night, and its texts and triggers stay", async () => {
    const org = uniqueId("objects");
    const [projectId, appId, corp, act, other] = ["p", "app", "idp", "act", "act2"].map((name) => `${name}-${org}`);
    const action = (actionId = "") => ({
      actionId,
      action: { name: `a${actionId.length}`, script: `function a${actionId.length}(){}`, timeout: "5s" },
    });
    const idp = { name: "corp", issuer: "https://idp.example.com", clientId: "c", clientSecret: "s" };
    const lists = {
      lockoutPolicy: { maxPasswordAttempts: 5 },
      passwordComplexityPolicy: { minLength: 9, hasLowercase: true },
      oidcIdps: [{ idpId: corp, idp }],
      loginTexts: [{ language: "en", selectAccountText: { title: "ours" } }],
      projects: [{ projectId, project: { name: "P" } }],
      projectRoles: ["viewer", "editor"].map((roleKey) => ({ projectId, roleKey, displayName: roleKey })),
      apiApps: [{ appId, app: { projectId, name: "A", authMethodType: "API_AUTH_METHOD_TYPE_BASIC" } }],
      actions: [action(act), action(other)],
      triggerActions: [{ flowType: "1", triggerType: "1", actionIds: [act] }],
    };
    const body = { dataOrgs: { orgs: [{ orgId: org, org: { name: org }, ...lists }] }, timeout: "5m0s" };
    const cwd = tempDir();
    writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
    const args = ["import", "body.json", "--no-mail"];
    const first = await run(args, {}, cwd);
    expect(first.report, first.stderr).toMatchObject({
      exitCode: 0,
      otherObjects: { lockout_policy: { created: 1 }, password_complexity_policy: { created: 1 } },
    });
    const { url } = target();
    const token = await tokenOfAnother(target(), uniqueId("other"));
    const headers = { authorization: `Bearer ${token}`, "x-zitadel-orgid": org, "content-type": "application/json" };
    const management = async (method: string, path: string, sent?: object): Promise<void> => {
      const given = sent === undefined ? {} : { body: JSON.stringify(sent) };
      expect((await fetch(`${url}/management/v1/${path}`, { method, headers, ...given })).status, path).toBe(200);
    };
    const removed = [
      "policies/lockout",
      `idps/${corp}`,
      `projects/${projectId}/roles/editor`,
      `projects/${projectId}/apps/${appId}`,
    ];
    for (const path of removed) await management("DELETE", path);
    await management("POST", "flows/1/trigger/1", { actionIds: [other] });
    await management("PUT", "text/login/en", { language: "en", selectAccountText: { title: "theirs" } });
    const types = [
      ...["org.policy.lockout.added", "org.idp.config.added", "org.flow.trigger_actions.set", "org.customtext.set"],
      ...["project.role.added", "project.application.added"],
    ];
    const typesOfOrg = async () => (await readEvents(target(), { types, orgId: org })).map(({ type }) => type.type);
    const before = await typesOfOrg();
    for (const flags of [["--dry-run"], [], ["--update"]]) {
      const { report, stderr } = await run([...args, ...flags], {}, cwd);
      expect(report, stderr).toMatchObject({ exitCode: 0, heldBackCauses: { "object-removed": 5 } });
      expect(report.heldBack?.map(({ type }: { type: string }) => type).sort()).toEqual([
        "apiApps",
        "lockoutPolicy",
        "oidcIdps",
        "projectRoles",
        "triggerActions",
      ]);
    }
    expect(await typesOfOrg()).toEqual(before);
  });

  test("an id of a machine user is not written over, and undo leaves the machine user", async () => {
    const [here, there] = [uniqueId("here"), uniqueId("there")];
    const [robot, robot2, bot] = [uniqueId("robot"), uniqueId("robot2"), uniqueId("bot")];
    const [human, fresh] = [uniqueId("u"), uniqueId("u")];
    const machine = (id: string): object => ({ userId: id, user: { userId: id, userName: id, name: id } });
    await importOrgs(
      target(),
      { orgId: here, org: { name: here }, machineUsers: [machine(bot)], humanUsers: [user(human)] },
      { orgId: there, org: { name: there }, machineUsers: [machine(robot), machine(robot2)] },
    );
    const cwd = tempDir();
    const humanUsers = [user(robot), user(bot), user(fresh)];
    const orgs = [{ orgId: here, humanUsers, machineUsers: [machine(human), machine(robot2)] }];
    writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" }));
    const { report, stderr } = await run(["import", "body.json"], {}, cwd);
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      users: { created: 1, alreadyThere: 0, failed: 2 },
      otherObjects: { machine_user: { created: 0, failed: 2 } },
    });
    expect((await run(["undo", "body.json.manifest.ndjson", "--yes"], {}, cwd)).report).toMatchObject({
      exitCode: 0,
      users: { listed: 1, removed: 1 },
    });
    for (const id of [robot, robot2, bot]) expect(await typesOf(target(), id)).toEqual(["user.machine.added"]);
    expect(await typesOf(target(), human)).not.toContain("user.machine.added");
  });

  test.each([[["--via", "import"]], [["--via", "users"]], [["--update"]]])(
    "users who are in another organization have not arrived: exit 1, with its name (%j)",
    async (more) => {
      const [home, wanted] = [uniqueId("home"), uniqueId("wanted")];
      const ids = [uniqueId("u"), uniqueId("u")];
      const humanUsers = ids.map((id) => user(id));
      await importOrgs(
        target(),
        { orgId: home, org: { name: home }, humanUsers },
        { orgId: wanted, org: { name: wanted } },
      );
      const before = await readEvents(target(), { types: [], orgId: home });
      const cwd = tempDir();
      const body = (orgId: string) => JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers }] }, timeout: "5m0s" });
      writeFileSync(join(cwd, "away.json"), body(wanted));
      writeFileSync(join(cwd, "home.json"), body(home));
      const dry = await run(["import", "away.json", "--dry-run", ...more], {}, cwd);
      expect(dry.report, dry.stderr).toMatchObject({ exitCode: 1, foreseen: { users: { elsewhere: 2 } } });
      const { report, stderr } = await run(["import", "away.json", ...more], {}, cwd);
      expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 0, alreadyThere: 0, failed: 2 } });
      for (const id of ids)
        expect(report.failures).toContainEqual(
          expect.objectContaining({ id, cause: "in-other-org", message: `organization ${home}` }),
        );
      const again = await run(["import", "home.json", ...more], {}, cwd);
      expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { failed: 0 } });
      expect(await readEvents(target(), { types: [], orgId: home })).toHaveLength(before.length);
    },
  );

  test("an id that the source gave to another person in another organization keeps its account, if both go to one organization", async () => {
    const [first, second, into] = [uniqueId("first"), uniqueId("second"), uniqueId("into")];
    const [moved, stays] = [uniqueId("u"), uniqueId("u")];
    await importOrgs(
      source(),
      { orgId: first, org: { name: first }, humanUsers: [user(moved)] },
      { orgId: second, org: { name: second }, humanUsers: [user(stays)] },
    );
    await createOrg(target(), into);
    const copy = (orgId: string, ...more: readonly string[]) =>
      run([
        "copy",
        "--org-id",
        orgId,
        "--org-map",
        `${orgId}=${into}`,
        "--with-passwords",
        "--update",
        "--yes",
        ...more,
      ]);
    for (const orgId of [first, second]) {
      const { report, stderr } = await copy(orgId);
      expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 1 } });
    }
    await call(source(), "DELETE", `/v2/users/${moved}`);
    await call(source(), "POST", "/v2/users/human", {
      userId: moved,
      username: `new-${moved}`,
      organization: { orgId: second },
      profile: { givenName: "Other", familyName: "Person" },
      email: { email: `new-${moved}@example.com`, isVerified: true },
      hashedPassword: { hash: OTHER_HASH },
      metadata: [{ key: "plan", value: "Z29sZA==" }],
    });
    const before = await typesOf(target(), moved);
    for (const flags of [[], ["--prefer", "source"], ["--prefer", "target"], ["--delete"]]) {
      const { report, stderr } = await copy(second, ...flags);
      expect(report, stderr).toMatchObject({ users: { updated: 0, conflict: 1 } });
      expect(report.update.conflict).toMatchObject([{ userId: moved, reason: "recreated" }]);
    }
    const { report } = await run(["copy", "--org-id", second, "--org-map", `${second}=${into}`, "--with-passwords"]);
    expect(report.failures).toMatchObject([{ type: "user_metadata", cause: "other-person" }]);
    expect(await typesOf(target(), moved)).toEqual(before);
    expect(await signIn(target(), moved, PASSWORD)).toBe("signed in");
  });
});
