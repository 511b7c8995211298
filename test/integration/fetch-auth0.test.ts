import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FaultInput } from "../../src/mock/server.ts";
import { ProblemError } from "../../src/problem.ts";
import { startFront } from "../helpers/front.ts";
import { type CliWorld, runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const GOOGLE = { id: "con_googlegooglegoog", name: "google-oauth2", strategy: "google-oauth2" };
const DATABASE = { id: "con_databasedatabase", name: "people", strategy: "auth0" };
const sourceUsers = [
  {
    user_id: "auth0|5f7c8ec7c33c6c004bbafe82",
    email: "ada@example.com",
    email_verified: true,
    name: "Ada Lovelace",
    last_ip: "192.0.2.1",
    identities: [{ provider: "auth0", user_id: "5f7c8ec7c33c6c004bbafe82", connection: "people" }],
  },
  {
    user_id: "google-oauth2|77",
    email: "bob@example.com",
    name: "Bob",
    identities: [{ provider: "google-oauth2", user_id: "77", connection: "google-oauth2" }],
  },
];
const seed = { sourceUsers, sourceConnections: [DATABASE, GOOGLE] };

async function world(faults: readonly FaultInput[] = []) {
  const mock = await startMock({ seed, faults });
  const cwd = tempDir();
  const fetch = (args: readonly string[] = [], more: CliWorld = {}) =>
    runCli(["fetch", "auth0", ...domain(args, mock.url), "--report", "report.json", ...args], {
      cwd,
      env: { AUTH0_TOKEN: mock.token },
      ...more,
    });
  const report = () => JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"));
  const calls = () =>
    mock.requests.map(
      ({ method, path, status }) => `${method} ${path.replace(/(job_|downloads\/).*/, "$1…")} ${status}`,
    );
  return { mock, cwd, fetch, report, calls };
}

/** The domain of the mock, unless the arguments have one. */
function domain(args: readonly string[], url: string): readonly string[] {
  return args.includes("--domain") ? [] : ["--domain", url];
}

function usersIn(cwd: string, name = "users.ndjson"): readonly Record<string, unknown>[] {
  return readFileSync(join(cwd, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a job without progress is given up after an hour, and the same command continues it", async () => {
  const { mock, cwd, fetch } = await world();
  let isStuck = true;
  const stuck = { status: 200, body: { id: "job_1", type: "users_export", status: "pending" } };
  const url = await startFront(mock, (path) => (isStuck && path.includes("/jobs/job_") ? stuck : undefined));
  let waited = 0;
  const sleep = async (ms: number): Promise<void> => {
    waited += ms;
  };
  const first = await fetch(["--domain", url], { sleep });
  expect(first.exitCode, first.stderr).toBe(6);
  expect(waited).toBe(3_600_000);
  expect(first.stderr).toContain("made no progress for an hour");
  isStuck = false;
  const second = await fetch(["--domain", url]);
  expect(second.exitCode, second.stderr).toBe(0);
  expect(usersIn(cwd)).toHaveLength(2);
  expect(mock.requests.filter(({ path }) => path.endsWith("/users-exports"))).toHaveLength(1);
}, 60_000);

test("fetches all users with the fields that migrate auth0 reads, and names the connections", async () => {
  const { fetch, cwd, report, calls } = await world();
  const { exitCode, stderr, stdout } = await fetch();
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toBe("");
  const { last_ip: _, ...ada } = sourceUsers[0] ?? {};
  expect(usersIn(cwd)).toEqual([ada, sourceUsers[1]]);
  expect(stderr).toContain("people (auth0), google-oauth2 (google-oauth2)");
  expect(stderr).toMatch(/wrote \.\/users\.ndjson: 2 users, \d+ B/);
  expect(report()).toMatchObject({
    command: "fetch auth0",
    exitCode: 0,
    users: 2,
    output: "./users.ndjson",
    connections: [{ users: 2 }],
  });
  expect(statSync(join(cwd, "users.ndjson")).mode & 0o777).toBe(0o600);
  // No job file is left.
  expect(readdirSync(cwd).sort()).toEqual(["report.json", "users.ndjson"]);
  expect(calls()).toEqual([
    "GET /api/v2/connections 200",
    "POST /api/v2/jobs/users-exports 200",
    "GET /api/v2/jobs/job_… 200",
    "GET /api/v2/jobs/job_… 200",
    "GET /api/v2/jobs/job_… 200",
    "GET /api/v2/jobs/job_… 200",
    "GET /_mock/downloads/… 200",
  ]);
});

test("migrate auth0 reads its output from stdout", async () => {
  const { fetch, cwd } = await world();
  const fetched = await fetch(["--output", "-"]);
  expect(fetched.exitCode, fetched.stderr).toBe(0);
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", "--users", "-"], {
    cwd,
    stdin: fetched.stdout,
  });
  expect(exitCode, stderr).toBe(0);
  const body = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
  expect(body.dataOrgs.orgs[0].humanUsers.map(({ userId }: { userId: string }) => userId)).toEqual([
    "auth0|5f7c8ec7c33c6c004bbafe82",
    "google-oauth2|77",
  ]);
});

