import { at, type Fields, fields, list, text } from "./kinds.ts";
import type { Refused, TrueEvent, Truth } from "./truth.ts";

/** What an endpoint says, before anything is done to it. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  /** The organization that a call names in its header, "" for none. */
  readonly orgId: string;
  readonly text: string;
}

export interface AnswerSettings {
  readonly hasUsersApi: boolean;
  readonly tellsEvents: boolean;
  readonly tellsOrgs: boolean;
}

export type EndpointName = "import" | "export" | "events" | "orgs" | "users" | "grpc" | "other";

export function endpointOf({ path }: Pick<Asked, "path">): EndpointName {
  if (path === "/admin/v1/import") return "import";
  if (path === "/admin/v1/export") return "export";
  if (path === "/admin/v1/events/_search") return "events";
  if (path === "/admin/v1/orgs/_search") return "orgs";
  if (path.startsWith("/v2/users")) return "users";
  return path.startsWith("/zitadel.admin.v1.AdminService/") ? "grpc" : "other";
}

const refusal = (status: number, code: number, message: string): PlainAnswer => ({ status, body: { code, message } });
const forbidden = refusal(403, 7, "No matching permissions found (AUTH-5mWD2)");

/** What a sound instance answers; `most` things of an import are done, when it is stopped in the midst. */
export function answer(truth: Truth, asked: Asked, settings: AnswerSettings, most?: number): PlainAnswer {
  const endpoint = endpointOf(asked);
  const body = endpoint === "grpc" ? {} : parsed(asked.text);
  switch (endpoint) {
    case "import": {
      const result = truth.import(body, most);
      return isRefused(result) ? refusal(result.status, result.code, result.message) : { status: 200, body: result };
    }
    case "export":
      return { status: 200, body: exported(truth, body) };
    case "events":
      return settings.tellsEvents ? { status: 200, body: { events: search(truth, body) } } : forbidden;
    case "orgs":
      return settings.tellsOrgs ? { status: 200, body: { result: orgPage(truth, body) } } : forbidden;
    case "users":
      return settings.hasUsersApi ? users(truth, asked, body) : refusal(404, 5, "Not Found");
    default:
      return refusal(404, 5, "Not Found");
  }
}

function isRefused(result: object): result is Refused {
  return "status" in result;
}

function parsed(body: string): Fields {
  try {
    return fields(JSON.parse(body));
  } catch {
    return {};
  }
}

/** Events as they are asked for; 1,000 at most (service behaviour 0.19). */
export function search(truth: Truth, body: Fields): unknown[] {
  const types = list(body, "eventTypes").map(String);
  const kindsOf = list(body, "aggregateTypes").map(String);
  const isAsc = body["asc"] === true;
  const since = momentOf(at(body, "range", "since"));
  const until = momentOf(at(body, "range", "until"));
  const from = momentOf(body["from"]);
  const sequence = Number(text(body, "sequence") || Number.NaN);
  const wanted = truth.events.filter((event) => {
    if (types.length > 0 && !types.includes(event.type)) return false;
    if (kindsOf.length > 0 && !kindsOf.some((kind) => event.type.startsWith(`${kind}.`))) return false;
    if (text(body, "aggregateId") !== "" && event.id !== text(body, "aggregateId")) return false;
    if (text(body, "resourceOwner") !== "" && event.orgId !== text(body, "resourceOwner")) return false;
    if (from !== undefined && (isAsc ? event.atMs <= from : event.atMs >= from)) return false;
    if (since !== undefined && event.atMs <= since) return false;
    if (until !== undefined && event.atMs >= until) return false;
    return Number.isNaN(sequence) || (isAsc ? event.sequence > sequence : event.sequence < sequence);
  });
  const limit = Math.min(Number(body["limit"] ?? 100) || 100, 1_000);
  return (isAsc ? wanted : wanted.reverse()).slice(0, limit).map(toEvent);
}

function momentOf(value: unknown): number | undefined {
  return typeof value === "string" ? Date.parse(value) : undefined;
}

function toEvent({ type, id, orgId, sequence, atMs, payload, isSetup }: TrueEvent): unknown {
  return {
    editor: { userId: isSetup ? "" : "admin", service: "Admin-API" },
    aggregate: { id, resourceOwner: orgId, type: { type: type.split(".")[0] } },
    sequence: String(sequence),
    creationDate: new Date(atMs).toISOString(),
    payload,
    type: { type },
  };
}

