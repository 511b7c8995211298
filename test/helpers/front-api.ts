import { onTestFinished } from "vitest";
import { parseAddress } from "../../src/admin/address.ts";
import { type AdminApi, createClient } from "../../src/admin/client.ts";
import { createRedactor, Secret } from "../../src/admin/secret.ts";
import type { EventsRequest } from "../../src/contract/events.ts";
import type { ExportRequest } from "../../src/contract/export-request.ts";
import { startFront } from "./front.ts";
import { startMock } from "./start-mock.ts";

/** Answers in place of the mock's, by endpoint: for logs and exports that the mock cannot be brought to. */
export interface FrontAnswers {
  readonly events?: (request: EventsRequest) => unknown;
  readonly export?: (request: ExportRequest) => unknown;
  readonly orgs?: () => unknown;
  readonly userinfo?: () => unknown;
  readonly views?: () => unknown;
  /** Gets the body as text. */
  readonly import?: (body: string) => string;
}

const endpoints: readonly (readonly [path: string, name: Exclude<keyof FrontAnswers, "import">])[] = [
  ["/admin/v1/events/_search", "events"],
  ["/admin/v1/export", "export"],
  ["/admin/v1/orgs/_search", "orgs"],
  ["/oidc/v1/userinfo", "userinfo"],
  ["/admin/v1/views/_search", "views"],
];

/** The client of a mock, some of whose answers are replaced. */
export async function startFrontApi(answers: FrontAnswers): Promise<AdminApi> {
  const mock = await startMock();
  const url = await startFront(mock, (path, body) => {
    if (path === "/admin/v1/import" && answers.import !== undefined)
      return { status: 200, body: answers.import(body.toString()) };
    const name = endpoints.find(([end]) => path === end)?.[1];
    const answer = name === undefined ? undefined : answers[name];
    return answer === undefined ? undefined : { status: 200, body: answer(JSON.parse(body.toString() || "{}")) };
  });
  const api = createClient({
    address: parseAddress(url, "target", false),
    credentials: { kind: "token", token: new Secret(mock.token) },
    redactor: createRedactor(),
    env: {},
    now: () => new Date(),
    log: () => {},
  });
  onTestFinished(() => api.close());
  return api;
}