test("--connection selects connections by name or id, with one export each", async () => {
  const { fetch, cwd, report } = await world();
  const { exitCode, stderr } = await fetch([
    "--connection",
    GOOGLE.id,
    "--connection",
    "people",
    "--fields",
    "email",
    "--output",
    "some.ndjson",
  ]);
  expect(exitCode, stderr).toBe(0);
  expect(usersIn(cwd, "some.ndjson")).toEqual([
    { user_id: "google-oauth2|77", email: "bob@example.com" },
    { user_id: "auth0|5f7c8ec7c33c6c004bbafe82", email: "ada@example.com" },
  ]);
  expect(report().connections.map(({ connection }: { connection: string }) => connection)).toEqual([
    "google-oauth2",
    "people",
  ]);
  const unknown = await fetch(["--connection", "pepole"]);
  expect(unknown.exitCode).toBe(5);
  expect(unknown.stderr).toContain("has no connection pepole. The tenant has: people, google-oauth2.");
});

test("client credentials are exchanged for a token, with the tenant's address as audience", async () => {
  const clients = [{ clientId: "m2m", clientSecret: "hush-hush-hush" }];
  const mock = await startMock({ seed: { ...seed, clients } });
  const env = { AUTH0_DOMAIN: mock.url, AUTH0_CLIENT_ID: "m2m", AUTH0_CLIENT_SECRET: "hush-hush-hush" };
  const { exitCode, stderr } = await runCli(["fetch", "auth0"], { cwd: tempDir(), env });
  expect(exitCode, stderr).toBe(0);
  const inQuotes = { ...env, AUTH0_CLIENT_ID: "'m2m'", AUTH0_CLIENT_SECRET: '"hush-hush-hush"' };
  const quoted = await runCli(["fetch", "auth0"], { cwd: tempDir(), env: inQuotes });
  expect(quoted.exitCode, quoted.stderr).toBe(0);
  const wrong = await runCli(["fetch", "auth0"], {
    cwd: tempDir(),
    env: { ...env, AUTH0_CLIENT_SECRET: "hush-hush-push" },
  });
  expect(wrong.exitCode).toBe(4);
  expect(wrong.stderr).toContain("issued no token for the client credentials");
  expect(stderr + wrong.stderr).not.toMatch(/hush-hush/);
});

test("a refused token of client credentials is renewed once", async () => {
  const clients = [{ clientId: "m2m", clientSecret: "hush-hush-hush" }];
  const faults = [{ endpoint: "jobs", fault: "401", skip: 2, times: 1 }] as const;
  const mock = await startMock({ seed: { ...seed, clients }, faults });
  const env = { AUTH0_DOMAIN: mock.url, AUTH0_CLIENT_ID: "m2m", AUTH0_CLIENT_SECRET: "hush-hush-hush" };
  const { exitCode, stderr } = await runCli(["fetch", "auth0"], { cwd: tempDir(), env });
  expect(exitCode, stderr).toBe(0);
  expect(mock.requests.filter(({ path }) => path === "/oauth/token")).toHaveLength(2);
});

