// `npm run test:real`: runs test/real against a real service. Instances come from the command in ORGFERRY_TEST_SERVICE, or there is
// one scratch instance of one's own: --target <url> --token-file <path>. Without either it says so and ends with 0. Whatever ends the
// tests, Ctrl-C and a crash included, the instances that they started are stopped. Other arguments go to vitest.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const args = process.argv.slice(2);
const options = { target: { type: "string" }, "token-file": { type: "string" } };
const { values, tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
const ours = tokens.filter(({ kind, name }) => kind === "option" && Object.hasOwn(options, name));
const taken = new Set(ours.flatMap(({ index, inlineValue }) => (inlineValue ? [index] : [index, index + 1])));
const others = args.filter((_, index) => !taken.has(index));
const service = process.env.ORGFERRY_TEST_SERVICE;
const { target, "token-file": tokenFile } = values;

if (service === undefined && (target === undefined || tokenFile === undefined)) {
  process.stderr.write(`skipped: the tests against a real service need one of
  ORGFERRY_TEST_SERVICE=<command>   called as "<command> up v4 <name>", which prints one JSON line with url and token, and
                                    "<command> down v4 <name>"; v2 and v415 likewise; VERIFIERS in its environment are hash algorithms
                                    that the instance shall be able to check
  --target <url> --token-file <path>   a scratch instance (4.x) that may be filled with test data, and a token of its IAM_OWNER
`);
  process.exit(0);
}

const registry = mkdtempSync(join(tmpdir(), "orgferry-real-run-"));
const env = {
  ...process.env,
  ORGFERRY_TEST_REGISTRY: registry,
  // Names of one run differ from those of all others; letters and digits alone are allowed.
  ORGFERRY_TEST_RUN: `t${process.pid.toString(36)}${Date.now().toString(36).slice(-5)}`,
  ...(service === undefined
    ? { ORGFERRY_TEST_TARGET: target, ORGFERRY_TEST_TOKEN: readFileSync(resolve(tokenFile), "utf8").trim() }
    : {}),
};
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const child = spawn(process.execPath, [vitest, "run", "--config", "test/real/vitest.config.ts", ...others], {
  cwd: root,
  env,
  stdio: "inherit",
});
// A terminal sends Ctrl-C to the child as well; a second one would end vitest in the middle of its own teardown.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  for (const entry of readdirSync(registry)) {
    const [version, name] = entry.split("-");
    spawnSync("sh", ["-c", `${service} "$@"`, "sh", "down", version, name], { stdio: "inherit" });
  }
  rmSync(registry, { recursive: true, force: true });
  process.exit(code ?? (signal === "SIGINT" ? 130 : 143));
});
