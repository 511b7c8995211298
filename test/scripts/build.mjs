// src → dist with the TypeScript compiler, from an empty dist so that no file of an earlier build is ever packed.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const stampOf = (root) => join(root, "node_modules/.orgferry-built");

/** True when no source, no build setting and no install is newer than the last build. */
export function isBuildFresh(root) {
  const stamp = stampOf(root);
  if (!existsSync(stamp) || !existsSync(join(root, "dist/main.js"))) return false;
  const built = statSync(stamp).mtimeMs;
  const sources = readdirSync(join(root, "src"), { recursive: true }).map((name) => join(root, "src", name));
  return [...sources, join(root, "tsconfig.json"), join(root, "package-lock.json")].every(
    (path) => statSync(path).mtimeMs <= built,
  );
}

/** Raises when a type is wrong; what the compiler says goes to stderr. */
export function build(root) {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.json")], { cwd: root, stdio: ["ignore", 2, 2] });
  writeFileSync(stampOf(root), "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build(fileURLToPath(new URL("../../", import.meta.url)));