test("all pages of connections are listed", async () => {
  const sourceConnections = Array.from({ length: 230 }, (_, at) => ({
    id: `con_${String(at).padStart(16, "0")}`,
    name: `db-${at}`,
  }));
  const mock = await startMock({ seed: { sourceUsers, sourceConnections } });
  const args = ["--domain", mock.url, "--connection", "db-229"];
  const { exitCode, stderr } = await runCli(["fetch", "auth0", ...args], {
    cwd: tempDir(),
    env: { AUTH0_TOKEN: mock.token },
  });
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("of db-229")]);
  expect(mock.requests.filter(({ path }) => path === "/api/v2/connections")).toHaveLength(3);
});

describe("a failure", () => {
  test.each([
    ["jobs:401", { endpoint: "jobs", fault: "401" }, 4, "valid for 24 hours"],
    ["jobs:403", { endpoint: "jobs", fault: "403" }, 4, "It needs the scope read:users, and a plan with user exports"],
    ["a failed job", { endpoint: "jobs", fault: "failed" }, 5, 'failed: "The export could not be completed"'],
    ["expired links", { endpoint: "downloads", fault: "expired" }, 5, "A link is valid for 60 seconds"],
    ["a broken file", { endpoint: "downloads", fault: "truncated", bytes: 30 }, 6, "the connection broke"],
    ["html", { endpoint: "jobs", fault: "not-json" }, 5, "web page"],
  ] as const)("%s is reported, and nothing is written", async (_, fault, code, text) => {
    const { fetch, cwd, report } = await world([fault]);
    const { exitCode, stderr } = await fetch();
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(text)]);
    expect(existsSync(join(cwd, "users.ndjson"))).toBe(false);
    expect(report()).toMatchObject({ exitCode: code });
  });

  test("without permission to list connections, it continues and says so", async () => {
    const { fetch, cwd } = await world([{ endpoint: "connections", fault: "403" }]);
    const { exitCode, stderr } = await fetch();
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining("a token with read:connections can list the connections"),
    ]);
    expect(usersIn(cwd)).toHaveLength(2);
  });

  test("429 waits until x-ratelimit-reset, or for Retry-After", async () => {
    const { mock, cwd } = await world([{ endpoint: "jobs", fault: "429", times: 2, retryAfter: 40 }]);
    const { exitCode, stderr } = await runCli(["fetch", "auth0", "--domain", mock.url], {
      cwd,
      env: { AUTH0_TOKEN: mock.token },
    });
    expect(exitCode, stderr).toBe(0);
    expect(stderr.match(/is still busy \(429\)\. Trying again in (39|40|41) s\./g)).toHaveLength(2);
  });

  test("an expired link and a broken download start the download over, for the same job", async () => {
    const { fetch, cwd, calls, report } = await world([
      { endpoint: "downloads", fault: "expired", times: 1 },
      { endpoint: "downloads", fault: "truncated", times: 1, skip: 1, bytes: 60 },
      { endpoint: "downloads", fault: "502", times: 1, skip: 2 },
    ]);
    const { exitCode, stderr } = await fetch();
    expect(exitCode, stderr).toBe(0);
    expect(usersIn(cwd)).toHaveLength(2);
    const file = readFileSync(join(cwd, "users.ndjson"));
    const sha256 = createHash("sha256").update(file).digest("hex");
    expect(report()).toMatchObject({ users: 2, bytes: file.length, sha256 });
    expect(calls().filter((line) => line.includes("downloads"))).toHaveLength(4);
    expect(calls().filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  test.each([["some.ndjson"], ["-"]])(
    "a broken download of the second connection leaves no user twice in --output %s",
    async (output) => {
      const { fetch, cwd } = await world([{ endpoint: "downloads", fault: "truncated", skip: 1, times: 1, bytes: 60 }]);
      const args = ["--connection", GOOGLE.id, "--connection", "people", "--fields", "email", "--output", output];
      const { exitCode, stderr, stdout } = await fetch(args);
      expect(exitCode, stderr).toBe(0);
      if (output === "-") writeFileSync(join(cwd, output), stdout);
      expect(usersIn(cwd, output).map(({ user_id: id }) => id)).toEqual([
        "google-oauth2|77",
        "auth0|5f7c8ec7c33c6c004bbafe82",
      ]);
    },
  );

  test("the next run requests a new job if the job is gone", async () => {
    const { fetch, mock, cwd } = await world();
    mock.addFault({ endpoint: "jobs", fault: "404", skip: 1 });
    const gone = await fetch();
    expect([gone.exitCode, gone.stderr]).toEqual([5, expect.stringContaining("no longer exists")]);
    expect(existsSync(join(cwd, "users.ndjson.job.json"))).toBe(false);
    mock.clearFaults();
    expect((await fetch()).exitCode).toBe(0);
  });
});

describe("an interrupted fetch", () => {
  /** Ctrl-C while it waits for its job. */
  async function interrupted(args: readonly string[] = []) {
    const made = await world();
    const ctrlC = new AbortController();
    const run = made.fetch(args, { signal: ctrlC.signal });
    // The connections, the export asked for, and its job once: by then it is written down.
    await made.mock.answered("", 3);
    ctrlC.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
    return { ...made, result: await run };
  }

  test("keeps the job beside the output, without a token or data of users, and the same command continues with it", async () => {
    const { fetch, mock, cwd, result, calls } = await interrupted();
    expect([result.exitCode, result.stderr]).toEqual([
      130,
      expect.stringContaining("the same command continues with it (./users.ndjson.job.json)"),
    ]);
    const kept = readFileSync(join(cwd, "users.ndjson.job.json"), "utf8");
    expect(JSON.parse(kept)).toMatchObject({ origin: mock.url, jobs: [{ id: expect.stringMatching(/^job_/) }] });
    expect(kept).not.toContain(mock.token);
    const again = await fetch();
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining("continuing with the export job_")]);
    expect(usersIn(cwd)).toHaveLength(2);
    expect(calls().filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(existsSync(join(cwd, "users.ndjson.job.json"))).toBe(false);
  });

  test("requests a new job if its job is gone", async () => {
    const { fetch, mock, cwd } = await interrupted();
    mock.addFault({ endpoint: "jobs", fault: "404", times: 1 });
    const again = await fetch();
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining("the export is gone")]);
    expect(usersIn(cwd)).toHaveLength(2);
  });

  test.each([
    [["--fields", "email"], "other fields"],
    [["--connection", "people"], "other connections"],
  ])("is not continued by a command with other settings: %j", async (args, text) => {
    const { fetch, cwd } = await interrupted();
    const other = await fetch(args);
    expect([other.exitCode, other.stderr]).toEqual([3, expect.stringContaining(text)]);
    expect(existsSync(join(cwd, "users.ndjson.job.json"))).toBe(true);
    writeFileSync(join(cwd, "users.ndjson.job.json"), "{}");
    expect((await fetch()).exitCode).toBe(3);
  });
});

