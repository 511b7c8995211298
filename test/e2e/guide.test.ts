import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MockOptions } from "../../src/mock/server.ts";
import { testBody, testUser } from "../helpers/bodies.ts";
import { hasTerminal, keys, type OnTerminal, runOnTerminal } from "../helpers/on-terminal.ts";
import { startRawServer } from "../helpers/raw-server.ts";
import { runBin } from "../helpers/run-bin.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HASH = `$2b$10$${"a".repeat(53)}`;
const USERS = [
  { user_id: "auth0|1", email: "ann@example.com", email_verified: true, name: "Ann", user_metadata: { plan: "gold" } },
  { user_id: "google-oauth2|2", email: "ben@example.com", email_verified: true, name: "Ben" },
];

/** A question, and the keys that answer it. */
type Step = readonly [question: string, ...answer: readonly string[]];

async function world(options: MockOptions = {}) {
  const mock = await startMock(options);
  await mock.importOrgs([{ orgId: "o1", org: { name: "Acme" } }]);
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), JSON.stringify(USERS));
  writeFileSync(join(cwd, "hashes.json"), JSON.stringify({ _id: { $oid: "1" }, passwordHash: HASH }));
  return { mock, cwd };
}

function stepsTo(target: string, token: string): readonly Step[] {
  return [
    ["File or folder with the users", "users.json", keys.enter],
    ["Address of the target instance", target, keys.enter],
    ["Access token", token, keys.enter],
    ["What is the file?", keys.enter],
    ["Organization of the target", keys.enter],
    ["File with the password hashes", "hashes.json", keys.enter],
    ["Find out which password hashes the target accepts?", keys.enter],
    ["Not carried over yet", keys.space, keys.enter],
    ["google-oauth2: 1. Link them to", keys.enter],
    ["Import these users now?", keys.down, keys.enter],
  ];
}

/** From a realm export to the first conversion. */
function stepsOfRealm({ url, token }: TestMock): readonly Step[] {
  return [
    ["File or folder with the users", "realm.json", keys.enter],
    ["Address of the target instance", url, keys.enter],
    ["Access token", token, keys.enter],
    ["What is the file?", keys.enter],
    ["Organization of the target", keys.enter],
    ["Find out which password hashes the target accepts?", keys.enter],
  ];
}

/** The credentials of a Keycloak user with a hash that a service does not verify by default. */
function pbkdf2(): readonly object[] {
  const secretData = JSON.stringify({
    value: Buffer.alloc(32, 1).toString("base64"),
    salt: "c2FsdHNhbHRzYWx0c2FsdA==",
  });
  const credentialData = JSON.stringify({ hashIterations: 27_500, algorithm: "pbkdf2-sha256" });
  return [{ type: "password", secretData, credentialData }];
}

function keycloakUser(at: number, credentials: readonly object[] = []) {
  const name = `user${at}`;
  const email = `${name}@example.com`;
  return {
    id: `k${at}`,
    username: name,
    email,
    emailVerified: true,
    enabled: true,
    firstName: "A",
    lastName: "B",
    credentials,
  };
}

/** Requests that may change something. A dry run asks with empty bodies whether the token may create users, and a probe names users that do not exist. */
function writesOf({ requests }: TestMock): readonly unknown[] {
  return requests.filter(
    ({ method, path, requestBytes, status }) =>
      !path.endsWith("/_search") && requestBytes > 100 && !(method === "PUT" && status !== 200),
  );
}

async function answer(terminal: OnTerminal, steps: readonly Step[]): Promise<void> {
  for (const [question, ...answers] of steps) {
    await terminal.until(question);
    terminal.send(...answers);
  }
}

/** Leads to the first conversion of a table, and answers these questions after it. */
async function onTable(rows: readonly string[], steps: readonly Step[]): Promise<OnTerminal> {
  const { mock, cwd } = await world();
  writeFileSync(join(cwd, "people.csv"), `${rows.join("\n")}\n`);
  const terminal = runOnTerminal(["start"], { cwd });
  await answer(terminal, [
    ["File or folder with the users", "people.csv", keys.enter],
    ...stepsTo(mock.url, mock.token).slice(1, 5),
    ["Find out which password hashes", keys.down, keys.enter],
    ...steps,
  ]);
  return terminal;
}

