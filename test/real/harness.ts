import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";

/** A running service and the right to do everything in it. */
export interface Instance {
  readonly url: string;
  readonly token: string;
  /** What points `export` at it. */
  readonly sourceEnv: Readonly<Record<string, string>>;
  /** What points `import` and `verify` at it. */
  readonly targetEnv: Readonly<Record<string, string>>;
  /** One call with the instance's token; never rejects for an answer. */
  post(path: string, body: unknown): Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** The body when it is JSON. */
  readonly body: unknown;
}

/** The versions that can be started. */
export type Version = "v2" | "v4" | "v413" | "v415";

export interface InstanceOptions {
  /** Hash algorithms that the instance shall check besides bcrypt, such as "argon2,pbkdf2". */
  readonly verifiers?: string;
  /** Settings of the service, such as "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_BCRYPT_MINCOST=10". */
  readonly settings?: readonly string[];
}

const command = process.env["ORGFERRY_TEST_SERVICE"];
const run = process.env["ORGFERRY_TEST_RUN"] ?? `t${process.pid.toString(36)}`;
const registry = process.env["ORGFERRY_TEST_REGISTRY"];
const scratchUrl = process.env["ORGFERRY_TEST_TARGET"];
let started = 0;

/** True when instances can be started at will: what needs two of them, an old one or an empty one runs only then. */
export const canStart = command !== undefined;

/** True with `ORGFERRY_TEST_LONG=1`: pairs and versions run too that differ little from those of every run, or take minutes. */
export const isLong = process.env["ORGFERRY_TEST_LONG"] !== undefined;

/** For tests of every version. The older ones are in every run of the matrix, and here in long ones. */
export const versions: readonly Version[] = isLong ? ["v2", "v4", "v413", "v415"] : ["v415"];

/** An id that no other test has used, in this run or an earlier one: a scratch instance is not empty. */
export function uniqueId(prefix: string): string {
  started += 1;
  return `${prefix}-${run}-${started}`;
}

/**
 * An instance for the tests of a file, or of a `describe`: started before the first of them and stopped after the last. Without a command
 * that starts instances, the scratch instance stands in for one; tests that need more skip themselves with `canStart`.
 */
export function useInstance(version: Version = "v4", options: InstanceOptions = {}): () => Instance {
  let instance: Instance | undefined;
  let name = "";
  beforeAll(async () => {
    if (command === undefined) {
      instance = toInstance({ url: scratchUrl ?? "", token: process.env["ORGFERRY_TEST_TOKEN"] ?? "" });
      return;
    }
    started += 1;
    name = `${run}w${process.pid.toString(36)}n${started}`;
    instance = await start(version, name, options);
  });
  afterAll(async () => {
    if (command !== undefined && name !== "") await stop(version, name);
  });
  return () => {
    if (instance === undefined) throw new Error("the instance is not up yet");
    return instance;
  };
}

async function start(version: string, name: string, { verifiers, settings }: InstanceOptions): Promise<Instance> {
  // Written down before it is started: the script that runs the tests stops all instances of the list, however the tests end.
  if (registry !== undefined) writeFileSync(join(registry, `${version}-${name}`), "");
  const env = {
    ...(verifiers === undefined ? {} : { VERIFIERS: verifiers }),
    ...(settings === undefined ? {} : { EXTRA_ENV: settings.join(" ") }),
  };
  const line = await service(["up", version, name], env);
  const instance = toInstance(JSON.parse(line) as { url: string; token: string }); // the contract of the command
  for (const path of oneOfEachApi) await untilServed(instance, path);
  return instance;
}

/** One harmless call of each API of the service. */
const oneOfEachApi = [
  "/admin/v1/orgs/_search",
  "/management/v1/users/_search",
  "/v2/users",
  "/v2/sessions/search",
  "/v2/organizations/_search",
];

/** A minute. */
const START_TRIES = 600;

/** In the service, each API has a connection of its own to the part that does the work: one may be up seconds after another. */
async function untilServed(instance: Instance, path: string): Promise<void> {
  for (let attempt = 1; attempt <= START_TRIES; attempt += 1) {
    const { status } = await instance.post(path, {});
    if (status !== 503) return;
    await setTimeout(100);
  }
  throw new Error(`${path} answers 503 a minute after the start`);
}

async function stop(version: string, name: string): Promise<void> {
  await service(["down", version, name], {});
}

