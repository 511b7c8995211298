import type * as z from "zod";
import { parseDurationMs } from "../contract/duration.ts";
import { endpoints } from "../contract/endpoints.ts";
import { type EventsRequest, EventsResult } from "../contract/events.ts";
import type { ExportRequest } from "../contract/export-request.ts";
import { type OrgSearchRequest, OrgSearchResult } from "../contract/orgs.ts";
import { type UserSearchRequest, UserSearchResult } from "../contract/users.ts";
import { ProblemError } from "../problem.ts";
import type { InstanceAddress } from "./address.ts";
import { type Answer, createCall, type Outgoing } from "./call.ts";
import { type Credentials, createTokenSource, withToken } from "./credentials.ts";
import { answerLimitMs, connect, type Environment } from "./http/connection.ts";
import { isHtml } from "./refusal.ts";
import type { Redactor } from "./secret.ts";

/** The administration API of one instance. Every failure is raised as a problem (admin/refusal.ts, admin/http/transport-failure.ts). */
export interface AdminApi {
  readonly address: InstanceAddress;
  readonly redactor: Redactor;
  /** Sends an import body; the answer is JSON. Needs IAM_OWNER. */
  importData(body: Buffer, timeoutMs: number, signal: AbortSignal): Promise<Answer>;
  /** Requests an export; the answer is JSON. IAM_OWNER_VIEWER is enough (service behaviour 1.7). */
  exportData(body: ExportRequest, signal: AbortSignal): Promise<Answer>;
  /**
   * Requests the same export over gRPC-Web, whose answer may be of any size; it is JSON as well. `onUnknown` is called once for each
   * unknown field, which the answer does not contain. Also raises api.no-grpc-web.
   */
  exportOverGrpcWeb(body: ExportRequest, onUnknown: (field: string) => void, signal: AbortSignal): Promise<Answer>;
  /** One page of events, empty without a match. */
  searchEvents(body: EventsRequest, signal: AbortSignal): Promise<EventsResult>;
  /** One page of organizations, empty after the last one. */
  searchOrgs(body: OrgSearchRequest, signal: AbortSignal): Promise<OrgSearchResult>;
  /** One page of users, and their total if the instance reports it. */
  searchUsers(body: UserSearchRequest, signal: AbortSignal): Promise<UserSearchResult>;
  /** Any other call, which is not part of the specification. */
  request(call: ApiCall, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** A call that not every instance supports. */
export interface ApiCall {
  readonly method?: "GET" | "PUT" | "DELETE";
  readonly path: string;
  /** JSON. */
  readonly body: Buffer;
  /** The organization of the call, if no id in the path determines it. */
  readonly orgId?: string;
  /** The role the call needs, for the hint of a 403. */
  readonly role: string;
}

/** What the connection to a host needs. */
export interface HostSettings {
  readonly address: InstanceAddress;
  readonly redactor: Redactor;
  readonly env: Environment;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}

export interface ClientSettings extends HostSettings {
  readonly credentials: Credentials;
  /** Time limit of one call by the command line, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** true: that is the limit of every small call, however short it is. */
  readonly isExact?: boolean | undefined;
  /** The role that the command needs: a refusal names it, also of a call that needs less. */
  readonly role?: string | undefined;
  /** Waits until the next call may be sent (admin/throttle.ts). */
  readonly turn?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Bounds of the time limit for a call that the service answers at once. */
const SMALL_CALL_MS = { least: 5_000, most: 60_000 };

export function createClient(settings: ClientSettings): AdminApi {
  const { address, redactor } = settings;
  const connection = connect(address, settings.env);
  for (const secret of connection.secrets) redactor.add(secret);
  const smallCallMs = Math.min(
    Math.max(settings.timeoutMs ?? SMALL_CALL_MS.most, settings.isExact === true ? 1 : SMALL_CALL_MS.least),
    SMALL_CALL_MS.most,
  );
  const call = createCall({ ...settings, dispatcher: connection.dispatcher });
  const tokens = createTokenSource(settings.credentials, call, redactor, smallCallMs);

  const send = (request: ApiCall & Pick<Outgoing, "limitMs" | "isDownload">, signal: AbortSignal): Promise<Answer> =>
    // Refusals are read, so they must come in one language.
    withToken(
      tokens,
      (authorization) =>
        call({
          ...request,
          role: settings.role ?? request.role,
          headers: {
            authorization,
            "content-type": "application/json",
            "accept-language": "en",
            ...(request.orgId === undefined ? {} : { "x-zitadel-orgid": request.orgId }),
          },
          signal,
        }),
      signal,
    );

  const search = (path: string, body: object, signal: AbortSignal): Promise<Answer> =>
    send({ path, body: json(body), limitMs: smallCallMs, role: VIEWER }, signal);

  return {
    address,
    redactor,
    importData: (body, timeoutMs, signal) =>
      send({ path: endpoints.importData.path, body, limitMs: answerLimitMs(timeoutMs), role: "IAM_OWNER" }, signal),
    exportData: (body, signal) =>
      send(
        {
          path: endpoints.exportData.path,
          body: json(body),
          limitMs: exportLimitMs(body),
          role: VIEWER,
          isDownload: true,
        },
        signal,
      ),
    async exportOverGrpcWeb(body, onUnknown, signal) {
      const { callExport } = await import("./grpc-web/call-export.ts");
      const limitMs = exportLimitMs(body);
      return withToken(
        tokens,
        (authorization) =>
          callExport({ body, authorization, limitMs, role: VIEWER, signal }, { call, onUnknown, now: settings.now }),
        signal,
      );
    },
    async searchEvents(body, signal) {
      const answer = await search(endpoints.searchEvents.path, body, signal);
      return readJson(answer, EventsResult, "a list of events of an unknown shape");
    },
    async searchOrgs(body, signal) {
      const answer = await search(endpoints.searchOrgs.path, body, signal);
      return readJson(answer, OrgSearchResult, "a list of organizations of an unknown shape");
    },
    async searchUsers(body, signal) {
      const answer = await search(endpoints.searchUsers.path, body, signal);
      return readJson(answer, UserSearchResult, "a list of users of an unknown shape");
    },
    request: (request, signal) => send({ ...request, limitMs: smallCallMs }, signal),
    close: () => connection.close(),
  };
}

/** The role that reads. */
export const VIEWER = "IAM_OWNER_VIEWER (or IAM_OWNER)";

function exportLimitMs({ timeout }: ExportRequest): number {
  return answerLimitMs(parseDurationMs(timeout) ?? 0);
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** The body of an answer by its schema. Raises api.not-json, and api.unexpected for another shape. */
export async function readJson<T extends z.ZodType>(answer: Answer, schema: T, otherwise: string): Promise<z.infer<T>> {
  const text = await readWhole(answer);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson(answer, text);
  }
  const read = schema.safeParse(value);
  if (!read.success) throw new ProblemError({ code: "api.unexpected", host: answer.host, what: otherwise });
  return read.data;
}

/** A page of 1,000 events includes their payloads and may be some megabytes. */
async function readWhole(answer: Answer): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer.bytes()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The problem of an answer that should have been JSON; `text` is its beginning. */
export function notJson({ host, status, contentType }: Answer, text: string): ProblemError {
  return new ProblemError({ code: "api.not-json", host, status, html: isHtml({ contentType, text }) });
}
