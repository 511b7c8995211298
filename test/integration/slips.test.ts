import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { inFolder } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const env = { ZITADEL_IMPORT_DOMAIN: "http://127.0.0.1:9", PAT_IMPORT_TOKEN: "pat" };

test.each([
  [
    "a table",
    "users.csv",
    "id,email\n1,ann@example.com\n",
    "this is a table. Make an import body of it: orgferry migrate csv",
  ],
  ["a quoted table", "users.csv", '"id";"email"\n"1";"ann@example.com"\n', "orgferry migrate csv"],
  ["JSON of users", "users.json", '[{"schema_id":"default","traits":{}}]', "orgferry migrate json --org <id>"],
  [
    "a manifest",
    "x.manifest.ndjson",
    '{"kind":"manifest","schemaVersion":1}\n',
    "this is the manifest of an import or a copy",
  ],
])("%s given to import or verify: the right command is named", async (_, name, content, words) => {
  const { cwd } = inFolder(content, name);
  for (const command of ["import", "verify"]) {
    const { exitCode, stderr } = await runCli([command, name], { cwd, env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining(words) });
  }
});

const body = '{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":[]}]},"timeout":"5m0s"}';
const exported = '{"orgs":[{"orgId":"1","humanUsers":[]}]}';
const report = '{"schemaVersion":1,"command":"import","version":"0.1.0"}';

test.each([
  [
    "undo",
    "b.json",
    body,
    "b.json: is an import body, not a manifest; no user was deleted. The manifest of its import is b.json.manifest.ndjson, of later imports b.json-2.manifest.ndjson and so on",
  ],
  ["undo", "e.json", exported, "e.json: is an export of an instance, not a manifest"],
  [
    "undo",
    "r.json",
    report,
    'r.json: is a report of orgferry, not a manifest; no user was deleted. The report of an import or a copy names the manifest: "manifest".',
  ],
  [
    "status",
    "b.json",
    body,
    "b.json: is an import body, not a journal. While its import is not finished, its journal is b.json.journal.ndjson",
  ],
  ["status", "e.json", exported, "e.json: is an export of an instance, not a journal."],
  [
    "status",
    "r.json",
    report,
    'r.json: is a report of orgferry, not a journal. The report of an import that is not finished has the command that continues it: "resume".',
  ],
  ["undo", "empty", "", "empty: not a manifest of orgferry, or an incomplete one; no user was deleted."],
  ["status", "t.csv", "id,email\n1,a@example.com\n", "t.csv: not a journal of an import. While an import"],
  ["status", "empty", "", "empty: not a journal of an import. While an import is not finished, its journal is beside"],
  [
    "migrate keycloak --org 1 --users",
    "passwords.json",
    '{"ann":{"password":"x"}}',
    'passwords.json: this is JSON without the list "users". Is it the right file? JSON of other systems is read by orgferry migrate json.',
  ],
  ["verify", "r.json", report, "r.json: is a report of orgferry. Name the body or the export."],
  ["import", "r.json", report, "r.json: is a report of orgferry. Name the body or the export."],
  ["invite", "r.json", report, "r.json: is a report of orgferry. Name the body or the export."],
  ["migrate auth0 --org 1 --users", "r.json", report, "r.json: is a report of orgferry. Name the file with the users."],
  ["migrate json --org 1 --users", "r.json", report, "r.json: is a report of orgferry. Name the file with the users."],
  [
    "migrate json --org 1 --users",
    "b.json",
    body,
    "b.json: is an import body already. Import it with orgferry import b.json.",
  ],
  [
    "migrate json --org 1 --users",
    "e.json",
    exported,
    "e.json: is an export of an instance. Import it with orgferry import e.json.",
  ],
])("%s %s: the message says what the file is, and what to do", async (command, name, content, words) => {
  const { cwd } = inFolder(content, name);
  const { exitCode, stderr } = await runCli([...command.split(" "), name], { cwd, env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining(words) });
});

const table = "id,email\n1,ann@example.com\n";
const random = Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 89) % 251));
const image = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), random]);
const hex = (bytes: string): Buffer => Buffer.concat([Buffer.from(bytes, "hex"), random]);
const asc = "-----BEGIN PGP MESSAGE-----\n\njA0ECQMK\n=abcd\n-----END PGP MESSAGE-----\n";
const decrypt = "this is encrypted with PGP. Decrypt it: gpg --decrypt <file> | orgferry";
const journal = '{"kind":"job","schemaVersion":5,"id":"1"}\n{"kind":"batch"}\n';
const reasons = '{"file":"b.json","line":2,"code":"already-there","type":"human_user","id":"u1","message":"m"}\n';
const rowReasons =
  '{"file":"a \\"b\\".csv","line":2,"rejectLine":1,"code":"field.email","field":"email","message":"m"}\n';
