import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { programWith, runBin } from "../helpers/run-bin.ts";
import { call, canStart, type Instance, importOrgs, readEvents, signIn, uniqueId, useInstance } from "./harness.ts";
import { PASSWORD, user } from "./rich-orgs.ts";

const USERS = 500;
const NEW_PASSWORD = "Another-Secret-2";

interface CopyReport {
  readonly exitCode: number;
  readonly calls: number;
  readonly deleted: number;
  readonly users: Readonly<Record<string, number>>;
  readonly update: { readonly [kind: string]: readonly unknown[] };
}

describe.skipIf(!canStart)("a copy that keeps up", () => {
  const source = useInstance();
  const target = useInstance();
  const org = uniqueId("nightly");
  const id = (number: number): string => `${org}-u${number}`;
  const ids = (from: number, count: number): string[] => Array.from({ length: count }, (_, index) => id(from + index));
  const [passwords, addresses, names, locks, removals] = [ids(0, 20), ids(20, 10), ids(30, 5), ids(35, 3), ids(38, 2)];
  const rehashed = id(300);
  const created = ids(USERS, 15);
  const touched = [...passwords, ...addresses, ...names, ...locks, ...removals, ...created];
  const args = ["copy", "--org-id", org, "--with-passwords", "--update", "--delete", "--yes", "--json"];
  const env = () => ({ ...source().sourceEnv, ...target().targetEnv });
  const cwd = tmpdir(); // nothing is written there

  async function copy(...more: readonly string[]): Promise<{ report: CopyReport; stderr: string }> {
    const { stdout, stderr } = await runBin([...args, ...more], { cwd, env: env() });
    return { report: JSON.parse(stdout) as CopyReport, stderr };
  }

  beforeAll(async () => {
    const hash = (one: string) => (one === rehashed ? { hashedPassword: { value: COSTLY_HASH } } : {});
    await importOrgs(source(), {
      orgId: org,
      org: { name: org },
      humanUsers: ids(0, USERS).map((one) => user(one, hash(one))),
    });
    const { report, stderr } = await copy();
    expect(report, stderr).toMatchObject({ exitCode: 0, users: { read: USERS, created: USERS } });
    const change = (userId: string, body: object) => call(source(), "PUT", `/v2/users/human/${userId}`, body);
    for (const one of passwords) await change(one, { password: { password: { password: NEW_PASSWORD } } });
    for (const one of addresses) await change(one, { email: { email: `new-${one}@example.com`, isVerified: true } });
    for (const one of names) await change(one, { profile: { givenName: "Grace", familyName: "Hopper" } });
    for (const one of locks) await call(source(), "POST", `/v2/users/${one}/lock`, {});
    for (const one of removals) await call(source(), "DELETE", `/v2/users/${one}`);
    await importOrgs(source(), { orgId: org, humanUsers: created.map((one) => user(one)) });
    await exported(source(), org, (text) => names.every((one) => isNamed(text, one)) && isLocked(text, locks));
  });

  /** Who was touched on the target since a moment, by its events. */
  async function touchedSince(moment: string): Promise<string[]> {
    const events = await readEvents(target(), { types: [], orgId: org, after: moment });
    return [...new Set(events.filter(({ creationDate }) => creationDate > moment).map((one) => one.aggregate.id))];
  }

  async function newest(): Promise<string> {
    const { body } = await target().post("/admin/v1/events/_search", { limit: 1, asc: false });
    return (body as { events: { creationDate: string }[] }).events[0]?.creationDate ?? "";
  }

  test("plans what it does, does it after being killed half-way, and changes no other user", async () => {
    const before = await newest();
    const plan = await copy("--dry-run");
    expect(plan.report.update, plan.stderr).toMatchObject({ conflict: [], unchanged: USERS - 40 });
    expect(plan.report.update["update"]).toHaveLength(38);
    expect(plan.report.update["create"]).toHaveLength(15);
    expect(plan.report.update["delete"]?.toSorted()).toEqual(removals.toSorted());
    expect(plan.stderr).toContain("~ update:");
    expect(await touchedSince(before)).toEqual([]);

    const killed = spawn(...programWith([...args, "--concurrency", "1"]), { cwd, env: { ...env() } });
    while ((await touchedSince(before)).length < 10) await setTimeout(20);
    killed.kill("SIGKILL");
    const { report, stderr } = await copy();
    expect(report, stderr).toMatchObject({
      exitCode: 0,
      users: { read: USERS + 13, conflict: 0, failed: 0, unknown: 0 },
    });
    const { sent, unchanged } = report.users as { sent: number; unchanged: number };
    expect(sent + unchanged).toBe(USERS + 13);
    const expected = new Set(touched);
    const actual = (await touchedSince(before)).filter((one) => one !== org);
    expect(actual.filter((one) => !expected.has(one))).toEqual([]);
    expect(actual).toHaveLength(55);
    expect(stderr).not.toContain(NEW_PASSWORD);
  });

  test("people sign in with the new passwords and not with the old", async () => {
    for (const one of passwords.slice(0, 5)) {
      expect(await signIn(target(), one, NEW_PASSWORD)).toBe("signed in");
      expect(await signIn(target(), one, PASSWORD)).toBe("wrong password");
    }
    expect(await signIn(target(), created[0] ?? "", PASSWORD)).toBe("signed in");
    expect(await signIn(target(), locks[0] ?? "", PASSWORD)).not.toBe("signed in");
  });

  test("once more nothing is changed, also after a sign-in has hashed a password anew", async () => {
    expect(await signIn(source(), rehashed, PASSWORD)).toBe("signed in");
    await exported(source(), org, (text) => hashIn(text, rehashed) !== COSTLY_HASH);
    const before = await newest();
    const { report, stderr } = await copy();
    expect(report, stderr).toMatchObject({ exitCode: 0, calls: 0, users: { sent: 0, unchanged: USERS + 13 } });
    expect(await touchedSince(before)).toEqual([]);
  });

  test("with a state only what is new is read, and the result is the same", async () => {
    const state = join(mkdtempSync(join(tmpdir(), "orgferry-state-")), "night.state");
    const same = { exitCode: 0, calls: 0, users: { sent: 0, unchanged: USERS + 13 } };
    expect((await copy("--state", state)).report).toMatchObject({ ...same, state: "none" });
    await call(source(), "POST", `/v2/users/${id(320)}/lock`, {});
    await exported(source(), org, (text) => isLocked(text, [...locks, id(320)]));
    const { report, stderr } = await copy("--state", state);
    expect(report, stderr).toMatchObject({ exitCode: 0, state: "used", update: { update: [{ userId: id(320) }] } });
    expect((await copy("--state", state)).report).toMatchObject({ ...same, state: "used" });
    writeFileSync(state, readFileSync(state).subarray(1_000));
    expect((await copy("--state", state)).report).toMatchObject({ exitCode: 3 });
    rmSync(state);
    expect((await copy("--state", state)).report).toMatchObject({ ...same, state: "none" });
  });

  test("a password that its owner changes on the target is left and named, until the source is preferred", async () => {
    const owner = id(310);
    await changeOwnPassword(target(), owner, PASSWORD, "Mine-Alone-3");
    const before = hashIn(await exported(source(), org, () => true), owner);
    await call(source(), "PUT", `/v2/users/human/${owner}`, { password: { password: { password: NEW_PASSWORD } } });
    await exported(source(), org, (text) => hashIn(text, owner) !== before);
    const left = await copy();
    expect(left.report, left.stderr).toMatchObject({
      exitCode: 1,
      users: { conflict: 1, updated: 0 },
      update: { conflict: [{ userId: owner, fields: ["hash"] }] },
    });
    expect(await signIn(target(), owner, "Mine-Alone-3")).toBe("signed in");
    expect((await copy("--prefer", "target")).report).toMatchObject({ exitCode: 0, users: { conflict: 1 } });
    const taken = await copy("--prefer", "source");
    expect(taken.report, taken.stderr).toMatchObject({ exitCode: 0, users: { conflict: 0, updated: 1 } });
    expect(await signIn(target(), owner, NEW_PASSWORD)).toBe("signed in");
  });
});

