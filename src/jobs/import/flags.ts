/** The flags that `import` and `copy` share. */
export interface BatchFlags {
  /** undefined: the body's own, else 5m0s. */
  readonly timeout?: string;
  readonly batchUsers: number;
  readonly batchBytes: number;
  readonly concurrency: number;
  readonly skipInvalid: boolean;
  readonly failOnExisting: boolean;
  readonly from?: "v1" | "v2";
  readonly rejects?: string;
  readonly dryRun: boolean;
  readonly verify: boolean;
}

/** How a job keeps its journal. */
export interface JobFlags {
  /** undefined: none is kept. */
  readonly journal: string | undefined;
  readonly resume: boolean;
  readonly restart: boolean;
}
