import * as z from "zod";

// The report (`--report`, `--json`): what scripts may rely on. The schema is the type that commands write and readers take; `npm run build`
// makes report.schema.json from it, and every report of a test is checked against it. Keys are only ever added (design: The report).

const count = z.int().min(0);
const text = z.string();
/** A count for each name. */
const counts = z.record(text, count);
const ids = z.array(text);

const ListedProblem = z
  .object({
    code: text.describe("stable; dots from the general to the special"),
    message: text.describe("for people; may change"),
    file: text.describe('as it was named; "-" is stdin').optional(),
    line: count.describe("from 1").optional(),
    field: text.optional(),
    path: text.describe("in a body or an export: orgs[0].humanUsers[1]").optional(),
    id: text.describe("of the user or object").optional(),
    fields: ids.describe("of a table or a list: those that need a column or a path").optional(),
    columns: ids.describe("of a table that is not understood").optional(),
    paths: ids.describe("of the first users in JSON that is not understood").optional(),
    lists: ids
      .describe(
        "of a JSON document: paths to its lists of objects, of which --list names the users, the proposed one first",
      )
      .optional(),
    mapping: text
      .describe("the --map that is proposed for these; <column> or <path> stands for what was not found")
      .optional(),
    documents: z
      .array(z.object({ name: text, rows: count }))
      .describe("of an input of several documents, such as realms: those with users, of which a flag chooses one")
      .optional(),
  })
  .describe("a rejected row, or what ended the run");

const MigrateUsers = z
  .object({
    read: count,
    written: count,
    wouldHaveWritten: count.describe("instead of written where there is no body").optional(),
    rejected: count,
    leftOut: count,
    withHash: count,
    withoutHash: count,
    nameFromEmail: count,
    silent: count.describe("users who get no e-mail"),
  })
  .describe("migrate: read = written (or wouldHaveWritten) + rejected + leftOut");

export const ImportUsers = z
  .object({
    read: count,
    sent: count,
    created: count,
    alreadyThere: count,
    failed: count,
    unknown: count,
    notSent: count,
    skipped: count,
    updated: count.describe("with --update").exactOptional(),
    unchanged: count.exactOptional(),
    conflict: count.exactOptional(),
  })
  .describe("import, copy: read = sent + notSent + skipped; sent = created + alreadyThere + failed + unknown");

const UndoUsers = z
  .object({
    listed: count,
    removed: count,
    alreadyGone: count,
    kept: count,
    failed: count,
    unknown: count,
    toRemove: count,
  })
  .describe("undo: listed = removed + alreadyGone + kept + failed + unknown + toRemove");

const Failure = z.object({
  type: text.optional(),
  id: text,
  message: text.describe("the service's words, without secrets"),
  cause: text.optional(),
  holder: text.describe("user-name-taken: who has the name on the target, of the first ten").optional(),
  changed: z.array(text).describe("of an existing user: the fields that were changed nevertheless").optional(),
  userId: text.describe("of a user grant or a key").optional(),
  roleKeys: ids.describe("of a user grant: the roles of the input").optional(),
  item: count.optional(),
  file: text.optional(),
  line: count.optional(),
});

const Thing = z.object({
  type: text,
  id: text,
  orgId: text.optional(),
  file: text.optional(),
  line: count.optional(),
});
/** An object that a run leaves as it is. */
const LeftThing = Thing.extend({
  userId: text.describe("of what belongs to a user").optional(),
  name: text.describe("of a service user that only the target has").optional(),
  projectId: text.describe("of a project grant").optional(),
  grantedOrgId: text.describe("of a project grant: the organization that has it").optional(),
});
const inputState = z
  .enum(["active", "inactive", "locked"])
  .describe("of a user or an organization whose state differs; active: neither of the others")
  .optional();
const DifferentThing = Thing.extend({
  fields: z.array(text),
  hash: z.enum(["different", "missing"]).optional(),
  inputState,
  targetState: z.literal("initial").describe("of a user whose state differs: never finished registration").optional(),
});

const ObjectCounts = z.object({
  created: count,
  alreadyThere: count,
  failed: count,
  leftOut: count.exactOptional(),
  heldBack: count.exactOptional(),
  unknown: count.exactOptional(),
});