function orgPage({ orgs }: Truth, body: Fields): unknown[] {
  const start = Number(text(body, "query", "offset") || 0);
  const limit = Number(text(body, "query", "limit") || 100);
  return [...orgs]
    .filter(([, { isRemoved }]) => !isRemoved)
    .slice(start, start + limit)
    .map(([id, { name }]) => ({ id, name, state: "ORG_STATE_ACTIVE" }));
}

function exported(truth: Truth, body: Fields): unknown {
  const asked = list(body, "orgIds").map(String);
  const orgs = [...truth.orgs].filter(([id, org]) => !org.isRemoved && (asked.length === 0 || asked.includes(id)));
  if (orgs.length === 0) return {};
  return { orgs: orgs.map(([orgId, { name }]) => ({ orgId, org: { name }, ...listsOf(truth, orgId, body) })) };
}

function listsOf(truth: Truth, orgId: string, body: Fields): Record<string, unknown[]> {
  const lists: Record<string, unknown[]> = {};
  for (const user of truth.users.values()) {
    if (user.orgId !== orgId) continue;
    const people = lists["humanUsers"] ?? [];
    lists["humanUsers"] = people;
    people.push({
      userId: user.id,
      user: {
        userName: user.userName,
        profile: { firstName: "A", lastName: "B", displayName: "A B" },
        email: { email: user.email, isEmailVerified: user.isVerified },
        ...(at(body, "withPasswords") === true && user.hash !== "" ? { hashedPassword: { value: user.hash } } : {}),
        ...(at(body, "withOtp") === true && user.otps[0] !== undefined ? { otpCode: user.otps[0] } : {}),
      },
      state: "USER_STATE_ACTIVE",
    });
  }
  for (const { entry, orgId: owner, list: name } of truth.othersWithList()) {
    if (owner !== orgId) continue;
    const all = lists[name] ?? [];
    lists[name] = all;
    all.push(entry);
  }
  return lists;
}

/** The users API (service behaviour 0.3, 0.28). */
function users(truth: Truth, { method, path }: Asked, body: Fields): PlainAnswer {
  const [, id = "", action = ""] = /^\/v2\/users\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
  if (path === "/v2/users/human" && method === "POST") return addUser(truth, body);
  const user = truth.users.get(decodeURIComponent(id));
  if (user === undefined) return refusal(404, 5, "User could not be found (QUERY-Dfbg2)");
  if (method !== "GET") return { status: 200, body: { details: {}, done: action } };
  const made = truth.events.find((event) => event.id === user.id && event.type === "user.human.added");
  const details = made === undefined ? {} : { creationDate: new Date(made.atMs).toISOString() };
  return { status: 200, body: { user: { userId: user.id, details } } };
}

function addUser(truth: Truth, body: Fields): PlainAnswer {
  if (body["profile"] === undefined) return refusal(400, 3, "invalid AddHumanUserRequest.Profile: value is required");
  const id = text(body, "userId");
  const orgId = text(body, "organization", "orgId");
  const userName = text(body, "username");
  if (!truth.orgs.has(orgId)) return refusal(403, 7, "Organisation doesn't exist (AUTH-Bs7Ds)");
  if (id !== "" && truth.has(["user", id])) {
    return refusal(400, 9, "Errors.User.AlreadyExisting (COMMAND-7yiox1isql)");
  }
  if (truth.names.has(userName.toLowerCase())) return refusal(409, 6, "User already exists (V3-DKcYh)");
  const hash = text(body, "hashedPassword", "hash");
  const entry = {
    userId: id,
    user: {
      userName,
      profile: { firstName: text(body, "profile", "givenName"), lastName: text(body, "profile", "familyName") },
      email: { email: text(body, "email", "email"), isEmailVerified: at(body, "email", "isVerified") === true },
      ...(hash === "" ? {} : { hashedPassword: { value: hash } }),
    },
  };
  const made = truth.addUser(entry, orgId);
  if (at(body, "email", "isVerified") === true) truth.verify(made);
  if (text(body, "totpSecret") !== "") truth.addOtp(made, text(body, "totpSecret"), true);
  for (const metadata of list(body, "metadata")) truth.addMetadata(made, orgId, text(metadata, "key"), metadata);
  return { status: 200, body: { userId: made, details: { sequence: String(truth.events.length) } } };
}
