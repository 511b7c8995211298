import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function folderWith(name: string, content: string | Buffer): string {
  const cwd = tempDir();
  writeFileSync(join(cwd, name), content);
  return cwd;
}

test("an export of Auth0's extension is recognized, and the right command is named", async () => {
  const cwd = folderWith("users.json", JSON.stringify([{ Id: "auth0|1", Email: "a@x.org", "Given Name": "A" }]));
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1"], { cwd });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("orgferry migrate csv --preset auth0");
});

test("a table given as the password file: it is no table of users to migrate alone", async () => {
  const cwd = folderWith("users.json", '{"user_id":"auth0|1","email":"a@x.org","name":"A"}\n');
  writeFileSync(join(cwd, "u.csv"), "id,hash\n1,x\n");
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", "--passwords", "u.csv"], { cwd });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("u.csv: this is a table. --passwords takes JSON.");
  expect(stderr).not.toContain("--users <file>");
});

test("of a folder, a file of the right form is proposed", async () => {
  const cwd = folderWith("users.json", "[]");
  const run = () => runCli(["migrate", "csv", "--org", "1", "--users", "."], { cwd });
  expect((await run()).stderr).toContain(".: is a directory. Name a file.");
  writeFileSync(join(cwd, "users.csv"), "id\n");
  expect((await run()).stderr).toContain("Name a file in it: --users users.csv.");
});

test("a table given to migrate auth0: the right command is named", async () => {
  const cwd = folderWith("users.csv", "user_id,email\nauth0|1,a@x.org\n");
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", "--users", "users.csv"], { cwd });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("orgferry migrate csv --preset auth0");
});

test.each<[string, string | Buffer, string]>([
  [
    "a user file of Auth0",
    '{"user_id":"auth0|1","email":"a@x.org"}\n',
    "is a file for --users of Auth0. Use orgferry migrate auth0 --org <id> --users",
  ],
  ["other JSON", '[\n{"id":"1","mail":"a@x.org"}]', "this is JSON, not a table. Use orgferry migrate json."],
  ["a body", '{"dataOrgs":{"orgs":[]}}', "is an import body already."],
  [
    "UTF-16 without a mark",
    Buffer.from("id,email\n1,a@x.org\n", "utf16le"),
    "this is UTF-16LE without a byte order mark.",
  ],
  [
    "UTF-16 the other way round",
    Buffer.from("id,email\n1,a@x.org\n", "utf16le").swap16(),
    "iconv -f UTF-16BE -t UTF-8",
  ],
])("%s given to migrate csv is recognized, from a file and from a pipe", async (_, content, told) => {
  const cwd = folderWith("t", content);
  const argv = ["migrate", "csv", "--org", "1", "--output", "b.json", "--users"];
  for (const run of [await runCli([...argv, "t"], { cwd }), await runCli([...argv, "-"], { cwd, stdin: content })]) {
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain(told);
  }
});

