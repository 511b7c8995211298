/**
 * The public types of `orgferry/mock`, for tests of other projects. This file imports no other, so that its types are complete in
 * one file.
 */

/** Compatibility mode: the specification, or a recorded version of the real service; `latest` is the newest of them. */
export type Mimic = "specification" | "v2" | "v4" | "v4.13" | "v4.15" | "latest";

/** The endpoints that a fault can strike. */
export type FaultEndpoint =
  | ("import" | "export" | "events" | "token" | "health" | "jobs")
  | ("connections" | "memberships" | "downloads" | "users" | "sessions" | "orgs" | "instance" | "grpc-web" | "any");

export type FaultKind =
  | ("latency" | "per-user" | "lag" | "nameless" | "timeout")
  | ("401" | "403" | "404" | "405" | "413" | "429" | "500" | "501" | "502" | "503" | "504")
  | ("reset-before" | "reset-during" | "reset-after" | "truncated" | "half-json" | "not-json" | "trickle")
  | ("failed" | "expired");

/** A fault. `orgferry mock --help` lists what each one does. */
export interface FaultInput {
  readonly endpoint: FaultEndpoint;
  readonly fault: FaultKind | number;
  /** Number of calls it strikes; absent: every call. */
  readonly times?: number | string | undefined;
  /** Number of calls before the first one that it strikes. */
  readonly skip?: number | string | undefined;
  /** Probability per call, from a generator seeded with `seed`: the same seed strikes the same calls. */
  readonly probability?: number | string | undefined;
  readonly seed?: number | string | undefined;
  /**
   * Milliseconds, or a duration such as "200ms". `latency`, `trickle`: before the answer, or between its pieces. `per-user`: time per
   * user.
   */
  readonly delay?: number | string | undefined;
  /** Seconds for Retry-After, of a 429 or a 503. */
  readonly retryAfter?: number | string | undefined;
  /** The same as a date, that many seconds from now. */
  readonly retryAfterDate?: number | string | undefined;
  /**
   * `timeout`: users created before the time limit; `lag`: newest users that reads do not return yet; `nameless`: oldest users, without
   * a login name. Of the last two at least 1.
   */
  readonly users?: number | string | undefined;
  /** `trickle`: bytes per piece; `reset-during`: of the request that arrive; `truncated`: of the answer that are sent. */
  readonly bytes?: number | string | undefined;
  /** For a status: the work is done nevertheless, as when a proxy times out. */
  readonly handled?: boolean | string | undefined;
}

/** The user of a token, and the user's roles. */
export interface Grant {
  readonly userId: string;
  /** IAM_OWNER, for example; none: a service user without any role. */
  readonly roles: readonly string[];
  readonly expiresAt?: Date;
  /** false: issued without the audience of the administration API. */
  readonly audience?: boolean;
}

/** Groups of endpoints that an instance may not have. */
export type Group = "users" | "orgs" | "grpc-web" | "sessions" | "events";

export type Verifier = "bcrypt" | "argon2" | "pbkdf2" | "scrypt";

/** Limits of imported hashes, named as the service's settings, without `ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_`. */
export type HashLimit =
  | `BCRYPT_${"MIN" | "MAX"}COST`
  | `ARGON2_${"MIN" | "MAX"}${"TIME" | "MEMORY" | "THREADS"}`
  | `PBKDF2_${"MIN" | "MAX"}ROUNDS`
  | `SCRYPT_${"MIN" | "MAX"}${"LN" | "R" | "P"}`;

/** The initial contents of an instance. */
export interface SeedInput {
  /** Personal access tokens. */
  readonly tokens?: readonly {
    readonly token: string;
    /** Default: IAM_OWNER. */
    readonly roles?: readonly string[] | undefined;
    readonly userId?: string | undefined;
    /** Default: the user id. */
    readonly userName?: string | undefined;
    /** RFC 3339; absent: it does not expire. */
    readonly expiresAt?: string | undefined;
  }[];
  /** For the client credentials flow. */
  readonly clients?: readonly {
    readonly clientId: string;
    readonly clientSecret: string;
    /** Default: the client id. */
    readonly userId?: string | undefined;
    readonly roles?: readonly string[] | undefined;
    readonly expiresInSeconds?: number | undefined;
  }[];
  /** In the shape of an export. Existing organizations are not changed. */
  readonly orgs?: readonly { readonly orgId: string; readonly [field: string]: unknown }[];
  /** Identity providers of the instance itself, which links of users may refer to. */
  readonly instanceIdpIds?: readonly string[] | undefined;
  readonly verifiers?: readonly Verifier[] | undefined;
  readonly limits?: Readonly<Partial<Record<HashLimit, number | undefined>>> | undefined;
  readonly without?: Readonly<Partial<Record<Group, 404 | 405 | 501>>> | undefined;
  readonly faults?: readonly FaultInput[] | undefined;
  /** Connections of the source provider; none: the default database of a tenant. */
  readonly sourceConnections?: readonly {
    readonly id: string;
    readonly name: string;
    readonly strategy?: string | undefined;
  }[];
  /** Organizations of the source provider: members by user id, with their roles there. */
  readonly sourceOrganizations?: readonly {
    readonly id: string;
    readonly name: string;
    readonly members?: Readonly<Record<string, readonly string[]>>;
  }[];
  readonly sourceRoles?: readonly { readonly id: string; readonly name: string; readonly users?: readonly string[] }[];
  /** Profiles in the source provider's bulk export. */
  readonly sourceUsers?: readonly Readonly<Record<string, unknown>>[];
}

