import type { RemovalPlan } from "./plan-removals.ts";

/** A user with names of fields. */
export interface ChangedUser {
  readonly userId: string;
  /** Names of fields, `metadata.<key>` for metadata; never a value. */
  readonly fields: readonly string[];
  /** Of a user with a conflict: the fields that were updated. */
  readonly updated?: readonly string[];
  /** Why a password is a conflict: the user has not finished registration, and the service takes none before that. */
  readonly reason?: "never-finished";
}

/** The result of an update, or of its plan. Every list is whole. */
export interface UpdateResult {
  readonly create: string[];
  readonly update: ChangedUser[];
  /** Always empty: no user is deleted to be recreated. Reports keep their keys. */
  readonly remake: string[];
  readonly delete: string[];
  readonly deactivate: string[];
  readonly conflict: ChangedUser[];
  unchanged: number;
  /** Removed in the source, and left because they are more than the limit. */
  readonly tooMany: string[];
  /** Removed in the source, and left because this job's service user did not create them. */
  readonly notOurs: string[];
  /** Removed in the source, and left because the input lacks users of their organization, or may lack some. */
  readonly incomplete: string[];
}

export function createUpdateResult(): UpdateResult {
  return {
    create: [],
    update: [],
    remake: [],
    delete: [],
    deactivate: [],
    conflict: [],
    unchanged: 0,
    tooMany: [],
    notOurs: [],
    incomplete: [],
  };
}

/** The plan for an existing user: the fields that are updated, and those that are left. */
export interface UserUpdate {
  readonly userId: string;
  readonly fields: readonly string[];
  readonly conflicts: readonly string[];
  readonly reason?: ChangedUser["reason"];
}

/** Notes a user in exactly one list or number, and returns which. */
export function noteUser(
  { userId, fields, conflicts, reason }: UserUpdate,
  result: UpdateResult,
): "conflict" | "update" | "unchanged" {
  if (conflicts.length > 0) {
    const updated = fields.length > 0 ? { updated: fields } : {};
    result.conflict.push({ userId, fields: conflicts, ...updated, ...(reason === undefined ? {} : { reason }) });
    return "conflict";
  }
  if (fields.length === 0) {
    result.unchanged += 1;
    return "unchanged";
  }
  result.update.push({ userId, fields });
  return "update";
}

/** Notes a plan of removals; the users that it removes only if it is `foreseen`, and otherwise when their calls are answered. */
export function noteRemovals({ how, orgs, isTooMany }: RemovalPlan, result: UpdateResult, isForeseen: boolean): void {
  for (const { userIds, removed, notOurs, incomplete } of orgs) {
    result[how].push(...removed);
    result.notOurs.push(...notOurs);
    result.incomplete.push(...incomplete);
    if (isTooMany) result.tooMany.push(...userIds);
    else if (isForeseen) result[how].push(...userIds);
  }
}
