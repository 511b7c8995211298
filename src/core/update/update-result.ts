import type { Edit } from "../events/edit-log.ts";
import type { RemovalPlan } from "./plan-removals.ts";

/** A user with names of fields. */
export interface ChangedUser {
  readonly userId: string;
  /** Names of fields, `metadata.<key>` for metadata; never a value. */
  readonly fields: readonly string[];
  /** Of a user with a conflict: the fields that were updated. */
  readonly updated?: readonly string[];
  /**
   * Why a conflict is not a change by another user. never-finished: the user has not finished registration, and the service takes no
   * password before that. protected: the user has a role on the instance, or is a service user of the job. removed: another user
   * deleted the user on the target, and the field is `user`. recreated: the source deleted the user, and has another one with the id.
   * other-person: the user has neither the user name, the e-mail address nor the password hash of the input. Of a user that the job's account
   * created, the source's user has never had any of these of the target's user either; of a file, the phone number or the names are others, too.
   */
  readonly reason?: "never-finished" | "protected" | "removed" | "recreated" | "other-person";
  /** Of a conflict, or a user that another account closed: the newest of the changes by another account, if its event was read. */
  readonly changedBy?: Edit;
  /** Of a conflict of the state, if the input has one. */
  readonly states?: States;
}

/** The state of a user on both sides. */
export interface States {
  readonly input: string;
  readonly target: string;
}

/** True for a conflict that a decision for the target settles. A user of the source without an account on the target (recreated) stays open. */
export function isSettledByTarget({ reason }: { readonly reason?: ChangedUser["reason"] | undefined }): boolean {
  return reason !== "recreated";
}

/** The result of an update, or of its plan. Every list is whole. */
export class UpdateResult {
  readonly create: string[] = [];
  readonly update: ChangedUser[] = [];
  /** Always empty: no user is deleted to be recreated. Reports keep their keys. */
  readonly remake: string[] = [];
  readonly delete: string[] = [];
  readonly deactivate: string[] = [];
  readonly conflict: ChangedUser[] = [];
  unchanged = 0;
  /** Removed in the source, and left because they are more than the limit. */
  readonly tooMany: string[] = [];
  /** The most of these in one organization, with those that were removed before an interruption: the limit is for each. */
  mostOfOrg?: number;
  /** Removed in the source, and still active on the target: the run deletes and deactivates no users. */
  readonly removedAtSource: string[] = [];
  /**
   * Removed in the source, and left because no copy created them: another account did, or after the removal; or because they have a role on
   * the instance.
   */
  readonly notOurs: string[] = [];
  /** Of `notOurs`, those whose accounts were created for other persons; of the others, `protected` has those with a role on the instance. */
  readonly otherPerson: string[] = [];
  /** Removed in the source, and left because the input lacks users of their organization, or may lack some. */
  readonly incomplete: string[] = [];
  /** Users of the input, and users removed in the source, who are never changed: they have a role on the instance, or are service users. */
  readonly protected: string[] = [];
  /** Users with values that the export lacks, and of which the source's log does not say that they were removed: they stay. */
  readonly kept: ChangedUser[] = [];
  /** Users with values that the file lacks: they stay, because a file does not show whether they were removed. */
  readonly notInFile: ChangedUser[] = [];
  /** Users that another account locked or deactivated on the target, and of whose state the input says nothing: they stay so. */
  readonly closedByOther: ChangedUser[] = [];
  /** Users with fields that differ and that no call changes, such as a missing OTP secret. */
  readonly notUpdated: ChangedUser[] = [];
  /** Updated users whose verified address was replaced by one that is not verified in the input, as one that migrate made up. */
  readonly unverified: string[] = [];
  /** Users of the file's organizations that this account created and the file lacks; none for a copy. They stay. */
  readonly absent: string[] = [];
  /** The number of all of these; the ids of some may be unknown. */
  absentCount = 0;