/** Of `PASSWORD` at another cost: the service hashes it anew at a sign-in. */
const COSTLY_HASH = "$2b$05$abcdefghijklmnopqrstuuzbMllBOPmpzE7CO6VtyZ1mCBtD6FxUK";

/** As the owner does it: with the token of a session of one's own. */
async function changeOwnPassword(instance: Instance, userId: string, before: string, after: string): Promise<void> {
  const { body } = await instance.post("/v2/sessions", {
    checks: { user: { userId }, password: { password: before } },
  });
  const { sessionToken } = body as { sessionToken: string };
  await call({ ...instance, token: sessionToken }, "POST", `/v2/users/${userId}/password`, {
    newPassword: { password: after },
    currentPassword: before,
  });
}

/** Waits until an export, which lags behind, has the expected content. */
async function exported(instance: Instance, orgId: string, isDone: (text: string) => boolean): Promise<string> {
  const request = { org_ids: [orgId], with_passwords: true, response_output: true, timeout: "1m" };
  for (;;) {
    const { text } = await instance.post("/admin/v1/export", request);
    if (isDone(text)) return text;
    await setTimeout(100);
  }
}

const hashIn = (text: string, userId: string): string =>
  new RegExp(`"userId":\\s*"${userId}".*?"value":\\s*"([^"]*)"`, "s").exec(text)?.[1] ?? "";

const isNamed = (text: string, userId: string): boolean =>
  new RegExp(`"userId":\\s*"${userId}"[^}]*?"firstName":\\s*"Grace"`).test(text);
const isLocked = (text: string, ids: readonly string[]): boolean =>
  (text.match(/USER_STATE_LOCKED/g) ?? []).length === ids.length;
