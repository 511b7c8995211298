import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Mimic } from "../../src/mock/api.ts";
import type { MockServer } from "../../src/mock/server.ts";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, type TestUser, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { forward, serve } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

// A call whose answer is lost may still be writing: on some versions a second call beside it is a concurrent write (service behaviour 9.2).

/** Between two looks at the event log. */
const LOOK_MS = 500;
/** Pauses before repeated calls are random; none must last as long as one between two looks. */
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.4));
afterEach(() => void vi.restoreAllMocks());
const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const FLAGS = ["--concurrency", "1", "--batch-users", "10"];

/** A mock behind a proxy that answers the second import with 502 at once, while the mock takes a second for its ten users. */
async function target(mimic: Mimic) {
  const mock = await startMock({ mimic, seed });
  mock.addFault({ endpoint: "import", fault: "per-user", delay: "100ms", skip: 1, times: 1 });
  const front = { mock, env: {}, underWay: 0, most: 0, imports: 0 };
  const url = await serve(async (request, body, response) => {
    if (request.url !== "/admin/v1/import") return forward(mock.url, request, body, response);
    front.imports += 1;
    front.underWay += 1;
    front.most = Math.max(front.most, front.underWay);
    const { authorization = "" } = request.headers;
    const answering = postTo(mock, authorization, body).finally(() => {
      front.underWay -= 1;
    });
    const answer = front.imports === 2 ? { status: 502, text: "Bad Gateway" } : await answering;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.text);
  });
  front.env = { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: mock.token };
  return front;
}

async function postTo(
  { url }: MockServer,
  authorization: string,
  body: Buffer,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization, "content-type": "application/json" };
  const answer = await fetch(`${url}/admin/v1/import`, { method: "POST", headers, body: new Uint8Array(body) });
  return { status: answer.status, text: await answer.text() };
}

/** Sleeps in no time, and notes for how long it should have been; `during` is done meanwhile. */
function noting(during: (ms: number) => Promise<void> = async () => {}) {
  const slept: number[] = [];
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    slept.push(ms);
    await during(ms);
  };
  return { sleep, looks: () => slept.filter((ms) => ms === LOOK_MS).length };
}

const created = { exitCode: 0, users: { created: 30, alreadyThere: 0, unknown: 0 } };

test("after a lost answer, no call is made before the target has finished the abandoned one", async () => {
  const front = await target("v4");
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  const sleep = async (ms: number, signal: AbortSignal) => void (await setTimeout(ms, undefined, { signal }));
  const { report, stderr } = await importJson([file, ...FLAGS], { cwd, env: front.env, sleep });
  expect(report, stderr).toMatchObject(created);
  expect(front.most).toBe(1);
});

test("on a version that is safe for concurrent writes, the next call does not wait", async () => {
  const front = await target("v4.13");
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  const { sleep, looks } = noting();
  const { report, stderr } = await importJson([file, ...FLAGS], { cwd, env: front.env, sleep });
  expect(report, stderr).toMatchObject({ exitCode: 0 });
  expect(looks()).toBe(0);
  expect(front.most).toBeGreaterThan(1);
});

test("the wait is short on a target at rest, and at most 15 s on one that continues or does not return its events", async () => {
  const lost = async (change: (mock: MockServer) => void, during?: (mock: MockServer) => Promise<void>) => {
    const mock = await startMock({ mimic: "v4", seed });
    mock.addFault({ endpoint: "import", fault: "502", skip: 1, times: 1 });
    change(mock);
    const { cwd, file } = inFolder(testBody(testUsers(30)));
    const { sleep, looks } = noting(async (ms) => (ms === LOOK_MS ? during?.(mock) : undefined));
    const { report, stderr } = await importJson([file, ...FLAGS], { cwd, env: mock.env, sleep });
    expect(report, stderr).toMatchObject(created);
    return looks();
  };
  let others = 100;
  const goOn = async (mock: MockServer): Promise<void> => {
    others += 1;
    const orgs = [{ orgId: "org1", humanUsers: testUsers(1, others) }];
    await postTo(mock, `Bearer ${mock.token}`, Buffer.from(JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" })));
  };
  expect(await lost(() => {})).toBe(4);
  expect(await lost(() => {}, goOn)).toBe(30);
  expect(await lost((mock) => mock.addFault({ endpoint: "events", fault: "403" }))).toBe(30);
});

test("the wait can be interrupted, and the run continues from its journal", async () => {
  const front = await target("v4");
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  const interrupt = new AbortController();
  const { sleep } = noting(async (ms) => {
    if (ms !== LOOK_MS) return;
    interrupt.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
    interrupt.signal.throwIfAborted();
  });
  const world = { cwd, env: front.env };
  const first = await importJson([file, ...FLAGS], { ...world, sleep, signal: interrupt.signal });
  expect(first.report, first.stderr).toMatchObject({ exitCode: 130, users: { notSent: 10, unknown: 10 } });
  expect(front.imports).toBe(2);
  // The killed run may have left a call under way.
  const later = noting();
  const { report } = await importJson([file, ...FLAGS, "--resume"], { ...world, sleep: later.sleep });
  expect(report.exitCode).toBe(0);
  expect(later.looks()).toBeGreaterThan(0);
});

/** A mock behind which the first call to create users is lost, while another job with the same token creates users of the same ids. */
async function overtaken(path: string, others: readonly TestUser[]) {
  const mock = await startMock({ mimic: "v4.15", seed });
  let isFirst = true;
  const url = await serve(async (request, body, response) => {
    if (!isFirst || request.url !== path || !body.includes("u1")) return forward(mock.url, request, body, response);
    isFirst = false;
    await postTo(mock, `Bearer ${mock.token}`, Buffer.from(testBody(others)));
    response.writeHead(502, { "content-type": "application/json" }).end("Bad Gateway");
  });
  return { mock, env: { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: mock.token } };
}

/** A user of the other job. */
function otherUser(number: number): TestUser {
  const address = `other${number}@example.com`;
  return testUser(number, { userName: address, email: { email: address, isEmailVerified: true } });
}

for (const [via, path] of [
  ["import", "/admin/v1/import"],
  ["users", "/v2/users/human"],
] as const)
  test(`users of another job with the same service user are not claimed after a lost answer, and undo keeps them (${via})`, async () => {
    const { mock, env } = await overtaken(path, [otherUser(1)]);
    const { cwd, file } = inFolder(testBody(testUsers(3)));
    const { report, stderr } = await importJson([file, "--via", via, "--fail-on-different"], { cwd, env });
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      users: { created: 2, alreadyThere: 1, unknown: 0 },
      alreadyThereDifferent: [{ userId: "u1", fields: ["userName", "email"] }],
      alreadyThereDifferentCount: 1,
    });
    const undone = await runCli(["undo", `${file}.manifest.ndjson`, "--yes"], { cwd, env });
    expect(undone.exitCode, undone.stderr).toBe(0);
    const other = inFolder(testBody([otherUser(1)]));
    expect(await runCli(["verify", other.file], { cwd: other.cwd, env: mock.env })).toMatchObject({ exitCode: 0 });
  });

test("users that the lost call itself created are claimed, with blanks around their values", async () => {
  const mock = await startMock({ mimic: "v4.15", seed });
  mock.addFault({ endpoint: "import", fault: "502", times: 1 });
  const padded = { userName: " User1@Example.com ", email: { email: " user1@example.com ", isEmailVerified: true } };
  const { cwd, file } = inFolder(testBody([testUser(1, padded), testUser(2)]));
  const { report, stderr } = await importJson([file], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 2, alreadyThere: 0 } });
});
