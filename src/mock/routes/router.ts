import { endpoints } from "../../contract/endpoints.ts";
import type { FaultEndpoint, Group } from "../api.ts";
import { showConsole } from "../console/console-page.ts";
import { setFault } from "../console/set-fault.ts";
import { type Answer, jsonAnswer, Refusal, refusalAnswer } from "../http/answer.ts";
import { faultRows } from "../http/fault-kinds.ts";
import type { Handler, Instance } from "../state/instance.ts";
import { listEvents } from "./admin-api/event-search.ts";
import { exportData } from "./admin-api/export-call.ts";
import { importData } from "./admin-api/import-call.ts";
import { removableObjects, removablePolicies, removeObject, removePolicy } from "./admin-api/object-removals.ts";
import { changeState, objectStates, removeProject } from "./admin-api/object-states.ts";
import {
  addOrganization,
  deleteOwnOrg,
  searchMembers,
  searchOrganizations,
  searchOrgs,
  showOrg,
} from "./admin-api/org-calls.ts";
import {
  orgLists,
  policyPaths,
  searchGrants,
  searchList,
  showFlow,
  showPolicy,
  showText,
} from "./admin-api/org-lists.ts";
import { controls, showWay } from "./control/control.ts";
import { callGrpcWeb } from "./grpc/grpc-web.ts";
import { issueToken } from "./instance/client-credentials.ts";
import {
  healthAnswers,
  listPermissions,
  showConfiguration,
  showInstance,
  showNotificationPolicy,
  showUserInfo,
} from "./instance/well-known.ts";
import { createSession } from "./sessions/create-session.ts";
import { issueSourceToken, withToken } from "./source/access.ts";
import { listConnections } from "./source/connections.ts";
import { listMembers, listOrganizations, listRoles, listRoleUsers } from "./source/memberships.ts";
import { downloadSourceFile, showSourceJob, startSourceJob } from "./source/source-provider.ts";
import { bareChanges, changeWithoutBody, deleteUser } from "./users/bare-changes.ts";
import { belongings, removeBelonging } from "./users/belongings.ts";
import { createHuman } from "./users/create-human.ts";
import { setEmail } from "./users/email.ts";
import { addUserLink, searchLinks } from "./users/links.ts";
import { deleteMetadata, deleteMetadataInBulk, searchMetadata, setMetadata } from "./users/metadata.ts";
import { setPassword } from "./users/password.ts";
import { listUsers, searchViews, showUser } from "./users/read-users.ts";
import { updateHuman } from "./users/update-human.ts";

/** The handler of one method and path. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Its name for faults; absent: no fault strikes it. */
  readonly endpoint?: FaultEndpoint;
  /** Its group of endpoints. */
  readonly group?: Group;
  /** The path is one of the mock's own: `/_mock/…` or the console. */
  readonly isControl?: boolean;
  /** Exists only where the instance has user metadata. */
  readonly needsUserMetadata?: boolean;
  readonly handle: Handler;
}

/** A route with the parameters in its path. */
export interface Found {
  readonly route: Route;
  readonly parameters: readonly string[];
}

