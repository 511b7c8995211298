import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { call, type Instance, importOrgs, readEvents, signIn, uniqueId, useInstance } from "./harness.ts";
import { checkCode, codeOf, decodeBase32 } from "./one-time-codes.ts";
import { PASSWORD, user } from "./rich-orgs.ts";

const instance = useInstance();
const NEW_HASH = "$2b$05$abcdefghijklmnopqrstuuzbMllBOPmpzE7CO6VtyZ1mCBtD6FxUK"; // of `PASSWORD`, too

/** What events say of a state; the last one counts. */
const STATES = ["locked", "unlocked", "deactivated", "reactivated"].map((state) => `user.${state}`);

/** Every way from one state to another. */
const ways = [
  { from: "active", to: "LOCKED", last: "user.locked" },
  { from: "active", to: "INACTIVE", last: "user.deactivated" },
  { from: "deactivate", to: "LOCKED", last: "user.locked" },
  { from: "lock", to: "INACTIVE", last: "user.deactivated" },
  { from: "lock", to: "ACTIVE", last: "user.unlocked" },
  { from: "deactivate", to: "ACTIVE", last: "user.reactivated" },
].map((way) => ({ ...way, id: `${way.from}-${way.to}`.toLowerCase() }));

async function typesOf(at: Instance, aggregateId: string, types: readonly string[]): Promise<readonly string[]> {
  return (await readEvents(at, { types, aggregateId })).map(({ type }) => type.type);
}

/** Imports with --update and returns the report. */
async function update(humanUsers: readonly object[], orgId: string) {
  const cwd = tempDir();
  writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers }] }, timeout: "5m" }));
  const { stdout, stderr } = await runBin(["import", "body.json", "--update", "--yes", "--json"], {
    cwd,
    env: instance().targetEnv,
  });
  return { report: JSON.parse(stdout) as { failures: { id: string; cause: string }[] }, stderr };
}

/** An organization with a user for each way, in the state that it begins with, and one who keeps a name. */
async function prepare(): Promise<{ orgId: string; keeper: string; idOf: (way: { readonly id: string }) => string }> {
  const orgId = uniqueId("refused");
  const keeper = `${orgId}-keeper`;
  const idOf = ({ id }: { readonly id: string }): string => `${orgId}-${id}`;
  await importOrgs(instance(), {
    orgId,
    org: { name: orgId },
    humanUsers: [user(keeper), ...ways.map(idOf).map((id) => user(id))],
  });
  for (const way of ways) {
    if (way.from !== "active") await call(instance(), "POST", `/v2/users/${idOf(way)}/${way.from}`, {});
  }
  return { orgId, keeper, idOf };
}

test("a user to be locked, unlocked or deactivated is, and gets the new password, though another user keeps the new name", async () => {
  const { orgId, keeper, idOf } = await prepare();
  const wanted = ways.map((way) => {
    const fields = { userName: `${keeper}@example.com`, hashedPassword: { value: NEW_HASH } };
    return { ...user(idOf(way), fields), state: `USER_STATE_${way.to}` };
  });
  const { report, stderr } = await update(wanted, orgId);
  expect(report, stderr).toMatchObject({ exitCode: 1, users: { read: ways.length, failed: ways.length, updated: 0 } });
  expect(report.failures.map(({ cause }) => cause)).toEqual(ways.map(() => "user-name-taken"));
  for (const way of ways) {
    expect((await typesOf(instance(), idOf(way), STATES)).at(-1), way.id).toBe(way.last);
    const types = ["user.username.changed", "user.human.password.changed"];
    expect(await typesOf(instance(), idOf(way), types), way.id).toEqual(["user.human.password.changed"]);
  }
});

