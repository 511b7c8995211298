import { expect, test } from "vitest";
import { human, startMock } from "../helpers/mock-client.ts";

const EXPORT = "/admin/v1/export";
const IMPORT = "/admin/v1/import";
const acme = { orgId: "1", org: { name: "Acme" } };
const body = { dataOrgs: { orgs: [{ ...acme, humanUsers: [human("a"), human("b")] }] }, timeout: "1m" };

test("a fault strikes its endpoint alone, as many times as it says, after the calls it lets through", async () => {
  const { mock, post } = await startMock({ faults: [{ endpoint: "export", fault: "503", times: 2, skip: 1 }] });
  const statuses: number[] = [];
  for (let call = 0; call < 5; call += 1) statuses.push((await post(EXPORT, {})).status);
  expect(statuses).toEqual([200, 503, 503, 200, 200]);
  expect((await post("/admin/v1/events/_search", {})).status).toBe(200);
  mock.addFault({ endpoint: "any", fault: "503" });
  expect((await post("/admin/v1/events/_search", {})).status).toBe(503);
  mock.clearFaults();
  expect((await post(EXPORT, {})).status).toBe(200);
});

test("a probability strikes the same calls for the same seed, and other ones for another", async () => {
  const strikes = async (seed: number) => {
    const { post } = await startMock({ faults: [{ endpoint: "export", fault: "500", probability: 0.5, seed }] });
    const statuses: number[] = [];
    for (let call = 0; call < 24; call += 1) statuses.push((await post(EXPORT, {})).status);
    return statuses;
  };
  const first = await strikes(1);
  expect(new Set(first)).toEqual(new Set([200, 500]));
  expect(await strikes(1)).toEqual(first);
  expect(await strikes(2)).not.toEqual(first);
});

test.each([
  ["401", "application/json"],
  ["413", "text/html"],
  ["429", "application/json"],
  ["500", "application/json"],
  ["502", "text/html"],
  ["503", "application/json"],
  ["504", "application/json"],
] as const)("%s is answered as %s, and nothing is done", async (fault, type) => {
  const { mock, post, exportAll } = await startMock({ faults: [{ endpoint: "import", fault }] });
  const { status, headers, text } = await post(IMPORT, body);
  expect([status, headers.get("content-type")]).toEqual([Number(fault), type]);
  if (type === "text/html") expect(text).toMatch(/^<html>/);
  mock.clearFaults();
  expect(await exportAll()).toEqual({});
});

test("a handled status is answered after the work", async () => {
  const { post, exportAll } = await startMock({ faults: [{ endpoint: "import", fault: "504", handled: true }] });
  expect((await post(IMPORT, body)).status).toBe(504);
  expect(await exportAll()).toMatchObject({ orgs: [{ humanUsers: [{ userId: "a" }, { userId: "b" }] }] });
});

test("429 has Retry-After in seconds or as a date", async () => {
  const now = () => new Date("2026-01-02T03:04:05Z");
  const { mock, post } = await startMock({ now, faults: [{ endpoint: "import", fault: "429", retryAfter: 7 }] });
  expect((await post(IMPORT, body)).headers.get("retry-after")).toBe("7");
  mock.clearFaults();
  mock.addFault({ endpoint: "import", fault: "429", retryAfterDate: 60 });
  expect((await post(IMPORT, body)).headers.get("retry-after")).toBe("Fri, 02 Jan 2026 03:05:05 GMT");
});

test("a time-out after saving part keeps that part", async () => {
  const { mock, post, exportAll } = await startMock({ faults: [{ endpoint: "import", fault: "timeout", users: 1 }] });
  const { status, body: answer } = await post(IMPORT, body);
  expect([status, answer]).toEqual([500, { code: 2, message: "context deadline exceeded" }]);
  mock.clearFaults();
  expect(await exportAll()).toMatchObject({ orgs: [{ humanUsers: [{ userId: "a" }] }] });
});

test.each([
  ["reset-before", false],
  ["reset-during", false],
  ["reset-after", true],
] as const)("%s cuts the connection; the work is done: %s", async (fault, done) => {
  const { mock, post, exportAll } = await startMock({ faults: [{ endpoint: "import", fault }] });
  await expect(post(IMPORT, body)).rejects.toThrow("fetch failed");
  expect(await exportAll()).toEqual(done ? expect.objectContaining({ orgs: expect.anything() }) : {});
  expect(mock.requests[0]).toMatchObject({ path: IMPORT, status: "reset" });
});

test("a truncated answer ends in the middle of a connection, half-json in the middle of a document", async () => {
  const { mock, post } = await startMock({
    seed: { orgs: [acme] },
    faults: [{ endpoint: "export", fault: "truncated" }],
  });
  await expect(post(EXPORT, {})).rejects.toThrow("terminated");
  mock.clearFaults();
  mock.addFault({ endpoint: "export", fault: "half-json" });
  const { status, text } = await post(EXPORT, {});
  expect([status, text]).toEqual([200, expect.stringMatching(/^\{"orgs":\[\{"orgId":"1",.*[^}]$/)]);
});

test("not-json is a page with status 200", async () => {
  const { post } = await startMock({ faults: [{ endpoint: "import", fault: "not-json" }] });
  const { status, headers, text } = await post(IMPORT, body);
  expect([status, headers.get("content-type"), text.slice(0, 6)]).toEqual([200, "text/html", "<html>"]);
});

test("a trickle gives the whole answer in small pieces", async () => {
  const faults = [{ endpoint: "export", fault: "trickle", bytes: 10, delay: "5ms" }] as const;
  const { mock, post } = await startMock({ seed: { orgs: [acme] }, faults });
  expect((await post(EXPORT, {})).body).toMatchObject({ orgs: [acme] });
  expect(mock.requests[0]?.ms).toBeGreaterThanOrEqual(15);
});

test("latency comes before the answer", async () => {
  const { mock, post } = await startMock({ faults: [{ endpoint: "any", fault: "latency", delay: "30ms" }] });
  expect((await post(EXPORT, {})).status).toBe(200);
  expect(mock.requests[0]?.ms).toBeGreaterThanOrEqual(29);
});

test("faults are steered over HTTP, as JSON or in the flag's form, and what is none is refused by name", async () => {
  const { mock, post } = await startMock();
  const steer = (method: string, text?: string) =>
    fetch(`${mock.url}/_mock/faults`, { method, ...(text === undefined ? {} : { body: text }) });
  expect((await steer("POST", "export:429,times=1,retryAfter=2")).status).toBe(200);
  expect((await steer("POST", '{"endpoint":"export","fault":"trickle","delay":"1ms"}')).status).toBe(200);
  expect((await post(EXPORT, {})).status).toBe(429);
  expect(await (await steer("GET")).json()).toMatchObject({
    faults: [
      { endpoint: "export", fault: "429", times: 1, retryAfter: 2, calls: 1, struck: 1 },
      { fault: "trickle", delay: 1 },
    ],
  });
  await steer("DELETE");
  expect(await (await steer("GET")).json()).toEqual({ faults: [] });
  for (const text of ["export", "export:boom", "nowhere:429", "export:429,often=1", "export:latency,delay=5", "{"]) {
    const refused = await steer("POST", text);
    expect([text, refused.status]).toEqual([text, 400]);
  }
});
