import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ProblemError } from "../../problem.ts";
import { OptionFault, type OptionTable, type Settings, type Source } from "../../sources/source.ts";
import type { MigrateOptions } from "./declare.ts";

/** Reads the provider's own options. Raises usage.invalid, input.missing, input.unreadable. */
export function readSettings(
  { options }: Pick<Source, "options">,
  given: MigrateOptions["given"],
  cwd: string,
): Settings<OptionTable> {
  const settings: Record<string, unknown> = {};
  for (const [name, { flag, read }] of Object.entries(options)) {
    const [long = flag] = flag.split(" ");
    try {
      settings[name] = read(given[name] ?? [], (path) => readText(path, long, cwd));
    } catch (error) {
      if (!(error instanceof OptionFault)) throw error;
      throw new ProblemError({ code: "usage.invalid", message: `${long}: ${error.message}` }, { cause: error });
    }
  }
  return settings;
}

function readText(path: string, flag: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), "utf8");
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