const state = '{"orgferry":"state","version":3}\n';

test.each([
  ["import", "t.csv", table, "this is a table. Make an import body of it: orgferry migrate csv"],
  ["import", "rnd", random, "this is binary data, not text. Name the body or the export."],
  ["import", "i.png", image, "this is an image. Name the body or the export."],
  ["import", "page.html", "<!DOCTYPE html><html></html>", "this is a web page or XML."],
  ["import", "t.xlsx", Buffer.concat([Buffer.from("PK\x03\x04"), random]), 'save the table as "CSV UTF-8"'],
  ["import", "b.asc", asc, `${decrypt} … -`],
  ["import", "b.pgp", hex("8c0d04090302"), `${decrypt} … -`],
  ["migrate auth0 --org 1 --users", "u.asc", asc, `${decrypt} migrate auth0 … --users -`],
  ["migrate auth0 --org 1 --users", "u.gpg", hex("85010c03"), `${decrypt} migrate auth0 … --users -`],
  ["migrate csv --org 1 --users", "u.gpg", hex("c1c14c03"), `${decrypt} migrate csv … --users -`],
  ["import", "j.ndjson", journal, "this is the journal of an import that is not finished. orgferry status <file> has"],
  ["import", "reasons.ndjson", reasons, "this is the list of reasons why users were rejected or failed. The users are"],
  ["migrate csv --org 1 --users", "reasons.ndjson", rowReasons, "those of an import in body.json. Name the file for"],
  ["import", "x.state", state, "this is the state file of a copy. It belongs to orgferry copy --state."],
  ["import", "empty.gz", gzipSync(""), "empty.gz: is empty."],
  ["import", "blank", " \n\n", "blank: is empty."],
  ["migrate json --org 1 --users", "t.csv", table, "this is a table. Make an import body of it: orgferry migrate csv"],
  ["migrate json --org 1 --map userId=id,email=email --users", "t.csv", table, "this is a table."],
  ["migrate keycloak --org 1 --users", "t.csv", table, "this is a table."],
  ["migrate keycloak --org 1 --users", "rnd", random, "this is binary data, not text. Name the file for --users."],
  ["migrate json --org 1 --users", "empty", "", "empty: contains no rows."],
  ["migrate json --org 1 --users", "e.json", "[]\n", "e.json: contains no rows. Is it the right file?"],
  ["migrate json --org 1 --users", "e.json", "{ }", "e.json: contains no rows. Is it the right file?"],
  ["migrate csv --org 1 --users", "empty", "", "empty: contains no rows."],
  ["migrate csv --org 1 --users", "i.png", image, "this is an image."],
  ["migrate auth0 --org 1 --users", "j.ndjson", journal, "this is the journal of an import"],
])("%s %s: a file of another kind is named before anything is read or sent", async (command, name, content, words) => {
  const { cwd } = inFolder(content, name);
  const { exitCode, stderr } = await runCli([...command.split(" "), name], { cwd, env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining(words) });
});

test("migrate json reads an export if a flag says where its users are", async () => {
  const user = { id: "7", mail: "ann@example.com" };
  const { cwd } = inFolder(JSON.stringify({ orgs: [user] }), "e.json");
  const args = [
    "migrate",
    "json",
    "--org",
    "1",
    "--users",
    "e.json",
    "--list",
    "orgs",
    "--map",
    "userId=id,email=mail",
  ];
  const { exitCode, stderr } = await runCli(args, { cwd });
  expect(exitCode, stderr).toBe(0);
});

test.each([
  [["migrate", "auth0", "--org", "1", "--users", "users.json", "--output", "folder"]],
  [["export", "--output", "folder"]],
  [["migrate", "auth0", "--org", "1", "--users", "users.json", "--report", "folder"]],
])("%j: an output that is a folder is refused before any work", async (argv) => {
  const { cwd } = inFolder('{"user_id":"auth0|1","email":"ann@example.com"}', "users.json");
  mkdirSync(join(cwd, "folder"));
  const { exitCode, stderr } = await runCli(argv, {
    cwd,
    env: { ZITADEL_EXPORT_DOMAIN: "http://127.0.0.1:9", PAT_EXPORT_TOKEN: "pat" },
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: "error: folder: is a directory. Name a file in it.\n" });
});

