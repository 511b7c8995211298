import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultHashLimits, type HashLimits, isWithin } from "../../src/contract/hash-limits.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

interface ProbeReport {
  readonly exitCode: number;
  readonly probe?: {
    readonly calls: number;
    readonly verifiers: readonly string[];
    readonly checksCosts: boolean;
    readonly limits: HashLimits;
    readonly notFound: readonly string[];
    readonly flags?: string;
  };
  readonly problems: readonly { readonly code: string; readonly message: string; readonly id?: string }[];
}

const PATH = "/v2/users/human/";

async function probe(env: Record<string, string>, world: { readonly signal?: AbortSignal } = {}) {
  const result = await runCli(["doctor", "--probe", "--json"], { cwd: tempDir(), env, ...world });
  return { ...result, report: JSON.parse(result.stdout) as ProbeReport };
}

/** The changes that were asked for, and their ids. */
function changesOf(mock: TestMock): readonly string[] {
  return mock.requests.filter(({ path, method }) => method === "PUT" && path.startsWith(PATH)).map(({ path }) => path);
}

/** Everything that a probe could leave behind: users, events and e-mails. */
async function contentOf(mock: TestMock): Promise<unknown> {
  const search = async (path: string): Promise<unknown> => {
    const response = await fetch(mock.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.token}`, "content-type": "application/json" },
      body: "{}",
    });
    return response.json();
  };
  const { events } = (await search("/admin/v1/events/_search")) as { events?: unknown };
  const { result } = (await search("/v2/users")) as { result?: unknown };
  return { events, users: result, mails: mock.mails };
}

/** A front that judges hashes as the 4.x line of July 2026 does: bcrypt and pbkdf2, by these limits. */
function strictFront(mock: TestMock, limits: HashLimits): Promise<string> {
  const refused = (message: string) => ({ status: 400, body: { code: 3, message } });
  return startFront(mock, (path, body) => {
    if (!path.startsWith(PATH) || body.toString() === "{}") return undefined;
    const { password } = JSON.parse(body.toString()) as { password: { hashedPassword: { hash: string } } };
    const [, bcrypt, , rounds] =
      /^(?:\$2b\$(\d\d)\$[a-z]{53}|(\$)pbkdf2-sha256\$(\d+)\$.+)$/.exec(password.hashedPassword.hash) ?? [];
    if (bcrypt === undefined && rounds === undefined) return refused("Password is invalid (CRYPT-r8Qm2)");
    const isIn =
      bcrypt === undefined
        ? isWithin(limits, "pbkdf2-rounds", Number(rounds))
        : isWithin(limits, "bcrypt", Number(bcrypt));
    return isIn
      ? { status: 404, body: { code: 5, message: "User could not be found (COMMAND-ugjs0upun6)" } }
      : refused("Password is invalid (CRYPT-5uV9n)");
  });
}

test.each([
  ["v4", ["argon2", "pbkdf2"], ["bcrypt", "argon2", "pbkdf2"]],
  ["v4", [], ["bcrypt"]],
  ["v2", ["scrypt"], ["bcrypt", "scrypt"]],
] as const)(
  "%s with %j: the verifiers are found, no cost has a limit, and nothing is changed",
  async (mimic, verifiers, found) => {
    const mock = await startMock({ mimic, verifiers, seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const before = await contentOf(mock);
    const { exitCode, stderr, report } = await probe(mock.env);
    expect(exitCode, stderr).toBe(0);
    expect(report.probe).toMatchObject({ verifiers: found, checksCosts: false, limits: {}, notFound: [] });
    expect(report.probe?.flags).toContain(`--target-verifiers ${found.join(",")} --target-limits none`);
    expect(await contentOf(mock)).toEqual(before);
    expect(changesOf(mock)).toHaveLength(report.probe?.calls ?? 0);
  },
);

test("every call names one id, which another probe does not use", async () => {
  const mock = await startMock({ mimic: "v4" });
  await Promise.all([probe(mock.env), probe(mock.env)]);
  const ids = new Set(changesOf(mock));
  expect([...ids]).toEqual([expect.stringMatching(/orgferry-probe-[0-9a-f-]{36}$/), expect.anything()]);
});

test("a service that checks costs: exact limits, as flags for migrate, after the number of calls was announced", async () => {
  const mock = await startMock({ mimic: "v4" });
  const limits = { bcrypt: { min: 9, max: 13 }, "pbkdf2-rounds": { min: 2500, max: 777_777 } };
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: await strictFront(mock, limits) };
  const { stdout, stderr, exitCode } = await runCli(["doctor", "--probe", "--report", "report.json"], {
    cwd: tempDir(),
    env,
  });
  expect(exitCode, stderr).toBe(0);
  const flags =
    "--target-verifiers bcrypt,pbkdf2 --target-limits bcrypt.minCost=9,bcrypt.maxCost=13,pbkdf2.minRounds=2500,pbkdf2.maxRounds=777777";
  expect(stdout).toMatch(new RegExp(`flags for migrate, for this target:\\n {2}.*${flags}\\n`));
  expect(stdout).toContain("bcrypt 9 to 13; pbkdf2-rounds 2,500 to 777,777");
  expect(stderr).toContain("at most 550");
  expect(stderr).not.toContain("ok    target");
});

test("the report has the limits, and what the shell gets holds nothing else that the service sent", async () => {
  const mock = await startMock({ mimic: "v4" });
  const strict = await strictFront(mock, { bcrypt: defaultHashLimits.bcrypt ?? {} });
  const front = await startFront({ url: strict }, (path) =>
    path === "/admin/v1/instances/me"
      ? { status: 200, body: { instance: { version: "v4.15.1-x; rm -rf $(x)" } } }
      : undefined,
  );
  const { report } = await probe({ ...mock.env, ZITADEL_IMPORT_DOMAIN: front });
  expect(report.probe).toMatchObject({ limits: { bcrypt: { min: 10, max: 16 }, "pbkdf2-rounds": { min: 1 } } });
  expect(report.probe?.flags).toBe(
    "--target-version 4.15.1 --target-verifiers bcrypt,pbkdf2 --target-limits bcrypt.minCost=10,bcrypt.maxCost=16,pbkdf2.minRounds=1,pbkdf2.maxRounds=999999999",
  );
});

test("migrate takes the flags, and rejects exactly the users that the target would refuse", async () => {
  const mock = await startMock({ mimic: "v4" });
  const front = await strictFront(mock, { bcrypt: { min: 9, max: 13 }, "pbkdf2-rounds": { min: 2500, max: 9000 } });
  const { report } = await probe({ ...mock.env, ZITADEL_IMPORT_DOMAIN: front });
  const bcrypt = (cost: string): string => `$2b$${cost}$abcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG`;
  const pbkdf2 = (rounds: number): string => `$pbkdf2-sha256$${rounds}$3nvPGYMQYqwVotRaSynFGA$${"a".repeat(43)}`;
  const argon2 = "$argon2id$v=19$m=65536,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b3dWRWJTmaaNObG";
  const hashes = [
    bcrypt("08"),
    bcrypt("09"),
    bcrypt("13"),
    bcrypt("14"),
    pbkdf2(2499),
    pbkdf2(2500),
    pbkdf2(9001),
    argon2,
  ];
  const cwd = tempDir();
  const rows = hashes.map((hash, at) => `u${at},u${at}@example.com,"${hash}"`);
  writeFileSync(join(cwd, "users.csv"), ["userId,email,hash", ...rows].join("\n"));
  const flags = (report.probe?.flags ?? "").split(" ");
  const map = ["--map", "userId=userId,email=email,hash=hash"];
  const { exitCode, stderr } = await runCli(["migrate", "csv", "--org", "1", ...map, ...flags], { cwd });
  expect(exitCode, stderr).toBe(1);
  const body = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8")) as {
    dataOrgs: { orgs: readonly { humanUsers: readonly { userId: string }[] }[] };
  };
  expect(body.dataOrgs.orgs[0]?.humanUsers.map(({ userId }) => userId)).toEqual(["u1", "u2", "u5"]);
});

test("limits that exclude every usual cost are a warning that names the cost", async () => {
  const mock = await startMock({ mimic: "v4" });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: await strictFront(mock, { "pbkdf2-rounds": { min: 3, max: 4 } }) };
  const { stderr, exitCode, report } = await probe(env);
  expect({ exitCode, notFound: report.probe?.notFound }).toEqual({ exitCode: 0, notFound: ["pbkdf2-rounds"] });
  expect(stderr).toContain("pbkdf2-rounds not found: the target refuses every usual cost");
});

test("interrupted in the middle, it leaves nothing, and the next probe finds the same as an undisturbed one", async () => {
  const mock = await startMock({ mimic: "v4", verifiers: ["argon2"] });
  const before = await contentOf(mock);
  const stop = new AbortController();
  let calls = 0;
  const front = await startFront(mock, (path) => {
    if (path.startsWith(PATH)) calls += 1;
    if (calls === 4) stop.abort(new Error("interrupted"));
    return undefined;
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: front };
  await probe(env, { signal: stop.signal }).catch(() => undefined);
  expect(calls).toBe(4);
  expect(await contentOf(mock)).toEqual(before);
  expect((await probe(mock.env)).report.probe?.verifiers).toEqual(["bcrypt", "argon2"]);
});

test.each([429, 502, "a closed connection"] as const)("a call whose answer is %s is repeated", async (answer) => {
  const mock = await startMock({ mimic: "v4", verifiers: ["pbkdf2"] });
  let hashes = 0;
  const front = await startFront(mock, (path) => {
    if (!path.startsWith(PATH)) return undefined;
    hashes += 1;
    if (hashes % 4 !== 0) return undefined;
    if (typeof answer === "string") throw new Error("closes the connection");
    return { status: answer, body: { code: 8, message: "later" } };
  });
  const { report, exitCode, stderr } = await probe({ ...mock.env, ZITADEL_IMPORT_DOMAIN: front });
  expect(exitCode, stderr).toBe(0);
  expect(report.probe?.verifiers).toEqual(["bcrypt", "pbkdf2"]);
  expect(hashes).toBeGreaterThan(report.probe?.calls ?? 0);
});

test("an answer that the call changed something ends the probe at once, and names the id", async () => {
  const mock = await startMock({ mimic: "v4" });
  let hashes = 0;
  const front = await startFront(mock, (path, body) => {
    if (!path.startsWith(PATH) || body.toString() === "{}") return undefined;
    hashes += 1;
    return hashes < 2 ? undefined : { status: 200, body: {} };
  });
  const { report, exitCode } = await probe({ ...mock.env, ZITADEL_IMPORT_DOMAIN: front });
  expect({ exitCode, hashes }).toEqual({ exitCode: 5, hashes: 2 });
  expect(report.probe).toBeUndefined();
  expect(report.problems[0]).toMatchObject({
    code: "api.probe-changed",
    message: expect.stringMatching(/orgferry-probe-[0-9a-f-]{36}/),
  });
});

test.each([
  ["without the users API", (path: string) => path.startsWith("/v2/users"), { code: 5, message: "Not Found" }, 404],
  ["where a proxy answers each change", (path: string) => path.startsWith(PATH), {}, 200],
  [
    "that accepts a text that is no hash",
    (path: string) => path.startsWith(PATH),
    { code: 5, message: "User could not be found (COMMAND-ugjs0upun6)" },
    404,
  ],
])("an instance %s cannot be probed: exit 5", async (_, isOf, body, status) => {
  const mock = await startMock({ mimic: "v4" });
  const front = await startFront(mock, (path) =>
    isOf(path) && path !== "/v2/users/human" ? { status, body } : undefined,
  );
  const { report, exitCode } = await probe({ ...mock.env, ZITADEL_IMPORT_DOMAIN: front });
  expect({ exitCode, code: report.problems[0]?.code }).toEqual({ exitCode: 5, code: "api.cannot-probe" });
});

test("an answer with an unknown error gives no verdict: exit 5, with the service's words", async () => {
  const mock = await startMock({ mimic: "v4" });
  const front = await startFront(mock, (path, body) =>
    path.startsWith(PATH) && body.includes("argon2")
      ? { status: 400, body: { code: 3, message: "Something new (CRYPT-New01)" } }
      : undefined,
  );
  const { report, exitCode, stderr } = await probe({ ...mock.env, ZITADEL_IMPORT_DOMAIN: front });
  expect({ exitCode, code: report.problems[0]?.code }).toEqual({ exitCode: 5, code: "api.unexpected" });
  expect(stderr).toContain("CRYPT-New01");
});

test("a token that may not import ends before the probe, and no target is a usage error", async () => {
  const mock = await startMock({ mimic: "v4" });
  mock.addToken("viewer", { userId: "v", roles: ["IAM_OWNER_VIEWER"] });
  expect((await probe({ ...mock.env, PAT_IMPORT_TOKEN: "viewer" })).exitCode).toBe(4);
  expect(changesOf(mock)).toEqual([]);
  const { exitCode, report } = await probe({ ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token });
  expect({ exitCode, code: report.problems[0]?.code }).toEqual({ exitCode: 2, code: "usage.no-address" });
});

test("without --probe no hash is asked about", async () => {
  const mock = await startMock({ mimic: "v4" });
  const cwd = tempDir();
  await runCli(["doctor", "--report", "report.json"], { cwd, env: mock.env });
  expect(changesOf(mock)).toEqual([]);
  expect(JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"))).not.toHaveProperty("probe");
});