const ChangedUser = z.object({
  userId: text,
  fields: z.array(text),
  updated: z.array(text).describe("of a user with a conflict: what was changed").optional(),
  reason: z.enum(["never-finished", "protected", "removed", "recreated", "other-person"]).optional(),
  settled: z.literal(true).describe("of a conflict: --prefer target keeps the target's values").optional(),
  states: z
    .object({ input: text, target: text })
    .describe("of a conflict of the state: the states on both sides")
    .optional(),
  changedBy: z
    .object({ userId: text.optional(), name: text.optional(), at: text })
    .describe(
      "of a conflict, and of closedByOther: the account that made the newest of the changes on the target, and when",
    )
    .optional(),
});

const unknown = {
  unknownMembers: ids.describe(
    "members of organizations and fields of objects that orgferry does not know and the service may ignore",
  ),
  unknownStates: counts.describe("users by a state that orgferry does not know and the service may ignore"),
};

const exported = {
  orgs: count,
  machineUsers: count,
  withHash: count,
  withOtp: count,
  bytes: count,
  sha256: text,
  transport: z.enum(["rest", "grpc-web", "events"]),
  unread: z
    .object({ otpSecrets: count, clientSecrets: count, laterEvents: count, unknownEventTypes: ids.exactOptional() })
    .describe(
      "with the transport events: what the service does not return, the events that came later, and the types of events of users that orgferry does not know",
    )
    .exactOptional(),
  missing: count.describe("users that the event log contains and the export lacks"),
  missingUsers: z
    .array(Thing.extend({ userName: text.exactOptional() }))
    .describe("these users, the first 1,000, with their user names at the creation")
    .exactOptional(),
  missingMetadata: z
    .array(Thing)
    .describe("the same for metadata entries of users that the export has")
    .exactOptional(),
  missingOrgs: ids,
  deletedUsers: ids
    .describe("users that the export has, and that the event log says were deleted, the first 1,000")
    .exactOptional(),
  slowLists: z
    .array(text)
    .describe("lists of the service that had not read their newest events, so that data may be missing")
    .exactOptional(),
  unknownMembers: unknown.unknownMembers.exactOptional(),
  unknownStates: unknown.unknownStates.exactOptional(),
  recoveryCodesLeft: count
    .describe("--with-otp: users whose recovery codes the export lacks; with the transport events, it has them")
    .exactOptional(),
  recoveryCodesLeftUsers: ids.describe("these users, the first 1,000").exactOptional(),
  otpLeft: count
    .describe("without --with-otp: users with one-time codes that the export lacks; absent if none")
    .exactOptional(),
  otpLeftUsers: ids.describe("these users, the first 1,000").exactOptional(),
  factorsLeft: count
    .describe("users with codes by SMS or e-mail, or security keys; of a copy, without a second factor on the target")
    .exactOptional(),
  factorsLeftUsers: ids.describe("these users, the first 1,000").exactOptional(),
  grantsLeft: z
    .array(z.object({ orgId: text, userId: text, projectId: text }))
    .describe(
      "role grants in granted projects that the service left out of the export, the first 1,000; absent if none; a copy takes them from the event log",
    )
    .exactOptional(),
  grantsLeftCount: count.describe("how many").exactOptional(),
  grantsOutside: z
    .array(z.object({ orgId: text, userId: text, projectId: text, notExported: ids.exactOptional() }))
    .describe(
      "role grants of users, or in projects, of organizations that are not in the export (notExported, if they are known): they are not carried; the first 1,000; absent if none",
    )
    .exactOptional(),
  grantsOutsideCount: count.describe("how many").exactOptional(),
  inactive: z
    .array(
      z.object({
        type: z.enum(["user_grant", "identity_provider", "project", "project_grant", "application", "action"]),
        id: text,
        orgId: text,
        userId: text.exactOptional(),
        projectId: text.exactOptional(),
        grantedOrgId: text.exactOptional(),
        name: text.exactOptional(),
        userName: text.exactOptional(),
        projectName: text.exactOptional(),
      }),
    )
    .describe("objects that are deactivated at the source, which the export does not say, the first 1,000")
    .exactOptional(),
  removedOrgs: z
    .array(z.object({ id: text, name: text }))
    .describe(
      "of a copy without --org-id: organizations that were deleted at the source and still exist on the target, with the names there",
    )
    .exactOptional(),
  droppedFields: ids
    .describe("with the transport grpc-web: fields that orgferry does not know and the export lacks")
    .exactOptional(),
  notCarried: z.array(text).describe("what no export contains"),
};

