import * as z from "zod";

// The report that `--report` writes, as far as a page shows it. A key that is not what it should be is as good as absent: the page of a
// run that failed is made of what there is.

/** A key that may be absent. */
function maybe<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

const counts = maybe(z.record(z.string(), z.number()));

const Listed = z.object({
  code: z.string(),
  message: z.string(),
  file: maybe(z.string()),
  line: maybe(z.number()),
  field: maybe(z.string()),
});
export type Listed = z.infer<typeof Listed>;

const Failed = z.object({
  type: z.string(),
  id: z.string(),
  message: z.string(),
  cause: z.string(),
  file: maybe(z.string()),
  line: maybe(z.number()),
});

const Compared = z.object({
  type: z.string(),
  id: z.string(),
  orgId: maybe(z.string()),
  line: maybe(z.number()),
  fields: maybe(z.array(z.string())),
});
export type Compared = z.infer<typeof Compared>;

const compared = maybe(z.array(Compared));

export const ReportValue = z.object({
  command: z.string(),
  version: z.string(),
  exitCode: z.number(),
  startedAt: z.string(),
  durationMs: z.number(),
  problems: z.array(Listed).catch([]),
  timeline: maybe(z.array(z.tuple([z.number(), z.number()]))),
  source: maybe(z.string()),
  target: maybe(z.string()),
  /** Of an export a number, of everything else numbers that add up. */
  users: maybe(z.union([z.number(), z.record(z.string(), z.number())])),
  // migrate
  passwords: counts,
  hashes: counts,
  remarks: counts,
  leftOut: counts,
  reasons: counts,
  outputs: maybe(
    z.array(z.object({ path: maybe(z.string()), users: z.number(), bytes: z.number(), sha256: maybe(z.string()) })),
  ),
  rejects: maybe(z.string()),
  // import, copy
  variant: maybe(z.string()),
  dryRun: maybe(z.boolean()),
  via: counts,
  mails: maybe(z.number()),
  sms: maybe(z.number()),
  calls: maybe(z.number()),
  unknown: maybe(z.array(z.string())),
  cannotSignIn: maybe(z.array(z.string())),
  cannotSignInCount: maybe(z.number()),
  failures: maybe(z.array(Failed)),
  otherObjects: maybe(z.record(z.string(), z.record(z.string(), z.number()))),
  resume: maybe(z.string()),
  notCarried: maybe(z.array(z.string())),
  deleted: maybe(z.number()),
  deactivated: maybe(z.number()),
  update: maybe(
    z.object({
      conflict: maybe(
        z.array(z.object({ userId: z.string(), fields: z.array(z.string()), reason: maybe(z.string()) })),
      ),
    }),
  ),
  export: maybe(z.object({ orgs: z.number(), users: z.number() })),
  // export
  orgs: maybe(z.number()),
  machineUsers: maybe(z.number()),
  withHash: maybe(z.number()),
  withOtp: maybe(z.number()),
  bytes: maybe(z.number()),
  sha256: maybe(z.string()),
  output: maybe(z.string()),
  // verify
  by: maybe(z.string()),
  expected: maybe(z.number()),
  found: maybe(z.number()),
  /** Of an export how many users it lacks, of a comparison what the target lacks. */
  missing: maybe(z.union([z.number(), z.array(Compared)])),
  different: compared,
  differentCount: maybe(z.number()),
  changedSince: compared,
  changedSinceCount: maybe(z.number()),
  unexpected: maybe(z.array(z.string())),
  // undo
  kept: maybe(z.array(z.object({ id: z.string(), reason: z.string(), line: maybe(z.number()) }))),
  mailed: maybe(z.number()),
});
/** What a page is made of. */
export type ReportValue = z.infer<typeof ReportValue>;

/** The numbers of users, where there are several. */
export function userCounts({ users }: ReportValue): Readonly<Record<string, number>> | undefined {
  return typeof users === "object" ? users : undefined;
}
