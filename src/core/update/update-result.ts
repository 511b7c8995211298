/** A user and the fields of it. */
export interface ChangedUser {
  readonly userId: string;
  /** Names of fields, `metadata.<key>` for metadata; never a value. */
  readonly fields: readonly string[];
  /** Of somebody with a conflict: what was changed all the same. */
  readonly updated?: readonly string[];
  /** Why a password is a conflict: the user has not finished registration, and the service takes none before that. */
  readonly reason?: "never-finished";
}

/** What bringing users up to date comes to, or would come to. Every list is whole. */
export interface UpdateResult {
  readonly create: string[];
  readonly update: ChangedUser[];
  /** Always empty: no user is deleted to be recreated. Reports keep their keys. */
  readonly remake: string[];
  readonly delete: string[];
  readonly deactivate: string[];
  readonly conflict: ChangedUser[];
  unchanged: number;
  /** Removed in the source, and left because they are more than may be removed at once. */
  readonly tooMany: string[];
  /** Removed in the source, and left because it was not this job's service user that made them. */
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