const usersOfOrgs = z.array(z.object({ userId: text, orgId: text }));

const FailingGrant = z.object({ userId: text, projectId: text, orgId: text });

const Foreseen = z.object({
  orgs: z.array(
    z.object({
      orgId: text,
      name: text,
      state: z.enum(["there", "new", "missing", "name-taken", "removed", "unknown"]),
      /** The organization of the target that has the name. */
      otherId: text.exactOptional(),
      /** Its id in the input, where --org-map gives it another one. */
      sourceId: text.exactOptional(),
    }),
  ),
  users: z.object({
    new: count,
    alreadyThere: count,
    /** Their id belongs to a user of another organization or of the other kind; machine users count too. */
    elsewhere: count,
    nameTaken: count,
    removed: count,
    /** With --update: another account deleted them from another organization. */
    removedByOther: count.exactOptional(),
    /** They were deleted with their organization: the service keeps their ids. */
    removedWithOrg: count.exactOptional(),
    /** Another user has an account that they would be linked to. */
    linkTaken: count.exactOptional(),
    /** Their organization fails. */
    withoutOrg: count,
  }),
  nameTaken: ids.describe("ids of users whose name another user has, the first 1,000").optional(),
  nameHolders: z.record(z.string(), text).describe("who has the names of the first ten, by the id").optional(),
  elsewhere: usersOfOrgs
    .describe("users whose id belongs to a user of this other organization or of the other kind, the first 1,000")
    .optional(),
  removed: usersOfOrgs
    .describe("users who were deleted from this organization and cannot be created again, the first 1,000")
    .optional(),
  removedByOther: usersOfOrgs
    .describe(
      "users that another account deleted from this organization, which an update does not create again, the first 1,000",
    )
    .optional(),
  removedWithOrg: usersOfOrgs
    .describe("users who were deleted with this organization and cannot be created again, the first 1,000")
    .optional(),
  linkTaken: z
    .array(z.object({ userId: text, idpId: text }))
    .describe("links to accounts that other users have: they will fail, the first 1,000")
    .exactOptional(),
  userMissing: z
    .array(z.object({ type: text, userId: text, orgId: text }))
    .describe("links, grants and memberships of users who are neither in the input nor on the target, the first 1,000")
    .exactOptional(),
  userMissingCount: count.describe("how many they are; absent: none").exactOptional(),
  otherPerson: z
    .array(z.object({ type: text, userId: text, orgId: text }))
    .describe("what belongs to users whose account on the target may be another person's, the first 1,000")
    .exactOptional(),
  otherPersonCount: count.describe("how many they are; absent: none").exactOptional(),
  missingIdps: z
    .array(z.object({ idpId: text, links: count }))
    .describe("identity providers of links that the target lacks, the first 1,000")
    .optional(),
  closedIdps: z
    .array(z.object({ idpId: text, links: count }))
    .describe("providers of users without a password that allow no account creation, the first 1,000")
    .optional(),
  grants: z
    .object({ roleMissing: count, projectMissing: count })
    .describe("role grants that will fail; absent: none")
    .exactOptional(),
  roleMissing: z
    .array(FailingGrant.extend({ roleKeys: ids }))
    .describe("role grants of which these roles are missing on the target and in the input, the first 1,000")
    .exactOptional(),
  projectMissing: z
    .array(FailingGrant)
    .describe("role grants in projects that do not exist or are not granted to the organization, the first 1,000")
    .exactOptional(),
  failingProjectGrants: z
    .array(
      z.object({
        id: text,
        projectId: text,
        orgId: text,
        grantedOrgId: text,
        cause: z.enum(["reference-missing", "name-taken"]),
        lacks: z.enum(["project", "organization", "roles"]).exactOptional(),
        roleKeys: ids.exactOptional(),
      }),
    )
    .describe(
      "project grants that will fail, because the project, the organization or these roles are missing, or because the organization has another grant of the project, the first 1,000",
    )
    .exactOptional(),
  failingProjectGrantCauses: z
    .record(text, count)
    .describe("how many they are, by cause; absent: none")
    .exactOptional(),
  foreignObjects: count
    .describe("projects and actions with ids of other organizations of the target, and what refers to them")
    .optional(),
});

