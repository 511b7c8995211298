import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ProblemError } from "../../problem.ts";
import { OptionFault, type OptionTable, type Settings, type Source } from "../../sources/source.ts";
import type { MigrateOptions } from "./declare.ts";

/** The values of the provider's own options. */
export interface ReadSettings {
  /** The files that the options name, including unusable ones. */
  readonly files: readonly string[];
  /** Raises usage.invalid, input.missing, input.unreadable. */
  settings(): Settings<OptionTable>;
}

/** Reads the provider's own options and the files that they name. Raises nothing: `settings` raises the first problem. */
export function readSettings(
  { options }: Pick<Source, "options">,
  given: MigrateOptions["given"],
  cwd: string,
): ReadSettings {
  const files: string[] = [];
  try {
    const settings = Object.entries(options).map(([name, option]) => [
      name,
      readOption(option, given[name] ?? [], (path, flag) => {
        files.push(path);
        return readText(path, flag, cwd);
      }),
    ]);
    return { files, settings: () => Object.fromEntries(settings) };
  } catch (error) {
    return {
      files,
      settings() {
        throw error;
      },
    };
  }
}

function readOption(
  { flag, read }: OptionTable[string],
  given: readonly string[],
  readFile: (path: string, flag: string) => string,
): unknown {
  const [long = flag] = flag.split(" ");
  try {
    return read(given, (path) => readFile(path, long));
  } catch (error) {
    if (!(error instanceof OptionFault)) throw error;
    throw new ProblemError({ code: "usage.invalid", message: `${long}: ${error.message}` }, { cause: error });
  }
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

/** Reads a regular file. A pipe or a device may have no end, and Ctrl-C does not interrupt this read. */
function readWhole(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (fstatSync(fd).isFile()) return readFileSync(fd, "utf8");
    throw Object.assign(new Error("not a file"), { code: "EINVAL" });
  } finally {
    closeSync(fd);
  }
}
