import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
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
    "2 links refer to identity provider lacking, which the target does not have: they cannot be created. Create the provider on the target, then use --idp lacking=<its id>. The target has there (Google).",
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

test.each(["oidcIdps", "oidc_idps", "jwtIdps"])(
  "a provider that the input creates is not missing (%s)",
  async (list) => {
    const mock = await startMock();
    const jwt = {
      name: "J",
      jwtEndpoint: "https://j.example",
      issuer: "i",
      keysEndpoint: "https://k.example",
      headerName: "h",
    };
    const created = list === "jwtIdps" ? { idpId: "lacking", idp: jwt } : { ...provider, idpId: "lacking" };
    const org = { orgId: "org1", org: { name: "One" }, humanUsers: users, [list]: [created], userLinks };
    const { cwd, file } = inFolder(JSON.stringify({ orgs: [org] }));
    const dry = await importJson([file, "--dry-run"], { cwd, env: mock.env });
    expect(dry.report, dry.stderr).toMatchObject({ exitCode: 0, foreseen: { missingIdps: [] } });
    const { report, stderr } = await importJson([file], { cwd, env: mock.env });
    expect(report, stderr).toMatchObject({ exitCode: 0, otherObjects: { user_link: { created: 2 } } });
    expect(stderr).not.toContain("does not have");
  },
);

test("a provider of the instance is not missing", async () => {
  const mock = await startMock({
    seed: { orgs: [{ orgId: "org1", org: { name: "One" } }], instanceIdpIds: ["lacking"] },
  });
  const { cwd, file } = inFolder(`{"dataOrgs":${body}}`);
  const { report, stderr } = await importJson([file, "--verify"], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({ exitCode: 0, otherObjects: { user_link: { created: 2 } } });
  expect(stderr).not.toContain("does not have");
  expect(stderr).not.toContain("could not be compared");
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

test("a dry run names providers that allow no account creation, for users without a password only", async () => {
  const mock = await startMock();
  const listed = [{ id: "closed", name: "Okta", config: { options: { isLinkingAllowed: true } } }];
  const url = await startFront(mock, (path) =>
    path.includes("/idps/templates/") ? { status: 200, body: { result: listed } } : undefined,
  );
  const idps = [{ configId: "closed", externalUserId: "e1", displayName: "E" }];
  const userLinks = [{ userId: "u2", idpId: "closed", providedUserId: "e2" }];
  const email = { email: "user1@example.com" };
  const withLinks = [testUser(1, { hashedPassword: undefined, idps, email }), testUser(2)];
  const first = inFolder(target, "target.json");
  await importJson([first.file], { cwd: first.cwd, env: mock.env });
  const whole = inFolder(
    JSON.stringify({ orgs: [{ orgId: "org1", humanUsers: withLinks, userLinks }] }),
    "export.json",
  );
  const args = ["import", whole.file, "--target", url, "--insecure-http", "--dry-run"];
  const dry = await runCli([...args, "--json"], { cwd: whole.cwd, env: mock.env });
  expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({
    exitCode: 1,
    foreseen: { missingIdps: [], closedIdps: [{ idpId: "closed", links: 1 }] },
  });
  expect(dry.stderr).toContain(
    "1 user without a password cannot be created with a link to identity provider closed: it does not allow account creation.",
  );
  const quiet = await runCli([...args, "--quiet"], { cwd: whole.cwd, env: mock.env });
  expect(quiet.stderr).toContain("does not allow account creation");
  // The users API creates these users.
  const noMail = await runCli([...args, "--no-mail", "--json"], { cwd: whole.cwd, env: mock.env });
  expect(JSON.parse(noMail.stdout), noMail.stderr).toMatchObject({ exitCode: 0, foreseen: { closedIdps: [] } });
  const linked = { orgs: [{ orgId: "org1", humanUsers: [testUser(2)], userLinks }] };
  const open = inFolder(JSON.stringify(linked), "export.json");
  const clean = await runCli(["import", open.file, ...args.slice(2)], { cwd: open.cwd, env: mock.env });
  expect(clean.exitCode, clean.stderr).toBe(0);
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

test("a dry run says which links the run adds to existing users, and which fail because another user has the account", async () => {
  const mock = await startMock();
  const idps = (account: string): Record<string, unknown> => ({
    idps: [{ configId: "there", externalUserId: account, displayName: account }],
  });
  const without = [1, 2, 3, 4].map((number) => testUser(number));
  const seed = { orgId: "org1", org: { name: "One" }, humanUsers: without, oidcIdps: [provider] };
  const owned = { userId: "u4", idpId: "there", externalUserId: "e4", providedUserId: "e4" };
  const first = inFolder(JSON.stringify({ dataOrgs: { orgs: [{ ...seed, userLinks: [owned] }] }, timeout: "1m" }));
  const seeded = await importJson([first.file], { cwd: first.cwd, env: mock.env });
  expect(seeded.report, seeded.stderr).toMatchObject({ exitCode: 0 });
  const linked = [testUser(1, idps("e1")), testUser(2, idps("e4")), testUser(4, idps("e4")), testUser(5, idps("e4"))];
  const org = { orgId: "org1", humanUsers: [...linked, testUser(6, idps("e6"))] };
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "1m" }));
  for (const update of [[], ["--update"]]) {
    const dry = await importJson([file, ...update, "--dry-run"], { cwd, env: mock.env });
    expect(dry.report, dry.stderr).toMatchObject({
      exitCode: 1,
      foreseen: {
        users: { new: 1, alreadyThere: 3, linkTaken: 1 },
        linkTaken: [
          { userId: "u5", idpId: "there" },
          { userId: "u2", idpId: "there" },
        ],
      },
      missingObjects: { user_link: 1 },
    });
  }
  const { report, stderr } = await importJson([file], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    users: { created: 1, alreadyThere: 3, failed: 1 },
    otherObjects: { user_link: { created: 1, failed: 1 } },
  });
});

test("the login policy of a new organization gets the ids of --idp; without them, the dry run says that it will fail", async () => {
  const mock = await startMock();
  const first = inFolder(target, "target.json");
  await importJson([first.file], { cwd: first.cwd, env: mock.env });
  const loginPolicy = { allowUsernamePassword: true, idps: [{ idpId: "lacking", ownerType: "IDP_OWNER_TYPE_ORG" }] };
  const { cwd, file } = inFolder(JSON.stringify({ orgs: [{ orgId: "org9", org: { name: "Nine" }, loginPolicy }] }));
  const dry = await runCli(["import", file, "--dry-run", "--json"], { cwd, env: mock.env });
  expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({
    exitCode: 1,
    foreseen: { missingIdps: [{ idpId: "lacking", links: 0 }] },
  });
  expect(dry.stderr.replace(/\s+/g, " ")).toContain(
    "the login policy of a new organization refers to identity provider lacking, which the target does not have: it cannot be created. An organization without its login policy has the one of the instance.",
  );
  const clean = await runCli(["import", file, "--dry-run", "--idp", "lacking=there"], { cwd, env: mock.env });
  expect(clean, clean.stderr).toMatchObject({ exitCode: 0 });
  expect(clean.stderr).not.toContain("matches no");
  await importJson([file, "--idp", "lacking=there"], { cwd, env: mock.env });
  const sent = mock.requests.filter(({ path }) => path.endsWith("/import")).at(-1)?.body;
  expect(sent).toContain('"idpId":"there"');
  expect(sent).not.toContain("lacking");
});