/** What every report has. */
const Base = z.object({
  schemaVersion: z.literal(1),
  version: text,
  exitCode: z.int().describe("see the README: exit codes"),
  startedAt: z.iso.datetime(),
  durationMs: count,
  timeline: z
    .array(z.tuple([count, count]))
    .describe("[milliseconds, how many were done]")
    .optional(),
  bug: z.literal(true).describe("exit 70").optional(),
  problems: z.array(ListedProblem).describe("the first 1,000 rows, and what ended the run"),
  warnings: z.array(text).describe("the warnings of the terminal, the first 100").exactOptional(),
});

const source = text.describe("host and port of the instance");
const target = text.describe("host and port of the instance");

const inputs = ids.describe("the files with the users, as they were named");
const organizations = z
  .array(z.object({ orgId: text, name: text.optional() }))
  .describe("the organizations of the users on the target, the first 20; the name where the target reports it");

const hashesOutOfLimits = z
  .array(z.object({ cost: text, value: count, users: count, limit: count.exactOptional() }))
  .describe(
    "hashes out of the limits of the target, or of the newest version: the cost, its farthest value, users, the limit",
  );

const compared = {
  loginNames: z.record(text, text).describe("of the users that the lists name, by id"),
  by: z.enum(["events", "export"]),
  expected: count,
  found: count,
  identical: count.describe("found, and in no list of differences or of values that the file lacks"),
  missing: z.array(Thing).describe("verify: which"),
  different: z.array(DifferentThing),
  differentCount: count,
  changedSince: z.array(DifferentThing),
  changedSinceCount: count,
  keptVerified: z
    .array(DifferentThing)
    .describe(
      "verify: users with a verified address or number that is not verified in the input, and no other difference",
    ),
  keptVerifiedCount: count,
  notInFile: z
    .array(DifferentThing)
    .describe(
      "verify: users with values on the target that the file lacks, as update.notInFile; they may be in another list, too",
    ),
  notInFileCount: count,
  onlyOnTarget: z
    .array(LeftThing)
    .describe(
      "--update, verify: grants, memberships, links and keys of users of the input that only the target has, project grants of its projects, triggers and lists of texts of its organizations (--update), and service users that the source of a copy has deleted: not deleted",
    ),
  onlyOnTargetCount: count,
  unexpected: ids,
  notCheckable: count,
  notExpected: count.describe("objects that verify does not expect, because an import leaves them out"),
  unknownEventTypes: ids.describe(
    "verify by events: types of events of users that orgferry does not know; what they changed is not compared",
  ),
  metadataCompared: count.describe("entries of metadata that verify compared with the event log"),
  mailed: count.describe(
    "users with an e-mail that the service has sent, or will, if it has an active e-mail provider",
  ),
  cannotSignIn: ids.describe(
    "ids of users that the target has and does not find by a login name or lists nowhere, the first 1,000",
  ),
  cannotSignInCount: count.describe("the number of all of them"),
  ...unknown,
  unknownFieldsDropped: count.describe("users that the users API creates without what orgferry does not know of them"),
  unknownFieldsDroppedUsers: ids.describe("these users, the first 1,000"),
  recoveryCodesDropped: count.describe("users whose recovery codes the target drops"),
  recoveryCodesDroppedUsers: ids.describe("these users, the first 1,000"),
  unknownStateUsers: ids.describe("the users of unknownStates, the first 1,000"),
};

const targetVersion = text.describe("of the service, as the instance reports it");

