import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Packs the project once for all end-to-end tests and unpacks it as a package manager would, without the network. */
export function setup(project: TestProject): () => void {
  const dir = mkdtempSync(join(tmpdir(), "orgferry-pack-"));
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", dir], {
    cwd: root,
    shell: process.platform === "win32",
  });
  const tarball = readdirSync(dir).find((name) => name.endsWith(".tgz")) as string;
  execFileSync("tar", ["-xzf", tarball], { cwd: dir });
  project.provide("packedDir", join(dir, "package"));
  return () => rmSync(dir, { recursive: true, force: true });
}

declare module "vitest" {
  interface ProvidedContext {
    /** The unpacked package: `bin/orgferry.cjs` in it is what a user runs. */
    packedDir: string;
  }
}
