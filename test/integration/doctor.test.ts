import { expect, test } from "vitest";
import { checkClock } from "../../src/commands/doctor/check-instance.ts";
import { checkMachine } from "../../src/commands/doctor/check-machine.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

interface Checks {
  readonly checks: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
}

async function examine(env: Record<string, string>, ...flags: string[]) {
  const result = await runCli(["doctor", "--json", ...flags], { cwd: tempDir(), env });
  const { checks } = JSON.parse(result.stdout) as Checks;
  return { ...result, of: (name: string) => checks.find((check) => check.name === name) };
}

test("source and target that are fine: everything is looked at, and nothing is changed", async () => {
  const mock = await startMock();
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  const { exitCode, of, stderr } = await examine(env);
  expect(exitCode, stderr).toBe(0);
  expect(of("node")).toMatchObject({ status: "ok", detail: process.versions.node });
  expect(of("source token")).toMatchObject({ status: "ok" });
  expect(of("target token")).toMatchObject({ status: "ok", detail: "may import (role IAM_OWNER)" });
  expect(of("target clock")).toMatchObject({ status: "ok" });
  expect(of("target events")).toMatchObject({ status: "ok" });
  expect(mock.requests.every(({ path, status }) => !path.endsWith("/import") || status === 200)).toBe(true);
});

test("organizations are listed by id and name", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "165617390198000897", org: { name: "Acme" } }] } });
  const { of } = await examine(mock.env);
  expect(of("target orgs")).toMatchObject({
    status: "ok",
    detail: expect.stringContaining("165617390198000897 (Acme)"),
  });
});

test("identity providers are listed by id, name, type and owner", async () => {
  const oidcIdps = [{ idpId: "77", idp: { name: "Okta", oidcConfig: { clientId: "x", issuer: "https://o.example" } } }];
  const mock = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "Acme" }, oidcIdps }] } });
  const { of, stdout } = await examine(mock.env);
  expect(of("target idps")).toMatchObject({ status: "ok", detail: "77 (Okta, oidc, organization 1)" });
  expect(JSON.parse(stdout)).toMatchObject({
    identityProviders: [{ side: "target", id: "77", name: "Okta", type: "oidc", orgId: "1" }],
  });
});

test("an instance without identity providers: doctor says where to add one", async () => {
  const mock = await startMock();
  const { of } = await examine(mock.env);
  expect(of("target idps")?.detail).toContain("/ui/console");
});

test("identity providers that cannot be listed are not said to be missing", async () => {
  for (const skip of [1, 2]) {
    const mock = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "Acme" } }] } });
    mock.addFault({ endpoint: "orgs", fault: "403", skip });
    const { of } = await examine(mock.env);
    expect(of("target idps")).toMatchObject({ status: "warn" });
  }
});

test.each([
  ["a token that is refused", 4, { PAT_IMPORT_TOKEN: "wrong-token" }, "does not accept the token"],
  ["an empty token", 4, { PAT_IMPORT_TOKEN: "" }, "PAT_IMPORT_TOKEN is empty. Is the variable in the command set?"],
  ["no server", 6, { ZITADEL_IMPORT_DOMAIN: "http://127.0.0.1:9" }, "no server is listening there"],
  ["a bad address", 2, { ZITADEL_IMPORT_DOMAIN: "ftp://example.com" }, "must begin with https://"],
  ["a proxy without a scheme", 2, { HTTPS_PROXY: "proxy:3128", ZITADEL_IMPORT_DOMAIN: "example.com" }, "HTTPS_PROXY"],
])("%s is exit %i, also with --quiet", async (_, code, changed, words) => {
  const mock = await startMock();
  const { exitCode, stderr, of } = await examine({ ...mock.env, ...changed }, "-q");
  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(words) });
  expect(of("target")).toMatchObject({ status: "fail" });
});

test("a service that is busy is asked once, and called busy", async () => {
  const mock = await startMock();
  mock.addFault({ endpoint: "import", fault: "429" });
  const { exitCode, of } = await examine(mock.env);
  expect([exitCode, of("target")?.status]).toEqual([6, "fail"]);
  expect(mock.requests.filter(({ path }) => path.endsWith("/import"))).toHaveLength(1);
});

test("a token that may not import is named before anything else is tried", async () => {
  const mock = await startMock();
  mock.addToken("viewer", { userId: "v", roles: ["IAM_OWNER_VIEWER"] });
  const env = { ...mock.env, PAT_IMPORT_TOKEN: "viewer" };
  const { exitCode, stderr } = await examine(env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: expect.stringContaining("IAM_OWNER") });
});

test.each([
  [0, "ok", "at most 1.0 s"],
  [-50_000, "ok", "at most 50 s"],
  [600_000, "warn", "differs by 10 min from this machine"],
  [-600_000, "warn", "differs by 10 min"],
])("a clock that is %i ms away is %s", (offMs, status, words) => {
  const now = Date.now();
  const check = checkClock("target", new Date(now + offMs), now);
  expect(check).toMatchObject({ status, detail: expect.stringContaining(words) });
});

test("a service that does not tell its time is a warning", () => {
  expect(checkClock("source", undefined, 0).status).toBe("warn");
});

test("an old Node is a warning, and what a proxy's address holds is not said", () => {
  const checks = checkMachine({ cwd: tempDir(), env: { HTTPS_PROXY: "http://me:secret@proxy:3128" } }, "20.11.0");
  expect(checks[0]).toMatchObject({ status: "warn", detail: expect.stringContaining("20.19") });
  expect(JSON.stringify(checks)).toContain("HTTPS_PROXY");
  expect(JSON.stringify(checks)).not.toContain("secret");
});

test("without an instance the machine alone is looked at", async () => {
  const { exitCode, stderr } = await examine({});
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("no instance named") });
});

test("what is checked and listed goes to stdout, what failed to stderr and to a file; with --json, all goes to stderr", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "165617390198000897", org: { name: "Acme" } }] } });
  const list = /^ok {4}target orgs {7}165617390198000897 \(Acme\)$/m;
  const args = ["doctor", "--target", mock.url];
  const run = (token: string, ...flags: string[]) =>
    runCli([...args, ...flags], { cwd: tempDir(), env: { PAT_IMPORT_TOKEN: token, FORCE_COLOR: "1" } });
  const found = await run(mock.token);
  expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(list), stderr: "" });
  const refused = await run("another-token");
  expect(refused).toMatchObject({ exitCode: 4, stdout: expect.stringMatching(/^ok {4}node /m) });
  expect(refused.stdout).toMatch(/^fail {2}target {12}.* does not accept the token/m);
  expect(refused.stderr).toMatch(/^\S*fail /);
  const failed = await run("another-token", "--json", "--no-color");
  const checks: { status: string }[] = JSON.parse(failed.stdout).checks;
  expect(checks.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok", "ok", "fail"]);
  expect(failed.stderr.match(/^fail /gm)).toHaveLength(1);
  expect((await run("another-token", "--quiet")).stdout).toBe("");
  const json = await run(mock.token, "--json", "--no-color");
  expect(JSON.parse(json.stdout)).toMatchObject({ exitCode: 0 });
  expect(json.stderr).toMatch(list);
  expect(await run(mock.token, "--quiet")).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
});