test.each(["{}", '[{"kind":"Pod"},{"kind":"Job"}]'])(
  "%s given to migrate auth0: no row is a user of Auth0",
  async (content) => {
    const { cwd } = inFolder(content, "users.json");
    const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1"], { cwd });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: expect.stringMatching(
        /users\.json: this is JSON without a user_id and an e-mail address.*orgferry fetch auth0/,
      ),
    });
    expect(readdirSync(cwd)).toEqual(["users.json"]);
  },
);

test("a file that ends within its last row: the message says that the file is incomplete", async () => {
  const { cwd } = inFolder('{"user_id":"auth0|1","email":"ann@example.com"}\n{"user_id":"auth0|2","ema', "users.json");
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1"], { cwd });
  const words =
    "users.json:2: invalid JSON: the row is cut off. If it is the last row, the file is incomplete: export or copy it again.";
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(words) });
});

test.each([
  [["help", "imprt"], "Did you mean import?"],
  [["export", "--organisation", "1"], "Did you mean --org-id?"],
  [["migrate", "auth0", "--organization=1"], "Did you mean --org?"],
  [["import", "x.json", "--source-token-file", "t"], "Did you mean --token-file?"],
  [["export", "--source-token-file=t"], "Did you mean --token-file?"],
  [["import", "x.json", "--target-limits", "none"], "'--target-limits': it is a flag of orgferry migrate"],
  [["verify", "x.json", "--target-verifiers=bcrypt"], "'--target-verifiers': it is a flag of orgferry migrate"],
  [["import", "--org", "1", "x"], "'--org': it is a flag of orgferry migrate, mock\n(Did you mean --org-map?)"],
  [["migrate", "auth0", "--update"], "'--update': it is a flag of orgferry import, copy\n"],
  [["migrate", "auth0", "--preset", "x"], "'--preset': it is a flag of orgferry migrate csv, migrate json\n"],
  [["copy", "--users=x"], "'--users': it is a flag of orgferry migrate\n"],
  [["verify", "--delete"], "'--delete': it is a flag of orgferry copy\n"],
  [["import", "x.json", "--batch-size", "0"], "'--batch-size'\n(Did you mean --batch-users?)"],
  [["export", "--with-password"], "Did you mean --with-passwords?"],
  [["copy", "--max-mail", "0"], "'--max-mail'\n(Did you mean --max-mails?)"],
  [["import", "b", "--max-mals=0"], "'--max-mals'\n(Did you mean --max-mails?)"],
  [["import", "b", "--insecure"], "Did you mean --insecure-http?"],
  [["import", "b", "--batch"], "Did you mean --batch-users or --batch-bytes?"],
  [["copy", "--verifyy"], "Did you mean --verify?"],
  [["migrate", "auth0", "-o", "x"], "unknown option '-o'\n(Did you mean --output?)"],
  [["migrate", "auth0", "--file", "x"], "Did you mean --users?"],
  [["import", "--url=x", "b"], "Did you mean --target?"],
  [["import", "b", "-dry-run"], "Did you mean --dry-run?"],
  [
    ["import", "b", "-\u2013dry-run"],
    "it has a long dash, and a flag begins with two hyphens\n(Did you mean --dry-run?)",
  ],
  [
    ["migrate", "firebase", "--users", "fb.json"],
    "'firebase' is a preset: use orgferry migrate csv --preset firebase (for CSV) or orgferry migrate json --preset firebase (for JSON)",
  ],
  [["migrate", "supabase"], "use orgferry migrate csv --preset supabase (for CSV)\n"],
  [["fetch", "okta", "--domain", "x"], "unknown provider 'okta': fetch reads Auth0 only (orgferry fetch auth0)"],
  [["fetch"], "Usage: orgferry fetch"],
  [["copy", "--target-token-file", "a", "--target-token-file", "b"], "--target-token-file is given twice"],
  [["migrate", "auth0", "-users=u.json"], "Did you mean --users?"],
  [
    ["migrate", "csv", "\u2014org", "1"],
    "'\u2014org': it has a long dash, and a flag begins with two hyphens\n(Did you mean --org?)",
  ],
  [["import", "b.json", "\u2013-dry-run"], "(Did you mean --dry-run?)"],
  [["auth0"], "unknown command 'auth0'\n(Did you mean migrate auth0?)\n"],
  [["foo"], "unknown command 'foo'\n(orgferry --help lists the commands)\n"],
  [["--foo"], "(orgferry --help lists the commands)\n"],
  [["migrate", "foo"], "(add the provider and --help for the flags)\n"],
  [["export", "body.json"], "with --output body.json; to send a file, use orgferry import body.json"],
  [
    ["copy", "export.json"],
    "'export.json' has no flag: copy reads the source instance, not a file; to send a file, use orgferry import export.json",
  ],
  [
    ["migrate", "export.json"],
    "'export.json' is no provider: name the provider first, and a file with --users, such as orgferry migrate csv --users export.json; to send an import body or an export, use orgferry import export.json",
  ],
  [["help", "migrate", "okta"], "'okta' is a preset: use orgferry migrate csv --preset okta (for CSV)"],
  [["help", "migrate", "foo"], "unknown provider 'foo'\n  orgferry migrate auth0"],
  [["help", "fetch", "okta"], "unknown provider 'okta': fetch reads Auth0 only"],
  [["help", "import", "foo"], "unknown command 'import foo'"],
  [["migrate", "csv", "--org", "1", "--org-id", "2"], "--org is given twice: --org-id is another name of it\n"],
  [["export", "--token-file", "a", "--target-token-file=b"], "--token-file is given twice: --target-token-file is"],
  [
    ["migrate", "csv", "--org", "1", "--delimiter", ";"],
    "unknown option '--delimiter': no flag is needed, because orgferry recognizes comma, semicolon and tab\n",
  ],
  [
    ["migrate", "csv", "--org", "1", "--encoding=latin1"],
    "unknown option '--encoding': no flag is needed, because orgferry recognizes UTF-8 and UTF-16",
  ],
  [["import", "x", "--concurrency", "lots"], "It must be auto or a whole number from 1."],
  [
    ["import", "--file", "body.json"],
    "unknown option '--file': the file needs no flag\n(Did you mean orgferry import <files>?)",
  ],
])("%j is answered with what is meant", async (argv, words) => {
  const { exitCode, stderr } = await runCli(argv, { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(words) });
});

