import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const HASH = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
const hashes = (count: number) => Array.from({ length: count }, () => ({ hash: HASH }));
const org = { orgId: "org1", org: { name: "One" } };

async function run(mimic: "v4" | "v4.15", users: readonly unknown[], ...more: readonly string[]) {
  const mock = await startMock({ mimic, seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(users));
  return importJson([file, ...more], { cwd, env: mock.env });
}

test("recovery codes are imported on 4.9 and later, and codes that the service refuses are failures", async () => {
  const users = [
    testUser(1, { recoveryCodes: hashes(2) }),
    testUser(2, { recoveryCodes: hashes(11) }),
    testUser(3, { recoveryCodes: [{ hash: "nope" }] }),
  ];
  const { report, stderr } = await run("v4.15", users);
  expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 3, failed: 0 } });
  expect(report).not.toHaveProperty("recoveryCodesDropped");
  expect(report.failures).toMatchObject([
    { type: "human_user_recovery_codes", id: "u2" },
    { type: "human_user_recovery_codes", id: "u3" },
  ]);
});

test.each([
  ["an older version", "v4", testUser(1, { recoveryCodes: hashes(1) })],
  ["the users API", "v4.15", testUser(1, { hashedPassword: undefined, recoveryCodes: hashes(1) })],
] as const)("recovery codes that %s drops are counted before anything is sent", async (_, mimic, user) => {
  for (const more of [["--dry-run"], []]) {
    const { report, stderr } = await run(mimic, [user, testUser(2)], ...more);
    expect(report).toMatchObject({ exitCode: 0, recoveryCodesDropped: 1, recoveryCodesDroppedUsers: ["u1"] });
    expect(report).toMatchObject({ loginNames: { u1: "user1@example.com" } });
    expect(stderr).toContain("drops the recovery codes of 1 user");
    expect(stderr).toContain("These users must create new codes: u1.");
  }
});

test.each([[[null]], ["x"], [[{ hash: 5 }]], [[{ raw: "" }]], [[{ raw: "a", hash: HASH }]]])(
  "recovery codes that refuse the whole call are named before anything is sent: %j",
  async (recoveryCodes) => {
    const { report } = await run("v4.15", [testUser(1, { recoveryCodes }), testUser(2)]);
    expect(report).toMatchObject({ exitCode: 3 });
    expect(report.problems[0]).toMatchObject({ field: expect.stringContaining("recoveryCodes") });
  },
);

test("an e-mail address of null is a missing field", async () => {
  const { report } = await run("v4", [testUser(1, { email: { email: null } })]);
  expect(report).toMatchObject({ exitCode: 3, problems: [{ code: "field.missing", field: "user.email.email" }, {}] });
});

test("a copy by the event log with --with-otp has the recovery codes, which no other export has", async () => {
  const source = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody([testUser(1, { recoveryCodes: hashes(2) }), testUser(2)]));
  const imported = await importJson([file, "--verify"], { cwd, env: source.env });
  expect(imported.report, imported.stderr).toMatchObject({ exitCode: 0, differentCount: 0 });
  for (const [flags, count] of [
    [["--transport", "events", "--with-otp"], 2],
    [["--transport", "events"], 0],
    [["--transport", "rest", "--with-otp"], 0],
  ] as const) {
    const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
    const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
    const args = ["copy", "--with-passwords", ...flags, "--org-id", "org1", "--verify", "--json"];
    const { stdout, stderr } = await runCli(args, { cwd, env });
    const report = JSON.parse(stdout);
    expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 2 }, differentCount: 0 });
    expect(report.notCarried.includes("recovery codes")).toBe(count === 0);
    expect(stderr.includes("          recovery codes of 1 user")).toBe(count > 0);
    const isLeft = count === 0 && flags.length > 2;
    expect(report.export.recoveryCodesLeft).toBe(isLeft ? 1 : undefined);
    expect(report.export.recoveryCodesLeftUsers).toEqual(isLeft ? ["u1"] : undefined);
    expect(stderr.includes("the export lacks the recovery codes of 1 user (u1)")).toBe(isLeft);
    const sent = target.requests.map(({ body }) => String(body)).join("");
    expect(sent.split(`{"hash":"${HASH}"}`)).toHaveLength(count + 1);
  }
});

test("an export by the event log of a version without recovery codes asks for no such events", async () => {
  const source = await startMock({ mimic: "v4", seed: { orgs: [org] } });
  const { cwd } = inFolder("");
  const env = { ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const { exitCode, stderr } = await runCli(["export", "--transport", "events", "--with-otp"], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  expect(source.requests.map(({ body }) => String(body)).join("")).not.toContain("recoverycode");
});

test("an export and a copy without --with-otp name the users with one-time codes", async () => {
  const source = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody([testUser(1, { otpCode: "JBSWY3DPEHPK3PXP" }), testUser(2)]));
  expect((await importJson([file], { cwd, env: source.env })).report.exitCode).toBe(0);
  for (const [flags, isLeft] of [
    [[], true],
    [["--with-otp"], false],
  ] as const) {
    const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
    const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
    const args = ["copy", "--with-passwords", ...flags, "--org-id", "org1", "--json", "--html", "page.html"];
    const { stdout, stderr } = await runCli(args, { cwd, env });
    const { export: exported } = JSON.parse(stdout);
    expect([exported.otpLeft, exported.otpLeftUsers], stderr).toEqual(isLeft ? [1, ["u1"]] : [undefined, undefined]);
    const words = "he export lacks the one-time codes (OTP) of 1 user (u1)";
    expect(stderr.includes(words)).toBe(isLeft);
    expect(readFileSync(join(cwd, "page.html"), "utf8").includes(words)).toBe(isLeft);
    rmSync(join(cwd, "page.html"));
  }
});
