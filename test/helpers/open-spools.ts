import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The spools that a process has open: with a name, where the system keeps it, or by what Linux tells of its open files. */
export function openSpools(pid = process.pid): string[] {
  const named = readdirSync(tmpdir()).filter((name) => name.startsWith(`orgferry-${pid}-`));
  const files = `/proc/${pid}/fd`;
  if (!existsSync(files)) return named;
  const open = readdirSync(files)
    .map((fd) => join(files, fd))
    .filter((path) => targetOf(path).includes(`/orgferry-${pid}-`));
  return [...named, ...open];
}

/** "" for a file that was closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}