describe("the link to the file", () => {
  /** A tenant whose file lies on another host: another port of this machine. */
  async function tenant(file: Buffer, headers: Record<string, string> = {}) {
    const seen: IncomingMessage["headers"][] = [];
    const storage = await listen((request, response) => {
      seen.push(request.headers);
      response.writeHead(200, headers).end(file);
    });
    const job = {
      id: "job_1",
      type: "users_export",
      status: "completed",
      location: `${storage}/file.gz?Signature=0123456789abcdef0123`,
    };
    const api = await listen((request, response) => {
      const isList = request.url?.startsWith("/api/v2/connections") === true;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(isList ? [] : job));
    });
    const cwd = tempDir();
    const run = () =>
      runCli(["fetch", "auth0", "--domain", api, "--verbose"], {
        cwd,
        env: { AUTH0_TOKEN: "secret-token-of-the-tenant" },
      });
    return { run, seen, cwd };
  }

  test("is requested without the token, and never shown", async () => {
    const { run, seen, cwd } = await tenant(gzipSync('{"user_id":"a"}\n{"user_id":"b"}'));
    const { exitCode, stderr, stdout } = await run();
    expect(exitCode, stderr).toBe(0);
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toHaveProperty("authorization");
    expect(JSON.stringify(seen)).not.toContain("secret-token");
    expect(stderr + stdout).not.toMatch(/0123456789abcdef|secret-token/);
    expect(readFileSync(join(cwd, "users.ndjson"), "utf8")).toBe('{"user_id":"a"}\n{"user_id":"b"}\n');
  });

  test.each([
    ["a file that is not packed", Buffer.from('{"user_id":"a"}\n'), 0, "1 user"],
    ["an empty one", gzipSync(""), 0, "0 users"],
    ["one that is cut in a line", Buffer.from('{"user_id":"a"}\n{"user_id":'), 5, "not a whole object"],
    [
      "one with a line that is cut",
      gzipSync('{"user_id":"a"}\n{"user_id":\n{"user_id":"c"}\n'),
      5,
      "not a whole object",
    ],
    [
      "one that is no list of users from its second line on",
      gzipSync('{"user_id":"a"}\n<Error/>'),
      5,
      "one object per line",
    ],
    ["an error document", gzipSync('{"statusCode":500,"error":"Internal"}\n'), 5, "an error in place of users"],
    ["one that is no list of users", gzipSync("<Error/>"), 5, "does not contain one object per line"],
    ["one that is damaged", spoiled(gzipSync('{"user_id":"a"}\n')), 5, "damaged"],
    ["half of one", gzipSync('{"user_id":"a"}\n').subarray(0, 25), 6, "broke before"],
  ])("%s", async (_, file, code, text) => {
    const { run, cwd } = await tenant(file);
    const { exitCode, stderr } = await run();
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(text)]);
    expect(existsSync(join(cwd, "users.ndjson"))).toBe(code === 0);
  });
});

