import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const orgs = [
  {
    orgId: "a",
    org: { name: "A" },
    humanUsers: [testUser(1)],
    machineUsers: [
      { userId: "m1", user: { userName: "robot", name: 'The "robot"' } },
      { userId: "m2", user: { userName: "=cmd()", name: "Formula" } },
    ],
    projects: [{ projectId: "p", project: { name: "P" } }],
    projectRoles: [
      { projectId: "p", roleKey: "a:b", displayName: "R" },
      { projectId: "p", roleKey: "$" + "{x}", displayName: "R" },
    ],
    apiApps: [{ appId: "app", app: { projectId: "p", name: "App" } }],
    orgMembers: [{ userId: "u1", roles: ["ORG_OWNER"] }],
  },
  { orgId: "b", org: { name: "B" }, humanUsers: [testUser(2)] },
];

async function exported(...flags: readonly string[]) {
  const mock = await startMock({ seed: { orgs } });
  const cwd = tempDir();
  const env = { ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  const run = await runCli(["export", "--org-id", "a", "--org-id", "b", ...flags], { cwd, env });
  return { ...run, cwd, read: (name: string) => readFileSync(join(cwd, name), "utf8") };
}

test("--service-users lists machine users by organization, as no spreadsheet takes for a formula", async () => {
  const { exitCode, stderr, read } = await exported("--service-users", "robots.csv");
  expect(exitCode, stderr).toBe(0);
  const todo =
    '"keys work on the target; create a new personal access token or client secret there, and use it where the old one is used"';
  expect(read("robots.csv").split("\n")).toEqual([
    "org_id,user_id,user_name,name,to_do",
    `a,m1,robot,"The ""robot""",${todo}`,
    `a,m2,'=cmd(),Formula,${todo}`,
    "",
  ]);
  expect(stderr).toContain("wrote robots.csv: 2 service users whose tokens and client secrets stay behind");
});

test("--terraform-imports has a block for each object with an id, with quoted text", async () => {
  const { exitCode, stderr, read } = await exported("--terraform-imports", "imports.tf");
  expect(exitCode, stderr).toBe(0);
  const blocks = [...read("imports.tf").matchAll(/import \{\n {2}to = (\S+)\n {2}id = (".*")\n\}\n/g)];
  expect(blocks.map(([, to, id]) => [to, id])).toEqual(
    expect.arrayContaining([
      ["zitadel_org._a", '"a"'],
      ["zitadel_project._p_a", '"p:a"'],
      ["zitadel_project_role._p_a__SEMICOLON__b_a", '"p:a__SEMICOLON__b:a"'],
      ["zitadel_project_role._p___x__a", JSON.stringify(`p:$\${x}:a`)],
      ["zitadel_application_api._app_p_a", '"app:p:a"'],
      ["zitadel_machine_user._m1_false_a", '"m1:false:a"'],
      ["zitadel_human_user._u2_b", '"u2:b"'],
      ["zitadel_org_member._u1_a", '"u1:a"'],
    ]),
  );
  expect(blocks.map(([whole]) => whole).join("")).toBe(read("imports.tf"));
  expect(new Set(blocks.map(([, to]) => to)).size).toBe(blocks.length);
});

test("a copy writes the table of the source's service users", async () => {
  const [source, target] = [await startMock({ seed: { orgs } }), await startMock()];
  const cwd = tempDir();
  const env = { ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token, ...target.env };
  const args = ["copy", "--org-id", "a", "--service-users", "robots.csv", "--max-mails", "9"];
  const { exitCode, stderr } = await runCli(args, { cwd, env });
  expect(exitCode, stderr).toBe(0);
  expect(readFileSync(join(cwd, "robots.csv"), "utf8").split("\n")).toHaveLength(4);
});

test.each([[["--output", "-"]], [["--gcs-bucket", "b"]]])(
  "with %j, the lists are refused before any call",
  async (flags) => {
    const { exitCode, cwd } = await exported("--service-users", "robots.csv", ...flags);
    expect(exitCode).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
  },
);
