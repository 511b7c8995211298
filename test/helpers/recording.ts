import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** One recorded call (fixtures/recordings/README.md). */
export interface Recorded {
  readonly name: string;
  readonly note?: string;
  readonly request: RecordedRequest;
  /** The connection was closed without an answer. */
  readonly closed?: true;
  readonly status?: number;
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly response?: unknown;
  /** Everything that is not told here is as in the call of that name in another file. */
  readonly like?: string;
  /** The answer is that of an earlier call of the file. */
  readonly sameAs?: string;
  /** A text that is no JSON. */
  readonly text?: string;
  /** The answer was cut when it was recorded: what was whole of it, lists shortened. */
  readonly begins?: unknown;
  /** The answer was not kept at all: its length in characters. */
  readonly leftOut?: number;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** Whose token it bears; absent: the instance's owner. */
  readonly as?: string;
  /** Absent: application/json. null: none. */
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly base64?: string;
  readonly made?: MadeBody;
}

/** A body that is too large to keep: how it is made. */
export type MadeBody =
  | { readonly plain: number; readonly timeout: string }
  | { readonly large: number }
  | { readonly spaces: number }
  | { readonly metadata: number }
  | { readonly values: "k" | "l" }
  | { readonly gzip: true };

const HASH = "$2b$10$abcdefghijklmnopqrstuuM1NmTCB1Wc9MzZ0IYiSbJIE3Z1fsbhG";

/** The calls of one file, in their order. */
export function recording(name: string): readonly Recorded[] {
  const calls = linesOf(name).map((call) => (call.like === undefined ? call : { ...named(call, call.like), ...call }));
  const byName = new Map(calls.map((call) => [call.name, call]));
  return calls.map((call) =>
    call.sameAs === undefined ? call : { ...call, response: byName.get(call.sameAs)?.response },
  );
}

function named({ name }: Recorded, file: string): Recorded | undefined {
  return recording(file).find((call) => call.name === name);
}

function linesOf(name: string): readonly Recorded[] {
  const path = fileURLToPath(new URL(`../../fixtures/recordings/${name}.ndjson`, import.meta.url));
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Recorded); // the README of that folder tells the form
}

/** The bytes that were sent; undefined: no body. JSON is spaced as the recorder's was, since answers tell columns of it. */
export function bodyOf({ body, text, base64, made }: RecordedRequest): Buffer | undefined {
  if (text !== undefined) return Buffer.from(text);
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  if (made !== undefined) return madeBody(made);
  return body === undefined ? undefined : Buffer.from(spaced(body));
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`)
    .join(", ")}}`;
}

function madeBody(made: MadeBody): Buffer {
  if ("plain" in made) return importBody([{ orgId: "rec-org-1", humanUsers: plainUsers(made.plain) }], made.timeout);
  if ("large" in made) {
    return importBody([{ orgId: "rec-size", org: { name: "Size" }, humanUsers: largeUsers(made.large) }]);
  }
  if ("spaces" in made) {
    const spaces = " ".repeat(made.spaces * 500_000);
    return Buffer.from(`${spaces}${importBody([]).toString()}${spaces}`);
  }
  if ("metadata" in made) {
    const userMetadata = metadataOf("auth0|a1", made.metadata);
    return importBody([{ orgId: "rec-meta", org: { name: "Meta" }, userMetadata }]);
  }
  if ("gzip" in made) return gzipSync(importBody([]));
  return importBody([bigOrg(made.values)]);
}

function importBody(orgs: readonly object[], timeout = "1m"): Buffer {
  return Buffer.from(JSON.stringify({ dataOrgs: { orgs }, timeout }));
}

function person(userId: string, name: string, user: object = {}) {
  const email = { email: `${name}@example.com`, isEmailVerified: true };
  const profile = { firstName: `First${name}`, lastName: `Last${name}` };
  return { userId, user: { userName: `${name}@example.com`, profile, email, ...user } };
}

function plainUsers(count: number) {
  return Array.from({ length: count }, (_, index) =>
    person(`auth0|g${index}`, `g${index}`, { hashedPassword: { value: HASH } }),
  );
}

/** About 1 KB each: four names of 200 characters. The service's own count of their bytes shows that they were like this. */
function largeUsers(count: number) {
  const long = "n".repeat(200);
  const profile = { firstName: long, lastName: long, nickName: long, displayName: long };
  return Array.from({ length: count }, (_, index) =>
    person(`auth0|z${index}`, `z${index}`, { profile, hashedPassword: { value: HASH } }),
  );
}

function metadataOf(id: string, bytes: number) {
  const values: object[] = [];
  for (let left = bytes; left > 0; left -= 490_000) {
    const value = Buffer.alloc(Math.min(left, 490_000), "x").toString("base64");
    values.push({ id, key: `m${String(values.length).padStart(2, "0")}`, value });
  }
  return values;
}

function bigOrg(letter: "k" | "l") {
  const value = Buffer.alloc(490_000, "x").toString("base64");
  const userMetadata = Array.from({ length: 6 }, (_, index) => ({ id: "big", key: `${letter}${index}`, value }));
  if (letter === "l") return { orgId: "rec-big", userMetadata };
  return { orgId: "rec-big", org: { name: "Big" }, humanUsers: [person("big", "big")], userMetadata };
}
