import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Identifies a process, so that another process can check later whether it still runs. The pid alone is not enough: the system reuses
 * pids, in containers at once, and they are unique only on one machine (or in one container) until its next start.
 */
export interface ProcessMark {
  /** Identifies the machine since its last start and, on Linux, the container: 8 hex digits. */
  readonly machine: string;
  readonly pid: number;
  /** Start time in units of the system; "0" if unknown. */
  readonly started: string;
}

/** Whether a process runs; unknown on another machine, in another container or before the last start of the machine. */
export type Life = "running" | "gone" | "unknown";

/** The mark of this process. */
export function ownMark(): ProcessMark {
  return { machine: machine(), pid: process.pid, started: startOf(process.pid) ?? "0" };
}

/** Whether the process with this mark runs, if that is certain. */
export function lifeOf({ machine: where, pid, started }: ProcessMark): Life {
  if (where !== machine()) return "unknown";
  if (!hasProcess(pid)) return "gone";
  const now = startOf(pid);
  if (now === ZOMBIE) return "gone";
  return now === undefined || started === "0" || now === started ? "running" : "gone";
}

function machine(): string {
  const parts = [hostname(), readText("/proc/sys/kernel/random/boot_id"), linkText("/proc/self/ns/pid")];
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 8);
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Other errors, such as EPERM, mean that the process exists.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** State of a dead process that its parent has not waited for. */
const ZOMBIE = "zombie";

/** Start time of a process, or ZOMBIE; undefined if the system does not report it. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may contain anything; the third is the state, the 22nd the start time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 20) return undefined;
  return fields[0] === "Z" || fields[0] === "X" ? ZOMBIE : fields[19];
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function linkText(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
