import type { FaultEndpoint, FaultInput, FaultKind } from "../api.ts";
import { type Answer, Refusal, refusalAnswer } from "./answer.ts";

/** The keys of a fault that its behaviour reads, parsed. */
interface FaultKeys {
  /** Milliseconds. */
  readonly delay: number;
  readonly users: number;
  readonly bytes?: number | undefined;
}

/** What faults change in the handling of one call. */
export interface CallFaults {
  /** Milliseconds that an import takes for each user. */
  readonly perUserMs: number;
  /** The time limit is reached after that many users. */
  readonly stopAfterUsers?: number;
  /** The job that the call asks for has failed, or its link has expired. */
  readonly isSpoiled: boolean;
  /** Number of the newest users that its reads do not return yet (service behaviour 0.15, 0.26). */
  readonly lagUsers: number;
  /** Number of the oldest users that have no login name in its reads (service behaviour 0.41). */
  readonly namelessUsers: number;
}

/** How the bytes of an answer are sent. */
export interface Delivery {
  readonly body: Uint8Array;
  /** Bytes per piece; absent: one piece. */
  readonly pieceBytes?: number;
  /** Milliseconds between two pieces. */
  readonly delay?: number;
  /** The connection is closed after the bytes, before the answer is complete. */
  readonly closes?: boolean;
}

/** What a fault can do; `exchange` and `send` apply it. */
interface Behaviours {
  /** Milliseconds before the call is handled. */
  readonly wait: (fault: FaultKeys) => number;
  readonly reset: "before" | "during" | "after";
  readonly handling: (fault: FaultKeys, before: CallFaults) => Partial<CallFaults>;
  /** The answer instead of the handler's. */
  readonly status: () => Answer;
  /** The answer that is sent instead, after the handler. */
  readonly replacement: () => Answer;
  readonly delivery: (body: Uint8Array, fault: FaultKeys) => Delivery;
}

type OneOf<All> = { [Key in keyof All]: Pick<All, Key> & Partial<Record<Exclude<keyof All, Key>, never>> }[keyof All];

/** A kind of fault: its line in `orgferry mock --help` ("" for a status), and its only behaviour. */
type FaultRow = OneOf<Behaviours> & { readonly help: string };

const refused = (...refusal: ConstructorParameters<typeof Refusal>) => ({
  help: "",
  status: () => refusalAnswer(new Refusal(...refusal)),
});
const proxyPage = (status: number, title: string) => ({
  help: "",
  status: () => htmlPage(`${status} ${title}`, status),
});