/** `{}` stands for one part of the path. */
function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("{}", "([^/]+)")}$`);
}

function route(method: string, path: string, handle: Handler, more: Partial<Route> = {}): Route {
  return { method, path: pattern(path), handle, ...more };
}

const orgs = { endpoint: "orgs", group: "orgs" } as const;
const users = { endpoint: "users", group: "users" } as const;
const metadata = { ...users, needsUserMetadata: true } as const;
const own = { isControl: true } as const;

const routes: readonly Route[] = [
  // The endpoints of the specification.
  route("POST", endpoints.importData.path, importData, { endpoint: "import" }),
  route("POST", endpoints.exportData.path, exportData, { endpoint: "export" }),
  route("POST", endpoints.searchEvents.path, listEvents, { endpoint: "events", group: "events" }),
  route("POST", endpoints.token.path, issueToken, { endpoint: "token" }),
  // Other endpoints of the real service (service behaviour 0).
  route("POST", "/admin/v1/orgs/_search", searchOrgs, orgs),
  route("GET", "/admin/v1/orgs/{}", showOrg, orgs),
  route("POST", endpoints.instanceMembers.path, searchMembers, orgs),
  route("POST", endpoints.ownPermissions.path, listPermissions),
  route("GET", "/admin/v1/instances/me", showInstance, { endpoint: "instance" }),
  route("POST", "/v2/organizations/_search", searchOrganizations, orgs),
  route("POST", "/v2/organizations", addOrganization, orgs),
  route("DELETE", "/management/v1/orgs/me", deleteOwnOrg, orgs),
  ...Object.entries(orgLists).map(([path, list]) => route("POST", `/management/v1${path}`, searchList(list), orgs)),
  route("POST", endpoints.userGrants.path, searchGrants, orgs),
  ...policyPaths.map((path) => route("GET", `/management/v1/policies/${path}`, showPolicy(path), orgs)),
  route("GET", "/management/v1/text/login/{}", showText, orgs),
  route("GET", "/management/v1/text/message/{}/{}", showText, orgs),
  route("GET", "/management/v1/flows/{}", showFlow, orgs),
  route("POST", "/v2/users/human", createHuman, users),
  route("PUT", "/v2/users/human/{}", updateHuman, users),
  route("POST", endpoints.searchViews.path, searchViews, users),
  route("POST", "/v2/users", listUsers, users),
  route("GET", "/v2/users/{}", showUser, users),
  route("DELETE", "/v2/users/{}", deleteUser, users),
  ...Object.entries(bareChanges).map(([name, change]) =>
    route(change.method ?? "POST", `/v2/users/{}/${name}`, changeWithoutBody(change), users),
  ),
  route("POST", "/v2/users/{}/password", setPassword, users),
  route("POST", "/v2/users/{}/email", setEmail, users),
  route("POST", "/v2/users/{}/links", addUserLink, users),
  route("POST", "/v2/users/{}/links/_search", searchLinks, users),
  route("POST", "/v2/users/{}/metadata", setMetadata, metadata),
  route("DELETE", "/v2/users/{}/metadata", deleteMetadata, metadata),
  route("POST", "/v2/users/{}/metadata/search", searchMetadata, metadata),
  route("POST", `${endpoints.olderUsers.path}/{}/metadata/_bulk`, setMetadata, users),
  route("DELETE", `${endpoints.olderUsers.path}/{}/metadata/_bulk`, deleteMetadataInBulk, users),
  ...Object.entries(belongings).map(([path, kind]) =>
    route("DELETE", `/management/v1${path}`, removeBelonging(kind), users),
  ),
  route("DELETE", "/management/v1/projects/{}", removeProject, orgs),
  ...Object.entries(removableObjects).map(([path, kind]) =>
    route("DELETE", `/management/v1${path}`, removeObject(kind), orgs),
  ),
  ...Object.entries(removablePolicies).map(([path, missing]) =>
    route("DELETE", `/management/v1/policies/${path}`, removePolicy(path, missing), orgs),
  ),
  ...Object.entries(objectStates).flatMap(([path, kind]) => [
    route("POST", `/management/v1${path}/_deactivate`, changeState(kind, "deactivated"), orgs),
    route("POST", `/management/v1${path}/_reactivate`, changeState(kind, "reactivated"), orgs),
  ]),
  route("GET", endpoints.userInfo.path, showUserInfo, users),
  route("GET", endpoints.notificationPolicy.path, showNotificationPolicy, users),
  route("POST", "/v2/sessions", createSession, { endpoint: "sessions", group: "sessions" }),
  {
    method: "POST",
    path: /^\/(zitadel[\w.]*)\/(\w+)$/,
    handle: callGrpcWeb,
    endpoint: "grpc-web",
    group: "grpc-web",
  },
  ...Object.entries(healthAnswers).map(([path, answer]) =>
    route("GET", path, async () => answer, { endpoint: "health" }),
  ),
  route("GET", "/.well-known/openid-configuration", showConfiguration, { endpoint: "token" }),
  // Endpoints of the source provider (spec: Source-provider input files).
  route("POST", "/api/v2/jobs/users-exports", withToken(startSourceJob), { endpoint: "jobs" }),
  route("GET", "/api/v2/jobs/{}", withToken(showSourceJob), { endpoint: "jobs" }),
  route("GET", "/api/v2/connections", withToken(listConnections), { endpoint: "connections" }),
  route("GET", "/api/v2/organizations", withToken(listOrganizations), { endpoint: "memberships" }),
  route("GET", "/api/v2/organizations/{}/members", withToken(listMembers), { endpoint: "memberships" }),
  route("GET", "/api/v2/roles", withToken(listRoles), { endpoint: "memberships" }),
  route("GET", "/api/v2/roles/{}/users", withToken(listRoleUsers), { endpoint: "memberships" }),
  route("GET", "/_mock/downloads/{}", downloadSourceFile, { endpoint: "downloads" }),
  route("POST", "/oauth/token", issueSourceToken, { endpoint: "token" }),
  // Endpoints of the mock itself. No fault strikes them.
  ...Object.entries(controls).map(([name, control]) => {
    const [method = "", path = ""] = name.split(" ");
    return route(method, path, async (call, instance) => jsonAnswer((await control(call, instance)) ?? {}), own);
  }),
  route("GET", "/ui/console", showConsole, own),
  route("POST", "/ui/console/faults", setFault, own),
  route("GET", "/", showWay, own),
];

/** Whether a path is one of the mock's own, known or not. */
export function isControlPath(path: string): boolean {
  return path === "/" || path.startsWith("/_mock/") || path.startsWith("/ui/");
}

/**
 * The route of a request, or the answer of the real gateway to an unknown one: 404, and 405 for another method on a known path
 * (service behaviour 0.21). A slash in an id separates parts of the path, also when it is encoded (probed on v4).
 */
export function findRoute(method: string, path: string, instance: Instance): Found | Answer {
  const known = isControlPath(path) ? path.replace(/(.)\/$/, "$1") : decoded(path);
  const { hasUserMetadata } = instance.traits;
  const existing = routes.filter(({ needsUserMetadata }) => needsUserMetadata !== true || hasUserMetadata);
  const here = existing.filter((candidate) => candidate.path.test(known));
  if (here.length === 0) return refusalAnswer(new Refusal("notFound", "Not Found"));
  const found = here.find((candidate) => candidate.method === method);
  if (found === undefined) return refusalAnswer(new Refusal("unimplemented", "Method Not Allowed"), 405);
  return missingAnswer(found, instance) ?? { route: found, parameters: parametersOf(found, known) };
}

/** The answer of an instance that does not have this group of endpoints. */
function missingAnswer({ group }: Route, { missing }: Instance): Answer | undefined {
  const status = group === undefined ? undefined : missing[group];
  return status === undefined ? undefined : faultRows[`${status}`].status?.();
}

function parametersOf({ path, isControl }: Route, known: string): readonly string[] {
  const caught = path.exec(known)?.slice(1) ?? [];
  return isControl === true ? caught.map(decoded) : caught;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
