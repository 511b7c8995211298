import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";

const IMPORT = "/admin/v1/import";

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A call with headers as they are given, which fetch does not let through. */
function send({ mock }: MockClient, { method = "GET", path, headers = {}, body }: Sent) {
  return new Promise<{ status: number; text: string; headers: Readonly<Record<string, unknown>> }>((done, fail) => {
    const sent = request({ port: mock.port, host: "127.0.0.1", method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: response.headers });
      });
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

test.each([
  ["localhost:8080", 200],
  ["127.0.0.1", 200],
  ["127.1.2.3:1", 200],
  ["[::1]:8080", 200],
  ["evil.example", 403], // a name that its owner bound to this address: DNS rebinding
  ["127.0.0.1.evil.example", 403],
  ["192.168.0.1:8080", 403],
])("the mock's own paths answer the host name %s with %i", async (host, status) => {
  const client = await startMock();
  for (const path of ["/_mock/requests", "/_mock/mails", "/ui/console"]) {
    expect([path, (await send(client, { path, headers: { host } })).status]).toEqual([path, status]);
  }
  const reset = await send(client, { method: "POST", path: "/_mock/reset", headers: { host } });
  expect(reset.status).toBe(status);
});

test("they answer the name that the mock listens on", async () => {
  const client = await startMock({ host: "0.0.0.0" });
  const status = async (host: string) => (await send(client, { path: "/_mock/faults", headers: { host } })).status;
  expect([await status("0.0.0.0:1"), await status("localhost"), await status("other.example")]).toEqual([
    200, 200, 403,
  ]);
});

test.each([
  [{ origin: "https://evil.example" }, 403],
  [{ origin: "null" }, 403],
  [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, 403],
  [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }, 403],
  [{ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }, 200],
  [{ "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }, 200],
  [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 200], // a link to the page, followed
])("a page of elsewhere cannot steer it: %j is %i", async (headers, status) => {
  const client = await startMock();
  const host = `127.0.0.1:${client.mock.port}`;
  const sent = await send(client, { path: "/_mock/faults", headers: { host, ...headers } });
  expect(sent.status).toBe(status);
});

test("its own page may: same host, same origin", async () => {
  const client = await startMock();
  const host = `127.0.0.1:${client.mock.port}`;
  const sent = { method: "POST", path: "/_mock/faults", body: Buffer.from("import:429,times=1") };
  expect((await send(client, { ...sent, headers: { host, origin: `http://${host}` } })).status).toBe(200);
  expect((await send(client, { ...sent, headers: { host, origin: "http://127.0.0.1:1" } })).status).toBe(403);
});

test("a name that is not the instance's is answered as the service does: 404, after no body was read", async () => {
  const client = await startMock();
  const headers = { host: "elsewhere.example", authorization: `Bearer ${client.mock.token}` };
  const sent = await send(client, { method: "POST", path: IMPORT, headers, body: Buffer.from('{"timeout":"1m"}') });
  expect(sent).toMatchObject({ status: 404, text: expect.stringContaining("unable to set instance using origin") });
});

test("a body of a stranger is read up to 64 KiB, and no byte more is waited for", async () => {
  const client = await startMock();
  const body = Buffer.alloc(200 * 1024, " ");
  for (const headers of [{}, { authorization: "Bearer wrong" }]) {
    const sent = await send(client, {
      method: "POST",
      path: IMPORT,
      headers: { ...headers, "content-length": "204800" },
      body,
    });
    expect(sent).toMatchObject({ status: 401, headers: { connection: "close" } });
  }
  expect(client.mock.requests.slice(-2).map(({ requestBytes }) => requestBytes)).toEqual([0, 0]);
});

test("a stranger that does not say how much it sends is cut off as well", async () => {
  const client = await startMock();
  const socket = connect(client.mock.port, "127.0.0.1");
  socket.on("error", () => {}); // the mock closes while this still writes
  socket.write(`POST ${IMPORT} HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n`);
  const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
  let text = "";
  socket.on("data", (data) => {
    text += data.toString();
  });
  for (let index = 0; index < 8; index += 1) socket.write(chunk);
  await once(socket, "close");
  expect(text).toContain("HTTP/1.1 401 ");
});

test("a body of a caller with a token may be larger than any that the service takes, and more is 413", async () => {
  const client = await startMock();
  const authorization = `Bearer ${client.mock.token}`;
  const spaces = Buffer.alloc(70 * 1024 * 1024, " ");
  const dataOrgs = { orgs: [{ orgId: "1", org: { name: "A" }, humanUsers: [human("a")] }] };
  const body = Buffer.concat([spaces, Buffer.from(JSON.stringify({ dataOrgs, timeout: "1m" }))]);
  const taken = await send(client, { method: "POST", path: IMPORT, headers: { authorization }, body });
  expect(taken.status).toBe(200);
  const announced = { authorization, "content-length": String(129 * 1024 * 1024), expect: "100-continue" };
  const refused = await new Promise((done, fail) => {
    const sent = request({
      port: client.mock.port,
      host: "127.0.0.1",
      method: "POST",
      path: IMPORT,
      headers: announced,
    });
    sent.on("response", ({ statusCode }) => {
      done(statusCode);
      sent.destroy();
    });
    sent.on("error", fail);
    sent.flushHeaders();
  });
  expect(refused).toBe(413);
});

test("the root leads to the console, however it is written", async () => {
  const client = await startMock();
  for (const path of ["/", "//", "///"]) {
    const { status, headers } = await send(client, { path });
    expect([path, status, headers["location"]]).toEqual([path, 302, "/ui/console"]);
  }
  expect((await send(client, { path: "/ui/console" })).text).toContain("<!doctype html>");
});

test("a call that would have ended the real service's process is closed without an answer, noted, and the mock lives on", async () => {
  const client = await startMock();
  const dataOrgs = { orgs: [{ orgId: "1", org: { name: "A" }, humanUsers: [{ userId: "a" }] }] };
  await expect(client.post(IMPORT, { dataOrgs, timeout: "1m" })).rejects.toThrow("fetch failed");
  const { body } = await client.send("GET", "/_mock/requests");
  expect((body as { requests: object[] }).requests[0]).toMatchObject({
    path: IMPORT,
    status: "closed",
    note: "organization 1, humanUsers[0] has no `user`: the real service's process would have ended here",
  });
  expect(await client.exportAll()).toEqual({}); // nothing of it was done
});