test.each(["ftp://example.com/file.gz", "http://storage.example.com/file.gz", "file:///etc/hosts", "no link"])(
  "a link that is not https is refused, and nothing is written: %s",
  async (location) => {
    const job = { id: "job_1", type: "users_export", status: "completed", location };
    const api = await listen((request, response) => {
      const isList = request.url?.startsWith("/api/v2/connections") === true;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(isList ? [] : job));
    });
    const cwd = tempDir();
    const { exitCode, stderr } = await runCli(["fetch", "auth0", "--domain", api], { cwd, env: { AUTH0_TOKEN: "t" } });
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining("no https address")]);
    expect(existsSync(join(cwd, "users.ndjson"))).toBe(false);
  },
);

test.each([
  ["the same page again and again", () => "page"],
  ["pages without an end", (at: number) => `page-${at}`],
])("a list of connections with %s is refused", async (_, next) => {
  let pages = 0;
  const api = await listen((_request, response) => {
    pages += 1;
    const connections = Array.from({ length: 100 }, (_, at) => ({ id: `con_${pages}_${at}`, name: "db" }));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ connections, next: next(pages) }));
  });
  const cwd = tempDir();
  const { exitCode, stderr } = await runCli(["fetch", "auth0", "--domain", api], { cwd, env: { AUTH0_TOKEN: "t" } });
  expect([exitCode, stderr]).toEqual([5, expect.stringContaining("a list of connections without an end")]);
  expect(pages).toBeLessThan(200);
  expect(existsSync(join(cwd, "users.ndjson"))).toBe(false);
});

/** With another checksum than its content has. */
function spoiled(file: Buffer): Buffer {
  const other = Buffer.from(file);
  other.writeUInt32LE(1, file.length - 8);
  return other;
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number }; // it listens on TCP
  return `http://127.0.0.1:${port}`;
}

test.each([
  [[], {}, 2, "Use --domain <tenant>.<region>.auth0.com, or set AUTH0_DOMAIN"],
  [
    ["--domain", "acme.eu.auth0.com"],
    {},
    4,
    "no token for the Auth0 tenant. Set AUTH0_TOKEN (or AUTH0_CLIENT_ID and _SECRET)",
  ],
  [["--domain", "http://acme.eu.auth0.com"], {}, 2, "the address of the Auth0 tenant"],
  ...[
    "https://manage.auth0.com/dashboard/eu/acme/users?page=0",
    "manage.auth0.com",
    "acme.eu.auth0.com/login",
    "acme",
  ].map((domain) => [["--domain", domain], {}, 2, "has the form <tenant>.<region>.auth0.com, such as"] as const),
  [["--domain", "acme.eu.auth0.com", "--output", "-", "--json"], { AUTH0_TOKEN: "x" }, 2, "--json"],
  [["--domain", "acme.eu.auth0.com"], { AUTH0_TOKEN: "two words" }, 4, "AUTH0_TOKEN is not a token"],
] as const)("%j is refused before any call", async (args, env, code, text) => {
  const { exitCode, stderr } = await runCli(["fetch", "auth0", ...args], { cwd: tempDir(), env });
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(text)]);
});
