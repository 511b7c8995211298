import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// An export that lacks values must not empty those of the target: only the source's event log shows what was removed.

interface Exported {
  readonly orgs: {
    humanUsers: { userId: string; user: { phone?: object; profile: Record<string, unknown> } }[];
    userMetadata?: { id: string; key: string }[];
  }[];
}

async function send(mock: TestMock, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${mock.token}` };
  const more = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${mock.url}${path}`, { method, headers, ...more });
  const text = await answer.text();
  expect(answer.status, `${method} ${path} ${text}`).toBeLessThan(300);
  return JSON.parse(text);
}

const exportOf = async (mock: TestMock): Promise<Exported> =>
  (await send(mock, "POST", "/admin/v1/export", {
    org_ids: ["org1"],
    with_passwords: true,
    timeout: "1m",
    response_output: true,
  })) as Exported;

const PROFILE = {
  firstName: "Ada",
  lastName: "L",
  nickName: "Al",
  displayName: "Countess",
  preferredLanguage: "de",
  gender: "GENDER_FEMALE",
};

/** A source and a target with `count` users that have every value, copied once. */
async function copied(count: number) {
  const source = await startMock({ mimic: "v4" });
  const target = await startMock({ mimic: "v4" });
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const fields = (n: number) => ({
    phone: { phone: `+4179123${1_000 + n}`, isPhoneVerified: true },
    profile: PROFILE,
  });
  const humanUsers = numbers.map((n) => testUser(n, fields(n)));
  const userMetadata = numbers.flatMap((n) => ["plan", "seat"].map((key) => ({ id: `u${n}`, key, value: "Z29sZA==" })));
  const orgs = [{ orgId: "org1", org: { name: "One" }, humanUsers, userMetadata }];
  await send(source, "POST", "/admin/v1/import", { timeout: "1m", dataOrgs: { orgs } });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = async (more: readonly string[] = [], url = source.url) => {
    const argv = ["copy", "--org-id", "org1", "--with-passwords", "--update", "--json", ...more];
    const { stdout, stderr } = await runCli(argv, { cwd: tempDir(), env: { ...env, ZITADEL_EXPORT_DOMAIN: url } });
    return { report: JSON.parse(stdout), stderr };
  };
  const first = await copy();
  expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: count } });
  return { source, target, copy };
}

/** An export without the values of all users but their names. */
function stripped({ orgs }: Exported): object {
  return {
    orgs: orgs.map(({ userMetadata: _, ...org }) => ({
      ...org,
      humanUsers: org.humanUsers.map(({ user: { phone: __, profile, ...user }, ...rest }) => ({
        ...rest,
        user: { ...user, profile: { firstName: profile["firstName"], lastName: profile["lastName"] } },
      })),
    })),
  };
}

const changes = (target: TestMock): number =>
  target.requests.filter(({ method, path }) => method !== "GET" && /^\/v2\/users\/(human\/)?u\d/.test(path)).length;

test.each([[3], [230]])("an export of %d users that lacks their values empties none on the target", async (count) => {
  const { source, target, copy } = await copied(count);
  const answer = { status: 200, body: stripped(await exportOf(source)) };
  const url = await startFront(source, (path) => (path === "/admin/v1/export" ? answer : undefined));
  const before = await exportOf(target);
  const kept = {
    userId: "u1",
    fields: ["nickName", "displayName", "preferredLanguage", "gender", "phone", "metadata.plan", "metadata.seat"],
  };
  for (const more of [["--dry-run"], [], ["--prefer", "source"]]) {
    const { report, stderr } = await copy(["--settle", "0s", ...more], url);
    expect(report, stderr).toMatchObject({ exitCode: 1, update: { unchanged: count, conflict: [], update: [] } });
    expect(report.update.kept).toHaveLength(count);
    expect(report.update.kept).toContainEqual(kept);
    expect(stderr).toContain("values that the export lacks");
  }
  const { stderr: quiet } = await copy(["--settle", "0s", "--quiet"], url);
  expect(quiet).toContain(`${count} not emptied: The export lacks values`);
  expect(quiet).toMatch(/u1 \(.*\): nickName, .*metadata\.seat/);
  expect(changes(target)).toBe(0);
  expect(await exportOf(target)).toEqual(before);
});