test.each([
  ["https://example.zitadel.cloud", "no such file. An address is the value of a flag, such as --target."],
  ["\u2014foo", "no such file. Its first character is a long dash: a flag begins with two hyphens."],
])("%s among the files of import: the message says what it is", async (word, words) => {
  const { exitCode, stderr } = await runCli(["import", word], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining(words) });
});

test.each([
  [["--users", "u*.json"], "u*.json: no such file. orgferry expands no pattern in --users"],
  [
    ["--users", "https://a.example"],
    "This is an address, and --users takes a file: download it first. Or were the values",
  ],
])("a value of --users that is no file is answered with what is meant: %j", async (flags, text) => {
  const { exitCode, stderr } = await runCli(["migrate", "csv", "--org", "1", ...flags], { cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining(text) });
});

test("--quiet and --verbose contradict each other", async () => {
  const { exitCode, stderr } = await runCli(["import", "b.json", "--quiet", "--verbose"], { env, cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: "error: --quiet and --verbose cannot be used together. Use one of them.\n",
  });
});

test.each(["165617390198000897", "1", '"17"'])("a number in place of the address is refused: %s", async (address) => {
  const { exitCode, stderr } = await runCli(["import", "b.json", "--target", address], { env, cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("is a number, as ids are") });
});

test.each(["Status:", "state:actif", "state:", "state:actif=", "actif=active"])(
  "--value %s: the form is shown by an example",
  async (value) => {
    const { cwd } = inFolder("id,mail,status\n1,ann@example.com,aktiv\n", "users.csv");
    const argv = ["migrate", "csv", "--org", "1", "--map", "userId=id,email=mail,state=status", "--value", value];
    const { exitCode, stderr } = await runCli(argv, { cwd });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining("such as state:actif=active"),
    });
  },
);

