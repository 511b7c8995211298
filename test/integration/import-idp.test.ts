import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const provider = {
  idpId: "there",
  idp: { name: "Google", issuer: "https://example.org", clientId: "c", clientSecret: "s" },
};
const target = JSON.stringify({ orgs: [{ orgId: "org1", org: { name: "One" }, oidcIdps: [provider] }] });
const users = testUsers(2);
const userLinks = users.map(({ userId }, at) => ({
  userId,
  idpId: "lacking",
  externalUserId: `e${at}`,
  providedUserId: `e${at}`,
}));
const body = JSON.stringify({ orgs: [{ orgId: "org1", org: { name: "One" }, humanUsers: users, userLinks }] });

test("a dry run and an import name providers of links that the target lacks, and --idp gives them an id", async () => {
  const mock = await startMock();
  const first = inFolder(target, "target.json");
  const seeded = await importJson([first.file], { cwd: first.cwd, env: mock.env });
  expect(seeded.report, seeded.stderr).toMatchObject({ exitCode: 0 });
  const { cwd, file } = inFolder(body, "export.json");
  const args = ["--target", mock.url, "--insecure-http"];
  const dry = await runCli(["import", file, ...args, "--dry-run"], { cwd, env: mock.env });
  expect(dry.exitCode).toBe(1);
  expect(dry.stderr).toContain(
    "2 links refer to identity provider lacking, which the target does not have: these links will fail. Create the provider on the target, then add --idp lacking=<its id>. The target has there (Google).",
  );
  const quiet = await runCli(["import", file, ...args, "--dry-run", "--quiet", "--json"], { cwd, env: mock.env });
  expect(JSON.parse(quiet.stdout).foreseen.missingIdps).toEqual([{ idpId: "lacking", links: 2 }]);
  expect(quiet.stderr).toContain("identity provider lacking: 2 links");
  const failed = await importJson([file], { cwd, env: mock.env });
  expect(failed.report).toMatchObject({ exitCode: 1, otherObjects: { user_link: { failed: 2 } } });
  const whole = ["--idp", "lacking=there"];
  const clean = await runCli(["import", file, ...args, ...whole, "--dry-run"], { cwd, env: mock.env });
  expect(clean).toMatchObject({ exitCode: 0 });
  const { report } = await importJson([file, ...whole], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, otherObjects: { user_link: { created: 2 } } });
  const sent = mock.requests.filter(({ path }) => path.endsWith("/import")).at(-1)?.body;
  expect(sent).toContain('"idpId":"there"');
  expect(sent).not.toContain("lacking");
});

test("links within users who have no password are named and mapped too", async () => {
  const mock = await startMock();
  const first = inFolder(target, "target.json");
  await importJson([first.file], { cwd: first.cwd, env: mock.env });
  const idps = [{ configId: "lacking", externalUserId: "e1", displayName: "E" }];
  const { cwd, file } = inFolder(testBody([testUser(1, { hashedPassword: undefined, idps }), testUser(2)]));
  const dry = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: 1 });
  expect(dry.stderr).toContain("1 link refers to identity provider lacking, which the target does not have");
  const mapped = ["--idp", "lacking=there"];
  expect((await importJson([file, "--dry-run", ...mapped], { cwd, env: mock.env })).report.exitCode).toBe(0);
  const { report, stderr } = await importJson([file, ...mapped], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 2 } });
  expect(mock.requests.some(({ body = "" }) => body.includes('"there"') && body.includes("e1"))).toBe(true);
});

test.each([[["--idp", "a"]], [["--idp", "a=b", "--idp", "a=c"]]])(
  "%j is refused before anything is sent",
  async (args) => {
    const mock = await startMock();
    const { cwd, file } = inFolder(body);
    const { report } = await importJson([file, ...args], { cwd, env: mock.env });
    expect(report).toMatchObject({ exitCode: 2, problems: [{ code: "usage.invalid" }] });
    expect(mock.requests).toEqual([]);
  },
);
