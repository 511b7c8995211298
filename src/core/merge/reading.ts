import type { HashRule, LeftOutReason, Remark, RowFault } from "../../problem.ts";
import type { UnfitInput } from "../rows/documents.ts";
import type { TableForm } from "../rows/row-file.ts";
import type { ColumnUse } from "./counts.ts";
import type { FoundRows } from "./find-rows.ts";
import type { NewProject, SourceUser } from "./source-user.ts";

/** A row of the users' input as far as it could be read. Without faults it has a user, unless it is left out. */
export interface UserReading extends UserNotes {
  readonly faults: readonly RowFault[];
  readonly user: SourceUser | undefined;
  /** Kept also when other fields are at fault: rows of credentials are joined to rejected users as well. */
  readonly userId: string | undefined;
  /** The address by which a row of credentials may find the user. */
  readonly email: string | undefined;
  /** Why the user has no hash although the row holds one: it can be given no form that the service reads. */
  readonly refusedHash?: HashRule | undefined;
  /** Where in the row the user's hash stands, for what is said of it; absent: `fieldNames.hash`. */
  readonly hashField?: string | undefined;
  /** The row had no name, and the address stands in for it. */
  readonly isNamedByEmail?: boolean | undefined;
  /** The row says that the user is gone, and the user is written as closed: all other users of the name come first. */
  readonly isGone?: boolean | undefined;
  /** A row that is no person, and so neither written nor rejected. */
  readonly leftOut?: LeftOutReason | undefined;
  /** What the whole input would be if all its rows were like this one: a key of `RowReaders.unfit`. */
  readonly unfit?: string | undefined;
}

/** What a user loses on the way; an absent list is empty. */
export interface UserNotes {
  readonly remarks?: readonly Remark[] | undefined;
  /** Names of the source's fields that hold something and are not carried over. */
  readonly fields?: readonly string[] | undefined;
  /** Names of organizations that no `--org-map` names, each once. */
  readonly orgs?: readonly string[] | undefined;
  /** Names of roles and groups that no `--grant` names, each once. */
  readonly roles?: readonly string[] | undefined;
  /** Keys of metadata that the service does not accept, each once. */
  readonly metadata?: readonly string[] | undefined;
  /** Names of the providers that the user signs in with and that have no counterpart on the target, each once. */
  readonly providers?: readonly string[] | undefined;
}

/** A row of a second input whose rows hold users' hashes. A row with faults is rejected, and so is the user it names. */
export interface CredentialReading {
  readonly faults: readonly RowFault[];
  /** The id of the user it belongs to, without `ownIdPrefix`. */
  readonly ownId: string | undefined;
  readonly email: string | undefined;
  /** When the password was set, in milliseconds since 1970; -Infinity when the row does not say. */
  readonly dateMs: number;
  /** As it stands in the row; undefined: no password. The core judges it. */
  readonly hash: unknown;
}

/** Reads the parsed rows of a provider: pure functions, and the whole meaning of its files. */
export interface ParsedRowReaders {
  /** Reads one row of the users' input: every fault of it. */
  readUser(row: object): UserReading;
  /** Reads one row of the credentials' input. Absent: the provider has no such input. */
  readCredential?(row: object): CredentialReading;
  /** The use of the columns of the users' table. */
  readonly columns?: ColumnUse;
}

/** What a source provider says about its rows; the core does the rest. */
export interface RowReaders {
  /**
   * Loads what reads parsed rows, with the first row that needs it. Raises usage.* when a table's columns are not those that were asked for.
   *
   * @param columns names of a table's columns, whose rows are lists of texts in this order.
   * @param rows the first rows of such a table.
   */
  load(columns: readonly string[] | undefined, rows?: readonly object[]): Promise<ParsedRowReaders>;
  /**
   * How ids of users begin that sign in at the provider itself; "" = all of them do. Only these users may be found by the e-mail
   * address of a row of credentials.
   */
  readonly ownIdPrefix: string;
  /** The provider's names of the fields that problems speak of. */
  readonly fieldNames: FieldNames;
  /** Of several documents in the users' input, the name of the one whose users are read. */
  readonly document?: string | undefined;
  /** Members of the document that rows are read from that their readers need. */
  readonly about?: DocumentMembers;
  /** The path to the list of users in documents, where it was named (`FoundShape`). */
  readonly list?: readonly string[] | undefined;
  /** Sees the first rows of a `FoundShape`, before any is read. Raises usage.unknown-rows if it is not known how to read them. */
  recognize?(found: FoundRows): Promise<void>;
  /** What is out of the ordinary about the users' table. */
  readonly table?: TableForm | undefined;
  /** The projects that the body creates. */
  readonly projects?: readonly NewProject[];
  /** By the flag that names them: what no row had that was read so far. */
  readonly unmet?: () => Readonly<Record<string, readonly string[]>>;
  /** By the flag that names a table of users: ids of it that no row had that was read so far. */
  readonly unmatchedIds?: () => Readonly<Record<string, readonly string[]>>;
  /**
   * Warnings of what users lose by fields that no row had that was read so far.
   * @param isEmailVerified as a flag says it for all users; undefined: as the rows say it.
   */
  readonly lacks?: (isEmailVerified: boolean | undefined) => readonly string[];
  /** Ids of objects that must exist on the target, by the flag that names them. */
  readonly targetIds?: Readonly<Record<string, readonly string[]>>;
  /** Users come with their passwords (`SourceUser.plainPassword`): how they are to be hashed. */
  readonly plainPasswords?: { readonly bcryptCost: number };
  /** What the input is if every row of it that can be read says so (`UserReading.unfit`), by what the rows say. */
  readonly unfit?: Readonly<Record<string, UnfitInput>>;
  /** About how long a row of a user is, for the size of the tables; absent: as long as one of a few fields. */
  readonly userBytes?: number;
  /** The same as the parsed rows' readers, as data, for rows that are read as bytes. Absent: every row is parsed. */
  readonly fast?: FastFields;
  /** What `readUser` notes of a row that `fast.users` reads, by the parsed row. */
  readonly notesOf?: (row: object) => UserNotes;
}

