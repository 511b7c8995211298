import { withoutPrefix } from "../reasons.ts";
import type { AnyReport, ComparedThing, DifferentThing, ListedProblem } from "../report.ts";

/** What an anonymous page keeps of a value: all of it, nothing, or the result of a function. */
type Kept<Value> = "all" | "nothing" | ((value: Value, fileOf: FileOf) => Value);

/** What an anonymous page says in place of the name of a file: `file 2 of 5`; undefined if there is one file. */
type FileOf = (file: string | undefined) => string | undefined;

/**
 * What an anonymous page keeps of each key of a report. Ids, paths, names and the messages of the service, which may repeat a name or an
 * address, belong to a person. Numbers, lines of the input and the hosts of the instances do not. A key without an entry does not compile.
 */
const KEPT: { readonly [Key in keyof Required<AnyReport>]: Kept<NonNullable<AnyReport[Key]>> } = {
  schemaVersion: "all",
  command: "all",
  version: "all",
  exitCode: "all",
  startedAt: "all",
  durationMs: "all",
  timeline: "all",
  bug: "all",
  problems: (problems, fileOf) => problems.map((one) => anonymousProblem(one, fileOf)),
  warnings: "nothing",
  // The names of files and organizations may be those of people.
  inputs: "nothing",
  inputFiles: "nothing",
  organizations: "nothing",
  source: "all",
  target: "all",
  domain: "all",
  variant: "all",
  by: "all",
  dryRun: "all",
  outcome: "all",
  transport: "all",
  places: (places) => places.map(({ orgId: _, ...place }) => place),
  settings: "nothing",
  state: "all",
  killedRun: "all",
  isWhole: "all",
  users: "all",
  machineUsers: "all",
  orgs: "all",
  passwords: "all",
  plainPasswords: "all",
  hashes: "all",
  hashesOutOfLimits: "all",
  targetVersion: "all",
  targetLimits: "all",
  unverifiable: "all",
  withHash: "all",
  withOtp: "all",
  leftOut: "all",
  remarks: "all",
  remarkedUsers: "nothing",
  leftOutUsers: "nothing",
  // The names of fields and connections are the customer's own.
  leftBehind: "nothing",
  carriedBy: "all",
  identityProviders: "nothing",
  imports: "nothing",
  states: "nothing",
  reasons: "all",
  // Texts of rows; the column may be another one than it was read as.
  unknownWords: "nothing",
  unmatchedIds: "nothing",
  via: "all",
  notSelected: "all",
  mails: "all",
  noMailProvider: "all",
  memberships: "all",
  roleAssignments: "all",
  sms: "all",
  recipients: (recipients) => recipients.map(({ reason }) => ({ id: "", reason })),
  mailed: "all",
  calls: "all",
  pace: "all",
  writes: "all",
  probe: "all",
  bytes: "all",
  sha256: "all",
  healed: "all",
  otherObjects: "all",
  missingObjects: "all",
  notCarried: "all",
  unread: "all",
  droppedFields: "all",
  recoveryCodesLeft: "all",
  otpLeft: "all",
  factorsLeft: "all",
  grantsLeftCount: "all",
  grantsOutsideCount: "all",
  unknownCount: "all",
  cannotSignInCount: "all",
  stateInitial: "all",
  closedNow: "nothing",
  stateInitialUsers: (ids) => ids.map(() => ""),
  withoutPassword: "all",
  recoveryCodesDropped: "all",
  unknownMembers: "nothing",
  unknownStates: "nothing",
  unknownStateUsers: "nothing",
  recoveryCodesDroppedUsers: "nothing",
  recoveryCodesLeftUsers: "nothing",
  otpLeftUsers: "nothing",
  factorsLeftUsers: "nothing",
  grantsLeft: "nothing",
  removedUsers: "nothing",
  removedRights: (ids) => ids.map(() => ""),
  grantsOutside: "nothing",
  unknownFieldsDroppedUsers: "nothing",
  unknownFieldsDropped: "all",
  expected: "all",
  found: "all",
  identical: "all",
  notCheckable: "all",
  notExpected: "all",
  metadataCompared: "all",
  unknownEventTypes: "all",
  differentCount: "all",
  changedSinceCount: "all",
  keptVerifiedCount: "all",
  notInFileCount: "all",
  inUse: "all",
  alreadyThereDifferentCount: "all",
  otherDifferencesCount: "all",
  onlyOnTargetCount: "all",
  heldBackCauses: "all",
  deleted: "all",
  deactivated: "all",
  conflicts: "all",
  shards: "all",
  failureCauses: "all",
  loginNames: "nothing",
  objectNames: "nothing",
  notInvited: "nothing",
  requestedNotSent: "all",
  failures: (failures, fileOf) =>
    failures.map(({ type, cause, file, line }) => ({ type, id: "", message: "", cause, file: fileOf(file), line })),
  missing: (missing, fileOf) =>
    typeof missing === "object" ? missing.map((thing) => anonymousThing(thing, fileOf)) : missing,
  different: (things, fileOf) => things.map((thing) => anonymousDifference(thing, fileOf)),
  changedSince: (things, fileOf) => things.map((thing) => anonymousDifference(thing, fileOf)),
  keptVerified: (things, fileOf) => things.map((thing) => anonymousDifference(thing, fileOf)),
  notInFile: (things, fileOf) => things.map((thing) => anonymousDifference(thing, fileOf)),
  kept: (users) => users.map(({ reason, line }) => ({ id: "", reason, line })),
  update: ({ create = [], update = [], conflict = [], tooMany = [], incomplete = [], unchanged, ...lists }) => ({
    create: create.map(() => ""),
    update: update.map(() => ({ userId: "", fields: [] })),
    delete: lists.delete?.map(() => "") ?? [],
    deactivate: lists.deactivate?.map(() => "") ?? [],
    conflict: conflict.map(({ fields, reason }) => ({ userId: "", fields: fields.map(withoutKey), reason })),
    tooMany: tooMany.map(() => ""),
    incomplete: incomplete.map(() => ""),
    ...(lists.mostOfOrg === undefined ? {} : { mostOfOrg: lists.mostOfOrg }),
    unchanged,
  }),
  outputs: (outputs) => outputs.map(({ users, bytes, sha256 }) => ({ path: "", users, bytes, sha256 })),
  unknown: "nothing",
  unknownFile: "nothing",
  unknownChanges: "nothing",
  unexpected: (ids) => ids.map(() => ""),
  cannotSignIn: "nothing",
  cannotSignInFile: "nothing",
  alreadyThereDifferent: "nothing",
  otherDifferences: "nothing",
  onlyOnTarget: "nothing",
  heldBack: "nothing",
  missingOrgs: "nothing",
  missingUsers: "nothing",
  deletedUsers: "nothing",
  missingMetadata: "nothing",
  inactive: "nothing",
  removedOrgs: "nothing",
  slowLists: "all",
  renamedOrgs: "nothing",
  foreseen: ({
    users,
    missingIdps = [],
    closedIdps = [],
    foreignObjects,
    grants,
    userMissingCount,
    otherPersonCount,
    failingProjectGrantCauses,
  }) => ({
    orgs: [],
    users,
    missingIdps: missingIdps.map(({ links }) => ({ idpId: "", links })),
    closedIdps: closedIdps.map(({ links }) => ({ idpId: "", links })),
    ...(foreignObjects === undefined ? {} : { foreignObjects }),
    ...(grants === undefined ? {} : { grants }),
    ...(userMissingCount === undefined ? {} : { userMissingCount }),
    ...(otherPersonCount === undefined ? {} : { otherPersonCount }),
    ...(failingProjectGrantCauses === undefined ? {} : { failingProjectGrantCauses }),
  }),
  output: "nothing",
  files: "nothing",
  rejects: "nothing",
  manifest: "nothing",
  resume: "nothing",
  shard: "nothing",
  reports: "nothing",
  unfinished: "nothing",
  export: ({ users, withHash }) => ({ users, withHash }),
  columns: "nothing",
  jobs: "nothing",
  connections: "nothing",
  checks: "nothing",
};

