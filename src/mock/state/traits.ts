import type { Mimic, Verifier } from "../api.ts";

/** The columns of the table: the specification (the default, and v4 where it is silent), and the recorded services. */
const columns = ["specification", "v2", "v4", "v4.13", "v4.15"] as const satisfies readonly Mimic[];

/** The values of `--mimic`; `latest` is the newest service. */
export const mimics = [...columns, "latest"] as const satisfies readonly Mimic[];

/** Algorithms that an instance can be configured to verify passwords with; a new instance has bcrypt alone (service behaviour 4). */
export const verifierNames = ["bcrypt", "argon2", "pbkdf2", "scrypt"] as const satisfies readonly Verifier[];

const MIB = 1024 * 1024;

/**
 * All differences of the compatibility modes: a row is a capability, with its value in each column. No other file of the mock
 * compares versions. The source of each row is a recording in fixtures/recordings or the specification.
 */
const table = {
  /** spec: Import request types data_orgsv1 as a string; the real service refuses it (service behaviour 2.4, 8). */
  takesExportAsString: [true, false, false, false, false],
  /** spec: Events; objects of an instance import arrive without events. */
  instanceImportHasEvents: [false, true, true, true, true],
  /** spec: Export request; gcs_output writes a file; the real service ignores it and answers with the data (service behaviour 0.17). */
  writesObjectStorage: [true, false, false, false, false],
  /** spec: Source-provider input files; users without a password keep a verified address; the real import does not (service behaviour 0.2). */
  keepsVerifiedWithoutPassword: [true, false, false, false, false],
  /** The real service takes the id of a machine user from `user.userId` alone (service behaviour 2.6). */
  keepsMachineIds: [true, false, false, false, false],
  /** The real service exports these texts and never imports them (service behaviour 2.10). */
  importsAllTexts: [true, false, false, false, false],
  /** spec: Export request; an export holds what was imported; the real one loses some fields and adds defaults (recording full 03). */
  exportsAsGiven: [true, false, false, false, false],
  /** spec: Export request; excluded_org_ids of an organization: in v4 the call ends the whole process (service behaviour 0.16). */
  exclusion: ["excludes", "excludes", "ends the process", "fails", "fails"],
  /** A real instance starts with a default organization, which holds the callers' service users. */
  hasDefaultOrg: [false, true, true, true, true],
  /** v4 also creates a service user for its login pages; in v2 the first human user owns the default project. */
  beginsWith: ["login client", "project owner", "login client", "login client", "login client"],
  /** The name of the console's application (recording copy 03). */
  consoleName: ["Console", "Console", "Console", "Management Console", "Management Console"],
  orgExistsId: ["ORG-lapo2n", "ORG-lapo2m", "ORG-lapo2n", "ORG-lapo2n", "ORG-lapo2n"],
  /** `state` of users and organizations: imported, and part of an export (service behaviour 0.19b). */
  knowsStates: [true, false, true, true, true],
  /** Ids of deleted users and organizations may be used again (service behaviour 0.11). */
  reusesRemovedIds: [true, false, true, true, true],
  /**
   * A second creation of an existing user of the other kind, or of a machine user of another organization: refused, or written onto that user
   * in the organization of the call or in its own (service behaviour 0.43). Likewise for projects and actions of other organizations (9.33).
   */
  writesOnto: ["no user", "in new org", "in own org", "in own org", "in new org"],
  /** The organization of a recreated user: the former one, or the one of the call (recording 182). */
  recreatesUserIn: ["former org", "former org", "former org", "former org", "new org"],
  /** A recreated user gets equal metadata again; before, the value of the deleted user stands in its way. */
  forgetsMetadataOfRemoved: [false, false, false, false, true],
  /** Recreating a deleted organization of the same name (recordings 184, removed-org 03). */
  removedOrgFault: ["domain", "domain", "domain", "domain", "member"],
  /** `details.creationDate` of users and organizations. */
  answersCreationDate: [true, false, true, true, true],
  /** A failed sign-in answers the number of failed attempts. */
  countsFailedChecks: [true, false, true, true, true],
  /** Creating a session needs a permission, not only a token. */
  guardsSessions: [true, false, true, true, true],
  /** A user with a verified address can get an invitation (service behaviour 9.21). */
  invitesVerified: [true, false, true, true, true],
  /** Error id for a caller without the permission to delete a user. */
  removalRefusalId: ["AUTH-AWfge", "AUTH-5mWD2", "AUTH-AWfge", "AUTH-AWfge", "AUTH-AWfge"],
  /** A role grant in a project of another organization needs no id of a project grant (service behaviour 9.36). */
  findsProjectGrants: [true, false, true, true, true],
  /** An import looks for the project, the organization and the roles of a project grant (service behaviour 9.47). */
  checksProjectGrants: [true, false, true, true, true],
  /** `POST /v2/users/{id}/metadata` and its search. */
  hasUserMetadata: [true, false, true, true, true],
  /** The error for a password that cannot be hashed names the call layer. */
  wrapsHashFaults: [true, false, true, true, true],
  /** The status of `POST /v2/users/human`. */
  createdStatus: [200, 201, 200, 200, 200],
  /** `POST /v2/users/human` accepts the domain of an organization. */
  findsOrgByDomain: [true, false, true, true, true],
  /** `defaultQuery` of the search for organizations. */
  knowsDefaultOrgQuery: [true, false, true, true, true],
  /** The administration API accepts tokens of the client credentials flow (service behaviour 0.20). */
  takesClientCredentialTokens: [true, false, true, true, true],
  orgNotFoundId: ["QUERY-leq5Q", "QUERY-iTTGJ", "QUERY-leq5Q", "QUERY-leq5Q", "QUERY-leq5Q"],
  /** Errors of entries name the error that caused them: ` Parent=(…)` (recordings 20, 34, 42). */
  namesParents: [true, true, true, false, false],
  /** The error for an unknown host name (recording 120). */
  hostError: ["by host", "by host", "by host", "by domain", "without cause"],
  /** Errors of libraries, such as an invalid message or a missing token, become 500 code 2 in the APIs of version 1 (recordings 04, 88, 150). */
  hidesLibraryErrors: [false, false, false, true, false],
  /** Errors of time limits have brackets and details, without an id (recordings 50, 53). */
  detailsTimeErrors: [false, false, false, true, true],
  /** The addresses that an import takes: those of the message's rule, or any of at most 200 characters that the service can parse (recording 05). */
  emailRule: ["message", "message", "message", "parser", "parser"],
  /** Imports and the users API check hashes against the instance's verifiers and limits (recordings 24–26). */
  checksHashes: [false, false, false, false, true],
  /** Recovery codes of imported users. */
  knowsRecoveryCodes: [false, false, false, true, true],
  /** The import of a JWT identity provider that exists is an error. */
  reportsJwtIdps: [true, true, true, false, false],
  /** An export lists users by descending id; before, in the order of their creation (recording 127). */
  sortsExportedUsers: [false, false, false, true, true],
  /** Largest answer over REST (recording 173). */
  maxResponseBytes: [4 * MIB, 4 * MIB, 4 * MIB, 4 * MIB, 10 * MIB],
  /** The limit is for gRPC-Web too. */
  limitsGrpcWeb: [false, false, false, false, true],
  /** What the gateway could not do with an answer that is too large. */
  tooLargeVerb: ["received", "received", "received", "received", "trying to send"],
  /** `instance.version` of `GET /admin/v1/instances/me`. */
  version: ["v4.0.0", "v2.62.0", "v4.0.0", "v4.13.1", "v4.15-02d07e951"],
  /** `ui_locales_supported` has them besides those of every version (recording 126). */
  addedLocales: ["", "", "", "ar uk", "ar uk"],
  /** `backchannel_logout_supported` of the OIDC configuration (recording 126). */
  logsOutBackchannel: [false, false, false, true, true],
} as const satisfies Record<string, readonly [Cell, Cell, Cell, Cell, Cell]>;

type Cell = string | number | boolean;

type Table = typeof table;

/** The column of one compatibility mode. */
export type Traits = { readonly [Row in keyof Table]: Table[Row][number] };

/** The traits of a compatibility mode. Raises RangeError for another value, of a caller without types. */
export function traitsOf(mimic: Mimic): Traits {
  if (!mimics.includes(mimic)) throw new RangeError(`mimic: "${mimic}" is none of ${mimics.join(", ")}`);
  const column = columns.indexOf(mimic === "latest" ? "v4.15" : mimic);
  const values = Object.entries(table).map(([row, cells]) => [row, cells[column]]);
  return Object.fromEntries(values) as Traits; // every row has a cell for every column
}
