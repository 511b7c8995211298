import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { startTcp } from "../helpers/raw-server.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Starts an export and interrupts it as soon as the server has a connection with data from it. */
async function interruptedExport(
  env: (url: string) => Record<string, string>,
  onData: (socket: import("node:net").Socket) => void = () => {},
): Promise<{ exitCode: number; ms: number }> {
  const controller = new AbortController();
  let interruptedAt = 0;
  const { url } = await startTcp((socket) => {
    socket.once("data", async () => {
      onData(socket);
      await setTimeout(50); // nothing tells when the client waits again
      interruptedAt = performance.now();
      controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
    });
  });
  const { exitCode } = await runCli(["export"], { cwd: tempDir(), env: env(url), signal: controller.signal });
  return { exitCode, ms: performance.now() - interruptedAt };
}

const TOKEN = { PAT_EXPORT_TOKEN: "pat-0123456789" };

test.each([
  ["a server that says nothing", (url: string) => ({ ...TOKEN, ZITADEL_EXPORT_DOMAIN: url })],
  [
    "a TLS handshake that hangs",
    (url: string) => ({ ...TOKEN, ZITADEL_EXPORT_DOMAIN: url.replace("http:", "https:") }),
  ],
  [
    "a proxy that says nothing to CONNECT",
    (url: string) => ({ ...TOKEN, ZITADEL_EXPORT_DOMAIN: "source.example", HTTPS_PROXY: url }),
  ],
  [
    "a silent socks5 proxy",
    (url: string) => ({
      ...TOKEN,
      ZITADEL_EXPORT_DOMAIN: "source.example",
      HTTPS_PROXY: url.replace("http:", "socks5:"),
    }),
  ],
])("the first Ctrl-C ends a wait for %s within two seconds", async (_, env) => {
  const { exitCode, ms } = await interruptedExport(env);
  expect(exitCode).toBe(130);
  expect(ms).toBeLessThan(2_000);
});

test("the first Ctrl-C ends a wait behind a proxy that accepts CONNECT and says nothing more", async () => {
  const env = (url: string): Record<string, string> => ({
    ...TOKEN,
    ZITADEL_EXPORT_DOMAIN: "source.example",
    HTTPS_PROXY: url,
  });
  const { exitCode, ms } = await interruptedExport(env, (socket) =>
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n"),
  );
  expect(exitCode).toBe(130);
  expect(ms).toBeLessThan(2_000);
});

test("Ctrl-C at a question says what the command has not done", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  await runCli(["import", file], { cwd, env: mock.env });
  const mailed = testUser(2, { email: { email: "b@example.com", isEmailVerified: false } });
  writeFileSync(join(cwd, "mailed.json"), testBody([mailed]));
  for (const [argv, words] of [
    [["undo", `${file}.manifest.ndjson`], "no user was deleted"],
    [["import", "mailed.json"], "nothing was sent"],
  ] as const) {
    const controller = new AbortController();
    const interrupt = (): void => controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
    const { exitCode, stderr } = await runCli(argv, {
      ...{ cwd, env: { ...mock.env, NO_COLOR: "1" }, signal: controller.signal, isTerminal: true },
      stdin: new Readable({ read: interrupt }),
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: expect.stringContaining("[y/N]") });
    expect(stderr).toMatch(new RegExp(`error: interrupted; ${words}\\.\n$`));
  }
});

test("an import of a body that is cut off says that nothing was sent", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(testBody(testUsers(2)).slice(0, 300));
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env: mock.env });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("Export or copy it again; nothing was sent.");
});
