import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { instancePlaces } from "../../src/jobs/diff/places.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// The answers have the form of those of running services (service behaviour 9.20).

type Answers = Readonly<Record<string, unknown>>;

const details = (at: string) => ({
  details: { sequence: at, changeDate: `2026-11-2${at}T00:00:00Z`, resourceOwner: at },
});

/** What an instance answers; ids, sequences and dates are its own. */
const settings = (at: string, some: Answers = {}): Answers => ({
  ...Object.fromEntries(instancePlaces.map(({ path, list }) => [path, list === undefined ? details(at) : {}])),
  "/admin/v1/policies/login": {
    policy: { ...details(at), allowRegister: true, isDefault: true, secondFactors: ["OTP", "U2F"] },
  },
  "/admin/v1/domains/_search": { result: [{ ...details(at), domain: `made-up-${at}.example.com`, generated: true }] },
  "/admin/v1/idps/templates/_search": {
    details: { totalResult: "1" },
    result: [
      { ...details(at), id: `idp-${at}`, name: "Corp", config: { oidc: { issuer: "https://corp.example.com" } } },
    ],
  },
  "/v2/actions/targets/search": {
    pagination: { totalResult: "1" },
    targets: [{ id: `target-${at}`, name: "hook", timeout: "10s", signingKey: `signing-key-of-${at}` }],
  },
  "/v2/actions/executions/search": {
    pagination: { totalResult: "1" },
    executions: [{ condition: { function: { name: "preuserinfo" } }, targets: [`target-${at}`] }],
  },
  ...some,
});

async function run(source: Answers, target: Answers, flags: readonly string[] = []) {
  const start = async (answers: Answers, id: string): Promise<{ url: string; token: string }> => {
    const mock = await startMock();
    const url = await startFront(mock, (path) => {
      if (path === "/admin/v1/instances/me") return { status: 200, body: { instance: { id, version: "v4.13.1" } } };
      if (answers[path] === 500) return { status: 500, body: { code: 13, message: "An internal error occurred" } };
      if (Object.hasOwn(answers, path)) return { status: 200, body: answers[path] };
      return { status: 404, body: { code: 5, message: "Not Found" } };
    });
    return { url, token: mock.token };
  };
  const [one, other] = [await start(source, "one"), await start(target, "other")];
  const env = {
    ZITADEL_EXPORT_DOMAIN: one.url,
    PAT_EXPORT_TOKEN: one.token,
    ZITADEL_IMPORT_DOMAIN: other.url,
    PAT_IMPORT_TOKEN: other.token,
  };
  const cwd = tempDir();
  const result = await runCli(["diff", "--report", "diff.json", ...flags], { cwd, env });
  return { ...result, cwd, report: JSON.parse(readFileSync(join(cwd, "diff.json"), "utf8")) };
}

test("instances that differ only in ids, dates and generated domains are the same", async () => {
  const { exitCode, stderr, report } = await run(settings("1"), settings("2"));
  expect(exitCode, stderr).toBe(0);
  expect(report.settings).toEqual([]);
  expect(report.places).toHaveLength(instancePlaces.length);
  expect(stderr).toContain(`0 differences in 0 of ${instancePlaces.length} places. Nothing was changed.`);
});

