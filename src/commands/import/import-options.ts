import type { StorageFlags } from "../object-storage.ts";
import type { CommonOptions } from "../run-command.ts";
import type { BatchFlags } from "./flags.ts";

/** The flags of `import`, as the command line hands them over. */
export interface ImportOptions extends CommonOptions, BatchFlags, StorageFlags {
  readonly target?: string;
  readonly tokenFile?: string;
  readonly insecureHttp: boolean;
  readonly resume: boolean;
  readonly restart: boolean;
  readonly journal?: string;
}