/** All kinds of faults. A kind without a row, a help line or a behaviour does not compile. */
export const faultRows: Readonly<Record<FaultKind, FaultRow>> = {
  "401": refused("unauthenticated", "Errors.Token.Invalid", "AUTH-7fs1e"),
  "403": refused("permissionDenied", "No matching permissions found", "AUTH-5mWD2"),
  "404": refused("notFound", "Not Found"),
  "405": { help: "", status: () => refusalAnswer(new Refusal("unimplemented", "Method Not Allowed"), 405) },
  "413": proxyPage(413, "Request Entity Too Large"),
  "429": refused("resourceExhausted", "Errors.Quota.Access.Exhausted", "QUOTA-vjAy8"),
  "500": refused("internal", "An internal error occurred"),
  "501": refused("unimplemented", "Not Implemented"),
  "502": proxyPage(502, "Bad Gateway"),
  "503": refused("unavailable", "upstream connect error or disconnect/reset before headers"),
  "504": refused("deadlineExceeded", "context deadline exceeded"),
  timeout: {
    help: "the time limit is reached after users=N were created",
    handling: ({ users }) => ({ stopAfterUsers: users }),
  },
  latency: { help: "the answer is delayed by delay=", wait: ({ delay }) => delay },
  "per-user": {
    help: "an import takes delay= for each user",
    handling: ({ delay }, { perUserMs }) => ({ perUserMs: perUserMs + delay }),
  },
  lag: {
    help: "export, users, sessions, orgs lack the newest users=N",
    handling: ({ users }) => ({ lagUsers: Math.max(users, 1) }),
  },
  nameless: {
    help: "users, sessions: the first users=N lack a login name",
    handling: ({ users }) => ({ namelessUsers: Math.max(users, 1) }),
  },
  "reset-before": { help: "the connection is reset before the request is read", reset: "before" },
  "reset-during": { help: "the connection is reset after bytes=N of the request", reset: "during" },
  "reset-after": { help: "the request is processed, then the connection is reset", reset: "after" },
  truncated: {
    help: "closed after bytes=N of the answer (default: half)",
    delivery: (body, { bytes = Math.ceil(body.length / 2) }) => ({
      body: body.subarray(0, Math.min(bytes, Math.max(body.length - 1, 0))),
      closes: true,
    }),
  },
  "half-json": {
    help: "the answer ends in the middle of its document",
    delivery: (body) => ({ body: body.subarray(0, Math.ceil(body.length / 2)) }),
  },
  "not-json": { help: "the answer is a page with status 200", replacement: () => htmlPage("Welcome", 200) },
  trickle: {
    help: "the answer comes in pieces of bytes=N, delay= apart",
    delivery: (body, { bytes = 16, delay }) => ({ body, pieceBytes: Math.max(bytes, 1), delay }),
  },
  failed: { help: "jobs: the export of the source provider fails", handling: () => ({ isSpoiled: true }) },
  expired: { help: "downloads: the link has expired", handling: () => ({ isSpoiled: true }) },
};

export const faultKinds = Object.keys(faultRows) as readonly FaultKind[]; // the keys of that record

/** The endpoints that a fault can strike; "any" is all that a client calls. */
const endpoints = {
  ...{ import: "service", export: "service", events: "service", token: "service", health: "service" },
  ...{
    users: "service",
    sessions: "service",
    orgs: "service",
    instance: "service",
    "grpc-web": "service",
    any: "service",
  },
  ...{ jobs: "Auth0", connections: "Auth0", memberships: "Auth0", downloads: "Auth0" },
} as const satisfies Record<FaultEndpoint, "service" | "Auth0">;

export const faultEndpoints = Object.keys(endpoints) as readonly FaultEndpoint[]; // the keys of that record

/** The form of each key, for the help. */
const keys: Readonly<Record<Exclude<keyof FaultInput, "endpoint" | "fault">, string>> = {
  times: "times=N (default: every call)",
  skip: "skip=N (calls before the first)",
  probability: "probability=0.3",
  seed: "seed=N",
  delay: "delay=200ms",
  retryAfter: "retryAfter=2 (seconds)",
  retryAfterDate: "retryAfterDate=2 (as a date, seconds from now)",
  users: "users=N",
  bytes: "bytes=N",
  handled: "handled=true (a status, but the request was processed)",
};

/** The list of endpoints, kinds and keys in `orgferry mock --help`. */
export function faultHelp(): string {
  const of = (system: string): string => faultEndpoints.filter((name) => endpoints[name] === system).join(", ");
  const statuses = faultKinds.filter((kind) => faultRows[kind].help === "");
  const others = faultKinds.filter((kind) => faultRows[kind].help !== "");
  const column = Math.max(...others.map((kind) => kind.length)) + 2;
  const names = `${of("service")}; Auth0's ${of("Auth0")}`.match(/.{1,67}(?=[,;] |$)[,;]?/g) ?? [];
  return [
    `  endpoint  ${names.map((part) => part.trim()).join("\n            ")}`,
    `  fault     ${statuses.join(" ")}  (a status)`,
    ...others.map((kind) => `            ${kind.padEnd(column)}${faultRows[kind].help}`),
    `  key       ${Object.values(keys).join("\n            ")}`,
  ].join("\n");
}

/** The page of a proxy in front of the service. */
function htmlPage(title: string, status: number): Answer {
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return { status, headers: { "content-type": "text/html" }, body };
}
