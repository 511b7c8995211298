import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// Names in flags that occur nowhere in the input.

const REALM = JSON.stringify({
  realm: "acme",
  groups: [{ name: "staff", path: "/staff" }],
  users: Array.from({ length: 20 }, (_, at) => ({
    id: `u${at}`,
    username: `u${at}`,
    email: `u${at}@example.com`,
    attributes: { department: ["Sales"], empty: [""], badge: [`b${at}`] },
    realmRoles: ["editor"],
    groups: ["/staff"],
    federatedIdentities: [{ identityProvider: "google", userId: `g${at}`, userName: `u${at}` }],
    credentials: [],
  })),
});
const CSV = "id,mail,lage,roles\n1,ann@example.com,aktiv,editor\n2,bo@example.com,weg,\n";
const AUTH0 = ["google-oauth2|1", "google-oauth2|2", "samlp|acme|3"]
  .map((id, at) => JSON.stringify({ user_id: id, email: `u${at}@example.com`, identities: identitiesOf(id) }))
  .join("\n");

function identitiesOf(id: string): readonly object[] {
  const [provider, ...rest] = id.split("|");
  return [{ provider, user_id: rest.join("|"), connection: provider === "samlp" ? "acme" : provider }];
}

interface Case {
  readonly provider: string;
  readonly content: string;
  readonly flags: readonly string[];
  readonly met: readonly string[];
  readonly unmet: readonly string[];
  readonly lines: readonly string[];
}

const cases: readonly Case[] = [
  {
    provider: "keycloak",
    content: REALM,
    flags: [],
    met: ["--idp", "google=1", "--metadata", "department", "--metadata", "empty=e", "--grant", "edit*=1:2"].concat([
      "--grant",
      "/staff=1:3",
    ]),
    unmet: ["--idp", "goggle=1", "--metadata", "departement", "--grant", "edtor=1:2", "--org-map", "foo=1"],
    lines: [
      "1 entry of --idp is no identity provider of a user who was not rejected: goggle\n",
      "1 entry of --metadata is no attribute of a user who was not rejected: departement\n",
      "1 entry of --grant is no role or group of a user who was not rejected: edtor\n",
      "1 entry of --org-map is no organization of a user who was not rejected: foo\n",
    ],
  },
  {
    provider: "csv",
    content: CSV,
    flags: ["--map", "userId=id,email=mail,state=lage,roles=roles"],
    met: ["--value", "state:Aktiv=active", "--value", "state:weg=deleted", "--grant", "editor=1:2"],
    unmet: ["--value", "state:quatsch=locked", "--value", "gender:weiblich=female", "--grant", "edtor=1:2"],
    lines: [
      "2 entries of --value are no value of a user who was not rejected: state:quatsch, gender:weiblich\n",
      "1 entry of --grant is no role or group of a user who was not rejected: edtor\n",
    ],
  },
  {
    provider: "auth0",
    content: AUTH0,
    flags: ["--passwords", "none"],
    met: ["--idp", "google-oauth2=1", "--idp", "acme=2", "--idp", "samlp=3"],
    unmet: ["--idp", "goggle=1"],
    lines: ["1 entry of --idp is no identity provider of a user who was not rejected: goggle\n"],
  },
];

test.each(cases)("migrate $provider: names that no user has are said, others are not", async (one) => {
  const { cwd, file } = inFolder(one.content, "users");
  const argv = ["migrate", one.provider, "--org", "9", "-q", "--users", file, ...one.flags, ...one.met];
  expect((await runCli(argv, { cwd })).stderr).not.toMatch(/entr(y|ies) of/);
  const { stderr } = await runCli([...argv, ...one.unmet], { cwd });
  for (const line of one.lines) expect(stderr).toContain(line);
  expect(stderr.match(/entr(y|ies) of/g)).toHaveLength(one.lines.length);
});

test.each([
  { provider: "auth0", content: AUTH0.replace('"u1@example.com"', "7"), known: ["google-oauth2|1", "google-oauth2|2"] },
  { provider: "keycloak", content: REALM.replace('"u1@example.com"', "7"), known: ["u0", "u1"] },
])("migrate $provider: ids of tables that no user has are counted and in the report", async (one) => {
  const { cwd, file } = inFolder(one.content, "users");
  const rows = (ids: readonly string[]): string => ["user_id,what", ...ids.map((id) => `${id},editor`)].join("\n");
  const flags = one.provider === "auth0" ? ["--org-by", "--roles-by"] : ["--org-by"];
  const run = async (ids: readonly string[]) => {
    writeFileSync(join(cwd, "table.csv"), rows(ids));
    const more = one.provider === "auth0" ? ["--passwords", "none", "--grant", "editor=1:2"] : [];
    const tables = flags.flatMap((flag) => [flag, "table.csv"]);
    const argv = ["migrate", one.provider, "--org", "9", "-q", "--users", file, "--report", "report.json", "--force"];
    const { stderr } = await runCli([...argv, ...more, ...tables], { cwd });
    const { unmatchedIds } = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"));
    return { stderr, unmatchedIds };
  };
  // One of the two is rejected: its id is known nevertheless.
  const all = await run(one.known);
  expect(all.stderr).not.toContain("of the table");
  expect(all.unmatchedIds).toBeUndefined();
  const some = await run([...one.known, "wrong-1", "wrong-2", "wrong-2"]);
  for (const flag of flags)
    expect(some.stderr).toContain(`${flag}: 2 ids of the table are no id of a user in the input`);
  expect(some.stderr).not.toContain("wrong-");
  expect(some.unmatchedIds).toEqual(Object.fromEntries(flags.map((flag) => [flag, ["wrong-1", "wrong-2"]])));
});

test("import: --idp with an id that no link has is said, in a dry run and in a run", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  for (const flags of [["--dry-run"], []]) {
    const { stderr } = await runCli(["import", file, "--idp", "google=1", ...flags], { cwd, env: mock.env });
    expect(stderr).toContain(
      "1 entry of --idp is no identity provider of a link or a login policy in the input: google\n",
    );
  }
});

test("copy: --idp is given each night: it is said only of a whole export with links, none of which is of the provider", async () => {
  const idp = { name: "Google", clientId: "x", clientSecret: "y", issuer: "https://g.example" };
  const one = { orgId: "org1", org: { name: "One" }, oidcIdps: [{ idpId: "google", idp }] };
  const userLinks = [{ userId: "u1", idpId: "google", providedUserId: "g1" }];
  const target = await startMock({ seed: { orgs: [one] } });
  const night = async (orgs: object, ...more: readonly string[]) => {
    const source = await startMock({ seed: { orgs: [{ ...one, humanUsers: testUsers(2), ...orgs }] } });
    const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
    const flags = ["--org-id", "org1", "--update", "--idp", "okta=1", ...more];
    const { exitCode, stderr } = await runCli(["copy", ...flags], { cwd: tempDir(), env });
    expect(exitCode, stderr).toBe(0);
    return stderr.includes("1 entry of --idp is no identity provider of a link");
  };
  expect(await night({ userLinks })).toBe(true);
  expect(await night({ userLinks }, "--only", "u1")).toBe(false);
  expect(await night({})).toBe(false);
  expect(await night({ humanUsers: [testUser(1)] }, "--dry-run")).toBe(false);
});
