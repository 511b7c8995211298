import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * A process, as another one can tell later whether it still runs. Its number alone does not do: numbers are used again, at once in
 * containers, and belong to one machine (or one container) as long as it is not started anew.
 */
export interface ProcessMark {
  /** Stands for the machine since its last start and, on Linux, for the container: 8 hex digits. */
  readonly machine: string;
  readonly pid: number;
  /** When it began, in units of the system; "0" where that cannot be found out. */
  readonly started: string;
}

/** Of a process on another machine, in another container or before the machine was started anew, nothing is known. */
export type Life = "running" | "gone" | "unknown";

/** The mark of this process. */
export function ownMark(): ProcessMark {
  return { machine: machine(), pid: process.pid, started: startOf(process.pid) ?? "0" };
}

/** What can be said for sure about the process with this mark. */
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
    // Anything else, such as EPERM, is said of a process that is there.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Said of a process that is dead, whose parent has only not taken note of it. */
const ZOMBIE = "zombie";

/** When a process began, or ZOMBIE; undefined where the system does not tell. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The name of the program stands in parentheses, may hold anything, and comes second; the state is the third field, the start the 22nd.
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
