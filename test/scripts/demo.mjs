// `npm run demo`: the main job on bundled input, with what goes in and what comes out. Nothing leaves this machine.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const bin = join(root, "bin/orgferry.js");
const work = mkdtempSync(join(tmpdir(), "orgferry-demo-"));

/** Runs orgferry in the demo folder, shows the command as a user would type it, and stops the demo if it ends otherwise. */
function orgferry(args, expectedExit = 0) {
  process.stdout.write(`\n$ orgferry ${args.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [bin, ...args], {
    cwd: work,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== expectedExit) throw new Error(`exit ${status}, expected ${expectedExit}`);
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
  orgferry(["migrate", "auth0", "--org", "165617390198000897", "--users", users, "--passwords", passwords], 1);
  show("importBody.json:", join(work, "importBody.json"));
  show("importBody.json.rejects/reasons.ndjson:", join(work, "importBody.json.rejects/reasons.ndjson"));
} finally {
  rmSync(work, { recursive: true, force: true });
}
