// Brings a fresh clone to where everything runs, and does nothing when nothing changed: installs when package-lock.json is
// not the one last installed, builds when a source is newer than the build. Needs Node and npm alone.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, isBuildFresh } from "./build.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const marker = `${root}node_modules/.orgferry-installed`;
const wanted = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .update(process.version)
  .digest("hex");

if (!existsSync(marker) || readFileSync(marker, "utf8") !== wanted) {
  process.stderr.write("installing …\n");
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  writeFileSync(marker, wanted);
}
if (!isBuildFresh(root)) {
  process.stderr.write("building …\n");
  await build(root);
}
