import type { CommonOptions } from "./run-command.ts";

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
  /** The provider's input files, by the flags it declares. */
  readonly users?: string;
  readonly passwords?: string;
}