test("a value that the source has removed is emptied, and the others of the same user stay", async () => {
  const { source, target, copy } = await copied(2);
  await send(source, "DELETE", "/v2/users/u1/phone");
  await send(source, "DELETE", "/v2/users/u1/metadata?keys=plan");
  await send(source, "PUT", "/v2/users/human/u1", { profile: { givenName: "Ada", familyName: "L", nickName: "" } });
  const answer = { status: 200, body: stripped(await exportOf(source)) };
  const url = await startFront(source, (path) => (path === "/admin/v1/export" ? answer : undefined));
  const { report, stderr } = await copy(["--settle", "0s"], url);
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    update: { update: [{ userId: "u1", fields: ["nickName", "phone", "metadata.plan"] }] },
  });
  expect(report.update.kept).toContainEqual({
    userId: "u1",
    fields: ["displayName", "preferredLanguage", "gender", "metadata.seat"],
  });
  const [u1] = (await exportOf(target)).orgs[0]?.humanUsers.filter(({ userId }) => userId === "u1") ?? [];
  expect(u1?.user).toMatchObject({ profile: { displayName: "Countess", preferredLanguage: "de" } });
  expect(u1?.user.phone).toBeUndefined();
  const whole = await copy();
  expect(whole.report, whole.stderr).toMatchObject({ exitCode: 0, users: { unchanged: 2 }, update: { kept: [] } });
});

test("import --update of an export in a file empties no value, and says so", async () => {
  const { source, target } = await copied(2);
  const { cwd, file } = inFolder(JSON.stringify(stripped(await exportOf(source))));
  const before = await exportOf(target);
  for (const more of [["--dry-run"], []]) {
    const { stdout, stderr } = await runCli(["import", file, "--update", "--json", ...more], { cwd, env: target.env });
    const report = JSON.parse(stdout);
    expect(report, stderr).toMatchObject({ exitCode: 0, update: { unchanged: 2, kept: [], update: [] } });
    expect(report.update.notInFile.map(({ userId }: { userId: string }) => userId)).toEqual(["u1", "u2"]);
    expect(stderr).toContain("2 users keep values that the file lacks");
  }
  expect(changes(target)).toBe(0);
  expect(await exportOf(target)).toEqual(before);
});

const PEOPLE = [
  ["Karl", "Eins"],
  ["Kira", "Zwei"],
  ["Kuno", "Drei"],
] as const;
const NAMED = PEOPLE.map(([firstName, lastName]) => ({ firstName, lastName, displayName: `${firstName} ${lastName}` }));

/** The users of a table or a realm; "" for a missing name. */
const TABLES: readonly (readonly [string, (people: readonly (readonly string[])[]) => string])[] = [
  [
    "keycloak",
    (people) => {
      const users = people.map(([firstName, lastName], at) => {
        const id = `k${at + 1}`;
        return {
          id,
          username: id,
          email: `${id}@example.com`,
          emailVerified: true,
          firstName,
          lastName,
          credentials: [],
        };
      });
      return JSON.stringify({ realm: "r", users });
    },
  ],
  [
    "csv",
    (people) => {
      const rows = people.map((names, at) => [`k${at + 1}`, `k${at + 1}@example.com`, "yes", ...names].join(","));
      return ["user_id,email,email_verified,first_name,last_name", ...rows].join("\n");
    },
  ],
];

test.each(TABLES)(
  "migrate %s: a name that stands for a missing one gives way to it, and replaces none",
  async (source, tableOf) => {
    const target = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const cwd = tempDir();
    const update = async (people: readonly (readonly string[])[]) => {
      writeFileSync(join(cwd, "users"), tableOf(people));
      const preset = source === "csv" ? ["--preset", "generic"] : [];
      const migrated = [
        "migrate",
        source,
        "--users",
        "users",
        "--output",
        "body.json",
        "--org",
        "org1",
        "--force",
        ...preset,
      ];
      const migration = await runCli(migrated, { cwd });
      expect(migration.exitCode, migration.stderr).toBe(0);
      const argv = ["import", "body.json", "--update", "--no-mail", "--json"];
      const { stdout, stderr } = await runCli(argv, { cwd, env: target.env });
      expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0 });
      return JSON.parse(stdout).update;
    };
    const profiles = async () => (await exportOf(target)).orgs[0]?.humanUsers.map(({ user }) => user.profile);
    const incomplete = PEOPLE.map(([first, last], at) => [at === 1 ? first : "", at === 0 ? last : ""]);
    await update(incomplete);
    expect(await profiles()).toMatchObject([{ displayName: "Eins" }, { displayName: "Kira" }, {}]);
    expect(await update(PEOPLE)).toMatchObject({
      update: [
        { userId: "k1", fields: ["firstName", "displayName"] },
        { userId: "k2", fields: ["lastName", "displayName"] },
        { userId: "k3", fields: ["firstName", "lastName", "displayName"] },
      ],
      notInFile: [],
    });
    expect(await profiles()).toMatchObject(NAMED);
    const kept = await update(incomplete);
    expect(kept.update).toEqual([]);
    expect(kept.notInFile.map(({ userId }: { userId: string }) => userId)).toEqual(["k1", "k2", "k3"]);
    expect(await profiles()).toMatchObject(NAMED);
  },
);