describe.skipIf(!hasTerminal)("orgferry start", () => {
  test("by default, users go to the organization that is not of the setup, with their names and without metadata", async () => {
    const { mock, cwd } = await world({ mimic: "v4" });
    const rows = [{ ...USERS[0], given_name: "Ann", family_name: "Ek" }];
    writeFileSync(join(cwd, "users.json"), JSON.stringify(rows));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, stepsTo(mock.url, mock.token).slice(0, 7));
    await answer(terminal, [
      ["Not carried over yet", keys.enter],
      ["Import these users now?", keys.down, keys.enter],
    ]);
    expect(await terminal.ended, terminal.output).toBe(0);
    const [org] = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8")).dataOrgs.orgs;
    expect(org).toMatchObject({
      orgId: "o1",
      humanUsers: [{ user: { profile: { firstName: "Ann", lastName: "Ek" } } }],
    });
    expect(org.userMetadata).toBeUndefined();
  });

  test.each([
    [["auth0|1", "google-oauth2|2"], "None of these users can be imported", 1],
    [["auth0|1"], "Some of these users will fail, as said above. Import the others now?", 1],
  ])("%j with ids of another organization: %s", async (ids, expected, exitCode) => {
    const { mock, cwd } = await world();
    const humanUsers = ids.map((userId, at) => ({ ...testUser(at + 1), userId }));
    const dataOrgs = { orgs: [{ orgId: "o2", org: { name: "Other" }, humanUsers }] };
    await fetch(`${mock.url}/admin/v1/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.token}` },
      body: JSON.stringify({ dataOrgs, timeout: "1m" }),
    });
    const terminal = runOnTerminal(["start"], { cwd });
    const isPart = ids.length < USERS.length;
    await answer(terminal, stepsTo(mock.url, mock.token).slice(0, isPart ? 9 : 8));
    if (isPart) await answer(terminal, [["Import the others now?", keys.down, keys.enter]]);
    else await answer(terminal, [["google-oauth2: 1. Link them to", keys.enter]]);
    expect(await terminal.ended, terminal.output).toBe(exitCode);
    expect(terminal.output).toContain(expected);
    expect(terminal.output).toContain("named here: organization o2");
  });

  test("leads from a file to imported and verified users, and shows each command", async () => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, stepsTo(mock.url, mock.token));
    expect(await terminal.ended, terminal.output).toBe(0);
    expect(terminal.output).toContain("verified: 2 of 2 found, 2 identical");
    expect(terminal.output).not.toContain(mock.token);
    const ran = [...terminal.output.matchAll(/^ran: orgferry (.*?)\r?$/gm)].map(([, line]) => line);
    expect(existsSync(join(cwd, "importBody.json.manifest.ndjson"))).toBe(true);
    expect(terminal.output).toContain(`orgferry undo importBody.json.manifest.ndjson --target ${mock.url}`);
    expect(terminal.output).toContain("need the token: --token-file <path>");
    const flags = "--target-version 4.0.0 --target-verifiers bcrypt --target-limits none";
    expect(ran).toEqual([
      `doctor --target ${mock.url} --probe --report importBody.json.probe.json`,
      expect.stringMatching(
        new RegExp(
          `^migrate auth0 --org o1 --users users.json --passwords hashes.json ${flags} --output.* --metadata user`,
        ),
      ),
      `import importBody.json --target ${mock.url} --dry-run --report importBody.json.dry-run.json`,
      `import importBody.json --target ${mock.url} --rejects importBody.json.failed --verify --no-mail --report importBody.json.import.json`,
    ]);
  });

  test("users who exist are changed after a yes, and undo is named with the manifest of this run", async () => {
    const { mock, cwd } = await world();
    const existing = { ...testUser(1), userId: "auth0|1" };
    const dataOrgs = { orgs: [{ orgId: "o1", humanUsers: [existing] }] };
    await fetch(`${mock.url}/admin/v1/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.token}` },
      body: JSON.stringify({ dataOrgs, timeout: "1m" }),
    });
    writeFileSync(join(cwd, "importBody.json.manifest.ndjson"), "of an earlier run\n");
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, stepsTo(mock.url, mock.token).slice(0, -1));
    await answer(terminal, [
      ["1 user exists on the target already", keys.down, keys.enter],
      ["Import these users now?", keys.down, keys.enter],
    ]);
    await terminal.ended;
    const { update, manifest } = JSON.parse(readFileSync(join(cwd, "importBody.json.import.json"), "utf8"));
    expect(update, terminal.output).toMatchObject({ create: ["google-oauth2|2"] });
    expect([update.update, update.conflict].flat()).toMatchObject([{ userId: "auth0|1" }]);
    expect(manifest).not.toBe("importBody.json.manifest.ndjson");
    expect(terminal.output).toContain(`To delete the users that it created: orgferry undo ${manifest}`);
  });

  test("Enter at the last question sends nothing", async () => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [...stepsTo(mock.url, mock.token).slice(0, -1), ["Import these users now?", keys.enter]]);
    expect(await terminal.ended, terminal.output).toBe(0);
    expect(mock.mails()).toEqual([]);
    expect(writesOf(mock)).toEqual([]);
    expect(terminal.output).toContain("Yes, and no user gets an e-mail or an SMS");
    const command = `orgferry import importBody.json --target ${mock.url} --rejects importBody.json.failed --verify`;
    expect(terminal.output).toContain(`To import them later: ${command}\r\n`);
  });

  test.each(["", "none"])("without a file of password hashes (%j), migrate runs without one", async (path) => {
    const { mock, cwd } = await world();
    rmSync(join(cwd, "hashes.json"));
    const terminal = runOnTerminal(["start"], { cwd });
    const steps = stepsTo(mock.url, mock.token);
    await answer(terminal, [...steps.slice(0, 5), ["File with the password hashes", path, keys.enter]]);
    await answer(terminal, [["Not carried over yet", keys.ctrlC]]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: orgferry migrate auth0 --org o1 --users users\.json --passwords none\s/);
  });

  test("a password file of the default name is offered, and an empty answer does without it", async () => {
    const { mock, cwd } = await world();
    writeFileSync(join(cwd, "passwords.json"), JSON.stringify({ _id: { $oid: "1" }, passwordHash: HASH }));
    const steps = stepsTo(mock.url, mock.token).slice(0, 5);
    const offered = runOnTerminal(["start"], { cwd });
    await answer(offered, [...steps, ["File with the password hashes", keys.enter]]);
    await answer(offered, [["Find out which password hashes", keys.ctrlC]]);
    expect(await offered.ended, offered.output).toBe(130);
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ...steps,
      ["File with the password hashes", "\u007f".repeat("./passwords.json".length), keys.enter],
    ]);
    await answer(terminal, [["--passwords none: no user gets a password", ""]]);
    await answer(terminal, [["Not carried over yet", keys.ctrlC]]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: orgferry migrate auth0 .*--passwords none\s/);
    expect(existsSync(join(cwd, "importBody.json"))).toBe(true);
    expect(readFileSync(join(cwd, "importBody.json"), "utf8")).not.toContain("hashedPassword");
  });

  // A question of each kind: text, secret, choice, several choices, and the last one before anything is sent.
  test.each([0, 2, 3, 7, 9])("Ctrl-C at question %i ends it, and nothing is sent", async (at) => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    const steps = stepsTo(mock.url, mock.token);
    await answer(terminal, steps.slice(0, at));
    await answer(terminal, [[steps[at]?.[0] ?? "", keys.ctrlC]]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(writesOf(mock)).toEqual([]);
  });

  test.each([0, 2, 3, 7])("Ctrl-D at question %i ends it as Ctrl-C does, and says so", async (at) => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    const steps = stepsTo(mock.url, mock.token);
    await answer(terminal, steps.slice(0, at));
    await answer(terminal, [[steps[at]?.[0] ?? "", keys.ctrlD]]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toContain("Ended at a question: no user was imported. To begin again: orgferry start");
    expect(writesOf(mock)).toEqual([]);
  });

  test("SIGTERM while the import runs: it ends properly, and the command that continues it is named", async () => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    const steps = stepsTo(mock.url, mock.token);
    await answer(terminal, steps.slice(0, -1));
    await terminal.until("Import these users now?");
    mock.addFault({ endpoint: "import", fault: "latency", delay: "3s" });
    const arrived = mock.arrived("/admin/v1/import");
    terminal.send(keys.down, keys.enter);
    await arrived;
    terminal.kill("SIGTERM");
    expect(await terminal.ended, terminal.output).toBe(143);
    expect(terminal.output.split("interrupted; the changes that the service has made so far stay.")).toHaveLength(2);
    expect(terminal.output.split("error: interrupted")).toHaveLength(2);
    expect(terminal.output).toContain("orgferry status importBody.json.journal.ndjson");
    expect(existsSync(join(cwd, "importBody.json.journal.ndjson"))).toBe(true);
  });

  test("a typed token with a blank is asked for again, and no variable is named", async () => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ...stepsTo(mock.url, "my token").slice(0, 3),
      ["this is not a token: it contains"],
      ["(empty: another address)", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).not.toContain("PAT_IMPORT_TOKEN");
  });

  // A question of each kind.
  test.each([
    ["SIGINT", 0, 130],
    ["SIGTERM", 2, 143],
    ["SIGHUP", 3, 143],
    ["SIGTERM", 7, 143],
  ] as const)("%s at question %i ends it, and leaves the terminal usable", async (signal, at, code) => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd, after: "stty -a" });
    const steps = stepsTo(mock.url, mock.token);
    await answer(terminal, steps.slice(0, at));
    await terminal.until(steps[at]?.[0] ?? "");
    terminal.kill(signal);
    expect(await terminal.ended, terminal.output).toBe(code);
    expect(terminal.output).toMatch(/\sicanon\s/);
    expect(terminal.output).toMatch(/\secho\s/);
    expect(writesOf(mock)).toEqual([]);
  });

  test("users are judged by the hashes that the target accepts, which are found out first", async () => {
    const { mock, cwd } = await world({ verifiers: ["pbkdf2"] });
    const users = Array.from({ length: 12 }, (_, at) => keycloakUser(at, pbkdf2()));
    writeFileSync(join(cwd, "realm.json"), JSON.stringify({ realm: "acme", users }));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [...stepsOfRealm(mock), ["Import these users now?", keys.ctrlC]]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toContain("12 pbkdf2; required on the target");
    expect(terminal.output).toMatch(/ran: orgferry migrate keycloak .*--target-verifiers bcrypt,pbkdf2 /);
    expect(writesOf(mock)).toEqual([]);
  });

  test("users with hashes that no target checks can get an e-mail later, too", async () => {
    const { mock, cwd } = await world();
    const [stored] = pbkdf2();
    const argon2d = {
      ...stored,
      credentialData: JSON.stringify({
        hashIterations: 5,
        algorithm: "argon2",
        additionalParameters: { memory: ["7168"], type: ["d"], version: ["1.3"], parallelism: ["1"] },
      }),
    };
    const users = [keycloakUser(1), keycloakUser(2, [argon2d]), keycloakUser(3, pbkdf2())];
    writeFileSync(join(cwd, "realm.json"), JSON.stringify({ realm: "acme", users }));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ...stepsOfRealm(mock),
      ["hashes of 2 users (pbkdf2, others", keys.down, keys.enter],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toContain("users          read 3 = written 3 + rejected 0");
    expect(terminal.output).toMatch(/ran: .*--unverifiable later\s/);
  });

  test("the accounts of users with one address become links of one user, if the answer says so", async () => {
    const { mock, cwd } = await world();
    const second = {
      user_id: "google-oauth2|2",
      email: "ann@example.com",
      email_verified: true,
      name: "Ann",
      identities: [{ provider: "google-oauth2", user_id: "2", connection: "google-oauth2" }],
    };
    writeFileSync(join(cwd, "users.json"), JSON.stringify([{ ...USERS[0], user_metadata: {} }, second]));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, stepsTo(mock.url, mock.token).slice(0, 7));
    await answer(terminal, [
      ["1 user has the name of another user", keys.down, keys.enter],
      // Only then it is known that they can be linked.
      ["google-oauth2: 1. Link them to", keys.enter],
      ["1 of 2 users was rejected. Continue without them?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: orgferry migrate auth0 .*--same-email link\s/);
  });

  test("a realm is chosen of a file of several", async () => {
    const { mock, cwd } = await world();
    const realms = [
      { realm: "master", users: [keycloakUser(1)] },
      { realm: "acme", users: [keycloakUser(2), keycloakUser(3)] },
    ];
    writeFileSync(join(cwd, "realm.json"), JSON.stringify(realms));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ...stepsOfRealm(mock),
      ["Users of which realm?", ""],
      ["acme", ""],
      ["2 users", ""],
      ["master", keys.enter],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    const migrations = [...terminal.output.matchAll(/^ran: orgferry migrate (.*?)\r?$/gm)].map(([, line]) => line);
    expect(migrations).toEqual([expect.stringMatching(/--users realm.json .*--realm acme$/)]);
    expect(readFileSync(join(cwd, "importBody.json"), "utf8")).toContain("user3@example.com");
  });

  test("a domain and a country are asked for once, if the conversion shows that users need them", async () => {
    const { mock, cwd } = await world();
    const rows = [
      { ...USERS[0], given_name: "Ann", family_name: "Ek", phone_number: "079 123 45 67" },
      { user_id: "google-oauth2|2", name: "Ben" },
    ];
    writeFileSync(join(cwd, "users.json"), JSON.stringify(rows));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, stepsTo(mock.url, mock.token).slice(0, 7));
    await answer(terminal, [
      ["Domain for the e-mail addresses of 1 user without one", "users_example", keys.enter],
      ["It must be a host name", "\u007f".repeat("users_example".length), "nope", keys.enter],
      ["It must be a domain with a dot", "\u007f".repeat("nope".length), "users.example.com", keys.enter],
      ["Not carried over yet", keys.enter],
      ["--email-domain users.example.com", ""],
      ["Country of national phone numbers", "CH", keys.enter],
      // The user with this sign-in was rejected before.
      ["google-oauth2: 1. Link them to", keys.enter],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    const flags = "--email-domain users.example.com --profile full --phone-country CH";
    expect(terminal.output).toMatch(new RegExp(`ran: orgferry migrate auth0 .* ${flags}\\s`));
    const body = readFileSync(join(cwd, "importBody.json"), "utf8");
    expect(body).toContain("+41791234567");
    expect(body).toContain("@users.example.com");
  });

  test("of a realm's attributes, the selected ones are carried over", async () => {
    const { mock, cwd } = await world();
    const attributes = { plan: ["gold"], room: ["12"], shift: ["late"] };
    const users = [{ ...keycloakUser(1), attributes }];
    writeFileSync(join(cwd, "realm.json"), JSON.stringify({ realm: "acme", users }));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ...stepsOfRealm(mock),
      ["Not carried over yet", keys.space, keys.down, keys.down, keys.space, keys.enter],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: .*--metadata plan --metadata shift\s/);
    expect(readFileSync(join(cwd, "importBody.json"), "utf8")).not.toContain('"room"');
  });

  test("roles and groups of a realm are named with the flag that grants them, before the import", async () => {
    const { mock, cwd } = await world();
    const users = [{ ...keycloakUser(1), realmRoles: ["default-roles-acme", "editor"], groups: ["/staff"] }];
    writeFileSync(join(cwd, "realm.json"), JSON.stringify({ realm: "acme", users }));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ...stepsOfRealm(mock),
      ["Not granted, by users: editor 1, /staff 1.", ""],
      ["run again with --grant <name>=<project id>:<role key>:", ""],
      ["orgferry migrate keycloak --org o1 --users realm.json", ""],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
  });

  test("a probe whose report cannot be written does not end it", async () => {
    const { mock, cwd } = await world();
    writeFileSync(join(cwd, "realm.json"), JSON.stringify({ realm: "acme", users: [keycloakUser(1)] }));
    writeFileSync(join(cwd, "importBody.json.probe.json"), "notes of a person");
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ...stepsOfRealm(mock),
      ["it is not known which hashes the target accepts", ""],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
  });

  test("after many rejected users Enter does not continue, and the next step is named", async () => {
    const { mock, cwd } = await world();
    const users = [...Array(12).keys()].map((at) => keycloakUser(at, at < 2 ? pbkdf2() : undefined));
    writeFileSync(join(cwd, "realm.json"), JSON.stringify({ realm: "acme", users }));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ...stepsOfRealm(mock),
      ["The target does not check the password hashes of 2 users", keys.enter],
      ["2 of 12 users were rejected. Continue without them?", keys.enter],
      ["The rejected rows are in", ""],
      ["--unverifiable later", ""],
      ["run again:", ""],
      ["orgferry migrate keycloak --org o1 --users realm.json", ""],
    ]);
    expect(await terminal.ended, terminal.output).toBe(1);
    expect(terminal.output).not.toContain("ran: orgferry import");
  });

  test("an address with the path of a page loses it", async () => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ["File or folder with the users", "users.json", keys.enter],
      ["Address of the target instance", `${mock.url}/ui/console`, keys.enter],
      ["Access token", mock.token, keys.enter],
      ["What is the file?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(mock.requests.map(({ path }) => path)).not.toContainEqual(expect.stringContaining("/ui/console"));
  });

  test.each([
    "Zk3v9QmX_7s-LwT2bYpR8cHdN4fJgA1eKuVoI6xWzE0",
    "Zk3v9QmX7sLwT2bYpR8cHdN4fJgA1eKuVoI6xWzE0",
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
  ])("a token in place of the address is refused, and not shown again: %s", async (token) => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ["File or folder with the users", "users.json", keys.enter],
      ["Address of the target instance", token],
      [token, keys.enter],
      ["This is no address", mock.url, keys.enter],
      ["Access token", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output.split("This is no address")[1]).not.toContain(token);
    expect(terminal.output.split(token)).toHaveLength(2);
  });

  test("a wrong file is asked for again, and the file with the users is refused as the one with the hashes", async () => {
    const { mock, cwd } = await world();
    await mock.importOrgs([{ orgId: "o2", org: { name: "Second" } }]);
    writeFileSync(join(cwd, "latin1.csv"), Buffer.from("id,email,name\n1,ann@example.com,M\xfcller\n", "latin1"));
    const terminal = runOnTerminal(["start"], { cwd });
    const [, address = [""], token = [""]] = stepsTo(mock.url, mock.token);
    const erase = (name: string): string => "\u007f".repeat(name.length);
    writeFileSync(join(cwd, "cut.json"), '[{"user_id":"auth0|1","email":"ann@example.com","name":"Ann"},\n{"user_id":');
    await answer(terminal, [
      ["File or folder with the users", "hashes.json", keys.enter],
      ["hashes.json: has the password hashes", erase("hashes.json"), "cut.json", keys.enter],
      address,
      token,
      ["What is the file?", keys.enter],
      ["Organization of the target", keys.down, keys.enter],
      ["File with the password hashes", keys.enter],
      ["This did not work", ""],
      ["File or folder with the users", erase("cut.json"), "latin1.csv", keys.enter],
      ["latin1.csv:2: is not UTF-8", erase("latin1.csv"), "users.json", keys.enter],
      ["What is the file?", keys.enter],
      ["Organization of the target", keys.enter],
      ["File with the password hashes", "users.json", keys.enter],
      ["This is the file with the users.", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    // The last one of a kind is named, also if it failed.
    const ran = [...terminal.output.matchAll(/^ran: orgferry (.*?)\r?$/gm)].map(([, line]) => line);
    expect(ran).toEqual([expect.stringMatching(/^migrate auth0 --org o2 .* {2}# exit code 3$/)]);
  });

  test("an empty answer to the question about columns leads back to the first question", async () => {
    const terminal = await onTable(
      ["nr,wer", "1,ann@example.com"],
      [
        ["Columns, such as", keys.enter],
        ["Back to the first question", ""],
        ["File or folder with the users", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).not.toContain("This did not work");
  });

  test("a column of hashes with a name of its own is among the columns that Enter takes", async () => {
    const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
    const rows = [`7,ann@example.com,ja,${hash}`, "8,ben@example.com,ja,", `9,cy@example.com,ja,${hash}`];
    const terminal = await onTable(
      ["id,mail,bestätigt,Geheimes", ...rows],
      [
        ["hash=Geheimes", ""],
        ["Columns, such as", keys.enter],
        ["2 with password, 1 without", ""],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).not.toContain(hash);
  });

  test("a table of own format: columns, words and phone numbers are asked for until they are understood", async () => {
    const rows = [
      "nr,wer,lage,tel",
      "1,ann@example.com,laeuft,030 123456",
      "2,ben@example.com,weg,",
      "3,cy@example.com,active,030 1",
    ];
    const terminal = await onTable(rows, [
      ["The users have: nr, wer, lage, tel", ""],
      ["Fields: userId, userName, email, emailVerified, firstName,", ""],
      ["metadata.<key>", ""],
      ["Columns, such as userId=<column>,email=<column>,phone=tel", "userId=id,email=wer", keys.enter],
      ["no such column", ""],
      ["Columns, such as", "\u007f".repeat("userId=id,email=wer".length), "generic", keys.enter],
      ["no column for", ""],
      ["Columns, such as", "\u007f".repeat("generic".length), "userId=nr,email=wer,phone=tel,state=lage", keys.enter],
      [
        "What unknown words mean: lage has laeuft (1), weg (1). Write state:laeuft=<active,",
        "state:laeuft=activ",
        keys.enter,
      ],
      ["activ is not a word that orgferry knows for state", "e,state:weg=deleted", keys.enter],
      ["Nothing that was read says whether the e-mail addresses are verified", keys.enter],
      ["Country of national phone numbers", "Germany", keys.enter],
      ["It must be the two letters of a country", "\u007f".repeat("Germany".length), "DE", keys.enter],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).not.toMatch(/ran: .*(userId=id|--preset generic)/);
    expect(terminal.output.match(/ran: orgferry migrate/g)).toHaveLength(1);
    expect(terminal.output).toMatch(
      /ran: .*--map userId=nr,email=wer,phone=tel,state=lage .*state:laeuft=active .*state:weg=deleted .*--phone-country DE\s/,
    );
  });

  test("words are asked for also where the body of an earlier session lies", async () => {
    const { mock, cwd } = await world();
    writeFileSync(join(cwd, "people.csv"), "nr,wer,lage\n1,ann@example.com,laeuft\n2,ben@example.com,laeuft\n");
    writeFileSync(join(cwd, "importBody.json"), testBody([testUser(9)], "o1"));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ["File or folder with the users", "people.csv", keys.enter],
      ...stepsTo(mock.url, mock.token).slice(1, 5),
      ["Find out which password hashes", keys.down, keys.enter],
      ["Columns, such as", "userId=nr,email=wer,state=lage", keys.enter],
      ["the existing importBody.json was not replaced", ""],
      ["What unknown words mean: lage has laeuft (2).", "state:laeuft=active", keys.enter],
      ["Nothing that was read says whether the e-mail addresses are verified", keys.enter],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
  });

  test("the list of a JSON document that has the users is asked for, and presets of JSON are named", async () => {
    const { mock, cwd } = await world();
    const staff = [
      { id: 1, contact: { mail: "ann@example.com" } },
      { id: 2, contact: { mail: "ben@example.com" } },
    ];
    writeFileSync(join(cwd, "staff.json"), JSON.stringify({ teams: [{ id: 1 }], data: { staff } }));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ["File or folder with the users", "staff.json", keys.enter],
      ...stepsTo(mock.url, mock.token).slice(1, 3),
      ["The file is of no known kind. What is it?", keys.enter],
      ["Organization of the target", keys.enter],
      ["Find out which password hashes", keys.down, keys.enter],
      ["The file has lists. Which one has the users?", ""],
      ["data.staff", ""],
      ["none of them: the file has one user", keys.enter],
      ["Presets: firebase, ", ""],
      ["these were recognized, Enter takes them", keys.enter],
      ["Nothing that was read says", keys.enter],
      ["Import these users now?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(
      /ran: orgferry migrate json .*--list data\.staff --map userId=id,email=contact\.mail\s/,
    );
    expect(terminal.output).not.toContain("generic");
  });

  test("columns with usual names are proposed, and Enter takes them", async () => {
    const terminal = await onTable(
      ["Kunden-Nr.,E-Mail,Vorname,Nachname,Tarif", "1,ann@example.com,Ann,Ek,gold"],
      [
        ["these were recognized, Enter takes them", ""],
        ["userId=Kunden-Nr.,email=E-Mail,firstName=Vorname,lastName=Nachname", keys.enter],
        ["Nothing that was read says whether the e-mail addresses are verified", keys.enter],
        ["Not carried over yet", keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(
      /ran: .*--map userId=Kunden-Nr\.,email=E-Mail,firstName=Vorname,lastName=Nachname\s/,
    );
  });

  test("verified addresses of a table that does not say so are marked, if the answer is yes", async () => {
    const terminal = await onTable(
      ["id,mail", "1,ann@example.com"],
      [
        ["these were recognized", keys.enter],
        ["Nothing that was read says whether the e-mail addresses are verified. Are they?", ""],
        ["No: each user gets an e-mail", keys.down, keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: .*--map userId=id,email=mail --email-verified\s/);
  });

  test("a column that is not read can say whether addresses are verified, and others become metadata", async () => {
    const terminal = await onTable(
      ["id,mail,Adresse geprüft,Tarif,Ort", "1,ann@example.com,ja,gold,Bern", "2,ben@example.com,offen,,Genf"],
      [
        ["these were recognized", keys.enter],
        ["Nothing that was read says whether the e-mail addresses are verified", ""],
        ["As Tarif says", keys.down, keys.down, keys.enter],
        ["Not carried over yet", keys.down, keys.space, keys.enter],
        ["What unknown words mean: Adresse geprüft has offen (1).", "emailVerified:offen=no", keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(
      /ran: .*--map 'emailVerified=Adresse geprüft'.* --map metadata\.Tarif=Tarif .*emailVerified:offen=no/,
    );
  });

  test("a broken hash among good ones is rejected, and not taken for a password", async () => {
    const rows = [HASH, HASH, "$2b$10$kaputt"].map((hash, at) => `${at},u${at}@example.com,true,${hash}`);
    const terminal = await onTable(
      ["id,mail,email_verified,Passwort-Hash", ...rows],
      [
        ["these were recognized", keys.enter],
        ["The target does not check the password hashes of 1 user (others", keys.enter],
        ["1 of 3 users was rejected. Continue without them?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).not.toContain("Some hashes are of no known form.");
  });

  test("words that got no meaning are not asked for again", async () => {
    const terminal = await onTable(
      ["id,mail,status,passwort", "1,ann@example.com,schläft,Secret-1!", "2,ben@example.com,aktiv,Secret-2!"],
      [
        ["these were recognized", keys.enter],
        ["What unknown words mean: status has schläft (1).", keys.enter],
        ["Some hashes are of no known form.", keys.down, keys.enter],
        ["Nothing that was read says", keys.enter],
        ["1 of 2 users was rejected", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
  });

  test("a table with a column of verified addresses is not asked about", async () => {
    const terminal = await onTable(
      ["id,mail,email_verified", "1,ann@example.com,true"],
      [
        ["these were recognized", keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).not.toContain("Nothing that was read says");
  });

  test("columns that were wrong are there to be corrected", async () => {
    const terminal = await onTable(
      ["nr,wer", "1,ann@example.com"],
      [
        ["Columns, such as", "--map nr", keys.enter],
        ["without flags", "\u007f".repeat("--map nr".length), "userId=nr,email=we", keys.enter],
        ["no such column", ""],
        ["Columns, such as", "r", keys.enter],
        ["Nothing that was read says whether the e-mail addresses are verified", keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: .*--map userId=nr,email=wer\s/);
  });

  test("words are asked for if no row is understood, and the columns if they are not the reason", async () => {
    const terminal = await onTable(
      ["nr,wer,lage", "1,ann@example.com,laeuft", "2,ben@example.com,weg"],
      [
        ["Columns, such as", "userId=nr,email=wer,state=lage", keys.enter],
        ["What unknown words mean: lage has laeuft (1), weg (1).", keys.enter],
        ["Columns, such as", keys.enter],
        ["What unknown words mean: lage has laeuft (1), weg (1).", "state:laeuft=active", keys.enter],
        ["--value state:laeuft=active", ""],
        ["What unknown words mean: lage has weg (1).", "state:laeuft=active", keys.enter],
        ["These meanings are known: the file has other words.", ";state:weg=inactive", keys.enter],
        ["Nothing that was read says whether the e-mail addresses are verified", keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: .*state:laeuft=active .*state:weg=inactive/);
    expect(terminal.output).not.toMatch(/ran: .*state:laeuft=active.*state:laeuft=active/);
  });

  test("of a column with texts that are no words, none is shown in the question", async () => {
    const terminal = await onTable(
      ["nr,wer,wort", "1,ann@example.com,hunter2", "2,ben@example.com,hunter3"],
      [
        ["Columns", "userId=nr,email=wer,state=wort", keys.enter],
        ["What unknown words mean: wort has more than can be shown, or none that are words", ""],
        ["is it the right column for state?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).not.toContain("hunter");
  });

  test("a table without a column of e-mail addresses needs a domain for them", async () => {
    const terminal = await onTable(
      ["nr,wer", "1,ann", "2,ben"],
      [
        ["Columns, such as", "userId=nr,userName=wer", keys.enter],
        ["No column for the e-mail address.", "users.example.com", keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: .*--email-domain users.example.com --map userId=nr,userName=wer\s/);
  });

  test("hashes that the target does not check are taken for no passwords; their users can get an e-mail later", async () => {
    const terminal = await onTable(
      ["nr,wer,wort", "1,ann@example.com,6e6fdf956d04289354dcf1619e28fe77"],
      [
        ["Columns, such as", "userId=nr,email=wer,hash=wort", keys.enter],
        ["The target does not check the password hashes of 1 user (md5plain", keys.down, keys.enter],
        ["Nothing that was read says whether the e-mail addresses are verified", keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: .*--unverifiable later\s/);
    expect(terminal.output).not.toContain("Some hashes are of no known form.");
  });

  // Named as passwords, and named as hashes.
  test.each([
    ["userId=nr,email=wer,password=wort", "Does the column have the passwords themselves"],
    ["userId=nr,email=wer,hash=wort", "Some hashes are of no known form."],
  ])("plain passwords of %s are hashed if the answer is yes", async (columns, question) => {
    const terminal = await onTable(
      ["nr,wer,wort", "1,ann@example.com,Secret-1!", "2,ben@example.com,Secret-2!"],
      [
        ["Columns, such as", columns, keys.enter],
        [question, keys.down, keys.enter],
        ["Nothing that was read says whether the e-mail addresses are verified", keys.enter],
        ["Import these users now?", keys.ctrlC],
      ],
    );
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).toMatch(/ran: .*--map userId=nr,email=wer,password=wort --plain-passwords\s/);
    expect(terminal.output).not.toContain("Secret-1!");
  });

  test("an address without an instance is asked for again, before the token", async () => {
    const { mock, cwd } = await world();
    const nowhere = "http://127.0.0.1:9";
    const page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi";
    const { url, requests } = await startRawServer((socket) => socket.end(page));
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ["File or folder with the users", "users.json", keys.enter],
      ["Address of the target instance", nowhere, keys.enter],
      ["no server is listening there", ""],
      ["Address of the target instance", "\u007f".repeat(nowhere.length), url, keys.enter],
      ["answers, but not as ZITADEL", ""],
    ]);
    expect(terminal.output).not.toContain("Access token");
    expect(requests).toHaveLength(1);
    await answer(terminal, [
      ["Address of the target instance", "\u007f".repeat(url.length), mock.url, keys.enter],
      ["Access token", mock.token, keys.enter],
      ["What is the file?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
  });

  test("an address of the wrong scheme is corrected: Enter accepts it", async () => {
    const { mock, cwd } = await world();
    const terminal = runOnTerminal(["start"], { cwd });
    await answer(terminal, [
      ["File or folder with the users", "users.json", keys.enter],
      ["Address of the target instance", mock.url.replace("http://", ""), keys.enter],
      ["the server speaks plain http, not https", ""],
      ["Address of the target instance", keys.enter],
      ["Access token", mock.token, keys.enter],
      ["What is the file?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
  });

  // Without a role, and with one that reads only.
  test.each([[[]], [["IAM_OWNER_VIEWER"]]])(
    "a token with the roles %j is asked for again, and the address is not",
    async (roles) => {
      const { mock, cwd } = await world();
      mock.addToken("weak-1234", { userId: "weak", roles });
      const terminal = runOnTerminal(["start"], { cwd });
      await answer(terminal, [
        ["File or folder with the users", "users.json", keys.enter],
        ["Address of the target instance", mock.url, keys.enter],
        ["Access token", "expired-1234", keys.enter],
        ["does not accept the token", ""],
        ["Access token of a service user with the role IAM_OWNER (empty: another address)", "weak-1234", keys.enter],
        ["the token lacks a permission", ""],
        ["with the role IAM_OWNER.", ""],
        ["Access token", mock.token, keys.enter],
        ["What is the file?", keys.ctrlC],
      ]);
      expect(await terminal.ended, terminal.output).toBe(130);
      expect(terminal.output.split("does not accept the token")[1]).not.toContain("Address of the target instance");
      for (const token of ["expired-1234", "weak-1234", mock.token]) expect(terminal.output).not.toContain(token);
    },
  );

  test("a token of the environment that is refused is asked for, and an empty answer leads to another address", async () => {
    const { mock, cwd } = await world();
    const env = { ZITADEL_IMPORT_DOMAIN: mock.url, PAT_IMPORT_TOKEN: "expired-1234" };
    const terminal = runOnTerminal(["start"], { cwd, env });
    await answer(terminal, [
      ["File or folder with the users", "users.json", keys.enter],
      ["Address of the target instance", keys.enter],
      ["does not accept the token", ""],
      ["Access token", keys.enter],
      ["Address of the target instance", keys.enter],
      ["Access token", mock.token, keys.enter],
      ["What is the file?", keys.ctrlC],
    ]);
    expect(await terminal.ended, terminal.output).toBe(130);
    expect(terminal.output).not.toContain(mock.token);
  });
});

test("without a terminal nothing is asked", async () => {
  const { exitCode, stderr } = await runBin(["start"], { cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("needs a terminal") });
});
