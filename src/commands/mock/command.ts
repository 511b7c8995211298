import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import type { Context } from "../../context.ts";
import { Fault, type FaultInput, parseFault } from "../../mock/http/faults.ts";
import type { LoggedRequest } from "../../mock/http/request-log.ts";
import { createMockServer, type MockServer } from "../../mock/server.ts";
import { Seed, SeedMisfit } from "../../mock/state/seed.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { bytes } from "../../ui/format.ts";
import type { Ui } from "../../ui/ui.ts";
import { runCommand } from "../shared/run-command.ts";
import type { MockCommandOptions } from "./declare.ts";
import { describeMisfit } from "./describe-misfit.ts";

/**
 * Starts the bundled admin server and serves until it is told to stop, which is success: requests in flight are finished first.
 * With `--json`, stdout gets one line `{url, token, pid}` when it is ready, and nothing else.
 */
export async function mock(options: MockCommandOptions, context: Context): Promise<ExitCode> {
  return runCommand("mock", context, { ...options, json: false }, async (ui) => {
    const server = await start(options, context, ui);
    announce(server, options, { context, ui });
    await aborted(context.signal);
    ui.say("stopping: requests in flight are finished first");
    await server.close();
    return exitCodes.done;
  });
}

async function start(options: MockCommandOptions, context: Context, ui: Ui): Promise<MockServer> {
  const { host, port, token, data, mimic } = options;
  const faults = faultsOf(options);
  const seed = options.seed === undefined ? undefined : await readSeed(options.seed, context.cwd);
  try {
    return await createMockServer({
      host,
      port,
      mimic,
      faults,
      now: context.now,
      onRequest: (request) => ui.say(requestLine(request)),
      onNote: (line) => ui.say(line),
      ...(token === undefined ? {} : { token }),
      ...(seed === undefined ? {} : { seed }),
      ...(data === undefined ? {} : { dataDir: resolve(context.cwd, data) }),
    });
  } catch (error) {
    throw startProblem(error, options);
  }
}

function faultsOf({ fault, latency }: MockCommandOptions): readonly FaultInput[] {
  const latencies: FaultInput[] = latency === undefined ? [] : [{ endpoint: "any", fault: "latency", delay: latency }];
  return [...latencies, ...fault.map(faultOf)];
}

/** Checked here, handed on as the plain values it was given as. Raises usage.invalid. */
function faultOf(text: string): FaultInput {
  try {
    return parseFault(text);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new ProblemError({ code: "usage.invalid", message: `--fault ${text}: ${describeMisfit(error, Fault)}` });
  }
}

/** Raises input.missing, input.unreadable, input.seed. */
async function readSeed(path: string, cwd: string): Promise<Seed> {
  const text = await readFile(resolve(cwd, path), "utf8").catch((cause: NodeJS.ErrnoException) => {
    const problem =
      cause.code === "ENOENT"
        ? ({ code: "input.missing", file: path, flag: "--seed" } as const)
        : ({ code: "input.unreadable", file: path, reason: cause.code ?? "unknown" } as const);
    throw new ProblemError(problem, { cause });
  });
  const parsed = Seed.safeParse(jsonOf(text, path));
  if (parsed.success) return parsed.data;
  throw new ProblemError({ code: "input.seed", file: path, reason: describeMisfit(parsed.error, Seed) });
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProblemError({ code: "input.seed", file: path, reason: "it is not valid JSON" }, { cause });
  }
}

function startProblem(error: unknown, { host, port, seed, data }: MockCommandOptions): unknown {
  if (error instanceof SeedMisfit) {
    return new ProblemError({ code: "input.seed", file: seed ?? "", reason: error.message }, { cause: error });
  }
  const { code, syscall, path } = error as NodeJS.ErrnoException; // whatever else it is has none of the three
  if (code === undefined) return error;
  if (syscall === "listen" || syscall === "getaddrinfo") {
    return new ProblemError({ code: "net.listen", host, port, reason: code }, { cause: error });
  }
  if (path === undefined) return error;
  return new ProblemError({ code: "output.unwritable", file: data ?? path, reason: code }, { cause: error });
}

function announce(
  { url, token }: MockServer,
  { host, token: given, json }: MockCommandOptions,
  { context, ui }: { context: Context; ui: Ui },
): void {
  if (json) context.stdout.write(`${JSON.stringify({ url, token, pid: process.pid })}\n`);
  ui.say(`mock instance: ${url} (console: ${url}/ui/console)`);
  if (given === undefined && !json) ui.say(`token with the role IAM_OWNER: ${token}`);
  if (!["127.0.0.1", "::1", "localhost"].includes(host)) {
    ui.warn(`${host} can be reached from other machines: anybody there can read and change everything in the mock.`);
  }
}

/** Method, path, status, time and sizes: never a header, never a body. */
function requestLine({ method, path, status, ms, requestBytes, responseBytes }: LoggedRequest): string {
  return `${method} ${path} ${status} ${ms} ms, ${bytes(requestBytes)} in, ${bytes(responseBytes)} out`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}