const imported = {
  ...compared,
  inputs,
  organizations,
  target,
  targetVersion,
  hashesOutOfLimits,
  variant: text.describe("the field of the request"),
  users: ImportUsers,
  notSelected: count.describe("users of the input that --only, --where and --limit leave out"),
  via: z.object({ import: count, users: count }).partial().describe("users by endpoint"),
  mails: count.describe("users who get an e-mail, at most"),
  sms: count,
  recipients: z
    .array(
      z.object({
        id: text,
        reason: z.enum(["no-password", "email-not-verified", "phone-not-verified", "password-changed"]),
      }),
    )
    .describe("who gets these messages, and why, the first 1,000 of each reason"),
  noMailProvider: z.literal(true).describe("the target has no active e-mail provider, and e-mails are to be sent"),
  hashes: counts.describe("import, copy: by algorithm"),
  unknown: ids.describe("ids with an unknown outcome, the first 1,000"),
  unknownCount: count,
  unknownChanges: ids.describe("of these, existing users whose change has an unknown outcome"),
  unknownFile: text.describe("all of them"),
  cannotSignInFile: text.describe("all of them, for undo"),
  calls: count,
  pace: z
    .object({ concurrency: count, batchUsers: count })
    .describe("concurrent calls, and users per call, at the end"),
  writes: z
    .object({ calls: count, reason: z.enum(["flag", "safe-version", "unsafe-version", "unknown-version", "links"]) })
    .describe("concurrent calls that create users, at most, and the reason"),
  files: z.array(z.object({ path: text, bytes: count, sha256: text })).describe("the files of a job of several files"),
  shard: z
    .object({ index: count, of: count, files: z.array(text) })
    .describe("--shard: which one of how many, and all files of the job"),
  failures: z.array(Failure).describe("the first 1,000"),
  failureCauses: counts.describe("all failures, by cause"),
  healed: z
    .object({ users: count, metadata: count, belongings: count })
    .partial()
    .describe(
      "users without a login name that were recreated; metadata, and grants, memberships and links, that recreated users lacked or that the service's lists had lost, and that were sent again",
    ),
  otherObjects: z.record(text, ObjectCounts),
  missingObjects: counts.describe(
    "dry run: objects besides users that the run will create, by type; without --update only links of existing users",
  ),
  outcome: z.enum(["known", "unknown", "not-written"]).describe("requests sent unchanged, object storage"),
  resume: text.describe("the command that continues the run"),
  dryRun: z.literal(true),
  renamedOrgs: z
    .array(z.object({ orgId: text, name: text, targetName: text }))
    .describe("existing organizations that have another name in the input"),
  foreseen: Foreseen.describe("dry run: what the import would do"),
  alreadyThereDifferent: z.array(z.object({ userId: text, fields: z.array(text) })),
  alreadyThereDifferentCount: count,
  manifest: text.describe("the file that undo takes"),
  closedNow: ids.describe(
    "users that a killed run of the job, or a call without an answer, created and left open; this run made them inactive or locked, the first 1,000",
  ),
  stateInitial: count.describe(
    "created users with a password who need the code of an e-mail before the login page asks for it, also those that an earlier, killed run with the --state file may have created; absent: none",
  ),
  stateInitialUsers: ids.describe("these users, the first 1,000"),
  withoutPassword: count.describe("created users with neither a password nor a link (import)"),
  deleted: count,
  deactivated: count,
  conflicts: count.describe("--update: users with a field that was not changed; update.conflict says why"),
  update: z
    .looseObject({
      create: ids,
      update: z.array(ChangedUser),
      remake: ids,
      delete: ids,
      deactivate: ids,
      conflict: z.array(ChangedUser),
      tooMany: ids,
      mostOfOrg: count.describe("the most of these in one organization: the limit of --max-deletes is for each"),
      removedAtSource: ids.describe(
        "deleted at the source and active on the target, without --delete and --deactivate",
      ),
      notOurs: ids.describe("deleted at the source, and kept on the target"),
      otherPerson: ids.describe(
        "of notOurs: their accounts were created for other persons; those with a role on the instance are in protected, too",
      ),
      incomplete: ids,
      kept: z
        .array(ChangedUser)
        .describe("values that the export lacks and the source's log does not show as removed: unchanged"),
      notInFile: z.array(ChangedUser).describe("values that the file lacks: unchanged"),
      closedByOther: z
        .array(ChangedUser)
        .describe("users that another account locked or deactivated, without a state in the input: unchanged"),
      notUpdated: z.array(ChangedUser).describe("fields that differ and that no call changes: unchanged"),
      unverified: ids.describe("of update and conflict: users with an unverified address in place of a verified one"),
      absent: ids.describe("users that this account created and the file lacks: unchanged"),
      absentCount: count.describe("all of these; the ids of some may be unknown"),
      protected: ids.describe("users with a role on the instance and service users: never changed"),
      unchanged: count,
    })
    .partial()
    .describe("--update: whole lists of ids, never a value"),
  objectNames: z
    .record(text, text)
    .describe(
      "names in the input of organizations, projects, service users and identity providers of the lists, by id",
    ),
  otherDifferences: z.array(
    LeftThing.extend({
      fields: z.array(text),
      roleKeys: ids.describe("of a role grant or a membership: the roles of the input").optional(),
      moreRoles: z.literal(true).describe("--update: the target has roles that the input lacks").optional(),
      inputState,
    }),
  ),
  otherDifferencesCount: count,
  heldBack: z
    .array(
      LeftThing.extend({
        roleKeys: ids.optional(),
        cause: z.enum([
          "administrator",
          "other-account",
          "taken-away",
          "changed-in-run",
          "other-person",
          "no-service-user",
          "object-removed",
        ]),
      }),
    )
    .describe("what was not sent because it would change existing users or undo a removal, and why, the first 1,000"),
  heldBackCauses: counts.describe("all of them, by cause"),
  state: text.describe("--state: used, or why not"),
  killedRun: text.describe("--state: when an earlier run began that ended without a result"),
  notCarried: exported.notCarried,
  rejects: text,
};