export interface MockOptions {
  /** Keeps state and object storage in this folder; absent: they are deleted when the server stops. */
  readonly dataDir?: string | undefined;
  /** Default 127.0.0.1: only this machine can call. */
  readonly host?: string | undefined;
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** A token with the role IAM_OWNER; generated when absent. */
  readonly token?: string | undefined;
  readonly seed?: SeedInput | undefined;
  readonly faults?: readonly FaultInput[] | undefined;
  /** Default "specification". */
  readonly mimic?: Mimic | undefined;
  /** Groups of endpoints that it does not have, with the status they answer. */
  readonly without?: Readonly<Partial<Record<Group, 404 | 405 | 501>>> | undefined;
  /** Algorithms that it can verify passwords with besides bcrypt, its own; default: none, as in a new instance. */
  readonly verifiers?: readonly Verifier[] | undefined;
  /** Limits of imported hashes that differ from those of a new instance; v4.15 alone checks them. */
  readonly limits?: Readonly<Partial<Record<HashLimit, number | undefined>>> | undefined;
  /** Largest request, in bytes of its protobuf message; default 4 MiB, as the service. */
  readonly maxRequestBytes?: number | undefined;
  /** Largest export and largest page of events, likewise; default 4 MiB, for v4.15 10 MiB. */
  readonly maxResponseBytes?: number | undefined;
  readonly now?: (() => Date) | undefined;
  /** Keeps request bodies in `requests`. */
  readonly keepBodies?: boolean | undefined;
  /** Called with each finished request, without its secrets. */
  readonly onRequest?: ((request: LoggedRequest) => void) | undefined;
  /** Called with a line for each event other than a request. */
  readonly onNote?: ((line: string) => void) | undefined;
}

/** One finished request. The path has no query, and headers and tokens are not kept: only the body may hold secrets. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** "reset": the connection was reset. "closed": it was closed because the real service's process would have ended. */
  readonly status: number | "reset" | "closed";
  readonly ms: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Why the connection was closed. */
  readonly note?: string;
  /** Only with `keepBodies`. */
  readonly body?: string;
}

/** An e-mail or text message that the real service would have sent. */
export interface Mail {
  readonly userId: string;
  readonly orgId: string;
  readonly to: string;
  readonly by: "mail" | "sms";
  readonly reason:
    | ("initialization" | "email-verification" | "password-changed" | "phone-verification")
    | ("password-reset" | "invitation");
  /** RFC 3339. */
  readonly at: string;
}

/** The answer of an import. */
export interface ImportAnswer {
  readonly errors?: readonly { readonly type: string; readonly id?: string; readonly message: string }[];
  readonly success?: { readonly orgs?: readonly Readonly<Record<string, unknown>>[] };
}

/** A list that may skip an event: the lists of login names, of users, and of what users have. */
export type SkippingList = "login names" | "users" | "metadata" | "links" | "grants" | "memberships";

/** Starts a mock instance and resolves when it answers. Rejects when the port is in use or the seed is invalid. */
export type CreateMockServer = (options?: MockOptions) => Promise<MockServer>;

/** A running mock instance. */
export interface MockServer {
  readonly url: string;
  readonly port: number;
  /** Has the role IAM_OWNER. */
  readonly token: string;
  /** The latest requests, oldest first; at most 1,000. */
  readonly requests: readonly LoggedRequest[];
  /** Every e-mail and text message that the real service would have sent, oldest first. */
  mails(): readonly Mail[];
  addFault(fault: FaultInput): void;
  clearFaults(): void;
  /** Throws for a grant without a user or without roles. */
  addToken(token: string, grant: Grant): void;
  /** Imports organizations in the shape of an export, as an instance import does. */
  importOrgs(orgs: readonly object[]): Promise<ImportAnswer>;
  /** Throws if there is no such user. */
  removeUser(userId: string): void;
  /**
   * Lets a list skip the creation of a user, or the metadata, links, grants or memberships that a user has, as it may do with concurrent
   * writes. Deleting the user ends it, and so do new metadata and a removal of what was skipped.
   */
  skipUser(userId: string, list: SkippingList): void;
  /** Throws if there is no such organization. */
  removeOrg(orgId: string): void;
  /** Empties the instance, its faults and its requests, and seeds it again. */
  reset(): Promise<void>;
  /** Resolves when imports and exports through object storage are done. */
  settled(): Promise<void>;
  /** Waits at most 1 s for requests in flight, then stops. */
  close(): Promise<void>;
}
