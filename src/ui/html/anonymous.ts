import type { AnyReport, ComparedThing, DifferentThing, ListedProblem } from "../report.ts";

/** What an anonymous page keeps of a value: all of it, nothing, or the result of a function. */
type Kept<Value> = "all" | "nothing" | ((value: Value) => Value);

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
  problems: (problems) => problems.map(anonymousProblem),
  // The names of files and organizations may be those of people.
  inputs: "nothing",
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
  isWhole: "all",
  users: "all",
  machineUsers: "all",
  orgs: "all",
  passwords: "all",
  plainPasswords: "all",
  hashes: "all",
  hashesOutOfLimits: "all",
  targetVersion: "all",
  unverifiable: "all",
  withHash: "all",
  withOtp: "all",
  leftOut: "all",
  remarks: "all",
  remarkedUsers: "nothing",
  // The names of fields and connections are the customer's own.
  leftBehind: "nothing",
  carriedBy: "all",
  identityProviders: "nothing",
  imports: "nothing",
  states: "nothing",
  reasons: "all",
  via: "all",
  notSelected: "all",
  mails: "all",
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
  notCarried: "all",
  unread: "all",
  droppedFields: "all",
  recoveryCodesLeft: "all",
  unknownCount: "all",
  cannotSignInCount: "all",
  withoutPassword: "all",
  recoveryCodesDropped: "all",
  unknownMembers: "nothing",
  unknownStates: "nothing",
  unknownStateUsers: "nothing",
  heldBackUsers: "nothing",
  recoveryCodesDroppedUsers: "nothing",
  recoveryCodesLeftUsers: "nothing",
  unknownFieldsDroppedUsers: "nothing",
  unknownFieldsDropped: "all",
  expected: "all",
  found: "all",
  notCheckable: "all",
  metadataCompared: "all",
  unknownEventTypes: "all",
  differentCount: "all",
  changedSinceCount: "all",
  alreadyThereDifferentCount: "all",
  otherDifferencesCount: "all",
  onlyOnTargetCount: "all",
  deleted: "all",
  deactivated: "all",
  conflicts: "all",
  shards: "all",
  failureCauses: "all",
  loginNames: "nothing",
  failures: (failures) => failures.map(({ type, cause, line }) => ({ type, id: "", message: "", cause, line })),
  missing: (missing) => (typeof missing === "object" ? missing.map(anonymousThing) : missing),
  different: (things) => things.map(anonymousDifference),
  changedSince: (things) => things.map(anonymousDifference),
  kept: (users) => users.map(({ reason, line }) => ({ id: "", reason, line })),
  update: ({ create = [], update = [], conflict = [], tooMany = [], incomplete = [], unchanged, ...lists }) => ({
    create: create.map(() => ""),
    update: update.map(() => ({ userId: "", fields: [] })),
    delete: lists.delete?.map(() => "") ?? [],
    deactivate: lists.deactivate?.map(() => "") ?? [],
    conflict: conflict.map(({ fields, reason }) => ({ userId: "", fields: fields.map(withoutKey), reason })),
    tooMany: tooMany.map(() => ""),
    incomplete: incomplete.map(() => ""),
    unchanged,
  }),
  outputs: (outputs) => outputs.map(({ users, bytes, sha256 }) => ({ path: "", users, bytes, sha256 })),
  unknown: "nothing",
  unknownFile: "nothing",
  unexpected: "nothing",
  cannotSignIn: "nothing",
  cannotSignInFile: "nothing",
  alreadyThereDifferent: "nothing",
  otherDifferences: "nothing",
  onlyOnTarget: "nothing",
  missingOrgs: "nothing",
  missingUsers: "nothing",
  deletedUsers: "nothing",
  missingMetadata: "nothing",
  slowLists: "all",
  renamedOrgs: "nothing",
  foreseen: ({ users, missingIdps = [], closedIdps = [] }) => ({
    orgs: [],
    users,
    missingIdps: missingIdps.map(({ links }) => ({ idpId: "", links })),
    closedIdps: closedIdps.map(({ links }) => ({ idpId: "", links })),
  }),
  output: "nothing",
  files: "nothing",
  rejects: "nothing",
  manifest: "nothing",
  resume: "nothing",
  shard: "nothing",
  reports: "nothing",
  unfinished: "nothing",
  export: "nothing",
  columns: "nothing",
  jobs: "nothing",
  connections: "nothing",
  checks: "nothing",
};

/** A report without personal data. The owner of the input finds a user by the line. */
export function withoutPersonalData(report: AnyReport): AnyReport {
  const kept = Object.entries(report).flatMap(([key, value]) => {
    const how = KEPT[key as keyof AnyReport] as Kept<unknown> | undefined; // the keys of a report
    if (value === undefined || how === undefined || how === "nothing") return [];
    return [[key, how === "all" ? value : how(value)]];
  });
  return Object.fromEntries(kept) as AnyReport; // with the keys that every report has
}

/** The name of a column may contain anything. */
function anonymousProblem({ code, line, field }: ListedProblem): ListedProblem {
  return { code, message: "", line, field: field !== undefined && PLAIN_NAME.test(field) ? field : undefined };
}

/** A key of metadata may contain anything. */
function withoutKey(field: string): string {
  return field.replace(/^metadata\..*$/s, "metadata");
}

const PLAIN_NAME = /^[\w.[\]]{1,60}$/;

function anonymousThing({ type, line }: ComparedThing): ComparedThing {
  return { type, id: "", line };
}

function anonymousDifference({ fields, ...thing }: DifferentThing): DifferentThing {
  return { ...anonymousThing(thing), fields };
}
