import * as z from "zod";

// The report (`--report`, `--json`) as a schema: what scripts may rely on. `npm run build` makes report.schema.json of it, and every
// report that a test makes is held against it. Keys are only ever added (design: The report).

const count = z.int().min(0);
const text = z.string();
/** A count of each of some things, by their names. */
const counts = z.record(text, count);

const Problem = z
  .strictObject({
    code: text.describe("stable; dots from the general to the special"),
    message: text.describe("for people; may change"),
    file: text.describe('as it was named; "-" is stdin').optional(),
    line: count.describe("from 1").optional(),
    field: text.optional(),
    path: text.describe("in a body or an export: orgs[0].humanUsers[1]").optional(),
    id: text.describe("of the user or object").optional(),
  })
  .describe("a row at fault, or what ended the run");

const MigrateUsers = z
  .strictObject({
    read: count,
    written: count,
    wouldHaveWritten: count.describe("in place of written where there is no body").optional(),
    rejected: count,
    leftOut: count,
    withHash: count,
    withoutHash: count,
    nameFromEmail: count,
    silent: count.describe("nobody of these gets a mail"),
  })
  .describe("migrate: read = written (or wouldHaveWritten) + rejected + leftOut");

const ImportUsers = z
  .strictObject({
    read: count,
    sent: count,
    created: count,
    alreadyThere: count,
    failed: count,
    unknown: count,
    notSent: count,
    skipped: count,
    updated: count.describe("with --update").optional(),
    unchanged: count.optional(),
    conflict: count.optional(),
  })
  .describe("import, copy: read = sent + notSent + skipped; sent = created + alreadyThere + failed + unknown");

const UndoUsers = z
  .strictObject({
    listed: count,
    removed: count,
    alreadyGone: count,
    kept: count,
    failed: count,
    unknown: count,
    toRemove: count,
  })
  .partial()
  .describe("undo");

const Passwords = z
  .strictObject({
    read: count,
    used: count,
    superseded: count,
    unmatched: count,
    rejected: count,
    withoutHash: count,
  })
  .describe("migrate: read = used + superseded + unmatched + rejected");

const Failure = z.strictObject({
  type: text.optional(),
  id: text,
  message: text.describe("the service's words, without secrets"),
  cause: text.optional(),
  item: count.optional(),
  file: text.optional(),
  line: count.optional(),
});

const Thing = z.strictObject({ type: text, id: text, orgId: text.optional(), line: count.optional() });
const DifferentThing = Thing.extend({ fields: z.array(text), hash: z.enum(["different", "missing"]).optional() });

const OtherObjects = z.record(
  text,
  z.union([
    count.describe("undo: how many were created, and stay"),
    z.strictObject({
      created: count,
      alreadyThere: count,
      failed: count,
      leftOut: count.optional(),
      unknown: count.optional(),
    }),
  ]),
);

const exported = {
  orgs: count,
  machineUsers: count,
  withHash: count,
  withOtp: count,
  bytes: count,
  sha256: text,
  transport: z.enum(["rest", "grpc-web"]),
  missing: count.describe("users that the event log knows and the export lacks"),
  missingOrgs: z.array(text),
  notCarried: z.array(text).describe("what no export holds"),
};

const Foreseen = z.strictObject({
  orgs: z.array(
    z.strictObject({
      orgId: text,
      name: text,
      state: z.enum(["there", "new", "missing", "name-taken", "removed", "unknown"]),
      otherId: text.optional(),
    }),
  ),
  users: z.strictObject({
    new: count,
    alreadyThere: count,
    elsewhere: count,
    nameTaken: count,
    removed: count,
    withoutOrg: count,
  }),
});