  /** True if a user was changed, deleted or deactivated. */
  get hasChanges(): boolean {
    return this.update.length + this.delete.length + this.deactivate.length > 0;
  }
}

const ofRemoved = ["delete", "deactivate", "tooMany", "removedAtSource", "notOurs", "incomplete", "protected"] as const;
type RemovedUsers = { readonly [List in (typeof ofRemoved)[number]]?: readonly string[] | undefined };

/** The lists of users that the source has removed, who may be missing from the input. */
export function listsOfRemoved(updates: RemovedUsers): readonly (readonly string[])[] {
  return ofRemoved.map((name) => updates[name] ?? []);
}

/** The plan for an existing user: the fields that are updated, and those that are left. */
export interface UserUpdate {
  readonly userId: string;
  readonly fields: readonly string[];
  readonly conflicts: readonly string[];
  readonly reason?: ChangedUser["reason"];
  readonly changedBy?: Edit | undefined;
  readonly states?: States | undefined;
  /** Fields of the lists of `UpdateResult` with these names. */
  readonly kept?: readonly string[];
  readonly notInFile?: readonly string[];
  readonly notUpdated?: readonly string[];
  /** Of a user of the list with this name: who changed the state last, if its event was read. */
  readonly closedByOther?: { readonly changedBy?: Edit } | undefined;
  /** The address of the user is verified on the target, and that of the input is not. */
  readonly isUnverified?: boolean;
}

/** Notes a user in exactly one list or number, and returns which; values that stay are noted besides. */
export function noteUser(update: UserUpdate, result: UpdateResult): "conflict" | "update" | "unchanged" {
  const { userId, fields, conflicts, reason, changedBy, states, isUnverified = false } = update;
  noteLeft(update, result);
  if (isUnverified && fields.includes("email")) result.unverified.push(userId);
  if (conflicts.length > 0) {
    result.conflict.push({
      userId,
      fields: conflicts,
      ...(fields.length > 0 ? { updated: fields } : {}),
      ...(reason === undefined ? {} : { reason }),
      ...(changedBy === undefined ? {} : { changedBy }),
      ...(states === undefined || !conflicts.includes("state") ? {} : { states }),
    });
    return "conflict";
  }
  if (fields.length === 0) {
    result.unchanged += 1;
    return "unchanged";
  }
  result.update.push({ userId, fields });
  return "update";
}

/** Notes the values of a user that stay, also of one whose update fails. */
export function noteLeft(
  { userId, kept, notInFile, closedByOther, notUpdated }: UserUpdate,
  result: UpdateResult,
): void {
  if (kept !== undefined) result.kept.push({ userId, fields: kept });
  if (notInFile !== undefined) result.notInFile.push({ userId, fields: notInFile });
  if (closedByOther !== undefined) result.closedByOther.push({ userId, fields: ["state"], ...closedByOther });
  if (notUpdated !== undefined) result.notUpdated.push({ userId, fields: notUpdated });
}

/** Notes a plan of removals; the users that it removes only if it is `foreseen`, and otherwise when their calls are answered. */
export function noteRemovals({ how, orgs, isTooMany }: RemovalPlan, result: UpdateResult, isForeseen: boolean): void {
  for (const { userIds, removed, notOurs, otherPerson, incomplete, protected: kept } of orgs) {
    if (how === "keep") {
      result.removedAtSource.push(...userIds, ...notOurs, ...otherPerson, ...incomplete);
      continue;
    }
    result.protected.push(...kept);
    result[how].push(...removed);
    result.notOurs.push(...notOurs, ...otherPerson, ...kept);
    result.otherPerson.push(...otherPerson);
    result.incomplete.push(...incomplete);
    if (isTooMany) {
      result.tooMany.push(...userIds);
      result.mostOfOrg = Math.max(result.mostOfOrg ?? 0, userIds.length + removed.length);
    } else if (isForeseen) result[how].push(...userIds);
  }
}
