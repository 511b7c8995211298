import { createServer } from "node:net";
import { expect, test } from "vitest";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { jsonAnswer, startRawServer, startTcp } from "../helpers/raw-server.ts";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SUCCESS = JSON.stringify({ success: { orgs: [{ orgId: "org1", humanUserIds: ["u1", "u2"] }] } });
const sized = `content-length: ${SUCCESS.length}`;

/** Answers that are none; the service has done its work by then. */
const broken: Readonly<Record<string, string>> = {
  "a bad chunk size": `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n${SUCCESS}\r\n0\r\n\r\n`,
  "a chunk that is shorter than it says": `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n${SUCCESS}\r\n0\r\n\r\n`,
  "a header without a name": `HTTP/1.1 200 OK\r\n: x\r\n${sized}\r\n\r\n${SUCCESS}`,
  "a header with a control character": `HTTP/1.1 200 OK\r\nx: a\u0001b\r\n${sized}\r\n\r\n${SUCCESS}`,
  "no status": `HTTP/1.1\r\n${sized}\r\n\r\n${SUCCESS}`,
  "another protocol": `SSH-2.0-OpenSSH_9.6\r\n${SUCCESS}`,
  "a status of letters": `HTTP/1.1 two OK\r\n${sized}\r\n\r\n${SUCCESS}`,
  "status 099": `HTTP/1.1 099 Early\r\n${sized}\r\n\r\n${SUCCESS}`,
  "a length of letters": `HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n${SUCCESS}`,
  "a negative length": `HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n${SUCCESS}`,
  "two lengths": `HTTP/1.1 200 OK\r\n${sized}\r\ncontent-length: 5\r\n\r\n${SUCCESS}`,
  "a length and chunks": `HTTP/1.1 200 OK\r\n${sized}\r\ntransfer-encoding: chunked\r\n\r\n${SUCCESS}`,
  "too many headers": `HTTP/1.1 200 OK\r\n${"x-filler: 0123456789\r\n".repeat(20_000)}${sized}\r\n\r\n${SUCCESS}`,
  "half a header": "HTTP/1.1 200 OK\r\ncontent-le",
  "half a body": `HTTP/1.1 200 OK\r\n${sized}\r\n\r\n${SUCCESS.slice(0, 20)}`,
  nothing: "",
};

test.each(Object.entries(broken))(
  "an import that is answered with %s is exit 6, every user unknown, and can be resumed",
  async (_, bytes) => {
    const server = await startRawServer((socket, request) => {
      if (request.includes("/events/")) socket.end(jsonAnswer({}));
      else if (request.includes("/permissions/")) socket.end(jsonAnswer({ result: ["iam.write"] }));
      else if (request.includes("/userinfo")) socket.end(jsonAnswer({ sub: "1" }));
      else if (request.includes("/orgs/_search")) socket.end(jsonAnswer({ result: [{ id: "org1" }] }));
      else socket.end(bytes, "latin1");
    });
    const { cwd, file } = inFolder(testBody(testUsers(2)));
    const env = { ZITADEL_IMPORT_DOMAIN: server.url, PAT_IMPORT_TOKEN: "pat-0123456789" };
    const { report, exitCode, stderr } = await importJson([file], { cwd, env });
    expect(exitCode, stderr).toBe(6);
    expect(report.users).toMatchObject({ read: 2, sent: 2, unknown: 2, notSent: 0 });
    expect(report.unknown.toSorted()).toEqual(["u1", "u2"]);
    expect(report.resume).toContain("--resume");
    expect(stderr).not.toContain("bug in orgferry");
  },
);

test.each(Object.entries(broken))("an export that is answered with %s is exit 6 or 5", async (_, bytes) => {
  const server = await startRawServer((socket) => socket.end(bytes, "latin1"));
  const env = { ZITADEL_EXPORT_DOMAIN: server.url, PAT_EXPORT_TOKEN: "pat-0123456789" };
  const { exitCode, stderr } = await runCli(["export"], { cwd: tempDir(), env });
  expect([5, 6], stderr).toContain(exitCode);
  expect(stderr).not.toContain("bug in orgferry");
});

test("a batch that never left is not sent: no server listens when the first batch is due", async () => {
  const server = createServer((socket) => {
    socket.once("data", () => {
      server.close();
      socket.end(jsonAnswer({}));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number }; // it listens on TCP
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const env = { ZITADEL_IMPORT_DOMAIN: `http://127.0.0.1:${port}`, PAT_IMPORT_TOKEN: "pat-0123456789" };
  const { report, exitCode, stderr } = await importJson([file], { cwd, env });
  expect(exitCode, stderr).toBe(6);
  expect(stderr).toContain("no server is listening there");
  expect(report.users).toMatchObject({ read: 2, sent: 0, unknown: 0, notSent: 2 });
});

test("rubbish after CONNECT means that nothing was sent", async () => {
  const proxy = await startTcp((socket) => {
    socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
  });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const env = {
    ZITADEL_IMPORT_DOMAIN: "https://target.example",
    PAT_IMPORT_TOKEN: "pat-0123456789",
    HTTPS_PROXY: proxy.url,
  };
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env });
  expect(exitCode, stderr).toBe(6);
  expect(stderr).not.toContain("bug in orgferry");
});

test.each([
  ["proxy.corp:3128", "HTTPS_PROXY=http://proxy.corp:3128"],
  ["localhost:3128", "HTTPS_PROXY=http://localhost:3128"],
  ["http://", "HTTPS_PROXY=http://proxy.example.com:3128"],
  ["user:s3cret-pass@proxy.corp:3128", "HTTPS_PROXY=http://proxy.example.com:3128"],
  ["ftp://proxy.corp", "HTTPS_PROXY=http://proxy.example.com:3128"],
])("HTTPS_PROXY=%s is a usage error that shows the form that works", async (value, form) => {
  const env = { ZITADEL_EXPORT_DOMAIN: "target.example", PAT_EXPORT_TOKEN: "pat-0123456789", HTTPS_PROXY: value };
  const { exitCode, stderr } = await runCli(["export"], { cwd: tempDir(), env });
  expect(exitCode, stderr).toBe(2);
  expect(stderr).toContain(form);
  expect(stderr).not.toContain("s3cret-pass");
});
