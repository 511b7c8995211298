import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareSync } from "bcryptjs";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../src/problem.ts";
import { type CliWorld, runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Migrates a table and gives what it left behind. */
async function migrate(table: string, args: readonly string[], world: CliWorld = {}) {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.csv"), table);
  const result = await runCli(["migrate", "csv", "--org", "1", "--report", "report.json", ...args], { cwd, ...world });
  const report = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"));
  const body = existsSync(join(cwd, "importBody.json"))
    ? JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"))
    : undefined;
  return { ...result, cwd, report, users: body?.dataOrgs.orgs[0].humanUsers };
}

/** Everything in a folder, as one text. */
function everythingIn(folder: string, except: (name: string) => boolean): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !except(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

test("the summary counts the users whose address --email-domain made, and says that it receives no e-mail", async () => {
  const args = ["--map", "userId=id,userName=id,email=email", "--email-domain", "users.example.com"];
  const { stderr } = await migrate("id,email\n1,\n2,ann@example.com\n", args);
  expect(stderr).toContain("1 user has no e-mail address at the source; an unverified one was made");
  expect(stderr).toContain("receives no e-mail unless that mailbox exists");
});

test.each(["firstName", "nickName", "displayName", "name"])(
  "a column of hashes that is mapped to %s is a warning, also with --quiet",
  async (field) => {
    const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
    const table = `id,email,pw\n1,a@example.com,${hash}\n2,b@example.com,\n`;
    const { stderr, report } = await migrate(table, ["--map", `userId=id,email=email,${field}=pw`, "--quiet"]);
    expect(stderr).toContain("warning: 1 user has what looks like a password hash as a name");
    expect(report).toMatchObject({ remarks: { "hash-as-name": 1 }, remarkedUsers: { "hash-as-name": ["1"] } });
    const right = await migrate(table, ["--map", "userId=id,email=email,hash=pw"]);
    expect(right.stderr).not.toContain("looks like a password hash");
  },
);

describe("a column of hashes with another name than the usual ones", () => {
  const HASH = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
  const TABLE = `Kundennr.,E-Mail,Passwort (Hash),Sitzung\n1,a@example.com,,${"ab".repeat(16)}\n2,b@example.com,${HASH},${"cd".repeat(16)}\n3,c@example.com,,\n`;
  const MAP = "userId=Kundennr.,email=E-Mail";

  test("is proposed as hash", async () => {
    const { exitCode, stderr, report } = await migrate(TABLE, []);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain(HASH);
    expect(report.problems).toMatchObject([{ mapping: `${MAP},hash=Passwort (Hash)` }]);
  });

  test.each([[], ["--same-email", "reject"]])("is read by --preset generic, also with %s", async (...flags) => {
    const { exitCode, stderr, users, report } = await migrate(TABLE, ["--preset", "generic", ...flags]);
    expect(exitCode, stderr).toBe(0);
    expect(users).toMatchObject([
      { userId: "1" },
      { userId: "2", user: { hashedPassword: { value: HASH } } },
      { userId: "3" },
    ]);
    expect(users[0].user).not.toHaveProperty("hashedPassword");
    expect(stderr).toContain("read from Passwort (Hash), by its values");
    expect(report.columns).toMatchObject({ hashByValues: "Passwort (Hash)", unreadHashes: [] });
  });

  test("is a warning if it is not read and no hash is, also with --quiet", async () => {
    const { stderr, report } = await migrate(TABLE, ["--map", MAP, "--quiet"]);
    expect(stderr).toContain("warning: Passwort (Hash) is not read and has what looks like password hashes");
    expect(stderr).toContain("add --map hash=<name>.");
    expect(stderr).not.toContain(HASH);
    expect(report.columns).toMatchObject({ unreadHashes: ["Passwort (Hash)"] });
    const right = await migrate(TABLE, ["--map", `${MAP},hash=Passwort (Hash)`]);
    expect(right.stderr).not.toContain("is not read and has");
  });

  test("is proposed, and named if it is not read, in JSON as well", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "users.json"), JSON.stringify([{ id: 1, email: "a@example.com", login: { hash: HASH } }]));
    const args = ["migrate", "json", "--org", "1"];
    const { stderr } = await runCli(args, { cwd });
    expect(stderr).toContain("--map userId=id,email=email,hash=login.hash");
    const mapped = await runCli([...args, "--map", "userId=id,email=email"], { cwd });
    expect(mapped.stderr).toContain("warning: login.hash is not read and has what looks like password hashes");
    expect(stderr + mapped.stderr).not.toContain(HASH);
  });
});

describe("a column that is not read and says that users are closed or deleted", () => {
  const TABLE = [
    "id;email;aktiv;gesperrt am;Gelöscht;locked",
    "1;a@example.com;ja;;nein;0",
    "2;b@example.com;ja;01.05.2024;nein;0",
    "3;c@example.com;ja;;ja;0",
    "4;d@example.com;nein;;nein;1",
  ].join("\n");
  const MAP = "userId=id,email=email";

  test("is a warning with the map that reads it, if the user is written as open", async () => {
    const { stderr, report } = await migrate(TABLE, ["--map", `${MAP},state=aktiv`, "--quiet"]);
    expect(stderr).toContain(
      "warning: gesperrt am, Gelöscht are not read and say that users are closed or deleted, and these users are written as open. To read them, add --map 'deleted=Gelöscht,state=aktiv|gesperrt am'.",
    );
    const states = [
      { place: "gesperrt am", field: "state" },
      { place: "Gelöscht", field: "deleted" },
    ];
    expect(report.columns).toMatchObject({ unreadStates: states });
  });

  test.each(["deleted=Gelöscht,state=aktiv|gesperrt am", "metadata.g=Gelöscht,metadata.s=gesperrt am,state=aktiv"])(
    "is none if it is read: %s",
    async (read) => {
      const { stderr, report } = await migrate(TABLE, ["--map", `${MAP},${read}`]);
      expect(stderr).not.toContain("closed or deleted");
      expect(report.columns).toMatchObject({ unreadStates: [] });
    },
  );

  test("is none without such a value, and names paths of JSON", async () => {
    const open = await migrate("id,email,deleted_at,blocked\n1,a@example.com,NULL,false\n", ["--map", MAP]);
    expect(open.stderr).not.toContain("closed or deleted");
    const cwd = tempDir();
    const others = { group: { active: false }, deletedAt: null, account: { locked: true } };
    const users = [{ id: 1, email: "a@example.com", active: false, ...others }];
    writeFileSync(join(cwd, "users.json"), JSON.stringify(users));
    const { stderr } = await runCli(["migrate", "json", "--org", "1", "--map", MAP], { cwd });
    expect(stderr).toContain("warning: active, account.locked are not read and say");
    expect(stderr).toContain("add --map 'state=active|account.locked'.");
  });
});

test("--preset generic knows the German words for blocked and deleted accounts", async () => {
  const table = "Kundennr;E-Mail;Blockiert;Gelöscht\n1;a@example.com;1;0\n2;b@example.com;0;1\n3;c@example.com;0;0\n";
  const { exitCode, users, stderr, report } = await migrate(table, ["--preset", "generic"]);
  expect(exitCode, stderr).toBe(0);
  expect(users).toMatchObject([
    { userId: "1", state: "USER_STATE_INACTIVE" },
    { userId: "3", state: "USER_STATE_ACTIVE" },
  ]);
  expect(report).toMatchObject({ leftOut: { deleted: 1 } });
});

test("a rejected row with the id of a user who is written does not give that user its name", async () => {
  const table = "id,name,mail,state\n1,ann,a@example.com,locked\n1,bob,b@example.com,active\n";
  const { report } = await migrate(table, ["--map", "userId=id,userName=name,email=mail,state=state"]);
  expect(report).toMatchObject({ loginNames: { 1: "ann" }, problems: [{ code: "user.duplicate-id", id: "1" }] });
});

describe("one id, and one of its rows says that the user is deleted", () => {
  const FLAGS = ["--map", "userId=id,email=mail,deleted=deleted"];
  const ACTIVE = "1,a@example.com,no";
  const DELETED = "1,a@example.com,yes";

  test.each([
    ["the deleted one first", [DELETED, ACTIVE], [], 1],
    ["the other one first", [ACTIVE, DELETED], ["1"], 0],
    ["a third one behind", [DELETED, "2,b@example.com,no", DELETED], ["2"], 2],
  ])("%s: the first row decides, and the other one is named", async (_, rows, written, leftOut) => {
    const { exitCode, report, users, stderr } = await migrate(`id,mail,deleted\n${rows.join("\n")}\n`, FLAGS);
    expect((users ?? []).map(({ userId }: { readonly userId: string }) => userId)).toEqual(written);
    expect(report.users).toMatchObject({
      read: rows.length,
      leftOut,
      rejected: rows.length - written.length - leftOut,
    });
    if (leftOut === 2) return;
    expect(exitCode).toBe(1);
    expect(stderr).toContain("the row at line 2 has the same id, and one of the two says that the user is deleted");
  });
});

