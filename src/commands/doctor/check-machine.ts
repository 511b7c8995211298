import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Context } from "../../context.ts";
import { bytes } from "../../ui/format.ts";
import { type Check, ok, warn } from "./check.ts";

/** The oldest that the packages run on (package.json: engines). */
const NODE = { major: 20, minor: 19 };
/** An export of 300,000 users with their hashes is about a third of it. */
const ROOM_BYTES = 2 ** 30;
const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] as const;

/** What every command needs of this machine. */
export function checkMachine({ cwd, env }: Pick<Context, "cwd" | "env">, nodeVersion = process.versions.node): Check[] {
  return [checkNode(nodeVersion), checkProxies(env), ...checkDisks([cwd, tmpdir()])];
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < NODE.major || (major === NODE.major && minor < NODE.minor);
  return isOld
    ? warn("node", `${version} is older than ${NODE.major}.${NODE.minor}, the oldest that this was tested with.`)
    : ok("node", version);
}

/** Which are set, never what they hold: it may be a password. */
function checkProxies(env: Context["env"]): Check {
  const set = PROXIES.filter((name) => (env[name] ?? env[name.toLowerCase()] ?? "") !== "");
  const authority = (env["NODE_EXTRA_CA_CERTS"] ?? "") === "" ? "" : "; further authorities: NODE_EXTRA_CA_CERTS";
  return ok("proxy", `${set.length === 0 ? "none" : set.join(", ")}${authority}`);
}

function checkDisks(folders: readonly string[]): Check[] {
  return [...new Set(folders)].map((folder, at) => {
    const name = at === 0 ? "disk" : "temporary disk";
    const free = freeBytes(folder);
    if (free === undefined) return warn(name, `how much room there is in ${folder} cannot be told.`);
    return free < ROOM_BYTES
      ? warn(name, `${bytes(free)} free in ${folder}: a large export or what is spooled for it may not fit.`)
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