/** A report without personal data. The owner of the input finds a user by the line. */
export function withoutPersonalData(report: AnyReport): AnyReport {
  const { inputs = [], inputFiles: files = inputs } = report;
  const fileOf: FileOf = (file) => {
    const at = file === undefined ? -1 : files.indexOf(file);
    return at === -1 || files.length < 2 ? undefined : `file ${at + 1} of ${files.length}`;
  };
  const kept = Object.entries(report).flatMap(([key, value]) => {
    const how = KEPT[key as keyof AnyReport] as Kept<unknown> | undefined; // the keys of a report
    if (value === undefined || how === undefined || how === "nothing") return [];
    return [[key, how === "all" ? value : how(value, fileOf)]];
  });
  return Object.fromEntries(kept) as AnyReport; // with the keys that every report has
}

/** The name of a column may contain anything. */
function anonymousProblem(problem: ListedProblem, fileOf: FileOf): ListedProblem {
  const { code, line, field } = problem;
  const message = OWN_WORDS.test(code) ? withoutPrefix(problem) : "";
  const plain = field !== undefined && PLAIN_NAME.test(field) ? field : undefined;
  return { code, message, file: fileOf(problem.file), line, field: plain };
}

/** Messages of these problems hold words and limits of orgferry alone; of others, they may name a file. */
const OWN_WORDS = /^(?:row|field|element|password)\.|^user\.no-email$/;

/** A key of metadata may contain anything. */
function withoutKey(field: string): string {
  return field.replace(/^metadata\..*$/s, "metadata");
}

const PLAIN_NAME = /^[\w.[\]]{1,60}$/;

function anonymousThing({ type, file, line }: ComparedThing, fileOf: FileOf): ComparedThing {
  return { type, id: "", file: fileOf(file), line };
}

function anonymousDifference({ fields, ...thing }: DifferentThing, fileOf: FileOf): DifferentThing {
  return { ...anonymousThing(thing, fileOf), fields: fields.map(withoutKey) };
}