test.each([
  ["userId", "#NV,a@example.com,Ann"],
  ["userId", "'1013,a@example.com,Ann"],
  ["userId", "1.03E+12,a@example.com,Ann"],
  ["email", "1,'a@example.com,Ann"],
  ["firstName", "1,a@example.com,#REF!"],
])("what a spreadsheet damaged is no %s", async (field, row) => {
  const table = `userId,email,firstName\n${row}\n2,o'neill@example.com,'t\nE+12,b@example.com,#1\n`;
  const { exitCode, report, users } = await migrate(table, ["--preset", "generic"]);
  expect(exitCode).toBe(1);
  expect(report.problems).toMatchObject([{ code: "field.spreadsheet", field, line: 2 }]);
  expect(users).toMatchObject([{ userId: "2" }, { userId: "E+12" }]);
});

test("apostrophes of a spreadsheet: none is a part of a word, and one alone is an empty cell", async () => {
  const table = `id,mail,firstName,status,gelöscht,bestätigt,phone
1,o'neill@example.com,'t Hooft,'aktiv,',ja,'+49 171 1234567
2,b@example.com,',',,',
3,c@example.com,'Ofa,'unbekannt,'nein,'nein,'
4,d@example.com,Di,'deaktiviert,'nein,'12.03.2024,
5,e@example.com,Ed,aktiv,'ja,,
`;
  const flags =
    "userId=id,email=mail,firstName=firstName,state=status,deleted=gelöscht,emailVerified=bestätigt,phone=phone";
  const { exitCode, report, users, stderr } = await migrate(table, ["--map", flags]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("unbekannt");
  expect(report.problems).toMatchObject([{ code: "field.word", field: "status", line: 4 }]);
  expect(report).toMatchObject({
    users: { read: 5, written: 3, rejected: 1 },
    leftOut: { deleted: 1 },
    remarks: { "stays-inactive": 1 },
  });
  expect(users).toMatchObject([
    {
      userId: "1",
      user: {
        profile: { firstName: "'t Hooft" },
        email: { email: "o'neill@example.com", isEmailVerified: true },
        phone: { phone: "+491711234567" },
      },
    },
    { userId: "2", user: { profile: { firstName: "b@example.com" } } },
    { userId: "4", user: { email: { isEmailVerified: true } } },
  ]);
});

test("rows without any value are no rows, also before the header", async () => {
  const table =
    ";;;\r\nuserId;email;firstName;hash\r\n;;;\r\n1;a@example.com;Ann;\r\n;;;;;\r\n;;\r\n;b@example.com;;\r\n;;;";
  const { exitCode, report, users } = await migrate(table, ["--preset", "generic", "--map", "hash=hash"]);
  expect(exitCode).toBe(1);
  expect(report.users).toMatchObject({ read: 2, written: 1, rejected: 1 });
  expect(report.problems).toMatchObject([{ code: "field.missing", field: "userId", line: 7 }]);
  expect(users).toHaveLength(1);
});

test.each(["nicht aktiv", "not_active", "isNotActive", "not locked", "ohne Sperre", "aktiv/inaktiv", "nie gesperrt"])(
  "a column that is called %s does not say what yes means",
  async (column) => {
    const map = ["--map", `userId=id,email=mail,state=${column}`];
    const { report, stderr } = await migrate(`id,mail,${column}\n1,a@example.com,x\n2,b@example.com,no\n`, map);
    expect(report.reasons, stderr).toEqual({ "field.word": 2 });
    const words = await migrate(`id,mail,${column}\n1,a@example.com,x\n2,b@example.com,no\n`, [
      ...map,
      ...["--value", "state:x=inactive", "--value", "state:no=active"],
    ]);
    expect(words.users.map(({ state }: { state: string }) => state)).toEqual([
      "USER_STATE_INACTIVE",
      "USER_STATE_ACTIVE",
    ]);
  },
);

test("a salt in a column of its own makes an MD5 hash a salted one, also without --hash-kind", async () => {
  const row = (id: number, salt: string) => `${id},u${id}@example.com,${"ab".repeat(16)},${salt}`;
  const table = `id,mail,hash,salt\n${row(1, "xyz")}\n${row(2, "")}\n`;
  const flags = [
    "--map",
    "userId=id,email=mail,hash=hash,salt=salt",
    "--target-verifiers",
    "bcrypt,md5plain,md5salted",
  ];
  const { users, report } = await migrate(table, flags);
  expect(report.problems).toMatchObject([{ code: "field.hash", line: 2 }]);
  expect(users).toMatchObject([{ userId: "2" }]);
  const kind = await migrate(table.split("\n").slice(0, 2).join("\n"), [...flags, "--hash-kind", "md5_salt_suffix"]);
  expect(kind.exitCode, kind.stderr).toBe(0);
});

test.each(["\n", "\r\n"])("rejected rows keep the line ends of the table: %j", async (end) => {
  const lines = ["id;email;name", "1;no address;Ann", "2;b@example.com;Bo", '3;;"C', 'D"', ""];
  const { exitCode, cwd } = await migrate(lines.join(end), ["--map", "userId=id,email=email,name=name"]);
  expect(exitCode).toBe(1);
  const [head = "", first = "", , ...others] = lines;
  const folder = join(cwd, "importBody.json.rejects");
  expect(readFileSync(join(folder, "users.csv"), "utf8")).toBe([head, first, ...others].join(end));
  const reasons = readFileSync(join(folder, "reasons.ndjson"), "utf8").trimEnd().split("\n");
  expect(reasons.map((line) => JSON.parse(line).rejectLine)).toEqual([2, 3]);
});

test("a salt with blanks around it, which may belong to the table, rejects its row if it is used as a text", async () => {
  const hash = "ab".repeat(16);
  const table = `id, mail, hash, salt\n1, a@example.com, ${hash}, c0ffee\n2,b@example.com,${hash},c0ffee\n`;
  const migrateAs = (kind: string, rows = table, salt = "salt") =>
    migrate(rows, [
      ...["--map", `userId=id,email=mail,hash=hash,salt=${salt},iterations=id`, "--hash-kind", kind],
      ...["--target-verifiers", "bcrypt,pbkdf2,md5salted"],
    ]);
  for (const kind of ["md5_salt_prefix", "md5_salt_suffix", "pbkdf2_sha256_salt_text"]) {
    const { report, stderr, users } = await migrateAs(kind);
    expect(report.problems, stderr).toMatchObject([{ code: "field.hash", line: 2 }]);
    expect(stderr).toContain("its salt has blanks around it, which may belong to the table or to the salt");
    expect(users).toMatchObject([{ userId: "2" }]);
  }
  const hex = await migrateAs("pbkdf2_sha256_salt_hex");
  expect(hex).toMatchObject({ exitCode: 0, users: [{ userId: "1" }, { userId: "2" }] });
  // In JSON they belong to the salt.
  const cell = `id;mail;hash;meta\n1;a@example.com;${hash};"{""salt"":"" c0ffee""}"\n`;
  const json = await migrateAs("pbkdf2_sha256_salt_text", cell, "meta.salt");
  const salt = Buffer.from(" c0ffee").toString("base64").replace(/=+$/, "");
  expect(json.users[0].user.hashedPassword.value).toContain(`$${salt}$`);
});

test("--hash-kind is about the hashes that do not name their kind, and a damaged one is called so", async () => {
  const bcrypt = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
  const md5 = "ab".repeat(16);
  const sha512 = `$6$rounds=5000$saltsalt$${"x".repeat(86)}`;
  const rows = [
    [md5, "xyz"],
    [bcrypt, ""],
    [sha512, "xyz"],
    [`$1$salt$${"x".repeat(22)}`, ""],
    [bcrypt.slice(0, 40), ""],
    [md5, ""],
  ];
  const table = `id,mail,hash,salt\n${rows.map((row, at) => `${at},u${at}@example.com,${row.join(",")}`).join("\n")}\n`;
  const flags = [
    "--map",
    "userId=id,email=mail,hash=hash,salt=salt",
    "--target-verifiers",
    "bcrypt,md5,md5salted,sha2",
  ];
  const { users, report, stderr } = await migrate(table, [...flags, "--hash-kind", "md5_salt_prefix"]);
  expect(
    users.map((entry: { user: { hashedPassword: { value: string } } }) => entry.user.hashedPassword.value),
  ).toEqual([`$md5salted-prefix$xyz$${Buffer.from(md5, "hex").toString("base64")}`, bcrypt, sha512, rows[3]?.[0]]);
  expect(report.problems).toMatchObject([{ line: 6 }, { line: 7 }]);
  expect(stderr).toContain("it must be 60 characters long");
  expect(stderr).toContain("its salt, or with PBKDF2 its number of iterations, is missing");
});

test("roles of a proposed map are named in the summary and change nothing else without --grant", async () => {
  const table = "id;email;Rolle;Gruppen;\n1;a@example.com;chef;bau|lager;\n2;b@example.com;;;\n";
  const { stderr } = await migrate(table, []);
  expect(stderr).toMatch(/Try --map 'userId=id,email=email,roles=Rolle\|Gruppen' or/);
  const plain = await migrate(table, ["--map", "userId=id,email=email"]);
  const proposed = await migrate(table, ["--map", "userId=id,email=email,roles=Rolle|Gruppen"]);
  expect(proposed).toMatchObject({ exitCode: 0, users: plain.users });
  expect(proposed.report.leftBehind.roles).toEqual({ chef: 1, bau: 1, lager: 1 });
  expect(proposed.stderr).toContain("1 user has roles or groups that --grant does not name; these are not moved");
});

describe("a salt that is not read", () => {
  const MD5 = "ab".repeat(16);
  const TABLE = `Kunden-Nr;E-Mail;Passwort;Salz;Verfahren\n1;a@example.com;${MD5};xyz;MD5\n2;b@example.com;${MD5};;MD5\n`;
  const MAP = "userId=Kunden-Nr,email=E-Mail,hash=Passwort";
  const flags = ["--target-verifiers", "bcrypt,md5plain,md5salted", "--map"];

  test("and the kind of the hash are proposed by their German names", async () => {
    const { stderr } = await migrate(TABLE, []);
    expect(stderr).toContain(`${MAP},hashKind=Verfahren,salt=Salz`);
  });

  test.each([[MAP], [`${MAP},hashKind=Verfahren`], [`${MAP},metadata.salt=Salz`], [MAP, "--hash-kind", "md5"]])(
    "rejects an MD5 hash, with %s; without a salt, the hash is written",
    async (...args) => {
      const { exitCode, report, stderr, users } = await migrate(TABLE, [...flags, ...args]);
      expect(exitCode).toBe(1);
      expect(report.problems).toMatchObject([{ code: "field.hash", line: 2 }]);
      expect(stderr).toContain("Read the salt with --map salt=<name> and name the kind with --hash-kind");
      expect(users).toMatchObject([{ userId: "2", user: { hashedPassword: { value: MD5 } } }]);
    },
  );

  test.each(["salted", "Streuwert", "seed", "Passwort-Seed", "pepper"])(
    "rejects it beside the column %s",
    async (name) => {
      const { exitCode, report, users } = await migrate(TABLE.replace("Salz", name), [...flags, MAP]);
      expect(exitCode).toBe(1);
      expect(report.problems).toMatchObject([{ code: "field.hash", line: 2 }]);
      expect(users).toMatchObject([{ userId: "2" }]);
    },
  );

  test("does not reject it with --hash-kind auto", async () => {
    const { exitCode, users } = await migrate(TABLE, [...flags, MAP, "--hash-kind", "auto"]);
    expect(exitCode).toBe(0);
    expect(users).toHaveLength(2);
  });

  test("is read with the kind that --value gives to a word; an unknown word says how", async () => {
    const map = `${MAP},salt=Salz,hashKind=Verfahren`;
    const words = TABLE.replaceAll(";MD5\n", ";MD5-SALT\n").replace(";;MD5-SALT", ";abc;Md5-Salt");
    const unknown = await migrate(words, [...flags, map]);
    expect(unknown).toMatchObject({ exitCode: 1 });
    expect(unknown.stderr).toContain("the name of its kind is unknown");
    expect(unknown.stderr).toContain("--value hashKind:<word>=<kind>");
    const { exitCode, users, stderr } = await migrate(words, [
      ...[...flags, map],
      ...["--value", "hashKind:MD5-SALT=md5_salt_prefix"],
    ]);
    expect(exitCode, stderr).toBe(0);
    const value = Buffer.from(MD5, "hex").toString("base64");
    expect(users).toMatchObject([
      { user: { hashedPassword: { value: `$md5salted-prefix$xyz$${value}` } } },
      { user: { hashedPassword: { value: `$md5salted-prefix$abc$${value}` } } },
    ]);
  });

  test("rejects no hash with a salt of its own", async () => {
    const bcrypt = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
    const { exitCode, stderr } = await migrate(TABLE.replaceAll(MD5, bcrypt), [...flags, MAP]);
    expect(exitCode, stderr).toBe(0);
  });

  test("rejects it where both are in the JSON of a cell, and in JSON", async () => {
    const cell = `"{""hash"":""${MD5}"",""salt"":""x""}"`;
    const { report } = await migrate(`id,mail,secret\n1,a@example.com,${cell}\n`, [
      ...flags,
      "userId=id,email=mail,hash=secret.hash",
    ]);
    expect(report.problems).toMatchObject([{ message: expect.stringContaining("has a salt and is not read as one") }]);
    const cwd = tempDir();
    const user = (salt: string) => ({ id: 1, email: "a@example.com", login: { hash: MD5, passwortSalz: salt } });
    const args = ["migrate", "json", "--org", "1", ...flags, "userId=id,email=email,hash=login.hash"];
    writeFileSync(join(cwd, "users.json"), JSON.stringify([user("x")]));
    const salted = await runCli(args, { cwd });
    expect({ exitCode: salted.exitCode, stderr: salted.stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("login.hash: not a password hash that the service can check: a column or path"),
    });
    writeFileSync(join(cwd, "users.json"), JSON.stringify([user("")]));
    expect(await runCli(args, { cwd })).toMatchObject({ exitCode: 0 });
  });
});

test("what spreadsheets and databases write for nothing deletes, confirms and locks no user; an error of a spreadsheet is named", async () => {
  const nothing = ["null", "None", "(null)", "n/a", "k.A.", "leer", "00.01.1900", "30.12.1899", "1970-01-01"];
  const rows = [...nothing, "#NV", "01.02.2024"].map((text, at) => `${at}|u${at}@example.com|${text}`);
  const map = ["--map", "userId=id,email=mail,deleted=gelöscht"];
  const { users, report } = await migrate(`id|mail|gelöscht\n${rows.join("\n")}\n`, map);
  expect(users).toHaveLength(nothing.length);
  expect(report.leftOut).toEqual({ deleted: 1 });
  expect(report.problems).toMatchObject([{ code: "field.spreadsheet", field: "gelöscht", line: 11 }]);
  const dates = ["30.12.1899", "01.01.1970", "1970-01-01 00:00:00"].map(
    (text, at) => `${at}|u${at}@example.com|${text}|${text}`,
  );
  const moments = await migrate(`id|mail|bestätigt am|gesperrt am\n${dates.join("\n")}\n`, [
    "--map",
    "userId=id,email=mail,emailVerified=bestätigt am,state=gesperrt am",
  ]);
  const states = moments.users.map(
    ({ state, user }: { state: string; user: { email: { isEmailVerified: boolean } } }) => [
      state,
      user.email.isEmailVerified ?? false,
    ],
  );
  expect(states, moments.stderr).toEqual(dates.map(() => ["USER_STATE_ACTIVE", false]));
});

test("an error of a spreadsheet is no password", async () => {
  const table = 'id,mail,pw\n1,a@example.com,#NV\n2,b@example.com,"1,23E+10"\n3,c@example.com,Passw0rd#NV\n';
  const flags = ["--map", "userId=id,email=mail,password=pw", "--plain-passwords", "--bcrypt-cost", "4"];
  const { users, report } = await migrate(table, flags);
  expect(report.reasons).toEqual({ "field.spreadsheet": 2 });
  expect(users).toMatchObject([{ userId: "3" }]);
});

test("rows that are deleted at the source: the summary says what an import does not do, and which flag deactivates", async () => {
  const table = "id,mail,Status\n1,a@example.com,gelöscht\n2,b@example.com,aktiv\n";
  const map = ["--map", "userId=id,email=mail,state=Status"];
  const { stderr } = await migrate(table, map);
  expect(stderr).toContain("left out       1: deleted at the source; an import deletes and deactivates none of them");
  expect(stderr).toContain("to deactivate these users with import --update: --value state:<word>=inactive");
  const { users } = await migrate(table, [...map, "--value", "state:gelöscht=inactive"]);
  expect(users).toMatchObject([{ userId: "2" }, { userId: "1", state: "USER_STATE_INACTIVE" }]);
  const flagged = await migrate("id,mail,deleted_at\n1,a@example.com,2024-01-01\n", ["--preset", "generic"]);
  expect(flagged.stderr).not.toContain("--value state");
});

test("empty lines before the header are skipped", async () => {
  for (const empty of ["\n", "\r\n;;\r\n"]) {
    const { exitCode, stderr, users } = await migrate(`${empty}id;email;name\n1;ann@example.com;Ann, Dr.\n`, [
      ...["--preset", "generic"],
    ]);
    expect(exitCode, stderr).toBe(0);
    expect(users).toMatchObject([{ userId: "1" }]);
  }
});

test.each([
  "Kundenliste Stand 11/2026;;\n;;\nKunden-Nr.;E-Mail;Name\n1;ann@example.com;Ann\n",
  "Kundenliste\nKunden-Nr.;E-Mail;Name\n1;ann@example.com;Ann\n",
])("a title above the header is named as one, in the place of columns: %j", async (table) => {
  for (const flags of [[], ["--preset", "generic"], ["--map", "userId=Kunden-Nr.,email=E-Mail"]]) {
    const { exitCode, stderr } = await migrate(table, flags);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("the first line of the table is a title");
    expect(stderr).toContain("Remove the lines before the column names: Kunden-Nr., E-Mail, Name.");
  }
});

test("the first line that spreadsheets write for themselves is named", async () => {
  const { exitCode, stderr } = await migrate("sep=;\nid;email\n1;ann@example.com\n", ["--preset", "generic"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("The first line (sep=) is a setting of a spreadsheet program: remove it.");
});

test("rows that all have another number of columns than the header are rejected, each with its line", async () => {
  const table = "id,email,name\n1,a@example.com,Doe, Ann\n2,b@example.com,Roe, Bo\n";
  const { exitCode, stderr, report } = await migrate(table, ["--map", "userId=id,email=email,name=name"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("users.csv:2: 4 columns, and the header row has 3. Does a value contain the delimiter");
  expect(report).toMatchObject({ users: { read: 2, rejected: 2 }, reasons: { "row.columns": 2 } });
});

describe("users without an address, in a table without a column for the user name,", () => {
  const table = 'id,email,name\n"a|7",,Bo Y\n2,ann@example.com,Ann X\n';
  const mapping = ["--map", "userId=id,email=email,name=name"];

  test("get one of their id and the domain of --email-domain", async () => {
    const { exitCode, users, stderr } = await migrate(table, [...mapping, "--email-domain", "no.example"]);
    expect(exitCode, stderr).toBe(0);
    expect(users.map((entry: { user: object }) => entry.user)).toMatchObject([
      { userName: "a.7@no.example", email: { email: "a.7@no.example", isEmailVerified: false } },
      { userName: "ann@example.com" },
    ]);
  });

  test("are rejected without the flag, with a message that names it", async () => {
    const { exitCode, stderr } = await migrate(table, mapping);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("users.csv:2: email: required e-mail address missing. Add one, or use --email-domain");
  });

  test("need no column for the address either", async () => {
    const { exitCode, users, stderr } = await migrate("id,name\n7,Bo Y\n", [
      ...["--map", "userId=id,name=name", "--email-domain", "no.example"],
    ]);
    expect(exitCode, stderr).toBe(0);
    expect(users).toMatchObject([{ userId: "7", user: { userName: "7@no.example" } }]);
  });
});

describe("--plain-passwords", () => {
  const args = ["--map", "userId=id,email=email,password=pw", "--plain-passwords", "--bcrypt-cost", "4"];
  const table = (...passwords: readonly string[]): string =>
    ["id,email,pw", ...passwords.map((text, at) => `${at},u${at}@example.com,"${text.replaceAll('"', '""')}"`)].join(
      "\n",
    );

  test("hashes each with bcrypt, blanks and quotes included, and writes none", async () => {
    const passwords = ["correct horse battery", ' "tr0ub4dor" ', "пароль-пример", ""];
    const { exitCode, users, stderr, stdout, cwd, report } = await migrate(table(...passwords), args);
    expect(exitCode, stderr).toBe(0);
    const hashes = users.map(
      (entry: { user: { hashedPassword?: { value: string } } }) => entry.user.hashedPassword?.value,
    );
    expect(hashes.slice(0, 3).map((hash: string) => hash.slice(0, 7))).toEqual(["$2b$04$", "$2b$04$", "$2b$04$"]);
    expect(passwords.slice(0, 3).every((password, at) => compareSync(password, hashes[at]))).toBe(true);
    expect(hashes[3]).toBeUndefined();
    const left = stderr + stdout + everythingIn(cwd, (name) => name === "users.csv");
    for (const password of passwords.slice(0, 3)) expect(left).not.toContain(password.trim());
    expect(report).toMatchObject({
      users: { withHash: 3, withoutHash: 1 },
      hashes: { bcrypt: 3 },
      plainPasswords: { hashed: 3, bcryptCost: 4, durationMs: expect.any(Number) },
    });
    expect(stderr).toMatch(/passwords +3 hashed with bcrypt, cost 4, in \d/);
  });

  test("a placeholder is no password", async () => {
    const words = ["NULL", "\\N", "null", "None", "N/A", "n.a.", "k. A.", "(null)", "<hidden>", "leer", "keins"];
    const placeholders = [...words, "-", "   ", "********", "•••••", "XXXXXXXX"];
    const { exitCode, users, stderr, report } = await migrate(table(...placeholders, "nullpointer"), args);
    expect(exitCode, stderr).toBe(0);
    const withHash = users.filter((entry: { user: { hashedPassword?: object } }) => entry.user.hashedPassword);
    expect(withHash.map(({ userId }: { userId: string }) => userId)).toEqual([String(placeholders.length)]);
    expect(report).toMatchObject({ users: { withHash: 1, withoutHash: placeholders.length } });
    // Not NULL, \N, null and blanks: these are empty cells.
    expect(report.remarks).toMatchObject({ "password-placeholder": placeholders.length - 4 });
    expect(report.remarkedUsers["password-placeholder"]).toContain("4");
    expect(stderr).toContain("12 users have a word or a mask in place of a password");
  });

  test("a password that several users have is a warning: it may be a placeholder", async () => {
    const { stderr, report } = await migrate(table("gesperrt", "tr0ub4dor", "gesperrt", "gesperrt"), args);
    expect(stderr).toMatch(/^warning: 3 users have one and the same password\. If it stands for no password, empty/m);
    expect(stderr).not.toContain("gesperrt");
    expect(report).toMatchObject({ plainPasswords: { mostEqual: 3 } });
    const twins = await migrate(table("Secret Garden", "Secret Garden", "secret!"), args);
    expect(twins.stderr).not.toContain("warning");
    expect(twins.report).toMatchObject({ plainPasswords: { hashed: 3, mostEqual: 2 } });
  });

  test("each password is hashed and counted once, also of a user who waits for the others", async () => {
    const passwords = ["Geheim-Nr-1", "Geheim-Nr-2", "Geheim-Nr-3"];
    const rows = passwords.map((text, at) => `${at},u${at}@example.com,${at === 1 ? "gelöscht" : "aktiv"},${text}`);
    const deleted = await migrate(`id,email,state,pw\n${rows.join("\n")}\n`, [
      ...["--map", "userId=id,email=email,state=state,password=pw", "--plain-passwords", "--bcrypt-cost", "4"],
      ...["--value", "state:gelöscht=inactive"],
    ]);
    expect(deleted.exitCode, deleted.stderr).toBe(0);
    expect(deleted.stderr).not.toContain("one and the same password");
    expect(deleted.report).toMatchObject({ users: { withHash: 3 }, plainPasswords: { hashed: 3, mostEqual: 1 } });
    const byId = new Map<string, string>(
      deleted.users.map((entry: { userId: string; user: { hashedPassword: { value: string } } }) => [
        entry.userId,
        entry.user.hashedPassword.value,
      ]),
    );
    expect(passwords.every((text, at) => compareSync(text, byId.get(String(at)) ?? ""))).toBe(true);

    const twins = `id,email,pw\n1,a@example.com,One1\n2,a@example.com,\n3,b@example.com,Three3\n4,B@example.com,Four4\n`;
    for (const memory of [[], ["--memory", "192MiB"]]) {
      const linked = await migrate(twins, [...args, "--same-email", "link", ...memory]);
      expect(linked.report, linked.stderr).toMatchObject({ users: { withHash: 2, rejected: 2 } });
      expect(linked.report).toMatchObject({ plainPasswords: { hashed: 2, mostEqual: 1 } });
    }
  });

  test("no password of a user who is not written is hashed", async () => {
    const { report, stderr } = await migrate(table("a first one", "a second one", "a third one"), [
      ...args,
      ...["--limit", "1"],
    ]);
    expect(report, stderr).toMatchObject({ users: { withHash: 1, leftOut: 2 }, plainPasswords: { hashed: 1 } });
  });

  test("is named where a column of hashes has none of them, and not where all are of a known kind", async () => {
    const asHash = ["--map", "userId=id,email=email,hash=pw"];
    const { stderr } = await migrate(table("correct horse battery", "tr0ub4dor"), asHash);
    expect(stderr).toContain(
      "if pw has plain passwords and no hashes, use --plain-passwords (and in --map password=pw in place of hash=pw)",
    );
    const known = await migrate(table("$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG"), asHash);
    expect(known.stderr).not.toContain("--plain-passwords");
  });

  test("refuses what bcrypt would cut off, and what is a hash already; the row stays in a file of its owner's", async () => {
    const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
    const { exitCode, users, cwd } = await migrate(
      table("ü".repeat(37), hash, "5f4dcc3b5aa765d61d8327deb882cf99", "fine"),
      args,
    );
    expect(exitCode).toBe(1);
    expect(users).toHaveLength(1);
    const folder = join(cwd, "importBody.json.rejects");
    const reasons = readFileSync(join(folder, "reasons.ndjson"), "utf8").trimEnd().split("\n");
    expect(reasons.map((line) => [JSON.parse(line).code, JSON.parse(line).field])).toEqual([
      ["field.password", "pw"],
      ["field.password", "pw"],
      ["field.password", "pw"],
    ]);
    expect(statSync(join(folder, "users.csv")).mode & 0o777).toBe(0o600);
    expect(reasons.join("")).not.toContain(hash);
  });

  test("takes the column that a preset has both for hashes and for passwords", async () => {
    const { users, exitCode } = await migrate("id,email,password\n1,a@example.com,secret one\n", [
      "--preset",
      "generic",
      "--plain-passwords",
      "--bcrypt-cost",
      "4",
    ]);
    expect(exitCode).toBe(0);
    expect(compareSync("secret one", users[0].user.hashedPassword.value)).toBe(true);
  });

  test("needs such a column", async () => {
    const { exitCode, stderr } = await migrate("id,email\n1,a@example.com\n", [
      "--preset",
      "generic",
      "--plain-passwords",
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("no column for password");
  });

  test("ends at once when it is interrupted, and leaves nothing behind", async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" })));
    const many = table(...Array.from({ length: 20 }, (_, at) => `password ${at}`));
    const { exitCode, cwd } = await migrate(many, [...args.slice(0, -1), "10"], { signal: controller.signal });
    expect(exitCode).toBe(130);
    expect(readdirSync(cwd).sort()).toEqual(["report.json", "users.csv"]);
  });
});

describe("the summary", () => {
  const clerk =
    "id,first_name,last_name,username,primary_email_address,verified_email_addresses,password_digest,password_hasher,created_at";

  test("says whose columns they are, and which were not read; so does the report", async () => {
    const { stderr, report } = await migrate(
      `${clerk}\nu1,Ann,Example,,ann@example.com,ann@example.com,,,2024-01-01\n`,
      [],
    );
    expect(stderr).toContain("columns        recognized as --preset clerk");
    expect(stderr).toContain("not read       created_at;");
    expect(report.columns).toMatchObject({ preset: "clerk", isRecognized: true, unused: ["created_at"] });
    expect(report.columns.used).toMatchObject({ userId: "id", userName: "username" });
  });

  test("counts rows that are no users by why they were left out", async () => {
    const { stderr, report } = await migrate(
      "id,email,deleted_at,is_anonymous\n1,a@example.com,,\n2,b@example.com,2024-01-01,\n3,,,t\n",
      ["--preset", "generic"],
    );
    expect(report.users).toMatchObject({ read: 3, written: 1, leftOut: 2 });
    expect(report.leftOut).toEqual({ deleted: 1, anonymous: 1 });
    expect(stderr).toContain("left out       1: deleted at the source");
  });

  test("tells beforehand whose hash the target cannot check, and what would change it", async () => {
    const md5 = "5f4dcc3b5aa765d61d8327deb882cf99";
    const { exitCode, stderr, report } = await migrate(`id,email,password_hash\n1,a@example.com,${md5}\n`, [
      "--preset",
      "generic",
    ]);
    expect(exitCode).toBe(1);
    expect(report.unverifiable).toEqual({ md5plain: 1 });
    expect(stderr).toContain("ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=md5plain");
    expect(stderr).toContain("--target-verifiers bcrypt,md5plain");
  });
});

test("users with a first or a last name alone are counted and named: it stands for both", async () => {
  const rows = [
    "1,ann@example.com,Ann,,",
    "2,bo@example.com,Bo,,Bo",
    "3,cy@example.com,,Ek,",
    "4,di@example.com,Di,,Di Ek",
  ];
  const { exitCode, stderr, report, users } = await migrate(["id,mail,first,last,name", ...rows].join("\n"), [
    "--map",
    "userId=id,email=mail,firstName=first,lastName=last,name=name",
  ]);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain("2 users have no last name at the source: the first name stands for both\n");
  expect(stderr).toContain("1 user has no first name at the source: the last name stands for both\n");
  expect(report.remarkedUsers).toEqual({ "last-name-missing": ["1", "2"], "first-name-missing": ["3"] });
  expect(users[0].user.profile).toEqual({ firstName: "Ann", lastName: "Ann", displayName: "Ann" });
});

test("hashes that --unverifiable drops are counted by verifier for written users alone, as in the remark", async () => {
  const md5 = "6e6fdf956d04289354dcf1619e28fe77";
  const table = ["id,email,hash", `1,ann@example.com,${md5}`, `2,ann@example.com,${md5}`, `3,bo@exa_mple.com,${md5}`];
  const args = ["--map", "userId=id,email=email,hash=hash", "--unverifiable"];
  const { stderr, report } = await migrate(table.join("\n"), [...args, "drop"]);
  expect(stderr).toContain("hash dropped   1 md5plain: these users have no password");
  expect(stderr).toContain("1 user has a hash that the target cannot check; it was dropped");
  expect(report.unverifiable).toEqual({ md5plain: 1 });
  expect((await migrate(table.join("\n"), [...args, "reject"])).report.unverifiable).toEqual({ md5plain: 2 });
});

describe("a table that does not fit is refused with what to do", () => {
  test.each([
    [
      "a column that is not there",
      "id,E-Mail\n1,a@example.com\n",
      ["--map", "userId=id,email=emial"],
      /emial \(did you mean E-Mail\?\).*The table has: id, E-Mail\./,
    ],
    [
      "several that are written alike",
      "id,e-mail,E Mail\n1,a,b\n",
      ["--map", "userId=id,email=e_mail"],
      /several columns match, none exactly/,
    ],
    [
      "one that is there twice",
      "id,email,email\n1,a@example.com,b@example.com\n",
      ["--map", "userId=id,email=E-Mail"],
      /the column email occurs twice in the header row\. Rename or remove the others/,
    ],
    [
      "one that a preset reads and that is there three times",
      "id,id,id,email\n1,1,1,a@example.com\n",
      ["--preset", "generic"],
      /the column id occurs 3 times in the header row/,
    ],
    [
      "one that is there twice, and no flag names the columns",
      "id,email,email\n1,a@example.com,b@example.com\n",
      [],
      /the column email occurs twice in the header row/,
    ],
    [
      "no id",
      "email\na@example.com\n",
      ["--preset", "generic"],
      /no column for userId\. Name one with --map userId=<column>\. The table has: email\./,
    ],
    [
      "no flag names the columns",
      "id,email,vorname\n1,a@example.com,Ann\n",
      [],
      /Try --map userId=id,email=email,firstName=vorname or --preset clerk\|/,
    ],
    [
      "no flag names the columns, which are German",
      "Kundennummer;Vorname;Nachname;E-Mail;Benutzername;Kennwort;Telefon;Handy;Geschlecht;Sprache;Anzeigename;Aktiv\n1;;;a@example.com;;;;;;;;\n",
      [],
      /Try --map userId=Kundennummer,email=E-Mail,userName=Benutzername,firstName=Vorname,lastName=Nachname,displayName=Anzeigename,language=Sprache,gender=Geschlecht,phone=Handy,hash=Kennwort,state=Aktiv or/,
    ],
    [
      "no flag names the columns, which are German, in other words",
      "Personalnummer;E-Mail-Adresse;Passwort;Mobil;Status\n1;a@example.com;;;\n",
      [],
      /Try --map userId=Personalnummer,email=E-Mail-Adresse,phone=Mobil,hash=Passwort,state=Status or/,
    ],
    [
      "no flag names the columns, which have dots and blanks",
      "Kunden-Nr.;E-Mail:;Tel. Nr.;Aktiv;Gesperrt;metadata.plan\n1;a@example.com;;;;\n",
      [],
      /Try --map 'userId=Kunden-Nr\.,email=E-Mail:,phone=Tel\. Nr\.,state=Aktiv\|Gesperrt,metadata\.plan=metadata\.plan' or/,
    ],
    [
      "no flag names the columns, and one that is needed is not recognized",
      "Nummer,E-Mail,Vorname\n1,a@example.com,Ann\n",
      [],
      /Name the columns with --map userId=<column>,email=E-Mail,firstName=Vorname,… or --preset/,
    ],
    ["not even any table's names", "nummer,adresse\n1,a@example.com\n", [], /Name the columns with --map/],
    [
      "passwords without a word",
      "id,email,pw\n1,a@example.com,x\n",
      ["--map", "userId=id,email=email,password=pw"],
      /Add --plain-passwords/,
    ],
    ["an unknown preset", "id,email\n1,a@example.com\n", ["--preset", "okra"], /--preset: it must be one of clerk/],
  ])("%s", async (_, table, args, message) => {
    const { exitCode, stderr, users } = await migrate(table, args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(users).toBeUndefined();
  });

  test("and a first row that is a user's is not repeated", async () => {
    const { exitCode, stderr, report } = await migrate(
      "5f7c8ec7,ann@example.com,Ann\n5f7c8ec8,bo@example.com,Bo\n",
      [],
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain("no header row: the first row is a user");
    expect(stderr + JSON.stringify(report)).not.toContain("ann@example.com");
  });
});

describe("--same-email reads a table from a pipe as well", () => {
  const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
  const table = `id,email,name,password_hash\n1,a@example.com,Ann,\n2,A@example.com,Ann,${hash}\n`;

  test.each([
    ["first", "1"],
    ["password", "2"],
  ])("%s", async (which, userId) => {
    const cwd = tempDir();
    const args = ["--org", "1", "--users", "-", "--preset", "generic", "--same-email", which];
    const { exitCode, stderr } = await runCli(["migrate", "csv", ...args], { cwd, stdin: table });
    expect(exitCode, stderr).toBe(1);
    const body = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
    expect(body.dataOrgs.orgs[0].humanUsers.map((entry: { userId: string }) => entry.userId)).toEqual([userId]);
  });
});

test("profiles from a pipe without a file of passwords are read once, also if users share a name", async () => {
  const profiles = ["1", "2"]
    .map((id) => JSON.stringify({ user_id: `auth0|${id}`, email: "a@example.com" }))
    .join("\n");
  const cwd = tempDir();
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", "--users", "-"], {
    cwd,
    stdin: profiles,
  });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("read 2 = written 1 + rejected 1")]);
});

describe("JSON in a cell", () => {
  const deep = (levels: number): string => `{""first"":${'{""a"":'.repeat(levels)}1${"}".repeat(levels)}}`;
  const table = (levels: number): string =>
    `id,email,profile\n1,ada@example.com,"${deep(levels)}"\n2,bob@example.com,"{""first"":""Bob""}"\n`;

  test.each(["firstName=profile.first", "metadata.x=profile.first", "totp=profile.first", "displayName=profile.first"])(
    "of too many levels rejects its row, with its column: --map %s",
    async (map) => {
      const { exitCode, users, report, cwd } = await migrate(table(50_000), ["--preset", "generic", "--map", map]);
      expect(exitCode).toBe(1);
      expect(users.map(({ userId }: { userId: string }) => userId)).toEqual(["2"]);
      expect(report.problems).toEqual([
        expect.objectContaining({ code: "field.too-deep", file: "./users.csv", line: 2, field: "profile" }),
      ]);
      expect(readFileSync(join(cwd, "importBody.json.rejects", "users.csv"), "utf8")).toContain('""a""');
    },
  );

  test("of as many levels as a program writes is read", async () => {
    const { exitCode, users } = await migrate(table(900), ["--preset", "generic", "--map", "metadata.x=profile.first"]);
    expect([exitCode, users.length]).toEqual([0, 2]);
  });
});

test("--preset generic reads a German table", async () => {
  const rows = [
    "Personalnummer;Vorname;Nachname;E-Mail;Telefon;Mobil;Aktiv",
    "7;Anna;Beispiel;anna@example.com;+49301234567;+491711234567;1",
    "8;Bo;Muster;bo@example.com;+49301234568;;0",
  ].join("\n");
  const { exitCode, stderr, users } = await migrate(rows, ["--preset", "generic"]);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain("1 user is blocked or disabled at the source and will be inactive\n");
  expect(users).toMatchObject([
    { userId: "7", user: { profile: { firstName: "Anna", lastName: "Beispiel" }, phone: { phone: "+491711234567" } } },
    { userId: "8", state: "USER_STATE_INACTIVE", user: { phone: { phone: "+49301234568" } } },
  ]);
});

describe("--value and --phone-country", () => {
  const table = [
    "id|mail|status|verified|mobile",
    "1|ann@example.com|Actif|oui|0171 1234567",
    "2|bo@example.com|bloqué|non|123",
    "3|cy@example.com|supprimé|oui|",
    "4|di@example.com|deleted|oui|+41 79 123 45 67",
  ].join("\n");
  const map = ["--map", "userId=id,email=mail,state=status,emailVerified=verified,phone=mobile"];
  const words = ["state:actif=active", "state:bloqué=locked", "state:supprimé=deleted"].concat(
    ["oui=true", "non=false"].map((pair) => `emailVerified:${pair}`),
  );
  const values = words.flatMap((word) => ["--value", word]);

  test("say what words mean, and where national numbers belong", async () => {
    const { exitCode, stderr, users, report } = await migrate(table, [...map, ...values, "--phone-country", "de"]);
    expect(exitCode, stderr).toBe(0);
    expect(users).toMatchObject([
      { userId: "1", user: { email: { isEmailVerified: true }, phone: { phone: "+491711234567" } } },
      { userId: "2", state: "USER_STATE_LOCKED", user: { userName: "bo@example.com" } },
    ]);
    expect(users[1].user.email.isEmailVerified ?? false).toBe(false);
    expect(report.leftOut).toEqual({ deleted: 2 });
    expect(report.remarks).toMatchObject({ "phone-of-no-country": 1, "stays-locked": 1 });
    expect(stderr).toContain("1 user is locked at the source and will be locked\n");
    expect(report.remarkedUsers).toMatchObject({ "phone-of-no-country": ["2"] });
    expect(stderr).toContain(
      "1 user has a phone number that is neither international nor clearly one of the country of --phone-country; it was dropped (a number that begins with the country's calling code needs a + before it)\n",
    );
    const without = await migrate(table, [...map, ...values]);
    expect(without.stderr).toContain("such as --phone-country DE)\n");
  });

  describe("an empty state", () => {
    const marked =
      "id|mail|aktiv|gesperrt am\n1|ann@example.com|x|\n2|bo@example.com||\n3|cy@example.com||01.02.2024\n";
    const active = ["--map", "userId=id,email=mail,state=aktiv|gesperrt am", "--value", "state:x=active"];

    test("in a column of yes and no opens no account: the row is rejected, with the flag that says what it means", async () => {
      const { exitCode, stderr, users, report } = await migrate(marked, active);
      expect(exitCode).toBe(1);
      expect(users).toMatchObject([
        { userId: "1", state: "USER_STATE_ACTIVE" },
        { userId: "3", state: "USER_STATE_LOCKED" },
      ]);
      expect(report.reasons).toEqual({ "field.word": 1 });
      expect(stderr).toContain(
        "aktiv has words that orgferry does not know: an empty cell (1). Say what each means, the first with --value state:=<active, inactive, locked or deleted>\n",
      );
    });

    test.each([["inactive"], ["locked"], ["active"], ["deleted"]])("means %s with --value", async (word) => {
      const { exitCode, stderr, users, report } = await migrate(marked, [...active, "--value", `state:=${word}`]);
      expect(exitCode, stderr).toBe(0);
      const [first, second] = users;
      expect(first).toMatchObject({ userId: "1", state: "USER_STATE_ACTIVE" });
      if (word === "deleted") expect(report.leftOut).toEqual({ deleted: 1 });
      else expect(second).toMatchObject({ userId: "2", state: `USER_STATE_${word.toUpperCase()}` });
    });

    test.each([
      ["--map", "userId=id,email=mail,state=aktiv|gesperrt"],
      ["--map", "userId=id,email=mail,state=gesperrt|aktiv"],
      ["--preset", "generic"],
    ])("is not overruled by a column that says no to a lock: %s %s", async (...flags) => {
      const rows = ["1|a@example.com||nein", "2|b@example.com||FALSCH", "3|c@example.com|x|x", "4|d@example.com||x"];
      const table = ["id|mail|aktiv|gesperrt", ...rows, "5|e@example.com|x|0", "6|f@example.com||"].join("\n");
      const states = ({ users }: Awaited<ReturnType<typeof migrate>>) =>
        users.map((user: { userId: string; state: string }) => `${user.userId} ${user.state.slice(11)}`);
      const bare = await migrate(table, flags);
      expect(states(bare), bare.stderr).toEqual(["3 LOCKED", "4 LOCKED", "5 ACTIVE"]);
      expect(bare.report).toMatchObject({ exitCode: 1, reasons: { "field.word": 3 } });
      const inactive = await migrate(table, [...flags, "--value", "state:=inactive"]);
      expect(inactive.exitCode, inactive.stderr).toBe(0);
      expect(states(inactive)).toEqual(
        ["1 INACTIVE", "2 INACTIVE", "3 LOCKED", "4 LOCKED"].concat("5 ACTIVE", "6 INACTIVE"),
      );
      const deleted = await migrate(table, [...flags, "--value", "state:=deleted"]);
      expect(states(deleted)).toEqual(["3 LOCKED", "4 LOCKED", "5 ACTIVE"]);
    });

    test("is left to a cell that says that the user is locked, and --value is no mistake then", async () => {
      const flags = ["--map", "userId=id,email=mail,state=aktiv|gesperrt am", "--value", "state:=inactive"];
      const { users, stderr } = await migrate("id|mail|aktiv|gesperrt am\n1|a@example.com||01.01.2025\n", flags);
      expect(users).toMatchObject([{ state: "USER_STATE_LOCKED" }]);
      expect(stderr).not.toContain("--value");
    });

    test("and a word that --value calls active opens no account in a column of locks beside one of active users", async () => {
      const table = "id|mail|aktiv|gesperrt\n1|a@example.com|√|√\n2|b@example.com|√|0\n3|c@example.com|0|√\n";
      const flags = ["--map", "userId=id,email=mail,state=aktiv|gesperrt"];
      const { users, report, stderr } = await migrate(table, [...flags, "--value", "state:√=active"]);
      expect(users).toMatchObject([
        { userId: "2", state: "USER_STATE_ACTIVE" },
        { userId: "3", state: "USER_STATE_INACTIVE" },
      ]);
      expect(report.problems).toMatchObject([{ code: "field.word", line: 2 }]);
      expect(stderr).toContain("gesperrt: must be yes or no: --value gives this word the meaning active");
      const yes = await migrate(table, [...flags, "--value", "state:√=yes"]);
      expect(yes.exitCode, yes.stderr).toBe(0);
      expect(yes.users.map(({ state }: { state: string }) => state.slice(11))).toEqual([
        "LOCKED",
        "ACTIVE",
        "INACTIVE",
      ]);
    });

    test("in a column of words is counted and named", async () => {
      const statuses = marked.replace("aktiv|", "status|");
      const flags = active.map((flag) => flag.replace("aktiv", "status"));
      const { exitCode, stderr, report } = await migrate(statuses, flags);
      expect(exitCode, stderr).toBe(0);
      expect(stderr).toContain(
        "1 user has an empty state and will be active; --value state:=inactive says that an empty cell means inactive\n",
      );
      expect(report.remarkedUsers).toMatchObject({ "state-empty": ["2"] });
      expect((await migrate(statuses, [...flags, "--value", "state:=active"])).report.remarks).not.toHaveProperty(
        "state-empty",
      );
    });

    test("that means no in a column of words is counted, too: the column does not say what no means", async () => {
      const statuses = marked.replace("aktiv|", "status|");
      const flags = active.map((flag) => flag.replace("aktiv", "status"));
      const { report } = await migrate(statuses, [...flags, "--value", "state:=no"]);
      expect(report.remarkedUsers).toMatchObject({ "state-empty": ["2"] });
    });

    test("in a column of locks is an open account", async () => {
      const locks = marked.replace("aktiv|", "locked|").replace("|x|", "||");
      const { exitCode, stderr, report } = await migrate(locks, ["--map", "userId=id,email=mail,state=locked"]);
      expect(exitCode, stderr).toBe(0);
      expect(report.remarks).toEqual({});
    });
  });

  test("--value deleted:yes=inactive writes deleted users as inactive, of words and of dates", async () => {
    const deletions =
      "id|mail|aktiv|gelöscht\n1|ann@example.com|1|-\n2|bo@example.com|1|ja\n3|cy@example.com|0|12.03.2024\n4|di@example.com|1|0000-00-00\n5|ed@example.com||x\n";
    const flags = ["--map", "userId=id,email=mail,state=aktiv,deleted=gelöscht"];
    const { stderr, report } = await migrate(deletions, flags);
    expect(report.leftOut).toEqual({ deleted: 3 });
    expect(stderr).toContain(
      "to deactivate these users with import --update: --value deleted:yes=inactive, or --value state:<word>=inactive, with the word for deleted users (",
    );
    const closed = await migrate(deletions, [...flags, "--value", "deleted:yes=inactive"]);
    expect(closed.exitCode, closed.stderr).toBe(0);
    expect(closed.users.map((user: { userId: string; state: string }) => [user.userId, user.state])).toEqual([
      ["1", "USER_STATE_ACTIVE"],
      ["4", "USER_STATE_ACTIVE"],
      ["2", "USER_STATE_INACTIVE"],
      ["3", "USER_STATE_INACTIVE"],
      ["5", "USER_STATE_INACTIVE"],
    ]);
  });

  test.each([
    ["deleted", "deleted:yes=inactive", ["yes", "no"]],
    ["state", "state:deleted=inactive", ["deleted", "active"]],
  ])("of two rows with one address, one of them deleted by %s, the other is written", async (field, value, words) => {
    const [gone, live] = words;
    const table = `id,mail,gone\n1,ann@example.com,${gone}\n2,bo@example.com,${gone}\n3,ANN@example.com,${live}\n`;
    const flags = ["--map", `userId=id,email=mail,${field}=gone`, "--value", value];
    for (const which of ["first", "password", "link"]) {
      const { stderr, report, users } = await migrate(table, [...flags, "--same-email", which]);
      expect(users.map(({ userId }: { userId: string }) => userId)).toEqual(["3", "2"]);
      expect(report.reasons).toEqual({ "user.gone-too": 1 });
      expect(stderr).toContain("this user is deleted at the source, and the user at line 4 has the same and was kept");
    }
  });

  test("without them, an unknown word rejects the row, and the summary says what to do, with the words", async () => {
    const { exitCode, stderr, report } = await migrate(table, map);
    expect(exitCode).toBe(1);
    expect(report.reasons).toEqual({ "field.word": 6 });
    expect((await migrate(table, [...map, "--quiet"])).stderr).toContain("Say what the word means");
    expect(report.users).toMatchObject({ read: 4, written: 0, rejected: 3, leftOut: 1 });
    expect(stderr).toContain(
      "status has words that orgferry does not know: Actif (1), bloqué (1), supprimé (1). Say what each means, the first with --value state:Actif=<active, inactive, locked or deleted>\n",
    );
    expect(stderr).toContain(
      "verified has words that orgferry does not know: oui (2), non (1). Say what each means, the first with --value emailVerified:oui=<true or false>\n",
    );
    expect(stderr).toContain("must be true, false, a date, or a list of verified addresses.");
    expect(report.unknownWords).toEqual([
      {
        field: "emailVerified",
        column: "verified",
        rows: 3,
        words: [
          { text: "oui", rows: 2 },
          { text: "non", rows: 1 },
        ],
        meanings: "true or false",
      },
      expect.objectContaining({ field: "state", column: "status", rows: 3 }),
    ]);
    const known = await migrate(table, [...map, ...values.slice(0, 6)]);
    expect(known.stderr).toContain("verified has words");
    expect(known.stderr).not.toContain("status has words");
  });

  test("a column of passwords that is mapped by mistake is not shown", async () => {
    const rows = ["id,mail,pw", "1,ann@example.com,hunter2", "2,bo@example.com,hunter2"].join("\n");
    const { exitCode, stderr, report } = await migrate(rows, ["--map", "userId=id,email=mail,state=pw"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "pw has texts that are not words, and that orgferry does not know (the rejected rows have them). Is it the right column for state?",
    );
    expect(`${stderr}${JSON.stringify(report)}`).not.toContain("hunter2");
  });

  test("of more than 20 words, which are hardly states, none is shown", async () => {
    const rows = [..."abcdefghijklmnopqrstu"].map((letter, at) => `${at},u${at}@example.com,Family${letter}`);
    const { stderr, report } = await migrate(["id,mail,name", ...rows].join("\n"), [
      "--map",
      "userId=id,email=mail,state=name",
    ]);
    expect(stderr).toContain("name has more than 20 words that orgferry does not know");
    expect(report.unknownWords).toMatchObject([{ column: "name", rows: 21, words: [] }]);
    expect(`${stderr}${JSON.stringify(report)}`).not.toContain("Family");
  });

  test("an unknown word for a gender or a language is dropped and counted, and the summary says how to name it", async () => {
    const rows = ["id,mail,sex,lang", "1,ann@example.com,Frau,Klingonisch"].join("\n");
    const fields = ["--map", "userId=id,email=mail,gender=sex,language=lang"];
    const { exitCode, stderr, report } = await migrate(rows, fields);
    expect(exitCode).toBe(0);
    expect(report.remarks).toEqual({ "gender-lost": 1, "language-lost": 1 });
    expect(stderr).toContain("it was dropped (--value gender:Frau=female says what a word means)");
    const named = ["--value", "gender:Frau=female", "--value", "language:Klingonisch=de"];
    expect((await migrate(rows, [...fields, ...named])).report.remarks ?? {}).toEqual({});
  });

  test.each([
    ["--value", "state"],
    ["--value", "state:actif"],
    ["--value", "email:a=b"],
    ["--value", "nothing:a=b"],
    ["--phone-country", "Germany"],
    ["--phone-country", "QQ"],
  ])("%s %s is exit 2", async (flag, value) => {
    expect((await runCli(["migrate", "csv", "--org", "1", flag, value], { cwd: tempDir() })).exitCode).toBe(2);
  });
});

test("a table in Windows-1252 ends the run with the line, and the command that converts it", async () => {
  const cwd = tempDir();
  writeFileSync(
    join(cwd, "users.csv"),
    Buffer.from("id,email,name\n1,a@example.com,Ann\n2,b@example.com,M\xfcller\n", "latin1"),
  );
  const args = ["migrate", "csv", "--org", "1", "--preset", "generic"];
  const { exitCode, stderr } = await runCli(args, { cwd });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("users.csv:3: is not UTF-8");
  expect(stderr).toContain("iconv -f WINDOWS-1252 -t UTF-8");
});

describe("--same-email link with user names that are not the address", () => {
  const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
  const map = "userId=id,userName=login,email=mail,emailVerified=verified,hash=pass";
  /** Of a pipe, the tables are kept in parts. */
  async function link(address: string, flags: readonly string[], isVerified = true, closed = "") {
    const table = [
      "id,login,mail,verified,pass,google,locked",
      `2,ann,${address},true,,g-2,${closed === "2"}`,
      `1,Ann,ann@example.com,${isVerified},${hash},,${closed === "1"}`,
      "3,cy,ann@example.com,true,,g-3,false",
    ].join("\n");
    const given = [
      "--map",
      `${map},state=locked`,
      "--idp",
      "google=9",
      "--same-email",
      "link",
      "--users",
      "-",
      "--report",
      "r.json",
    ];
    const cwd = tempDir();
    const args = ["migrate", "csv", "--org", "1", ...given, ...flags];
    const { exitCode, stderr } = await runCli([...args, "--html", "r.html"], { cwd, stdin: table });
    expect(stderr).not.toContain("--same-email link");
    const [report, body, page] = ["r.json", "importBody.json", "r.html"].map((name) =>
      readFileSync(join(cwd, name), "utf8"),
    );
    return { exitCode, stderr, report: JSON.parse(report ?? ""), body: body ?? "", page: page ?? "" };
  }

  test.each([[[]], [["--memory", "192MiB"]]])("moves the accounts of one name and one address %j", async (flags) => {
    const { exitCode, report, body } = await link("ANN@example.com", flags);
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({ users: { written: 2, rejected: 0, leftOut: 1 }, leftOut: { linked: 1 } });
    expect(JSON.parse(body).dataOrgs.orgs[0].userLinks).toMatchObject([{ userId: "1", providedUserId: "g-2" }]);
  });

  test("calls the merged accounts neither failed nor rejected", async () => {
    const { stderr, page } = await link("ANN@example.com", []);
    expect(stderr).toContain("\nmerged rows, with reasons: ./importBody.json.rejects\n");
    expect(stderr).not.toContain("unmatched");
    expect(page).toContain('Merged users <span class="count">1</span>');
    expect(page).toContain('<span class="tag calm">merged</span>');
    expect(page).toContain("<code>./importBody.json.rejects</code>, merged rows, with the reasons");
    expect(page).not.toMatch(/Failed|rejected/);
    const unlike = await link("ann@example.com", [], false);
    expect(unlike.page).toContain('Failed items <span class="count">1</span>');
    expect(unlike.stderr).toContain("rejected and unmatched rows, with reasons");
  });

  test.each([[[]], [["--memory", "192MiB"]]])("keeps what the accounts had besides %j", async (flags) => {
    const users = [
      {
        id: "g-0",
        login: "ann",
        mail: "ann@example.com",
        google: "g-2",
        meta: { plan: "old", theme: "dark" },
        roles: ["staff", "boss"],
      },
      { id: "1", login: "Ann", mail: "ann@example.com", pass: hash, meta: { plan: "new" }, roles: ["staff"] },
      { id: "2", login: "bob", mail: "bob@example.com", google: "g-3", meta: { plan: "free" }, roles: [] },
    ].map((user) => ({ ...user, verified: true }));
    const cwd = tempDir();
    writeFileSync(join(cwd, "users.json"), JSON.stringify(users));
    const paths =
      "userId=id,userName=login,email=mail,emailVerified=verified,hash=pass,roles=roles,metadata.plan=meta.plan,metadata.theme=meta.theme";
    const args = ["migrate", "json", "--org", "1", "--users", "users.json", "--map", paths];
    const given = ["--idp", "google=9", "--grant", "boss=7:admin", "--same-email", "link", "--json", ...flags];
    const { exitCode, stdout, stderr } = await runCli([...args, ...given], { cwd });
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      users: { written: 2, leftOut: 1 },
      leftOut: { linked: 1 },
      remarkedUsers: { "linked-metadata-doubled": ["1"] },
      // Of the account that was merged, too.
      leftBehind: { roles: { staff: 2 } },
    });
    const body = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
    const [org] = body.dataOrgs.orgs;
    const decoded = (text: string): string => Buffer.from(text, "base64").toString();
    const metadata = [...org.userMetadata].map(({ id, key, value }) => [id, key, decoded(value)]);
    expect(metadata).toEqual([
      ["2", "plan", "free"],
      ["1", "plan", "new"],
      ["1", "theme", "dark"],
    ]);
    expect(org.userGrants).toMatchObject([{ userId: "1", projectId: "7", roleKeys: ["admin"] }]);
    expect(org.userLinks).toMatchObject([{ userId: "1", providedUserId: "g-2" }]);
  });

  test.each([[[]], [["--memory", "192MiB"]]])(
    "a user whose address is not verified may be a stranger %j",
    async (flags) => {
      const { exitCode, stderr, report, body } = await link("ann@example.com", flags, false);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(
        "not linked, because the users of this name do not all have one verified e-mail address",
      );
      expect(report).toMatchObject({ users: { written: 2, rejected: 1 }, reasons: { "user.better-rejected": 1 } });
      expect(body).not.toContain("g-2");
    },
  );

  test.each(["1", "2"])("a locked user gets no link, and no link of one opens another account (%s)", async (closed) => {
    const { exitCode, report, body } = await link("ann@example.com", [], true, closed);
    expect(exitCode).toBe(1);
    const reasons = { [closed === "1" ? "user.better-rejected" : "user.passed-over"]: 1 };
    expect(report).toMatchObject({ users: { written: 2, rejected: 1 }, reasons });
    expect(body).not.toContain("g-2");
  });

  test.each([
    [hash, "g-2", "--idp=google=9", "because it has a password or signs in at the source itself"],
    ["", "", "--idp=google=9", "because it has no account at an identity provider that --idp names"],
    ["", "g-2", "--idp=other=9", "because it has no account at an identity provider that --idp names"],
  ])("says why an account is not linked: %s %s %s", async (pass, google, idp, why) => {
    const table = `id,login,mail,verified,pass,google,other\n1,ann,ann@example.com,true,${hash},,\n2,Ann,ann@example.com,true,${pass},${google},\n`;
    const args = ["--map", map, idp, "--same-email"];
    const { stderr, report } = await migrate(table, [...args, "link"]);
    expect(report.problems).toMatchObject([{ code: "user.duplicate-name", message: expect.stringContaining(why) }]);
    expect(stderr).not.toContain("--same-email link");
    expect((await migrate(table, [...args, "password"])).stderr).toContain("--same-email link moves the accounts");
  });

  test.each([[[]], [["--memory", "192MiB"]]])("a user with another address is another person %j", async (flags) => {
    const { exitCode, report, body } = await link("bob@example.com", flags);
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({ users: { written: 2, rejected: 1 }, reasons: { "user.passed-over": 1 } });
    expect(body).not.toContain("g-2");
  });
});

test.each([
  [
    "state:läuft=actif",
    "actif is not a word that orgferry knows for state; after the = belongs active, inactive, locked or deleted.",
  ],
  ["gender:Frau=dame", "after the = belongs female, male or diverse."],
  ["state:aktiv=active;state:weg=deleted", "locked or deleted. For several words, repeat the flag."],
  ["deleted:x=supprimé", "after the = belongs yes, no, inactive or locked."],
])("--value %s with an unknown word on the right is a usage error", async (value, message) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.csv"), "id,email,state\n1,a@example.com,läuft\n");
  const args = ["migrate", "csv", "--org", "1", "--map", "userId=id,email=email,state=state", "--value", value];
  const { exitCode, stderr } = await runCli(args, { cwd });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});

test("the line of a body says that other organizations have users of it, and the report names them", async () => {
  const cwd = tempDir();
  writeFileSync(
    join(cwd, "users.csv"),
    "id,email,org\n1,a@example.com,1\n2,b@example.com,beta\n3,c@example.com,beta\n",
  );
  const map = ["--map", "userId=id,email=email,org=org", "--users", "users.csv"];
  const { exitCode, stdout, stderr } = await runCli(["migrate", "csv", "--org", "1", "--json", ...map], { cwd });
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain("3 users for organization 1 and 1 other, ");
  expect(JSON.parse(stdout).outputs).toMatchObject([{ users: 3, otherOrgs: ["beta"] }]);
});