function report<Command extends z.ZodType, Fields extends z.ZodRawShape>(command: Command, fields: Fields) {
  return z.object({ command }).extend(Base.shape).extend(z.object(fields).partial().shape);
}

const MigrateReport = report(z.templateLiteral(["migrate ", text]), {
  inputs,
  inputFiles: ids.describe("the files of a folder, in the order in which they are read; absent without a folder"),
  organizations,
  users: MigrateUsers,
  passwords: z
    .object({ read: count, used: count, superseded: count, unmatched: count, rejected: count, withoutHash: count })
    .describe("read = used + superseded + unmatched + rejected"),
  leftOut: counts.describe("rows that are not written and not rejected, by reason"),
  leftOutUsers: z.object({ deleted: ids }).describe("ids of the users that the source has deleted, the first 1,000"),
  hashes: counts.describe("written users, by the verifier of their hash"),
  hashesOutOfLimits,
  targetVersion: text.describe("--target-version"),
  targetLimits: text.describe("--target-limits"),
  unverifiable: counts.describe("hashes that were not written, by the verifier that is not enabled"),
  remarks: counts.describe("what written users lose or gain"),
  remarkedUsers: z
    .record(text, ids)
    .describe("ids of the users of each remark, the first 1,000; a row of a password without an id by its address"),
  loginNames: z.record(text, text).describe("user names of these users, by id"),
  leftBehind: z
    .object({
      fields: counts,
      providers: counts,
      roles: counts.optional(),
      orgs: counts.optional(),
      metadata: counts.optional(),
    })
    .describe(
      "written users by what they have at the source and not in the body: fields, providers without --idp, roles and groups without --grant, organizations without --org-map, keys of metadata that the service does not accept; of the providers, also users whose accounts --same-email link would have moved",
    ),
  carriedBy: z
    .record(text, text)
    .describe('the flags that carry fields of leftBehind over, by field; "": those of all other fields'),
  reasons: counts.describe("how often each code occurred"),
  unknownWords: z
    .array(
      z.object({
        field: text,
        column: text.describe("or path"),
        rows: count,
        words: z.array(z.object({ text, rows: count })),
        meanings: text.describe("what --value <field>:<word>=… takes"),
      }),
    )
    .describe(
      "words of rejected rows that orgferry does not know, by column, the most frequent first; words is empty if there are more than 20, or if some are no words",
    ),
  unmatchedIds: z
    .record(text, ids)
    .describe("ids of the tables of --org-by and --roles-by, by flag, that no user of the input has: the first 1,000"),
  plainPasswords: z.object({
    hashed: count,
    durationMs: z.number(),
    mostEqual: count.describe("how many users have the most frequent password"),
    bcryptCost: count,
  }),
  columns: z
    .object({
      preset: text.optional(),
      isRecognized: z.boolean(),
      used: z.record(text, text),
      unused: z.array(text),
      notFound: z.array(text).optional(),
      hashByValues: text.optional(),
      unreadHashes: z.array(text).optional(),
      unreadStates: z.array(z.object({ place: text, field: z.enum(["state", "deleted"]) })).optional(),
    })
    .describe(
      "which columns of a table, or paths of JSON, were read; notFound: paths of --map that no user has; hashByValues: the column whose values were recognized as hashes; unreadHashes: those that are not read and have hashes, where no hash is read; unreadStates: those that are not read and say of users who are written as open that they are closed or deleted, with the field that reads them",
    ),
  outputs: z.array(
    z.object({
      ...{ path: text, users: count, bytes: count, sha256: text.optional() },
      otherOrgs: ids.describe("ids of other organizations than --org that have some of the users").optional(),
    }),
  ),
  rejects: text.describe("the folder of rejected rows"),
});
export const ImportReport = report(z.literal("import"), imported);
const CopyReport = report(z.literal("copy"), {
  ...imported,
  source,
  export: z
    .object({ ...exported, users: count })
    .partial()
    .describe("the export"),
  missing: z.union([exported.missing, compared.missing]).describe("how many the export lacks; --verify: which"),
});
const ExportReport = report(z.literal("export"), {
  ...exported,
  source,
  users: count,
  output: text,
  outcome: imported.outcome,
});
const VerifyReport = report(z.literal("verify"), { ...compared, inputs, organizations, target, targetVersion });
const UndoReport = report(z.literal("undo"), {
  inputs,
  target,
  users: UndoUsers,
  kept: z.array(z.object({ id: text, reason: text, line: count })),
  removedUsers: ids.describe("users that were deleted, or with --dry-run would be, the first 1,000"),
  removedRights: ids.describe(
    "of these users, those whose role grants or memberships another account has removed: they come back if the users are created again; the first 1,000, absent if none",
  ),
  inUse: counts.describe("undo --force: users that are deleted although they are in use, by reason; absent if none"),
  failures: imported.failures,
  loginNames: compared.loginNames,
  otherObjects: counts.describe(
    "how many were created, and stay; without metadata, links, grants and memberships, which are deleted with their users",
  ),
  dryRun: imported.dryRun,
});
const InviteUsers = z
  .object({
    read: count,
    withPassword: count,
    signsInOtherwise: count,
    passwordSet: count.describe("without a password in the file, and with one on the target"),
    invitedBefore: count,
    inactive: count,
    gone: count,
    otherPerson: count.describe(
      "the user of the target has had neither the user name nor the e-mail address of the file",
    ),
    sent: count,
    failed: count,
    unknown: count,
    toSend: count,
  })
  .describe("invite: read is the sum of all others");
