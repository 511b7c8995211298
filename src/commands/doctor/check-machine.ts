import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Context } from "../../context.ts";
import { bytes } from "../../problem/format.ts";
import { type Check, ok, warn } from "./check.ts";

/** The oldest supported Node version (package.json: engines). */
const NODE = { major: 20, minor: 19 };
/** Three times the size of an export of 300,000 users with password hashes. */
const ROOM_BYTES = 2 ** 30;
const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] as const;

/** Checks what every command needs of this machine. */
export function checkMachine({ cwd, env }: Pick<Context, "cwd" | "env">, nodeVersion = process.versions.node): Check[] {
  return [checkNode(nodeVersion), checkProxies(env), ...checkDisks([cwd, tmpdir()])];
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < NODE.major || (major === NODE.major && minor < NODE.minor);
  return isOld
    ? warn("node", `${version} is not supported: use Node ${NODE.major}.${NODE.minor} or newer.`)
    : ok("node", version);
}

/** The names of the set variables, without their values: a value may contain a password. */
function checkProxies(env: Context["env"]): Check {
  const set = PROXIES.filter((name) => (env[name] ?? env[name.toLowerCase()] ?? "") !== "");
  const authority = (env["NODE_EXTRA_CA_CERTS"] ?? "") === "" ? "" : "; certificate authorities: NODE_EXTRA_CA_CERTS";
  return ok("proxy", `${set.length === 0 ? "none" : set.join(", ")}${authority}`);
}

function checkDisks(folders: readonly string[]): Check[] {
  return [...new Set(folders)].map((folder, at) => {
    const name = at === 0 ? "disk" : "temporary disk";
    const free = freeBytes(folder);
    if (free === undefined) return warn(name, `the free space of ${folder} is unknown.`);
    return free < ROOM_BYTES
      ? warn(name, `${bytes(free)} free in ${folder}: a large export and its temporary files may not fit.`)
      : ok(name, `${bytes(free)} free in ${folder}`);
  });
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
