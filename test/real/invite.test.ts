import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, createOrg, readEvents, signIn, uniqueId, useInstance, versions } from "./harness.ts";

const PASSWORD = "Secret-1234!";
/** So that the service calls a target on this machine. */
const settings = ["EXECUTIONS", "HTTPCLIENT"].map((name) => `ZITADEL_${name}_DENYLIST=denied.invalid`);

describe.skipIf(!canStart).each(versions)("%s", (version) => {
  const target = useInstance(version, { settings });

  /** The addresses to which the service has sent an e-mail. */
  const delivered: string[] = [];

  /** Sets up an e-mail provider: a server on this machine that takes every e-mail. 2.62 crashes without a password (service behaviour 9.29). */
  async function setUpMailProvider(): Promise<void> {
    const server = createTcpServer((socket) => {
      let isText = false;
      socket.write("220 ready\r\n");
      createInterface(socket).on("line", (line) => {
        const to = /^RCPT TO:<(.*)>/.exec(line)?.[1];
        if (to !== undefined) delivered.push(to);
        if (isText) isText = line !== ".";
        else if (line === "DATA") isText = socket.write("354 go on\r\n");
        if (!isText) socket.write(`${line === "QUIT" ? 221 : line.startsWith("AUTH") ? 235 : 250} ok\r\n`);
      });
      socket.on("error", () => {});
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const smtp = { senderAddress: "a@example.com", senderName: "a", host: `127.0.0.1:${port}`, password: "-" };
    const { id } = JSON.parse((await target().post("/admin/v1/email/smtp", smtp)).text);
    expect((await target().post(`/admin/v1/email/${id}/_activate`, {})).status).toBe(200);
    const isActive = async () => {
      const { result } = JSON.parse((await target().post("/admin/v1/email/_search", {})).text);
      return result.find((provider: { id: string }) => provider.id === id).state;
    };
    await expect.poll(isActive).toBe("EMAIL_PROVIDER_ACTIVE");
  }

  test("users without a password are created silently, get one e-mail, set a password, and get no other", async () => {
    const org = await createOrg(target(), uniqueId("invite"));
    const ids = [uniqueId("verified"), uniqueId("unverified"), uniqueId("waiting")] as const;
    const cwd = tempDir();
    const humanUsers = ids.map((userId, at) => ({
      userId,
      user: {
        userName: userId,
        profile: { firstName: "A", lastName: "B" },
        email: { email: `${userId}@example.com`, isEmailVerified: at !== 1 },
      },
    }));
    writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs: [{ orgId: org, humanUsers }] } }));
    const run = async (...args: readonly string[]) => {
      const { stdout, stderr } = await runBin([...args, "--json"], { cwd, env: target().targetEnv });
      return { ...JSON.parse(stdout), stderr };
    };
    const codes = (aggregateId: string) =>
      readEvents(target(), { types: ["user.human.password.code.added", "user.human.invite.code.added"], aggregateId });
    expect(await run("import", "body.json", "--no-mail")).toMatchObject({ exitCode: 0, users: { created: 3 } });
    expect(await codes(ids[0])).toEqual([]);
    expect(await run("invite", "body.json", "--yes")).toMatchObject({
      exitCode: 5,
      problems: [{ code: "api.no-mail-provider" }],
    });
    expect(await codes(ids[0])).toEqual([]);
    await setUpMailProvider();
    expect(await run("invite", "body.json", "--limit", "2", "--yes")).toMatchObject({
      exitCode: 0,
      users: { sent: 2, toSend: 1 },
    });
    for (const id of ids.slice(0, 2)) expect(await codes(id)).toHaveLength(1);
    await expect.poll(() => delivered.length, { timeout: 10_000 }).toBe(2);
    const sent = () => readEvents(target(), { types: ["user.human.password.code.sent"], aggregateId: ids[0] });
    await expect.poll(async () => (await sent()).length).toBe(1);
    const reply = await target().post(`/v2/users/${ids[0]}/password`, { newPassword: { password: PASSWORD } });
    expect(reply.status, reply.text).toBe(200);
    expect(await signIn(target(), ids[0], PASSWORD)).toBe("signed in");
    const users = { passwordSet: 1, invitedBefore: 1, sent: 1, toSend: 0 };
    expect(await run("invite", "body.json", "--yes")).toMatchObject({ exitCode: 0, users });
    for (const id of ids) expect(await codes(id)).toHaveLength(1);
  });

  test("an invitation verifies the address, or is refused before anything is sent", async () => {
    const org = await createOrg(target(), uniqueId("invite"));
    const userId = uniqueId("invited");
    const cwd = tempDir();
    const email = { email: `${userId}@example.com`, isEmailVerified: true };
    const user = { userName: userId, profile: { firstName: "A", lastName: "B" }, email };
    writeFileSync(
      join(cwd, "body.json"),
      JSON.stringify({ dataOrgs: { orgs: [{ orgId: org, humanUsers: [{ userId, user }] }] } }),
    );
    const run = (...args: readonly string[]) => runBin(args, { cwd, env: target().targetEnv });
    expect((await run("import", "body.json", "--no-mail")).exitCode).toBe(0);
    await setUpMailProvider();
    const { exitCode, stderr } = await run("invite", "body.json", "--by", "invitation", "--yes");
    const types = ["user.human.invite.code.added"];
    const events = await readEvents(target(), { types, aggregateId: userId });
    expect([exitCode, events.length], stderr).toEqual(version === "v2" ? [5, 0] : [0, 1]);
  });

  /** The token of a new service user with the role IAM_USER_MANAGER. */
  async function userManager(org: string): Promise<string> {
    const { url, token } = target();
    const call = async (path: string, body: object): Promise<Record<string, string>> => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "x-zitadel-orgid": org };
      const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
      expect(response.status, path).toBe(200);
      return (await response.json()) as Record<string, string>;
    };
    const { userId = "" } = await call("/management/v1/users/machine", {
      userName: uniqueId("manager"),
      name: "manager",
    });
    await call("/admin/v1/members", { userId, roles: ["IAM_USER_MANAGER"] });
    return (await call(`/management/v1/users/${userId}/pats`, {}))["token"] ?? "";
  }

  test.skipIf(version === "v2")("the example of a migration at sign-in takes over a password, once", async () => {
    const { url, post, token } = target();
    const org = await createOrg(target(), uniqueId("sign-in"));
    const userId = uniqueId("waiting");
    const email = { email: `${userId}@example.com`, isVerified: true };
    const profile = { givenName: "A", familyName: "B" };
    const created = await post("/v2/users/human", {
      userId,
      username: userId,
      organization: { orgId: org },
      profile,
      email,
    });
    expect(created.status, created.text).toBeLessThan(300);
    const asked: unknown[] = [];
    const old = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      asked.push(JSON.parse(body));
      response.writeHead(JSON.parse(body).password === PASSWORD ? 200 : 400).end();
    }).listen(0, "127.0.0.1");
    await once(old, "listening");
    onTestFinished(() => void old.close());
    const portOf = (server: typeof old): number => (server.address() as AddressInfo).port; // it listens on a port
    const spare = createServer().listen(0, "127.0.0.1");
    await once(spare, "listening");
    const port = portOf(spare);
    await new Promise((closed) => spare.close(closed));
    const endpoint = `http://127.0.0.1:${port}/`;
    const name = uniqueId("target");
    const reply = await post("/v2/actions/targets", {
      name,
      restWebhook: { interruptOnError: false },
      timeout: "10s",
      endpoint,
    });
    const { id, signingKey } = JSON.parse(reply.text);
    const env = {
      ...process.env,
      ZITADEL_URL: url,
      ZITADEL_TOKEN: await userManager(org),
      SIGNING_KEY: signingKey,
      PORT: String(port),
    };
    const program = spawn(process.execPath, ["fixtures/sign-in/target.mjs"], {
      env: { ...env, OLD_SYSTEM: `http://127.0.0.1:${portOf(old)}/` },
    });
    onTestFinished(() => void program.kill());
    let log = "";
    program.stdout.on("data", (bytes) => (log += bytes));
    for (const method of ["CreateSession", "SetSession"]) {
      const condition = { request: { method: `/zitadel.session.v2.SessionService/${method}` } };
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ condition, targets: [id] });
      expect((await fetch(`${url}/v2/actions/executions`, { method: "PUT", headers, body })).status).toBe(200);
    }
    await expect.poll(async () => (await fetch(endpoint, { method: "POST" }).catch(() => undefined))?.status).toBe(401);
    /** As the login pages do it: a session of the user, and then the password. */
    const signInSlowly = async (password: string): Promise<number> => {
      const { sessionId, sessionToken } = JSON.parse(
        (await post("/v2/sessions", { checks: { user: { userId } } })).text,
      );
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ sessionToken, checks: { password: { password } } });
      return (await fetch(`${url}/v2/sessions/${sessionId}`, { method: "PATCH", headers, body })).status;
    };
    // The service reads its executions from a list.
    await expect
      .poll(async () => [await signInSlowly("wrong"), log.includes("not right")], { timeout: 10_000 })
      .toEqual([400, true]);
    expect(await signInSlowly(PASSWORD)).toBe(200);
    expect(log).toContain("taken over");
    expect(asked.at(-1)).toEqual({ email: email.email, password: PASSWORD });
    const before = asked.length;
    expect(await signIn(target(), userId, PASSWORD)).toBe("signed in");
    const changed = await post(`/v2/users/${userId}/password`, { newPassword: { password: "Another-1234!" } });
    expect(changed.status, changed.text).toBe(200);
    expect(await signInSlowly(PASSWORD)).toBe(400);
    expect(asked).toHaveLength(before);
    program.kill();
    await once(program, "exit");
    expect(await signIn(target(), userId, "Another-1234!")).toBe("signed in");
    expect(log).not.toMatch(/1234|@/);
  });
});