test("without --org, the message says where the id is", async () => {
  const { exitCode, stderr } = await runCli(["migrate", "auth0"], { cwd: tempDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("required option '--org <id>' not specified. orgferry doctor lists the organizations");
});

test("a user_metadata that is no object is rejected in plain words", async () => {
  const row = '{"user_id":"auth0|1","email":"a@x.org","name":"A","user_metadata":"x"}\n';
  const cwd = folderWith("users.json", row);
  writeFileSync(join(cwd, "passwords.json"), '{"email":"other@x.org","passwordHash":"x"}\n');
  const { stderr } = await runCli(["migrate", "auth0", "--org", "1", "--metadata", "user"], { cwd });
  expect(stderr).toContain("users.json:1: user_metadata: must be an object.");
});

test.each(["okta", "clerk", "cognito"])("migrate %s suggests the preset", async (name) => {
  const { exitCode, stderr } = await runCli(["migrate", name, "--org", "1"], { cwd: tempDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`orgferry migrate csv --preset ${name}`);
});

test.each([
  [
    "csv",
    "login,firstName,lastName,email,secondEmail\na,A,B,a@x.org,\n",
    "clerk",
    2,
    "--preset okta, not of --preset clerk",
  ],
  ["csv", "Nummer,Name\n1,A B\n", "clerk", 2, "Is it a table of --preset clerk?"],
  [
    "json",
    '{"schema_id":"d","traits":{"email":"a@x.org"},"id":"1"}',
    "okta",
    2,
    "--preset kratos, not of --preset okta",
  ],
])(
  "migrate %s with a preset that does not fit the file names the one that does",
  async (provider, rows, preset, code, words) => {
    const cwd = folderWith("u", Buffer.from(rows));
    const { exitCode, stderr } = await runCli(["migrate", provider, "--org", "1", "--users", "u", "--preset", preset], {
      cwd,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(words) });
  },
);

const TABLE = "user_id,email,email_verified,name,given_name,family_name\nauth0|1,zoë@x.org,true,Zoë Ü,Zoë,Ü\n";

test.each([
  ["UTF-16 with tabs", Buffer.from(`\ufeff${TABLE.replaceAll(",", "\t")}`, "utf16le")],
  ["UTF-16, the other way round", Buffer.from(`\ufeff${TABLE}`, "utf16le").swap16()],
  ["UTF-16 in gzip", gzipSync(Buffer.from(`\ufeff${TABLE}`, "utf16le"))],
  ["| between the columns", Buffer.from(TABLE.replaceAll(",", "|").replace("auth0|1", '"auth0|1"'))],
])("a table in %s is read", async (_, content) => {
  const cwd = folderWith("users.csv", content);
  const { exitCode, stderr } = await runCli(["migrate", "csv", "--org", "1"], { cwd });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8")).dataOrgs.orgs[0].humanUsers).toMatchObject([
    { userId: "auth0|1", user: { email: { email: "zoë@x.org" }, profile: { firstName: "Zoë", lastName: "Ü" } } },
  ]);
});

test.each([
  ["with a byte order mark", Buffer.from(`\ufeff${TABLE.replace("true", "maybe")}`), "\ufeff"],
  ["in UTF-16", Buffer.from(`\ufeff${TABLE.replace("true", "maybe")}`, "utf16le"), "\ufeff"],
  ["without a mark", Buffer.from(TABLE.replace("true", "maybe")), ""],
])("the rejects of a table %s open in a spreadsheet as the table did", async (_, content, mark) => {
  const cwd = folderWith("users.csv", content);
  await runCli(["migrate", "csv", "--org", "1"], { cwd });
  const rejects = "importBody.json.rejects/users.csv";
  expect(readFileSync(join(cwd, rejects), "utf8")).toBe(`${mark}${TABLE.replace("true", "maybe")}`);
  const args = ["migrate", "csv", "--org", "1", "--users", rejects, "--value", "emailVerified:maybe=yes"];
  expect(await runCli([...args, "--output", "b.json"], { cwd })).toMatchObject({ exitCode: 0 });
});

test("a folder that holds one realm in one file is read", async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, "export"));
  const users = [{ id: "1", username: "ada", email: "ada@x.org", credentials: [] }];
  writeFileSync(join(cwd, "export", "initech.json"), JSON.stringify({ realm: "initech", users }));
  const argv = ["migrate", "keycloak", "--org", "1", "--users", "export"];
  expect(await runCli(argv, { cwd })).toMatchObject({ exitCode: 0 });
});

test("a folder without the names of an export: its files and folders are named", async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, "all", "deeper"), { recursive: true });
  mkdirSync(join(cwd, "none"));
  for (const name of ["b.json", "a.json"]) writeFileSync(join(cwd, "all", name), '{"realm":"a","users":[]}');
  const run = (folder: string) => runCli(["migrate", "keycloak", "--org", "1", "--users", folder], { cwd });
  expect(await run("all")).toMatchObject({
    exitCode: 3,
    stderr:
      "error: all: contains no files with the names of an export (<realm>-users-<n>.json, <realm>-realm.json). It has a.json, b.json, deeper/: name one of these.\n",
  });
  expect((await run("none")).stderr).toContain("<realm>-realm.json). Is it the right folder?");
});
