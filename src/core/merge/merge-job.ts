import type { RowFault } from "../../problem.ts";
import type { RawRow, RowFile, RowFrame, RowSpool } from "../rows/row-file.ts";
import type { MergeResult } from "./counts.ts";
import type { EntryBuffer } from "./entry/entry-buffer.ts";
import type { HashPolicy } from "./hashes.ts";
import type { PasswordHasher } from "./held-users.ts";
import type { SameName } from "./join/packed-join.ts";
import type { PartSettings } from "./parts/part-store.ts";
import type { RowReaders } from "./reading.ts";

/** Which of a provider's inputs a row is from. */
export type RowKind = "users" | "credentials";

/** One merge: what is read, how it is read, and where everything goes. */
export interface MergeJob {
  readonly users: RowFile;
  /** undefined: the provider has none, or no file was given. */
  readonly credentials: RowFile | undefined;
  readonly readers: RowReaders;
  /** undefined: each user's own value. */
  readonly isEmailVerified: boolean | undefined;
  readonly hashes: HashPolicy;
  /** Id of the organization that the command line names. */
  readonly mainOrg: string;
  /** Ids of organizations on the target, by what the source calls them. */
  readonly orgs: ReadonlyMap<string, string>;
  /** true: every row is parsed, also where the provider says how to read rows as bytes; the result is the same. */
  readonly isCareful: boolean;
  /** Three random words, new in each run; a thread that reads ahead has the same ones. */
  readonly seeds: Uint32Array;
  readonly sameName: SameName;
  /** Which users are written; absent: all. */
  readonly selection?: { takes(read: (field: string) => string | undefined): boolean } | undefined;
  /** true: an extra pass over the users finds the names that several of them have, before any user is judged. */
  readonly findsSharedNames: boolean;
  /** Somewhere to set rows aside until the next round. */
  createSpool(): RowSpool;
  /** Where the join is kept in parts; absent: in memory. */
  readonly parts?: PartSettings | undefined;
  readonly rejects: RejectSink;
  /**
   * Takes entries of one organization (undefined: the one that the command line names); the buffer is not changed until the promise
   * is settled, and used again then.
   */
  write(entries: EntryBuffer, orgId: string | undefined): Promise<void>;
  /** Hashes the passwords of users who come with them; absent: none do. */
  readonly passwords?: PasswordHasher;
  /** Called now and then. */
  progress(kind: RowKind, counts: MergeResult): void;
}

/** Takes what does not get through. */
export interface RejectSink {
  /**
   * A row, verbatim; the bytes are copied. Returns the line that it has where it is kept; undefined: it is not kept.
   * @param frame what stands around the rows of its file.
   */
  row(kind: RowKind, row: RawRow, frame: RowFrame): number | undefined;
  /** @param rejectLine of the row where it is kept. */
  reason(fault: RowFault, file: string, line: number, rejectLine: number | undefined): void;
}