const InviteReport = report(z.literal("invite"), {
  inputs,
  target,
  users: InviteUsers,
  recipients: imported.recipients,
  noMailProvider: imported.noMailProvider,
  loginNames: compared.loginNames,
  notSelected: imported.notSelected,
  notInvited: z
    .array(z.object({ id: text, reason: z.enum(["gone", "inactive", "other-person"]) }))
    .describe("users who get no e-mail for a reason on the target, the first 1,000"),
  requestedNotSent: count.describe(
    "recipients of whose earlier e-mail the log says that it was requested, and not that it was sent",
  ),
  failures: imported.failures,
  dryRun: imported.dryRun,
});
const FetchReport = report(z.literal("fetch auth0"), {
  memberships: count.describe("rows of --organizations"),
  roleAssignments: count.describe("rows of --roles"),
  domain: text.describe("the tenant"),
  users: count,
  bytes: count,
  sha256: text,
  output: text,
  jobs: z.array(z.looseObject({ connection: text, id: text })),
  connections: z.array(z.object({ connection: text.optional(), jobId: text, users: count, bytes: count })),
});
const DoctorReport = report(z.literal("doctor"), {
  checks: z.array(z.object({ name: text, status: z.enum(["ok", "warn", "fail"]), detail: text })),
  identityProviders: z
    .array(z.object({ side: z.enum(["source", "target"]), id: text, name: text, type: text, orgId: text.optional() }))
    .describe("of the first 20 organizations, and of the instance (without orgId)"),
  probe: z
    .object({
      calls: count,
      verifiers: z.array(text),
      checksCosts: z.boolean().describe("false: the target limits no cost"),
      limits: z.record(text, z.object({ min: count.optional(), max: count.optional() })),
      notFound: z.array(text).describe("costs whose limits were not found"),
      flags: text.optional().describe("for migrate"),
    })
    .describe("which password hashes the target accepts (--probe)"),
});
const DiffReport = report(z.literal("diff"), {
  source,
  target,
  places: z
    .array(
      z.object({
        name: text,
        page: text.describe("where the console shows it: the path after /ui/console/"),
        orgId: text.exactOptional(),
        state: z.enum(["same", "different", "not-read"]),
        why: text.describe("why it was not read").exactOptional(),
        differences: count,
      }),
    )
    .describe("the places of the console that were compared"),
  settings: z
    .array(
      z.object({
        place: text,
        orgId: text.exactOptional(),
        item: text.describe("of a list, by its name").exactOptional(),
        setting: text.describe("its path; absent for an item that one side lacks").exactOptional(),
        source: text.exactOptional(),
        target: text.exactOptional(),
        only: z.enum(["source", "target"]).describe("the side that has the item").exactOptional(),
      }),
    )
    .describe("the settings that differ"),
});
const StatusReport = report(z.literal("status"), {
  imports: z
    .array(
      z.object({
        journal: text,
        input: text.optional().describe("the file of the job, if it is beside the journal"),
        target: text,
        users: z.object({
          settled: count,
          created: count,
          alreadyThere: count,
          failed: count,
          left: count.optional().describe("absent if the input is missing or changed"),
        }),
        running: z
          .object({
            pid: z.int().optional(),
            host: text.optional(),
            since: text.optional(),
            isSure: z.boolean(),
            usersPerSecond: z.number().optional().describe("absent before the first answers"),
            msLeft: count
              .optional()
              .describe("milliseconds, estimated; absent while the rate of users who are sent one by one is unknown"),
          })
          .optional()
          .describe("the run that holds the lock; isSure: its process runs on this machine"),
        resume: text,
      }),
    )
    .describe("unfinished imports, by their journals"),
  states: z
    .array(z.object({ state: text, source: text, target: text, readUntil: text }))
    .describe("state files of copies: the newest event of the target that the last run had read"),
});
const MergedReport = report(z.literal("report merge"), {
  ...imported,
  shards: count.describe("how many"),
  isWhole: z.boolean().describe("each shard is there once"),
  unfinished: z
    .array(z.object({ shard: count, exitCode: z.int(), resume: text.optional() }))
    .describe("shards that did not end with 0"),
  reports: z
    .array(
      z.object({
        shard: count,
        path: text,
        exitCode: z.int(),
        manifest: text.optional(),
        rejects: text.optional(),
        unknownFile: text.optional(),
        cannotSignInFile: text.optional(),
      }),
    )
    .describe("the files of each shard"),
});
const OtherReport = report(
  z
    .enum(["orgferry", "migrate", "fetch", "report", "mock", "completion", "man-page"])
    .describe("a line that names no command, or a command without fields; orgferry: none at all"),
  {},
);

/** A report, by its command. */
export const ReportSchema = z
  .union([
    MigrateReport,
    ImportReport,
    CopyReport,
    ExportReport,
    VerifyReport,
    UndoReport,
    InviteReport,
    FetchReport,
    DoctorReport,
    DiffReport,
    StatusReport,
    MergedReport,
    OtherReport,
  ])
  .describe("What --report <path> and --json write. Keys are only ever added.");

/**
 * The same as JSON Schema 2020-12. For readers of reports, keys that a later version adds are valid; `isClosed`: for writers, they are
 * not.
 */
export function reportJsonSchema({ isClosed }: { readonly isClosed: boolean }): object {
  const schema = z.toJSONSchema(ReportSchema, {
    target: "draft-2020-12",
    reused: "ref",
    override: ({ jsonSchema }) => {
      if (!isClosed && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { title: "orgferry report", ...schema };
}