/** Every key that a report may have, of whichever command. */
export const ReportSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    command: text.describe('"import", "migrate auth0"; "orgferry" for a line that names none'),
    version: text,
    exitCode: z.int().describe("see the README: what comes out"),
    startedAt: z.iso.datetime(),
    durationMs: count,
    problems: z.array(Problem).describe("the first 1,000 rows, and what ended the run"),
    bug: z.literal(true).describe("exit 70").optional(),

    timeline: z
      .array(z.tuple([count, count]))
      .describe("[milliseconds, how many were done]")
      .optional(),

    source: text.describe("host and port of the instance").optional(),
    target: text.describe("host and port of the instance").optional(),

    users: z.union([MigrateUsers, ImportUsers, UndoUsers, count.describe("export: how many")]).optional(),
    passwords: Passwords.optional(),
    leftOut: counts.describe("migrate: rows that are no person, by reason").optional(),
    hashes: counts
      .describe("migrate: written users, by the verifier of their hash; import, copy: by algorithm")
      .optional(),
    unverifiable: counts
      .describe("migrate: hashes that were not written, by the verifier that is not enabled")
      .optional(),
    remarks: counts.describe("migrate: what written users lose or gain").optional(),
    reasons: counts.describe("migrate: how often each code occurred").optional(),
    plainPasswords: z.strictObject({ hashed: count, durationMs: z.number(), bcryptCost: count }).optional(),
    columns: z.looseObject({}).describe("migrate csv: what became of the columns").optional(),
    outputs: z
      .array(z.strictObject({ path: text, users: count, bytes: count, sha256: text.optional() }))
      .describe("migrate: the bodies that were written")
      .optional(),
    rejects: text.describe("the folder of what was rejected").optional(),

    variant: text.describe("the field of the request").optional(),
    via: z.strictObject({ import: count, users: count }).describe("import, copy: users by endpoint").optional(),
    mails: count.describe("people who get a mail, at most").optional(),
    sms: count.optional(),
    unknown: z.array(text).describe("ids whose outcome is open, the first 1,000").optional(),
    unknownCount: count.optional(),
    unknownFile: text.describe("all of them").optional(),
    cannotSignIn: z
      .array(text)
      .describe("ids of users whom the target knows and does not find by a login name, the first 1,000")
      .optional(),
    cannotSignInCount: count.describe("these, and those whom it does not list at all").optional(),
    cannotSignInFile: text.describe("import, copy: all of them, for undo").optional(),
    calls: count.optional(),
    pace: z
      .strictObject({ concurrency: count, batchUsers: count })
      .describe("calls at a time and users a call at the end")
      .optional(),
    files: z
      .array(z.looseObject({ path: text }))
      .describe("several files that were one job")
      .optional(),
    shard: z
      .looseObject({ index: count, of: count, files: z.array(text) })
      .describe("--shard: which one of how many, and all files of the job")
      .optional(),
    shards: count.describe("report merge: how many").optional(),
    isWhole: z.boolean().describe("report merge: every share is there once").optional(),
    unfinished: z
      .array(z.looseObject({ shard: count, exitCode: z.int(), resume: text.optional() }))
      .describe("report merge: shards that did not end with 0")
      .optional(),
    reports: z
      .array(z.looseObject({ shard: count, path: text, exitCode: z.int() }))
      .describe(
        "report merge: where each shard tells more, with its manifest, rejects, unknownFile and cannotSignInFile",
      )
      .optional(),
    failures: z.array(Failure).describe("the first 1,000").optional(),
    otherObjects: OtherObjects.optional(),
    outcome: z
      .enum(["known", "unknown", "not-written"])
      .describe("requests sent as they are, object storage")
      .optional(),
    resume: text.describe("the command that goes on").optional(),
    dryRun: z.literal(true).optional(),
    foreseen: Foreseen.describe("dry run: what would come of it").optional(),
    alreadyThereDifferent: z.array(z.strictObject({ userId: text, fields: z.array(text) })).optional(),
    alreadyThereDifferentCount: count.optional(),

    manifest: text.describe("import, copy: the file that undo takes").optional(),
    kept: z
      .array(z.strictObject({ id: text, reason: text, line: count }))
      .describe("undo")
      .optional(),

    deleted: count.optional(),
    deactivated: count.optional(),
    conflicts: count.describe("--update: users with a field that was left; update.conflict says why").optional(),
    update: z.looseObject({}).describe("--update: whole lists of ids, never a value").optional(),
    otherDifferences: z.array(DifferentThing).optional(),
    otherDifferencesCount: count.optional(),
    state: text.describe("--state: used, or why not").optional(),

    domain: text.describe("fetch: the tenant").optional(),
    jobs: z.array(z.unknown()).describe("fetch").optional(),
    connections: z.unknown().describe("fetch").optional(),
    file: text.optional(),

    ...z.strictObject(exported).partial().shape,
    missing: z
      .union([count, z.array(Thing)])
      .describe("export, copy: how many; verify: which")
      .optional(),
    output: text.optional(),
    export: z
      .strictObject({ ...exported, users: count })
      .partial()
      .describe("copy: the export")
      .optional(),

    checks: z
      .array(z.strictObject({ name: text, status: z.enum(["ok", "warn", "fail"]), detail: text }))
      .describe("doctor")
      .optional(),

    by: z.enum(["events", "export"]).optional(),
    expected: count.optional(),
    found: count.optional(),
    different: z.array(DifferentThing).optional(),
    differentCount: count.optional(),
    changedSince: z.array(DifferentThing).optional(),
    changedSinceCount: count.optional(),
    unexpected: z.array(text).optional(),
    notCheckable: count.optional(),
    mailed: count.optional(),
  })
  .describe("What a run of orgferry tells, with --report <path> and --json. Keys are only ever added.");

/**
 * The same as JSON Schema 2020-12. For those who read reports, keys that a later version adds are no fault; `isClosed`: for those who
 * write them.
 */
export function reportJsonSchema({ isClosed }: { readonly isClosed: boolean }): object {
  const schema = z.toJSONSchema(ReportSchema, {
    target: "draft-2020-12",
    override: ({ jsonSchema }) => {
      if (!isClosed && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { title: "orgferry report", ...schema };
}
