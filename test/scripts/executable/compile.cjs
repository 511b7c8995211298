// Writes V8's compiled code of the built files:
//   node --random-seed=1 --single-threaded --no-opt --no-maglev --no-sparkplug compile.cjs <folder of the built files> <folder for the caches>
// It must run with the Node of the executable, on its platform. The main commands run once, so that the functions which they need are
// compiled; V8 would otherwise keep only those that run when a file is loaded. With these flags, the bytes are the same each time: the
// seed is the one of V8's hashes, without the optimizing compilers no function is marked as hot, and no thread collects garbage meanwhile.
"use strict";
const { execFileSync } = require("node:child_process");
const { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join, resolve } = require("node:path");
const { PassThrough } = require("node:stream");
const { createLoader } = require("./main.cjs");

const [dist, output] = process.argv.slice(2).map((path) => resolve(path));
const fixtures = resolve(__dirname, "../../../fixtures/demo");
const loader = createLoader({ read: (name) => readFileSync(join(dist, name), "utf8"), cacheOf: () => undefined });

/** Runs a command in this process. */
async function run(main, args, env = {}) {
  const silent = () => new PassThrough().resume();
  const stdin = new PassThrough().end();
  const values = {
    argv: ["node", "orgferry", ...args],
    env,
    stdin,
    stdout: silent(),
    stderr: silent(),
    exit: () => {},
  };
  const proc = Object.create(
    process,
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, writable: true }])),
  );
  Object.defineProperty(proc, "exitCode", { value: undefined, writable: true });
  await main(proc, []);
  if (proc.exitCode > 1) throw new Error(`orgferry ${args.join(" ")}: exit ${proc.exitCode}`);
}

/** Where compiled code has the hash of V8's flags. V8 rejects code of other flags, but these change only which code is optimized later. */
const FLAGS = { at: 12, length: 4 };

/** The hash of V8's flags in a process without flags. */
function usualFlags() {
  const print = `process.stdout.write(new (require("node:vm").Script)("").createCachedData())`;
  return execFileSync(process.execPath, ["-e", print]).subarray(FLAGS.at, FLAGS.at + FLAGS.length);
}

async function compile() {
  const work = mkdtempSync(join(tmpdir(), "orgferry-compile-"));
  process.chdir(work);
  const files = ["--users", join(fixtures, "users.json"), "--passwords", join(fixtures, "passwords.json")];
  const { main } = loader.load("main.cjs");
  // Neither a job with an instance nor many users: what V8 marks would depend on the time, and so would the bytes.
  await run(main, ["--help"]);
  await run(main, ["import", "--help"]);
  await run(main, ["migrate", "auth0", "--org", "165617390198000897", ...files]);
  for (const name of readdirSync(dist)) if (/^(command-.*|mock)\.cjs$/.test(name)) loader.load(name);
  mkdirSync(output, { recursive: true });
  const flags = usualFlags();
  for (const [name, script] of loader.scripts) {
    const code = script.createCachedData();
    code.set(flags, FLAGS.at);
    writeFileSync(join(output, `${name}.cache`), code);
  }
  process.chdir(tmpdir());
  rmSync(work, { recursive: true });
}

void compile();
