import type { Context } from "../context.ts";
import type { ExitCode } from "../problem.ts";
import { type CommonOptions, runCommand } from "./run-command.ts";

/** The flags of `migrate <source_provider>`, as the command line hands them over. */
export interface MigrateOptions extends CommonOptions {
  readonly org: string;
  readonly multiline: boolean;
  /** undefined: each profile's own value. */
  readonly emailVerified?: boolean;
  readonly output: string;
  readonly timeout: string;
  readonly rejects?: string;
  readonly strict: boolean;
  readonly split?: number;
  readonly users?: string;
  readonly passwords?: string;
}

export async function migrate(_source: string, options: MigrateOptions, context: Context): Promise<ExitCode> {
  return runCommand("migrate auth0", context, options, async () => 0);
}
