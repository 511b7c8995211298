import { endpoints } from "../../contract/endpoints.ts";
import { showConsole } from "../console/console-page.ts";
import { exportData, importData, listEvents } from "../routes/admin-calls.ts";
import { issueToken } from "../routes/client-credentials.ts";
import * as control from "../routes/control.ts";
import { downloadSourceFile, showSourceJob, startSourceJob } from "../routes/source-provider.ts";
import type { Call, Instance } from "../state/instance.ts";
import { type Answer, jsonAnswer, Refusal, refusalAnswer } from "./answer.ts";
import type { FaultEndpoint } from "./faults.ts";

/** What answers one method and path. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** What faults call it; absent: no fault is laid upon it. */
  readonly endpoint?: FaultEndpoint;
  handle(call: Call, instance: Instance): Promise<Answer>;
}

const exactly = (path: string): RegExp => new RegExp(`^${path.replaceAll(".", "\\.")}/?$`);

const adminRoutes: readonly Route[] = [
  { method: "POST", path: exactly(endpoints.importData.path), endpoint: "import", handle: importData },
  { method: "POST", path: exactly(endpoints.exportData.path), endpoint: "export", handle: exportData },
  { method: "POST", path: exactly(endpoints.searchEvents.path), endpoint: "events", handle: listEvents },
  { method: "POST", path: exactly(endpoints.token.path), endpoint: "token", handle: issueToken },
];

/** `/health`, and the paths of the real service that say whether it lives and is ready. */
const healthRoutes: readonly Route[] = ["/health", "/debug/healthz", "/debug/ready", "/admin/v1/healthz"].map(
  (path) => ({
    method: "GET",
    path: exactly(path),
    endpoint: "health" as const,
    handle: async () => (path === "/admin/v1/healthz" ? jsonAnswer({}) : jsonAnswer({ status: "ok" })),
  }),
);

/** The source provider's side (spec: Source-provider input files). */
const sourceRoutes: readonly Route[] = [
  { method: "POST", path: exactly("/api/v2/jobs/users-exports"), endpoint: "jobs", handle: startSourceJob },
  { method: "GET", path: /^\/api\/v2\/jobs\/[^/]+$/, endpoint: "jobs", handle: showSourceJob },
  { method: "GET", path: /^\/_mock\/downloads\/[^/]+$/, endpoint: "jobs", handle: downloadSourceFile },
];

/** What steers the mock itself, and the page to look at. No fault is laid upon these. */
const controlRoutes: readonly Route[] = [
  { method: "GET", path: exactly("/_mock/faults"), handle: control.listFaults },
  { method: "POST", path: exactly("/_mock/faults"), handle: control.addFault },
  { method: "DELETE", path: exactly("/_mock/faults"), handle: control.clearFaults },
  { method: "GET", path: exactly("/_mock/requests"), handle: control.listRequests },
  { method: "POST", path: exactly("/_mock/reset"), handle: control.resetInstance },
  { method: "POST", path: exactly("/_mock/settle"), handle: control.settle },
  { method: "DELETE", path: /^\/_mock\/users\/[^/]+$/, handle: control.deleteUser },
  { method: "DELETE", path: /^\/_mock\/orgs\/[^/]+$/, handle: control.deleteOrg },
  { method: "GET", path: exactly("/ui/console"), handle: showConsole },
];

const routes: readonly Route[] = [...adminRoutes, ...healthRoutes, ...sourceRoutes, ...controlRoutes];

/**
 * The route of a request, or the answer of the real gateway to one it does not know: 404, and 405 for another method on a
 * known path (service behaviour 2.8).
 */
export function findRoute(method: string, path: string): Route | Answer {
  const here = routes.filter((route) => route.path.test(path));
  if (here.length === 0) return refusalAnswer(new Refusal("notFound", "Not Found"));
  const route = here.find((candidate) => candidate.method === method);
  return route ?? refusalAnswer(new Refusal("unimplemented", "Method Not Allowed"), 405);
}
