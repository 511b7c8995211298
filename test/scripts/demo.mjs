// `npm run demo`: the main jobs on bundled input, with what goes in and what comes out. Nothing leaves this machine.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** What runs orgferry: a single executable (`ORGFERRY=<path>`), or Node with the built program. */
const { ORGFERRY } = process.env;
const [program, ...first] = ORGFERRY === undefined ? [process.execPath, join(root, "bin/orgferry.cjs")] : [ORGFERRY];
const work = mkdtempSync(join(tmpdir(), "orgferry-demo-"));
const org = "165617390198000897";
const mocks = [];

/** Runs orgferry in the demo folder, shows the command as a user would type it, and stops the demo if it ends otherwise. */
function orgferry(args, expectedExit = 0, env = {}) {
  process.stdout.write(`\n$ orgferry ${args.join(" ")}\n`);
  const { status } = spawnSync(program, [...first, ...args], {
    cwd: work,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== expectedExit) throw new Error(`exit ${status}, expected ${expectedExit}`);
}

/** Starts a bundled mock instance; resolves with its address and token. */
function startMock(seed) {
  const path = join(work, "seed.json");
  writeFileSync(path, JSON.stringify(seed));
  const mock = spawn(program, [...first, "mock", "--port", "0", "--seed", path, "--json", "--quiet"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  mocks.push(mock);
  return new Promise((ready, failed) => {
    mock.once("exit", (code) => failed(new Error(`the mock ended with ${code}`)));
    mock.stdout.once("data", (line) => ready(JSON.parse(line.toString())));
  });
}

/** Shows a file with the hashes shortened. */
function show(title, path) {
  const text = readFileSync(path, "utf8").replace(/(\$2b\$10\$.{4}).{49}/g, "$1…");
  process.stdout.write(`\n${title}\n${text.replace(/^/gm, "  ").trimEnd()}\n`);
}

try {
  const users = join(root, "fixtures/demo/users.json");
  const passwords = join(root, "fixtures/demo/passwords.json");
  show("The profile export:", users);
  show("The password hashes from support:", passwords);
  orgferry(["migrate", "auth0", "--org", org, "--users", users, "--passwords", passwords], 1);
  show("importBody.json:", join(work, "importBody.json"));
  show("importBody.json.rejects/reasons.ndjson:", join(work, "importBody.json.rejects/reasons.ndjson"));

  process.stdout.write("\nTwo bundled mock instances, one with the organization, one empty:\n");
  const first = await startMock({ orgs: [{ orgId: org, org: { name: "Example" } }] });
  const second = await startMock({});
  process.stdout.write(`  ${first.url}\n  ${second.url}\n`);
  const env = {
    ZITADEL_IMPORT_DOMAIN: first.url,
    PAT_IMPORT_TOKEN: first.token,
    ZITADEL_EXPORT_DOMAIN: first.url,
    PAT_EXPORT_TOKEN: first.token,
  };
  orgferry(["import", "importBody.json", "--yes"], 0, env);
  orgferry(["verify", "importBody.json"], 0, env);
  orgferry(["export", "--org-id", org, "--with-passwords"], 0, env);
  const toSecond = { ...env, ZITADEL_IMPORT_DOMAIN: second.url, PAT_IMPORT_TOKEN: second.token };
  orgferry(["copy", "--org-id", org, "--with-passwords", "--yes"], 0, toSecond);
  orgferry(["verify", "export.json"], 0, toSecond);
} finally {
  for (const mock of mocks) mock.kill();
  rmSync(work, { recursive: true, force: true });
}