test("differences are listed by place, with the values of both sides, and without secrets", async () => {
  const source = settings("1", {
    "/admin/v1/idps/templates/_search": {
      result: [
        { name: "Google", id: "g" },
        { name: "Corp", state: "ACTIVE" },
      ],
    },
    "/admin/v1/email/_search": { result: [{ description: "mail", smtp: { host: "a:25", password: "mail-password" } }] },
  });
  const target = settings("2", {
    "/admin/v1/policies/login": { policy: { secondFactors: ["U2F", "OTP"], forceMfa: true } },
    "/admin/v1/idps/templates/_search": { result: [{ name: "Corp", state: "INACTIVE" }, { name: "Okta" }] },
    "/admin/v1/email/_search": { result: [{ description: "mail", smtp: { host: "b:25", password: "another" } }] },
    "/v2/actions/executions/search": {
      executions: [{ condition: { function: { name: "preuserinfo" } }, targets: [] }],
    },
  });
  const { exitCode, stderr, report } = await run(source, target);
  expect(exitCode).toBe(1);
  expect(report.settings).toEqual([
    { place: "Login behavior and security", setting: "allowRegister", source: "true" },
    { place: "Login behavior and security", setting: "forceMfa", target: "true" },
    { place: "Identity providers", item: "Google", only: "source" },
    { place: "Identity providers", item: "Corp", setting: "state", source: "ACTIVE", target: "INACTIVE" },
    { place: "Identity providers", item: "Okta", only: "target" },
    { place: "E-mail providers", item: "mail", setting: "smtp.host", source: "a:25", target: "b:25" },
    { place: "Actions", item: "function.name=preuserinfo", setting: "targets", source: "hook" },
  ]);
  expect(stderr).toContain("Login behavior and security  (2 differences; console: /ui/console/instance?id=login)");
  expect(stderr).toContain("  allowRegister: true → not set");
  expect(stderr).toContain("  Google: only on the source");
  expect(`${stderr}${JSON.stringify(report)}`).not.toMatch(/signing-key|mail-password/);
});

test("a place that one instance does not have is not read: exit 1, also with --quiet", async () => {
  const { "/v2/actions/targets/search": _, ...older } = settings("2");
  const login = { "/admin/v1/policies/login": { policy: { secondFactors: ["U2F", "OTP"], forceMfa: true } } };
  const source = settings("1", login);
  const { exitCode, stderr, report } = await run(source, older, ["--quiet"]);
  expect(exitCode).toBe(1);
  expect(report.places.filter(({ state }: { state: string }) => state === "not-read")).toMatchObject([
    { name: "Action targets", why: expect.stringMatching(/\w/) },
  ]);
  expect(stderr).toContain("1 that one side or both did not answer");
  expect(stderr).toContain("\n  not read: Action targets: ");
  expect(stderr).toContain(
    "\n  Login behavior and security  (2 differences; console: /ui/console/instance?id=login)\n",
  );
});

test("a place that an instance fails at is not read, and the others are", async () => {
  const failing = settings("2", { "/v2/actions/executions/search": 500 });
  const { exitCode, report } = await run(settings("1"), failing);
  expect(exitCode).toBe(1);
  const unread = report.places.filter(({ state }: { state: string }) => state !== "same");
  expect(unread).toMatchObject([{ name: "Actions", state: "not-read" }]);
});

test("--org-id compares the identity providers and flows of an organization", async () => {
  const flows = { "/management/v1/flows/2": { flow: {} }, "/management/v1/flows/4": { flow: {} } };
  const idps = (name: string) => ({ "/management/v1/idps/templates/_search": { result: [{ name }] } });
  const source = settings("1", { ...flows, ...idps("One") });
  const { report } = await run(source, settings("2", { ...flows, ...idps("Two") }), ["--org-id", "a"]);
  expect(report.settings).toEqual([
    { place: "Identity providers", orgId: "a", item: "One", only: "source" },
    { place: "Identity providers", orgId: "a", item: "Two", only: "target" },
  ]);
});

test("a token without a role ends the run with the refusal", async () => {
  const { exitCode, report } = await run(settings("1"), {});
  expect(exitCode).toBe(5);
  expect(report).not.toHaveProperty("places");
});

test("the page lists the differences, and an anonymous one only their number", async () => {
  const target = settings("2", { "/admin/v1/policies/login": { policy: { forceMfa: "<b>" } } });
  const { cwd } = await run(settings("1"), target, ["--html", "diff.html"]);
  const page = readFileSync(join(cwd, "diff.html"), "utf8");
  expect(page).toContain("forceMfa: not set → &lt;b&gt;");
  expect(page).toContain("Finished: settings differ");
  expect(page).toMatch(/<p>\d+ differences in \d+ of \d+ places.*<h3>The same<\/h3><p>[A-Z].*, /s);
  const { cwd: other } = await run(settings("1"), target, ["--html", "diff.html", "--html-anonymous"]);
  const anonymous = readFileSync(join(other, "diff.html"), "utf8");
  expect(anonymous).toContain("3 differences");
  expect(anonymous).not.toContain("forceMfa");
});
