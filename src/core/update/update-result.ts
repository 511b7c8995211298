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
