import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import type { FaultInput, LoggedRequest, MockServer, SeedInput } from "../../mock/api.ts";
import { explainFault, explainSeed, readFault } from "../../mock/http/explain.ts";
import { isLoopback } from "../../mock/http/guard.ts";
import { createMockServer } from "../../mock/server.ts";
import { Seed, SeedMisfit } from "../../mock/state/seed.ts";
import { bytes } from "../../problem/format.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { runCommand } from "../shared/run-command.ts";
import type { MockCommandOptions } from "./declare.ts";

/**
 * Starts the bundled mock server and serves until a signal stops it, which is success. Running requests are finished first. With
 * `--json`, stdout gets exactly one line, `{url, token, pid}`, when the server is ready.
 */
export async function mock(options: MockCommandOptions, { context }: CommandWorld): Promise<ExitCode> {
  return runCommand({ name: "mock", context, options: { ...options, json: false } }, async (ui) => {
    const server = await start(options, context, ui);
    announce(server, options, { context, ui });
    await aborted(context.signal);
    ui.say("stopping: running requests are finished first");
    await server.close();
    return exitCodes.done;
  });
}

async function start(options: MockCommandOptions, context: Context, ui: Ui): Promise<MockServer> {
  const { host, port, token, data, mimic, without, verifiers, limits } = options;
  const faults = faultsOf(options);
  const seed = withOrgs(options.seed === undefined ? {} : await readSeed(options.seed, context.cwd), options.org);
  try {
    return await createMockServer({
      host,
      port,
      mimic,
      faults,
      seed,
      now: context.now,
      onRequest: (request) => ui.say(requestLine(request)),
      onNote: (line) => ui.say(line),
      ...(token === undefined ? {} : { token }),
      ...(without === undefined ? {} : { without }),
      ...(verifiers === undefined ? {} : { verifiers }),
      ...(limits === undefined ? {} : { limits }),
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

/** Raises usage.invalid. */
function faultOf(text: string): FaultInput {
  try {
    return readFault(text);
  } catch (error) {
    throw new ProblemError({ code: "usage.invalid", message: `--fault ${text}: ${explainFault(error)}.` });
  }
}

/** Adds the organizations of `--org` to the seed. */
function withOrgs(seed: SeedInput, given: readonly string[]): SeedInput {
  const orgs = given.map((text) => {
    const [, orgId = "", name = orgId] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    if (orgId.trim() !== "" && name.trim() !== "") return { orgId, org: { name } };
    throw new ProblemError({
      code: "usage.invalid",
      message: `--org ${text}: write an id, or an id and a name such as 1=Acme.`,
    });
  });
  const seeded = seed.orgs ?? [];
  return { ...seed, orgs: [...seeded, ...orgs.filter(({ orgId }) => !seeded.some((org) => org.orgId === orgId))] };
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
  throw new ProblemError({ code: "input.seed", file: path, reason: explainSeed(parsed.error) });
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the file, which holds tokens.
    throw new ProblemError({ code: "input.seed", file: path, reason: "this is not one JSON object" });
  }
}

function startProblem(error: unknown, { host, port, seed, data }: MockCommandOptions): unknown {
  if (error instanceof SeedMisfit) {
    return new ProblemError({ code: "input.seed", file: seed ?? "", reason: error.message }, { cause: error });
  }
  const { code, syscall, path } = error as NodeJS.ErrnoException; // another error has none of the three
  if (code === undefined) return error;
  if (syscall === "listen" || syscall === "getaddrinfo") {
    return new ProblemError({ code: "net.listen", host, port, reason: code }, { cause: error });
  }
  if (path === undefined) return error;
  return new ProblemError({ code: "output.unwritable", file: data ?? path, reason: code }, { cause: error });
}

function announce(
  { url, token }: MockServer,
  { host, json }: MockCommandOptions,
  { context, ui }: { context: Context; ui: Ui },
): void {
  if (json) context.stdout.write(`${JSON.stringify({ url, token, pid: process.pid })}\n`);
  else {
    ui.say(`export ZITADEL_IMPORT_DOMAIN=${url} PAT_IMPORT_TOKEN=${token}`);
    ui.say(`export ZITADEL_EXPORT_DOMAIN=${url} PAT_EXPORT_TOKEN=${token}`);
  }
  ui.say(`mock instance: ${url} (console: ${url}/ui/console)`);
  if (!isLoopback(host)) {
    ui.warn(
      `${host} is reachable from other machines, and the mock has no access control: they can read and change all its data.`,
    );
  }
}

/** Method, path, status, time and sizes: never a header, never a body. */
function requestLine({ method, path, status, ms, requestBytes, responseBytes, note }: LoggedRequest): string {
  const line = `${method} ${path} ${status} ${ms} ms, ${bytes(requestBytes)} in, ${bytes(responseBytes)} out`;
  return note === undefined ? line : `${line}: ${note}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}
