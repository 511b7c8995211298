// Sending to a real service: `orgferry import` as it comes and with fixed settings, by turns with a plain loop over ready-made calls of
// 5,000 users, which is the documented way. Every turn has the same users, in an organization of its own.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bin } from "./parts.mjs";
import { grouped, median, spreadOf } from "./tables.mjs";

const hook = new URL("./usage.mjs", import.meta.url).href;
const loop = fileURLToPath(new URL("./upload-loop.mjs", import.meta.url));
const HASH = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
const CALL_USERS = 5_000;
const LOOK_MS = 20;

export async function measureService({ flags, out, rounds }) {
  const users = Number(flags.users);
  const instance = await start(flags);
  // Ctrl-C must not leave an instance behind.
  const stopped = (signal) => instance.stop().finally(() => process.exit(signal === "SIGINT" ? 130 : 143));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stopped);
  try {
    const variants = [
      { name: `loop over ready-made calls of ${grouped(CALL_USERS)}`, run: (body) => runLoop(body, instance) },
      { name: "orgferry import", run: (body) => runImport(body, [], instance) },
      ...settingsOf(flags.sweep).map(({ calls, size }) => ({
        name: `orgferry import, ${calls} × ${size}`,
        run: (body) => runImport(body, ["--concurrency", String(calls), "--batch-users", String(size)], instance),
      })),
    ];
    const samples = variants.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, { name, run }] of variants.entries()) {
        const sample = await run(makeBodies(users, out, `${Date.now().toString(36)}n${round}v${at}`));
        samples[at].push(sample);
        process.stderr.write(`round ${round + 1}: ${name}: ${grouped((1000 * users) / sample.wallMs)} users/s\n`);
      }
    }
    return toTable({ users, rounds, flags, variants, samples });
  } finally {
    await instance.stop();
  }
}

function toTable({ users, rounds, flags, variants, samples }) {
  const [plain] = samples;
  return {
    title: `Sending ${grouped(users)} users to a running service (${flags.version}), ${rounds} turns`,
    head: [
      "users/s",
      "× loop",
      "calls",
      "first users after",
      "client: ms of a processor per 1,000 users",
      "client: memory",
    ],
    rows: variants.map(({ name }, at) => {
      const speed = spreadOf(samples[at].map(({ wallMs }) => (1000 * users) / wallMs));
      const ratio = spreadOf(samples[at].map(({ wallMs }, turn) => plain[turn].wallMs / wallMs));
      const first = median(samples[at].map(({ firstMs }) => firstMs));
      return {
        name,
        cells: [
          `${grouped(speed.median)} (${grouped(speed.min)}–${grouped(speed.max)})`,
          `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
          String(median(samples[at].map(({ calls }) => calls))),
          `${(first / 1000).toFixed(1)} s`,
          String(Math.round(median(samples[at].map(({ cpuMs }) => cpuMs)) / (users / 1000))),
          `${Math.round(Math.max(...samples[at].map(({ rssMb }) => rssMb)))} MB`,
        ],
        figures: { "users/s": speed, "× loop": ratio },
      };
    }),
  };
}

function settingsOf(text) {
  if (text === "all")
    return [1, 2, 4, 8, 16].flatMap((calls) => [50, 100, 250, 1_000, 5_000].map((size) => ({ calls, size })));
  return text
    .split(",")
    .filter((one) => one !== "")
    .map((one) => {
      const [calls, size] = one.split("x").map(Number);
      if (!(calls > 0 && size > 0)) throw new Error(`--sweep: ${one} is not calls x users, such as 8x250`);
      return { calls, size };
    });
}

/** An instance to send to, and how to get rid of it. */
async function start(flags) {
  const { target, "token-file": tokenFile, version } = flags;
  if (target !== undefined && tokenFile !== undefined) {
    return { url: target, token: readFileSync(tokenFile, "utf8").trim(), stop: async () => {} };
  }
  const command = process.env.ORGFERRY_TEST_SERVICE;
  if (command === undefined)
    throw new Error("--only service needs ORGFERRY_TEST_SERVICE, or --target and --token-file");
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
  return { folder, calls, whole: write("body.json", all), users };
}

async function runLoop({ folder, calls }, { url, token }) {
  const { wallMs, firstMs, ...used } = await measured(
    [loop, url, ...calls],
    token,
    folder,
    (stdout) => stdout.length > 0,
  );
  return { wallMs, firstMs, calls: calls.length, ...used };
}

async function runImport({ folder, whole, users }, flags, { url, token }) {
  const journal = `${whole}.journal.ndjson`;
  const hasProgress = () => existsSync(journal) && readFileSync(journal, "utf8").includes('"kind":"done"');
  const args = [bin, "import", whole, "--target", url, "--json", "--quiet", ...flags];
  const { stdout, ...used } = await measured(args, token, folder, hasProgress);
  const report = JSON.parse(stdout);
  if (report.users.created !== users) throw new Error(`created ${report.users.created} of ${users}`);
  return { calls: report.calls, ...used };
}

/** Runs Node to its end; `hasProgress` says whether the first users are there. */
async function measured(args, token, folder, hasProgress) {
  const usage = join(folder, "usage.json");
  const env = { ...process.env, PAT_IMPORT_TOKEN: token, ORGFERRY_BENCH_USAGE: usage };
  const began = performance.now();
  const child = spawn(process.execPath, ["--import", hook, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr, code, firstMs] = ["", "", undefined, undefined];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.once("close", (status) => {
    code = status ?? -1;
  });
  while (code === undefined) {
    if (firstMs === undefined && hasProgress(stdout)) firstMs = performance.now() - began;
    await setTimeout(LOOK_MS);
  }
  const wallMs = performance.now() - began;
  if (code !== 0) throw new Error(`${args.join(" ")}: exit ${code}\n${stderr}`);
  const { cpuMs, rssMb } = JSON.parse(readFileSync(usage, "utf8"));
  rmSync(folder, { recursive: true });
  return { wallMs, firstMs: firstMs ?? wallMs, cpuMs, rssMb, stdout };
}