test("a locked or inactive user is changed in all fields at once", async () => {
  const { orgId, idOf } = await prepare();
  const wanted = ways.map((way) => {
    const fields = {
      userName: `new-${idOf(way)}`,
      email: { email: `new-${idOf(way)}@example.com`, isEmailVerified: true },
      phone: { phone: "+41791234567", isPhoneVerified: true },
      hashedPassword: { value: NEW_HASH },
    };
    return { ...user(idOf(way), fields), state: `USER_STATE_${way.to}` };
  });
  const { report, stderr } = await update(wanted, orgId);
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { updated: ways.length, failed: 0 } });
  const types = ["user.username.changed", "user.human.email.changed", "user.human.phone.changed"];
  for (const way of ways) {
    expect((await typesOf(instance(), idOf(way), STATES)).at(-1), way.id).toBe(way.last);
    expect((await typesOf(instance(), idOf(way), [...types, "user.human.password.changed"])).length, way.id).toBe(4);
  }
  const [active, locked] = ["lock-active", "active-locked"].map((id) => idOf({ id })) as [string, string];
  expect(await signIn(instance(), active, PASSWORD)).toBe("signed in");
  expect(await signIn(instance(), locked, PASSWORD)).not.toBe("signed in");
  const again = await update(wanted, orgId);
  expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: ways.length } });
});

test("a required change of the password is found, and set with the same hash; a missing OTP secret is given once", async () => {
  const orgId = uniqueId("required");
  const named = ["imported", "changed", "otp", "begun"].map((name) => `${orgId}-${name}`);
  const ids = named as [string, string, string, string];
  await importOrgs(instance(), { orgId, org: { name: orgId }, humanUsers: ids.map((id) => user(id)) });
  const required = { passwordChangeRequired: true };
  const codes = { otpCode: "JBSWY3DPEHPK3PXP" };
  const wanted = [user(ids[0], required), user(ids[1], required), user(ids[2], codes), user(ids[3], codes)];
  const cwd = tempDir();
  const body = { dataOrgs: { orgs: [{ orgId, humanUsers: wanted.slice(0, 2) }] }, timeout: "5m" };
  writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
  const verify = async (by: string) =>
    JSON.parse(
      (await runBin(["verify", "body.json", "--by", by, "--json"], { cwd, env: instance().targetEnv })).stdout,
    );
  const fields = ["passwordChangeRequired"];
  for (const by of ["events", "export"])
    expect(await verify(by)).toMatchObject({ exitCode: 1, different: [ids[0], ids[1]].map((id) => ({ id, fields })) });
  expect(await signIn(instance(), ids[2], PASSWORD)).toBe("signed in"); // a sign-in is no change
  // A set-up that was begun and not confirmed: the user has no codes.
  await call(instance(), "POST", `/v2/users/${ids[3]}/totp`, {});
  const { report, stderr } = await update(wanted, orgId);
  expect(report, stderr).toMatchObject({
    exitCode: 0,
    mails: 2,
    update: {
      update: expect.arrayContaining([
        { userId: ids[0], fields },
        { userId: ids[1], fields },
        { userId: ids[2], fields: ["otp"] },
      ]),
      notUpdated: [{ userId: ids[3], fields: ["otp"] }],
    },
  });
  expect(await checkCode(instance(), ids[2], PASSWORD, codeOf(decodeBase32("JBSWY3DPEHPK3PXP")))).toBe(200);
  const next = await update(wanted.slice(2, 3), orgId);
  expect(next.report, next.stderr).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: 1 } });
  expect(await typesOf(instance(), ids[2], ["user.human.mfa.otp.added", "user.removed"])).toHaveLength(1);
  const checks = { user: { userId: ids[1] }, password: { password: PASSWORD } };
  const { body: session } = await instance().post("/v2/sessions", { checks });
  const token = (session as { sessionToken: string }).sessionToken;
  const changed = { currentPassword: PASSWORD, newPassword: { password: "Another-1234!" } };
  await call({ ...instance(), token }, "POST", `/v2/users/${ids[1]}/password`, changed);
  for (const by of ["events", "export"])
    expect(await verify(by)).toMatchObject({
      exitCode: 0,
      different: [],
      changedSince: [{ id: ids[1], fields: ["hash", ...fields] }],
    });
});
