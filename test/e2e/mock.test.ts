import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { human } from "../helpers/mock-client.ts";
import { programWith } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

interface Ready {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

/** Starts the packed program and waits for its line. */
async function startBin(...args: string[]) {
  const child = execa(...programWith(["mock", "--port", "0", "--json", ...args]), {
    reject: false,
    extendEnv: false,
    cwd: tempDir(),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const line = await new Promise<string>((done) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) done(text);
    });
  });
  const ready: Ready = JSON.parse(line);
  return { child, ready };
}

/** POSTs with plain curl, as the specification's examples do. */
async function curl({ url, token }: Ready, path: string, body: object): Promise<unknown> {
  const { stdout } = await execa("curl", [
    ...["--silent", "--show-error", "--request", "POST", `${url}${path}`],
    ...["--header", `Authorization: Bearer ${token}`, "--header", "Content-Type: application/json"],
    ...["--data", JSON.stringify(body)],
  ]);
  return JSON.parse(stdout);
}

test("the packed mock, driven with curl: user import → events, export → import → export, and a clean stop", async () => {
  const source = await startBin();
  const target = await startBin();
  expect(source.ready.pid).toBe(source.child.pid);
  const hashedPassword = { value: "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234" };
  const orgs = [{ orgId: "1", org: { name: "Acme" }, humanUsers: [human("auth0|1", { hashedPassword })] }];
  expect(await curl(source.ready, "/admin/v1/import", { dataOrgs: { orgs }, timeout: "5m0s" })).toEqual({
    success: { orgs: [{ orgId: "1", humanUserIds: ["auth0|1"] }] },
  });
  const eventsRequest = { asc: true, limit: 1000, event_types: ["user.human.added"] };
  expect(await curl(source.ready, "/admin/v1/events/_search", eventsRequest)).toMatchObject({
    events: [{ aggregate: { id: "auth0|1" }, type: { type: "user.human.added" } }],
  });
  const exportRequest = { org_ids: [], with_passwords: true, with_otp: true, timeout: "30s", response_output: true };
  const exported = await curl(source.ready, "/admin/v1/export", exportRequest);
  expect(exported).toMatchObject({ orgs });
  await curl(target.ready, "/admin/v1/import", { data_orgsv1: exported, timeout: "10m" });
  expect(await curl(target.ready, "/admin/v1/export", exportRequest)).toEqual(exported);
  expect(await curl(target.ready, "/admin/v1/events/_search", eventsRequest)).toEqual({});

  for (const [index, { child, ready }] of [source, target].entries()) {
    child.kill(index === 0 ? "SIGTERM" : "SIGINT");
    const { exitCode, stdout, stderr } = await child;
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toHaveLength(1);
    expect(stderr).toContain("POST /admin/v1/export 200");
    expect(stderr).not.toContain(ready.token);
    expect(stderr).not.toContain("$2b$10$");
  }
});

test("the packed mock exports over gRPC-Web", async () => {
  const { ready } = await startBin("--org", "1=Acme");
  const response = await fetch(`${ready.url}/zitadel.admin.v1.AdminService/ExportData`, {
    method: "POST",
    headers: { authorization: `Bearer ${ready.token}`, "content-type": "application/grpc-web+proto" },
    body: new Uint8Array(5), // an empty request
  });
  expect(await response.text()).toMatch(/Acme.*grpc-status: 0/s);
});

test.each([
  ["waits for an answer", "{}", false],
  ["left before it came", "{}", true],
  ["stopped in the middle of a body", "", false],
  ["left in the middle of a body", "", true],
])("SIGTERM ends it within 2 s though a client %s", async (_title, body, leaves) => {
  const { child, ready } = await startBin("--fault", "export:latency,delay=1m");
  const client: Socket = connect(Number(new URL(ready.url).port), "127.0.0.1");
  client.on("error", () => {}); // the process ends under it
  await once(client, "connect");
  const headers = `host: 127.0.0.1\r\nauthorization: Bearer ${ready.token}\r\ncontent-length: 2\r\n`;
  client.write(`POST /admin/v1/export HTTP/1.1\r\n${headers}\r\n${body}`);
  await expect
    .poll(async () => (await fetch(`${ready.url}/_mock/faults`)).text(), { timeout: 10_000 })
    .toContain('"struck":1');
  if (leaves) client.destroy();
  const begun = performance.now();
  child.kill("SIGTERM");
  const { exitCode } = await child;
  expect(exitCode).toBe(0);
  expect(performance.now() - begun).toBeLessThan(2000);
  client.destroy();
});
