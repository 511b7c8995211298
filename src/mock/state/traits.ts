import type { Mimic, Verifier } from "../api.ts";

/**
 * Compatibility modes: the specification, and version 4 of the service where the specification is silent (the default), or one of the
 * two recorded services.
 */
export const mimics = ["specification", "v4", "v2"] as const satisfies readonly Mimic[];

/** Algorithms that an instance can be configured to verify passwords with; a new instance has bcrypt alone (service behaviour 4). */
export const verifierNames = ["bcrypt", "argon2", "pbkdf2", "scrypt"] as const satisfies readonly Verifier[];

/**
 * The differences of the three modes, as data, so that no handler compares versions. The source of each is a recording in
 * fixtures/recordings or the specification.
 */
export interface Traits {
  readonly mimic: Mimic;
  /** spec: Import request types data_orgsv1 as a string; the real service refuses it (service behaviour 2.4, 8). */
  readonly takesExportAsString: boolean;
  /** spec: Events; objects of an instance import arrive without events. */
  readonly instanceImportHasEvents: boolean;
  /** spec: Export request; gcs_output writes a file; the real service ignores it and answers with the data (service behaviour 0.17). */
  readonly writesObjectStorage: boolean;
  /** spec: Source-provider input files; users without a password keep a verified address; the real import does not (service behaviour 0.2). */
  readonly keepsVerifiedWithoutPassword: boolean;
  /** The real service takes the id of a machine user from `user.userId` alone (service behaviour 2.6). */
  readonly keepsMachineIds: boolean;
  /** The real service exports these texts and never imports them (service behaviour 2.10). */
  readonly importsAllTexts: boolean;
  /** spec: Export request; an export holds what was imported; the real one loses some fields and adds defaults (recording full 03). */
  readonly exportsAsGiven: boolean;
  /** spec: Export request; excluded_org_ids excludes organizations; in v4 the call ends the whole process (service behaviour 0.16). */
  readonly exclusionEndsProcess: boolean;
  /** A real instance starts with a default organization, which holds the callers' service users. */
  readonly hasDefaultOrg: boolean;
  /** v4 also creates a service user for its login pages; in v2 the first human user owns the default project. */
  readonly beginsWith: "login client" | "project owner";
  readonly orgExistsId: "ORG-lapo2n" | "ORG-lapo2m";
  /** `state` of users and organizations: imported, and part of an export (service behaviour 0.19b). */
  readonly knowsStates: boolean;
  /** Ids of deleted users and organizations may be used again; a recreated user is in its former organization (service behaviour 0.11). */
  readonly reusesRemovedIds: boolean;
  /** `details.creationDate` of users and organizations. */
  readonly answersCreationDate: boolean;
  /** A failed sign-in answers the number of failed attempts. */
  readonly countsFailedChecks: boolean;
  /** Creating a session needs a permission, not only a token. */
  readonly guardsSessions: boolean;
  /** Error id for a caller without the permission to delete a user. */
  readonly removalRefusalId: "AUTH-AWfge" | "AUTH-5mWD2";
  /** `POST /v2/users/{id}/metadata` and its search. */
  readonly hasUserMetadata: boolean;
  /** The error for a password that cannot be hashed names the call layer. */
  readonly wrapsHashFaults: boolean;
  /** The status of `POST /v2/users/human`. */
  readonly createdStatus: 200 | 201;
  /** `POST /v2/users/human` accepts the domain of an organization. */
  readonly findsOrgByDomain: boolean;
  /** `defaultQuery` of the search for organizations. */
  readonly knowsDefaultOrgQuery: boolean;
  /** The administration API accepts tokens of the client credentials flow (service behaviour 0.20). */
  readonly takesClientCredentialTokens: boolean;
  readonly orgNotFoundId: "QUERY-leq5Q" | "QUERY-iTTGJ";
}

const v4: Traits = {
  mimic: "v4",
  takesExportAsString: false,
  instanceImportHasEvents: true,
  writesObjectStorage: false,
  keepsVerifiedWithoutPassword: false,
  keepsMachineIds: false,
  importsAllTexts: false,
  exportsAsGiven: false,
  exclusionEndsProcess: true,
  hasDefaultOrg: true,
  beginsWith: "login client",
  orgExistsId: "ORG-lapo2n",
  knowsStates: true,
  reusesRemovedIds: true,
  answersCreationDate: true,
  countsFailedChecks: true,
  guardsSessions: true,
  removalRefusalId: "AUTH-AWfge",
  hasUserMetadata: true,
  wrapsHashFaults: true,
  createdStatus: 200,
  findsOrgByDomain: true,
  knowsDefaultOrgQuery: true,
  takesClientCredentialTokens: true,
  orgNotFoundId: "QUERY-leq5Q",
};

const v2: Traits = {
  ...v4,
  mimic: "v2",
  exclusionEndsProcess: false,
  beginsWith: "project owner",
  orgExistsId: "ORG-lapo2m",
  knowsStates: false,
  reusesRemovedIds: false,
  answersCreationDate: false,
  countsFailedChecks: false,
  guardsSessions: false,
  removalRefusalId: "AUTH-5mWD2",
  hasUserMetadata: false,
  wrapsHashFaults: false,
  createdStatus: 201,
  findsOrgByDomain: false,
  knowsDefaultOrgQuery: false,
  takesClientCredentialTokens: false,
  orgNotFoundId: "QUERY-iTTGJ",
};

const specification: Traits = {
  ...v4,
  mimic: "specification",
  takesExportAsString: true,
  instanceImportHasEvents: false,
  writesObjectStorage: true,
  keepsVerifiedWithoutPassword: true,
  keepsMachineIds: true,
  importsAllTexts: true,
  exportsAsGiven: true,
  exclusionEndsProcess: false,
  hasDefaultOrg: false,
};

const all: Readonly<Record<Mimic, Traits>> = { specification, v4, v2 };

/** The traits of a compatibility mode. */
export function traitsOf(mimic: Mimic): Traits {
  return all[mimic];
}