/** Root may read everything, so the folder is read as another user. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test("a file of another provider in a folder is named, with a command that reads it", async () => {
  const { cwd } = inFolder('[{"user_id":"auth0|1","email":"a@example.com","identities":[]}]', "users.json");
  mkdirSync(join(cwd, "export"));
  renameSync(join(cwd, "users.json"), join(cwd, "export/users.json"));
  const { exitCode, stderr } = await runCli(["migrate", "keycloak", "--org", "1", "--users", "export"], { cwd });
  const words =
    "export/users.json: is a file for --users of Auth0. Use orgferry migrate auth0 --org <id> --users export/users.json\n";
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining(words) });
});

test.each(["keycloak", "json", "csv"])("migrate %s: a folder that may not be read is exit 3", async (provider) => {
  const cwd = tempDir();
  chmodSync(cwd, 0o777);
  mkdirSync(join(cwd, "unread"), { mode: 0 });
  symlinkSync("loop", join(cwd, "loop"));
  for (const [name, reason] of [
    ["unread", "EACCES"],
    ["loop", "ELOOP"],
  ] as const) {
    const argv = ["migrate", provider, "--org", "1", "--users", name];
    const { exitCode, stderr } = await asOrdinaryUser(() => runCli(argv, { cwd }));
    const words = expect.stringContaining(`${name}: cannot be read (${reason}).`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: words });
    expect(stderr.includes("change the permissions of the file or its folder")).toBe(reason === "EACCES");
  }
});

test("one part of an export of Keycloak: the other parts of the realm are named, also with --quiet", async () => {
  const part = (id: string): string =>
    JSON.stringify({ realm: "acme", users: [{ id, username: id, email: `${id}@example.com`, credentials: [] }] });
  const cwd = tempDir();
  for (const number of [0, 2, 10]) writeFileSync(join(cwd, `acme-users-${number}.json`), part(`u${number}`));
  for (const other of ["my-acme-users-1.json", "acme-realm.json"]) writeFileSync(join(cwd, other), part("other"));
  const migrate = (users: string) => runCli(["migrate", "keycloak", "--org", "1", "-q", "--users", users], { cwd });
  expect(await migrate("acme-users-2.json")).toMatchObject({
    exitCode: 0,
    stderr:
      "warning: acme-users-2.json is one part of an export. Other parts in its folder are not read: acme-users-0.json, acme-users-10.json. To read all parts, use --users .\n",
  });
  for (const whole of [".", "acme-realm.json", "my-acme-users-1.json"])
    expect((await migrate(whole)).stderr).not.toContain("one part of an export");
});

test.each([
  ["Keycloak", "keycloak", '{"realm":"acme","users":[{"id":"1","username":"ann"}]}'],
  ["Auth0", "auth0", '{"user_id":"auth0|1","email":"ann@example.com","nickname":"Ann"}'],
])("a file of %s given to migrate json: its command is named", async (title, id, content) => {
  const { cwd, file } = inFolder(content, "u.json");
  const { exitCode, stderr } = await runCli(["migrate", "json", "--org", "1", "--users", file], { cwd });
  const words = `If this is a file of ${title}, use orgferry migrate ${id}. Otherwise: `;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(words) });
});

test("a body without users says that none was selected, and not that a row could not be written", async () => {
  const { cwd, file } = inFolder("id,email\n1,ann@example.com\n", "u.csv");
  const argv = ["migrate", "csv", "--org", "1", "--preset", "generic", "--users", file, "--only", "nobody"];
  expect((await runCli(argv, { cwd })).stderr).toContain(
    "the import body has no users, because none is selected by --only, --where and --limit: there is nothing to import.",
  );
});

test("a body without users says that some were rejected and others not selected, and what --where compares", async () => {
  const { cwd, file } = inFolder("id,email,state\n1,ann@example.com,actif\n2,bob@,actif\n", "u.csv");
  const flags = ["--preset", "generic", "--value", "state:actif=active", "--where", "state=actif", "--users", file];
  const { stderr } = await runCli(["migrate", "csv", "--org", "1", ...flags], { cwd });
  expect(stderr).toContain(
    "because of 1 user that could be written, --only, --where and --limit select none (--where compares the values of the body, such as state=active)",
  );
});

test("--value of a field that no column is read as: the flag that names the column", async () => {
  const { cwd, file } = inFolder("id;email;Geprüft\n1;ann@example.com;ja\n", "u.csv");
  const flags = ["--preset", "generic", "--value", "emailVerified:ja=true", "--users", file];
  const { stderr } = await runCli(["migrate", "csv", "--org", "1", ...flags], { cwd });
  expect(stderr).toContain("--value: no column is read as emailVerified. Name it with --map emailVerified=<column>.");
  expect(stderr).toContain("not read       Geprüft; --map <field>=<column> reads a column as a field");
});
