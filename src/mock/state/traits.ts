/**
 * What a mock instance answers like: the specification where it speaks and the service's fourth major version where it is silent
 * (the default), or one of the two real services that were recorded.
 */
export const mimics = ["specification", "v4", "v2"] as const;
export type Mimic = (typeof mimics)[number];

/**
 * Everything in which the three differ, as data, so that no handler asks for a version. Each is shown by the recordings in
 * fixtures/recordings, or stands in the specification.
 */
export interface Traits {
  readonly mimic: Mimic;
  /** spec: Import request types data_orgsv1 as a string; the real service refuses one (service behaviour 2.4, 8). */
  readonly takesExportAsString: boolean;
  /** spec: Events; objects of an instance import arrive without events. */
  readonly instanceImportHasEvents: boolean;
  /** spec: Export request; gcs_output writes a file; the real service ignores it and answers with the data (service behaviour 0.17). */
  readonly writesObjectStorage: boolean;
  /** spec: Source-provider input files; users without a password may arrive verified; the real import loses that (service behaviour 0.2). */
  readonly keepsVerifiedWithoutPassword: boolean;
  /** The real service takes the id of a machine user from `user.userId` alone (service behaviour 2.6). */
  readonly keepsMachineIds: boolean;
  /** The real service exports these texts and never imports them (service behaviour 2.10). */
  readonly importsAllTexts: boolean;
  /** spec: Export request; an export holds what was imported; the real one lacks some of it and has defaults besides (recording full 03). */
  readonly exportsAsGiven: boolean;
  /** spec: Export request; excluded_org_ids leaves organizations out; in v4 the call ends the whole process (service behaviour 0.16). */
  readonly exclusionEndsProcess: boolean;
  /** A real instance begins with an organization of its own, in which the callers' service users live. */
  readonly hasDefaultOrg: boolean;
  /** Besides the service users, v4 makes one for its login pages; in v2 the first person owns the instance's own project. */
  readonly beginsWith: "login client" | "project owner";
  readonly orgExistsId: "ORG-lapo2n" | "ORG-lapo2m";
  /** `state` of users and organizations: imported, and part of an export (service behaviour 0.19b). */
  readonly knowsStates: boolean;
  /** Ids of removed users and organizations may be used again, and lead back to where they were (service behaviour 0.11). */
  readonly reusesRemovedIds: boolean;
  /** `details.creationDate` of users and organizations. */
  readonly tellsCreationDate: boolean;
  /** A failed sign-in tells how many failed before it. */
  readonly countsFailedChecks: boolean;
  /** Sessions are made for whoever has a token, or only with the right to. */
  readonly guardsSessions: boolean;
  /** Error id where the caller lacks the right to change a user. */
  readonly removalRefusalId: "AUTH-AWfge" | "AUTH-5mWD2";
  /** `POST /v2/users/{id}/metadata` and its search. */
  readonly hasUserMetadata: boolean;
  /** A password that cannot be hashed is told with the name of the call layer around it. */
  readonly wrapsHashFaults: boolean;
  /** The status of `POST /v2/users/human`. */
  readonly createdStatus: 200 | 201;
  /** Organizations of new users can be named by their domain. */
  readonly findsOrgByDomain: boolean;
  /** `defaultQuery` of the search for organizations. */
  readonly knowsDefaultOrgQuery: boolean;
  /** Tokens of the client credentials flow open the administration API (service behaviour 0.20). */
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
  tellsCreationDate: true,
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
  tellsCreationDate: false,
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

/** The traits of one of the three. */
export function traitsOf(mimic: Mimic): Traits {
  return all[mimic];
}
