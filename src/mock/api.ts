/**
 * What `orgferry/mock` offers to other projects' tests, and nothing else: this file refers to no other, so that its types can be
 * read alone.
 */

/** What the mock follows where the specification is silent or the real service differs from it. */
export type Mimic = "specification" | "v4" | "v2";

/** What a fault can be laid upon. */
export type FaultEndpoint =
  | ("import" | "export" | "events" | "token" | "health" | "jobs")
  | ("connections" | "downloads" | "users" | "sessions" | "orgs" | "grpc-web" | "any");

export type FaultKind =
  | ("latency" | "per-user" | "lag" | "nameless" | "timeout")
  | ("401" | "403" | "404" | "405" | "413" | "429" | "500" | "501" | "502" | "503" | "504")
  | ("reset-before" | "reset-during" | "reset-after" | "truncated" | "half-json" | "not-json" | "trickle")
  | ("failed" | "expired");

/** Something that goes wrong. `orgferry mock --help` says what each fault does. */
export interface FaultInput {
  readonly endpoint: FaultEndpoint;
  readonly fault: FaultKind | number;
  /** Calls it is laid upon; absent: every call. */
  readonly times?: number | string | undefined;
  /** Calls let through before the first one. */
  readonly skip?: number | string | undefined;
  /** Chance per call, decided by a generator that `seed` starts. */
  readonly probability?: number | string | undefined;
  readonly seed?: number | string | undefined;
  /** Milliseconds, or a duration such as "200ms". */
  readonly delay?: number | string | undefined;
  /** Seconds for Retry-After. */
  readonly retryAfter?: number | string | undefined;
  /** The same, told as a date. */
  readonly retryAfterDate?: number | string | undefined;
  /** `timeout`: users made before; `lag`: the newest, not seen yet; `nameless`: the first, without a login name. */
  readonly users?: number | string | undefined;
  /** Bytes that still get through, or bytes a piece. */
  readonly bytes?: number | string | undefined;
  /** A status, but the work is done. */
  readonly handled?: boolean | string | undefined;
}

/** Who calls with a token, and what that may do. */
export interface Grant {
  readonly userId: string;
  /** Such as IAM_OWNER; none: a service user without any role. */
  readonly roles: readonly string[];
  readonly expiresAt?: Date;
  /** false: issued without the audience of the administration API. */
  readonly audience?: boolean;
}

/** Groups of endpoints that a server may lack. */
export type Group = "users" | "orgs" | "grpc-web" | "sessions" | "events";

export type Verifier = "bcrypt" | "argon2" | "pbkdf2" | "scrypt";

/** What an instance starts with. */
export interface SeedInput {
  readonly tokens?: readonly {
    readonly token: string;
    readonly roles?: readonly string[] | undefined;
    readonly userId?: string | undefined;
    readonly userName?: string | undefined;
    /** RFC 3339. */
    readonly expiresAt?: string | undefined;
  }[];
  /** For the client credentials flow. */
  readonly clients?: readonly {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly userId?: string | undefined;
    readonly roles?: readonly string[] | undefined;
    readonly expiresInSeconds?: number | undefined;
  }[];
  /** In the shape of an export. */
  readonly orgs?: readonly { readonly orgId: string; readonly [field: string]: unknown }[];
  readonly instanceIdpIds?: readonly string[] | undefined;
  readonly verifiers?: readonly Verifier[] | undefined;
  readonly without?: Readonly<Partial<Record<Group, 404 | 405 | 501>>> | undefined;
  readonly faults?: readonly FaultInput[] | undefined;
  /** Connections of the source provider; none: the database that every tenant has. */
  readonly sourceConnections?: readonly {
    readonly id: string;
    readonly name: string;
    readonly strategy?: string | undefined;
  }[];
  /** Profiles that the source provider's bulk export gives. */
  readonly sourceUsers?: readonly Readonly<Record<string, unknown>>[];
}

export interface MockOptions {
  /** Keeps state and object storage in this folder; absent: they go away with the server. */
  readonly dataDir?: string;
  /** Default 127.0.0.1: only this machine can call. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The token that may do everything; made up when absent. */
  readonly token?: string;
  readonly seed?: SeedInput;
  readonly faults?: readonly FaultInput[];
  /** Default "specification". */
  readonly mimic?: Mimic;
  /** Groups of endpoints that it answers as if it had them not. */
  readonly without?: Readonly<Partial<Record<Group, 404 | 405 | 501>>>;
  /** What it can check passwords with besides bcrypt, which it hashes with itself; default: nothing, as a new instance. */
  readonly verifiers?: readonly Verifier[];
  /** Largest request, in bytes of its protobuf message; default 4 MiB, as the service. */
  readonly maxRequestBytes?: number;
  /** Largest export and page of events, likewise. */
  readonly maxResponseBytes?: number;
  readonly now?: () => Date;
  /** Keeps request bodies in `requests`: for tests. */
  readonly keepBodies?: boolean;
  /** Told each finished request, secrets left out. */
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Told what happens besides requests. */
  readonly onNote?: (line: string) => void;
}

/** One finished request. Path without query, no header, no token: nothing in it is secret, but for the body tests ask for. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** "reset": the connection was cut. "closed": so it was because the real service's process would have ended here. */
  readonly status: number | "reset" | "closed";
  readonly ms: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Why it was closed. */
  readonly note?: string;
  /** Only with `keepBodies`. */
  readonly body?: string;
}

/** A mail, or a text message, that the real service would have sent. */
export interface Mail {
  readonly userId: string;
  readonly orgId: string;
  readonly to: string;
  readonly by: "mail" | "sms";
  readonly reason: "initialization" | "email-verification" | "password-changed" | "phone-verification";
  /** RFC 3339. */
  readonly at: string;
}

/** The answer of an import. */
export interface ImportAnswer {
  readonly errors?: readonly { readonly type: string; readonly id?: string; readonly message: string }[];
  readonly success?: { readonly orgs?: readonly Readonly<Record<string, unknown>>[] };
}

/** Starts a mock instance and resolves when it answers. Rejects when the port is taken or the seed does not fit. */
export type CreateMockServer = (options?: MockOptions) => Promise<MockServer>;

/** A running mock instance. */
export interface MockServer {
  readonly url: string;
  readonly port: number;
  /** Has the role IAM_OWNER. */
  readonly token: string;
  /** The latest requests, oldest first; at most 1,000. */
  readonly requests: readonly LoggedRequest[];
  /** Every mail that the real service would have sent, oldest first. */
  mails(): readonly Mail[];
  addFault(fault: FaultInput): void;
  clearFaults(): void;
  addToken(token: string, grant: Grant): void;
  /** Puts organizations in, in the shape of an export, as an instance import does. */
  importOrgs(orgs: readonly object[]): Promise<ImportAnswer>;
  removeUser(userId: string): void;
  removeOrg(orgId: string): void;
  /** Empties the instance, seeds it again, forgets faults and requests. */
  reset(): Promise<void>;
  /** Resolves when imports and exports by way of object storage are done. */
  settled(): Promise<void>;
  /** Lets requests in flight finish, for 1 s at most, then stops. */
  close(): Promise<void>;
}