/** The command may have arguments of its own, so a shell reads it. */
async function service(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command} "$@"`, "sh", ...args], {
    env: { ...process.env, ...env },
  });
  return stdout;
}

function toInstance({ url, token }: { readonly url: string; readonly token: string }): Instance {
  return {
    url,
    token,
    sourceEnv: { ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: token },
    targetEnv: { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: token },
    post: (path, body) => post(`${url}${path}`, token, body),
  };
}

async function post(url: string, token: string, body: unknown): Promise<Reply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes an organization of that id and returns the id. The name says which it is: no two organizations may share one. */
export async function createOrg(instance: Instance, orgId: string): Promise<string> {
  await importOrgs(instance, { orgId, org: { name: orgId } });
  return orgId;
}

/** Imports organizations as they are, past orgferry; fails when the service names an error. */
export async function importOrgs(instance: Instance, ...orgs: readonly object[]): Promise<void> {
  const { status, text, body } = await instance.post("/admin/v1/import", { timeout: "5m0s", dataOrgs: { orgs } });
  const { errors } = body as { errors?: readonly { message: string }[] };
  const real = errors?.filter(({ message }) => !/ORG-lapo2|AlreadyExist/.test(message)) ?? [];
  if (status !== 200 || real.length > 0) throw new Error(`import: ${status} ${text.slice(0, 500)}`);
}

/** How a sign-in with a password ended: "broken" means that the service cannot check the stored hash (service behaviour 0.26). */
export type SignIn = "signed in" | "wrong password" | "broken" | `${number} ${string}`;

/** More than a minute: once it took longer than 16 s. */
const LAG_TRIES = 700;

/** Signs a user in. What a user search reads lags behind, so a user who is not found yet is looked for again. */
export async function signIn(instance: Instance, userId: string, password: string): Promise<SignIn> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, text } = await instance.post("/v2/sessions", {
      checks: { user: { userId }, password: { password } },
    });
    if (status === 201) return "signed in";
    if (text.includes("COMMAND-3M0fs")) return "wrong password";
    if (text.includes("COMMAND-CahN2")) return "broken";
    if (!text.includes("QUERY-Dfbg2") || attempt === LAG_TRIES) return `${status} ${text}`;
    await setTimeout(100);
  }
}

/** One event, with its payload. */
export interface RealEvent {
  readonly aggregate: { readonly id: string; readonly resourceOwner: string };
  readonly type: { readonly type: string };
  readonly sequence: string;
  readonly creationDate: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** A call with the instance's token, in an organization if one is given; fails for an answer that is a refusal. */
export async function call(
  { url, token, orgId }: Pick<Instance, "url" | "token"> & { readonly orgId?: string },
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(orgId === undefined ? {} : { "x-zitadel-orgid": orgId }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
}

/** The first thousand events of these types, oldest first, of an organization or of one aggregate. */
export async function readEvents(
  instance: Instance,
  filter: {
    readonly types: readonly string[];
    readonly orgId?: string;
    readonly aggregateId?: string;
    readonly after?: string;
  },
): Promise<readonly RealEvent[]> {
  const { types, orgId, aggregateId, after } = filter;
  const { body } = await instance.post("/admin/v1/events/_search", {
    asc: true,
    limit: 1_000,
    event_types: types,
    ...(orgId === undefined ? {} : { resource_owner: orgId }),
    ...(aggregateId === undefined ? {} : { aggregate_id: aggregateId }),
    ...(after === undefined ? {} : { from: after }),
  });
  return (body as { events?: RealEvent[] }).events ?? [];
}

/** The token of a new service user who may do everything. */
export async function tokenOfAnother(target: Instance, userName: string): Promise<string> {
  const { body } = await target.post("/management/v1/users/machine", { userName, name: userName });
  const { userId } = body as { userId: string };
  await call(target, "POST", "/admin/v1/members", { userId, roles: ["IAM_OWNER"] });
  const made = await target.post(`/management/v1/users/${userId}/pats`, {});
  const { token } = made.body as { token: string };
  // What a right is read from lags behind.
  const isKnown = () => call({ ...target, token }, "POST", "/admin/v1/events/_search", { limit: 1 }).then(yes, no);
  while (!(await isKnown())) await setTimeout(100);
  return token;
}

const yes = (): boolean => true;
const no = (): boolean => false;