/** Members of a document that say what its rows mean. */
export interface DocumentMembers {
  readonly keys: readonly string[];
  /** They may stand behind the list of rows: the document is read twice. Otherwise only what stands in front of the list is read. */
  readonly isAnywhere: boolean;
  /** What a document without any of them costs, as a warning. */
  readonly ifAbsent?: string;
  /** Gets those that the document has, before any row is read. */
  take(members: ReadonlyMap<string, unknown>): void;
}

export interface FieldNames {
  readonly userId: string;
  readonly userName: string;
  readonly hash: string;
}

/** The fields of ordinary rows, by their paths (`name`, or `outer.inner` of an object with that one key). */
export interface FastFields {
  readonly users?: FieldTable<UserRole>;
  /** Instead of `users`, for rows with lists and objects in them. */
  readonly nestedUsers?: NestedTable;
  readonly credentials?: FieldTable<CredentialRole>;
}

/** Paths in the order in which they count, where several have one role. */
export type FieldTable<Role> = Readonly<Record<string, Role | OtherRole>>;

/**
 * "userId" (or "providerAndId": the provider, a | and an id) and "email" (also the user name) must be there; "name" is used for both names,
 * "firstName" and "lastName" for one each; a row without names is named by its address. What `notesOf` says of a row may depend on the
 * provider in front of the |, on whether a text of a "counted-text", a "counted-object" or a field without a role is empty, on "accounts"
 * (a list of objects with `provider` and `connection`), and on nothing else but the types of values. Of a "counted-text", a text or a value
 * with texts in it, it may depend on all keys.
 */
export type UserRole =
  | "userId"
  | "providerAndId"
  | "email"
  | "name"
  | "firstName"
  | "lastName"
  | "isEmailVerified"
  | "counted-text"
  | "counted-object"
  | "accounts";

/** "ownId" is an id without `ownIdPrefix`; "date" is in ISO 8601. */
export type CredentialRole = "ownId" | "email" | "hash" | "date";

/**
 * A field that is only checked for its type ("text", "flag"; null is absent), that makes a row unusual when it says something ("false":
 * anything but null and false; "empty": anything but these, [] and {}), or when it is there at all.
 */
export type OtherRole = "text" | "flag" | "false" | "empty" | "unusual";

/**
 * What may differ between rows of users that mean the same otherwise, by its place in a row. Everything else is compared byte by byte with
 * a row that was read by `readUser`.
 *
 * The provider promises: of two rows that differ in nothing but these, `readUser` says the same, with each text that is named in its own
 * place; for names that are not blank, addresses that the service takes, and none of them longer than the service has room for.
 */
export interface NestedTable {
  /** Of the value itself, where it is a text or a number. */
  readonly role?: NestedRole;
  /** Of an object. */
  readonly members?: Readonly<Record<string, NestedTable>>;
  /** Of all other members of an object. */
  readonly others?: NestedTable;
  /** Of a list. */
  readonly elements?: NestedTable;
}

/**
 * A text that becomes part of the user, as it is; "base64": a text that holds a JSON object, whose texts in base64 become parts of the
 * user's hash, without `=` at their ends; "any-text": one that is not empty, and what it says does not matter; "any-number": likewise.
 */
export type NestedRole =
  | "userId"
  | "userName"
  | "email"
  | "firstName"
  | "lastName"
  | "base64"
  | "any-text"
  | "any-number";
