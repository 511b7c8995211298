// Sending to a real service: `orgferry import` by default (one call at a time), with as many as it finds best and with fixed settings, by
// turns with a plain loop over ready-made calls of 5,000 users, which is the documented way. Every turn has the same users, in an organization of its own.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { busyProcessors } from "./machine.mjs";
import { bin } from "./parts.mjs";
import { CALL_USERS, LOOP, variantsOf, viaOf } from "./service-settings.mjs";
import { cellsOf, HEAD, toTable } from "./service-table.mjs";
import { grouped } from "./tables.mjs";

const hook = new URL("./usage.mjs", import.meta.url).href;
const loop = fileURLToPath(new URL("./upload-loop.mjs", import.meta.url));
const HASH = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
/** How an import ends whose users were all made, and not all can sign in: that is counted. */
const FORGOTTEN = 1;
const LOOK_MS = 20;
/** Between two looks at the service's list of users, once everything was sent. */
const LIST_LOOK_MS = 200;
/** The list of users that a version loses is never complete. */
const LIST_LIMIT_MS = 90_000;
/** Before the first turn, to know about how long all of them take. */
const TRIAL_USERS = 500;
/** Between two turns, about and at most. */
const REST_S = 5;
const MAX_REST_S = 20;
/** Nobody watches a long sweep: a turn that hangs is ended. */
const TURN_LIMIT_MS = 45 * 60_000;

export async function measureService({ flags, out, rounds }) {
  const users = Number(flags.users);
  const variants = variantsOf(flags);
  const instance = await start(flags);
  // Ctrl-C must not leave an instance behind.
  const stopped = (signal) => instance.stop().finally(() => process.exit(signal === "SIGINT" ? 130 : 143));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stopped);
  const turn = (args, many, tag) => {
    const bodies = makeBodies(many, out, `${Date.now().toString(36)}${tag}`);
    return args === LOOP ? runLoop(bodies, instance) : runImport(bodies, args, instance);
  };
  try {
    const trial = await turn(viaOf(flags), Math.min(users, TRIAL_USERS), "trial");
    say(estimate(rounds * variants.length, users, (1000 * Math.min(users, TRIAL_USERS)) / trial.wallMs));
    const samples = await takeTurns({ variants, rounds, users, turn, rest: await createRest(), say });
    if (samples.flat().includes(undefined)) process.exitCode = 1;
    return toTable({ users, rounds, flags, variants, samples });
  } finally {
    await instance.stop();
  }
}

const say = (line) => process.stderr.write(`${line}\n`);

/** What a service does in a second differs by setting, so this is no more than the order of magnitude. */
function estimate(turns, users, usersPerSecond) {
  const minutes = (turns * (users / usersPerSecond + REST_S)) / 60;
  return `${turns} turns of ${grouped(users)} users, at about ${grouped(usersPerSecond)} users/s: about ${Math.ceil(minutes)} minutes`;
}

/**
 * One setting that fails is no reason to lose the others: undefined is what came of it. Every second round goes the other way. Each row is
 * told as soon as it is known.
 */
export async function takeTurns({ variants, rounds, users, turn, rest, say }) {
  const samples = variants.map(() => []);
  say(`\n| ${["", ...HEAD].join(" | ")} |`);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...variants.keys()];
    for (const at of round % 2 === 0 ? order : order.reverse()) {
      await rest();
      const { name, args } = variants[at];
      samples[at][round] = await turn(args, users, `n${round}v${at}`).catch((error) => {
        say(`${name}: failed: ${error.message}`);
        return undefined;
      });
      const cells = cellsOf([samples[at][round]], [samples[0][round]], users);
      say(`| ${[`${name}, round ${round + 1}`, ...cells].join(" | ")} |`);
    }
  }
  return samples;
}

/** What a turn leaves to do (the service's own copies of the users) is not the next one's. */
async function createRest() {
  const quiet = await busyProcessors();
  return async () => {
    for (let s = 0; s < MAX_REST_S && (await busyProcessors()) > quiet + 0.2; s += 1);
  };
}

/** Raises when no instance is named, and nothing that starts one. */
export function requireService({ target, "token-file": tokenFile }) {
  if (process.env.ORGFERRY_TEST_SERVICE === undefined && (target === undefined || tokenFile === undefined))
    throw new Error("--only service needs ORGFERRY_TEST_SERVICE, or --target and --token-file");
}

/** An instance to send to, and how to get rid of it. */
async function start(flags) {
  const { target, "token-file": tokenFile, version } = flags;
  if (target !== undefined && tokenFile !== undefined) {
    return { url: target, token: readFileSync(tokenFile, "utf8").trim(), stop: async () => {} };
  }
  const command = process.env.ORGFERRY_TEST_SERVICE;
  const name = `bench${process.pid.toString(36)}`;
  const call = async (verb) =>
    (await promisify(execFile)("sh", ["-c", `${command} "$@"`, "sh", verb, version, name])).stdout;
  const { url, token } = JSON.parse(await call("up"));
  let stopping;
  return {
    url,
    token,
    stop() {
      stopping ??= call("down");
      return stopping;
    },
  };
}

