import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ProblemError } from "../../problem.ts";
import { OptionFault, type OptionTable, type Settings, type Source } from "../../sources/source.ts";
import type { MigrateOptions } from "./declare.ts";

/** Reads the provider's own options; tells the files among them. Raises usage.invalid, input.missing, input.unreadable. */
export function readSettings(
  { options }: Pick<Source, "options">,
  given: MigrateOptions["given"],
  cwd: string,
): { readonly settings: Settings<OptionTable>; readonly files: readonly string[] } {
  const settings: Record<string, unknown> = {};
  const files: string[] = [];
  for (const [name, { flag, read }] of Object.entries(options)) {
    const [long = flag] = flag.split(" ");
    try {
      settings[name] = read(given[name] ?? [], (path) => {
        files.push(path);
        return readText(path, long, cwd);
      });
    } catch (error) {
      if (!(error instanceof OptionFault)) throw error;
      throw new ProblemError({ code: "usage.invalid", message: `${long}: ${error.message}` }, { cause: error });
    }
  }
  return { settings, files };
}

function readText(path: string, flag: string, cwd: string): string {
  try {
    return readWhole(resolve(cwd, path));
  } catch (cause) {
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    throw new ProblemError(
      code === "ENOENT"
        ? { code: "input.missing", file: path, flag }
        : { code: "input.unreadable", file: path, reason: code },
      { cause },
    );
  }
}

/** A pipe or a device may have no end, and whoever waits for one here hears no Ctrl-C: files alone. */
function readWhole(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (fstatSync(fd).isFile()) return readFileSync(fd, "utf8");
    throw Object.assign(new Error("not a file"), { code: "EINVAL" });
  } finally {
    closeSync(fd);
  }
}