/** One body with everybody, and the same cut into ready-made calls. Everybody has a hash, so all go through the import endpoint. */
function makeBodies(users, out, orgId) {
  const folder = join(out, orgId);
  mkdirSync(folder);
  const user = (n) => ({
    userId: `${orgId}-${n}`,
    user: {
      userName: `user.${n}@${orgId}.example.com`,
      profile: { firstName: "Ann", lastName: "Example" },
      email: { email: `user.${n}@${orgId}.example.com`, isEmailVerified: true },
      hashedPassword: { value: HASH },
    },
  });
  const all = Array.from({ length: users }, (_, n) => user(n));
  const write = (name, humanUsers) => {
    const path = join(folder, name);
    const org = { orgId, org: { name: orgId }, humanUsers };
    writeFileSync(path, JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" }));
    return path;
  };
  const calls = [];
  for (let at = 0; at < users; at += CALL_USERS) calls.push(write(`call-${at}.json`, all.slice(at, at + CALL_USERS)));
  return { folder, orgId, calls, whole: write("body.json", all), users };
}

async function runLoop({ folder, calls, orgId, users }, instance) {
  const run = await measured({
    args: [loop, instance.url, ...calls],
    token: instance.token,
    folder,
    look: (stdout) => ({ hasFirst: stdout.length > 0, isSent: false }),
    listed: () => listedUsers(instance, orgId),
    users,
  });
  return { ...run, calls: calls.length };
}

async function runImport({ folder, whole, orgId, users }, flags, instance) {
  const journal = journalReader(`${whole}.journal.ndjson`);
  const { stdout, ...run } = await measured({
    args: [bin, "import", whole, "--target", instance.url, "--json", "--quiet", ...flags],
    token: instance.token,
    folder,
    look: () => {
      const done = journal();
      return { hasFirst: done > 0, isSent: done >= users };
    },
    listed: () => listedUsers(instance, orgId),
    users,
    expected: [0, FORGOTTEN],
  });
  const report = JSON.parse(stdout);
  if (report.users.created !== users) throw new Error(`created ${report.users.created} of ${users}`);
  return { ...run, calls: report.calls, forgotten: report.cannotSignInCount, healed: report.healed?.users ?? 0 };
}

/** Counts the users of the calls that a journal has as answered; each call of it reads only what is new. */
function journalReader(path) {
  let [read, rest, done] = [0, "", 0];
  return () => {
    if (!existsSync(path)) return done;
    const text = readFileSync(path, "utf8").slice(read);
    read += text.length;
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) done += doneUsers(line);
    return done;
  };
}

function doneUsers(line) {
  if (!line.includes('"kind":"done"')) return 0;
  return JSON.parse(line).users;
}

/** Users of an organization whom the service lists under a login name: those who can sign in. */
async function listedUsers({ url, token }, orgId) {
  const response = await fetch(`${url}/v2/users`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      query: { limit: 1 },
      queries: [
        { organizationIdQuery: { organizationId: orgId } },
        { loginNameQuery: { loginName: "@", method: "TEXT_QUERY_METHOD_CONTAINS" } },
      ],
    }),
  });
  if (!response.ok) throw new Error(`the list of users: ${response.status} ${await response.text()}`);
  const { details } = await response.json();
  return Number(details?.totalResult ?? 0);
}

/**
 * Runs Node to its end and waits until every user is listed under a login name. `look` tells from what the process has printed and written
 * whether the first users are there and whether everything was sent; a process that does not show the latter has sent everything at its end.
 */
async function measured({ args, token, folder, look, listed, users, expected = [0] }) {
  const usage = join(folder, "usage.json");
  const env = { ...process.env, PAT_IMPORT_TOKEN: token, ORGFERRY_BENCH_USAGE: usage };
  const began = performance.now();
  const since = () => performance.now() - began;
  const child = spawn(process.execPath, ["--import", hook, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  let code, firstMs, sentMs, listedMs, wallMs;
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.once("close", (status) => {
    code = status ?? -1;
    wallMs = since();
  });
  let nextListLookMs = 0;
  while (code === undefined || (code !== -1 && listedMs === undefined && since() < wallMs + LIST_LIMIT_MS)) {
    if (since() > TURN_LIMIT_MS) child.kill("SIGKILL");
    const { hasFirst, isSent } = look(stdout);
    if (hasFirst) firstMs ??= since();
    if (isSent || code !== undefined) sentMs ??= Math.min(since(), wallMs ?? Infinity);
    if (sentMs !== undefined && listedMs === undefined && since() >= nextListLookMs) {
      if ((await listed()) >= users) listedMs = since();
      nextListLookMs = since() + LIST_LOOK_MS;
    }
    if (code !== undefined && !expected.includes(code)) break;
    await setTimeout(LOOK_MS);
  }
  if (!expected.includes(code)) {
    rmSync(folder, { recursive: true });
    throw new Error(`${args.join(" ")}: exit ${code}\n${stderr}`);
  }
  const { cpuMs, rssMb } = JSON.parse(readFileSync(usage, "utf8"));
  rmSync(folder, { recursive: true });
  return { wallMs, firstMs: firstMs ?? wallMs, sentMs: sentMs ?? wallMs, listedMs, cpuMs, rssMb, stdout };
}
