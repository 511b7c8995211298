import { parseDurationMs } from "../contract/duration.ts";
import { endpoints } from "../contract/endpoints.ts";
import { type EventsRequest, EventsResult } from "../contract/events.ts";
import type { ExportRequest } from "../contract/export-request.ts";
import { ProblemError } from "../problem.ts";
import type { InstanceAddress } from "./address.ts";
import { type Answer, createCall } from "./call.ts";
import { answerLimitMs, connect, type Environment } from "./connection.ts";
import { type Credentials, createTokenSource } from "./credentials.ts";
import { isHtml } from "./refusal.ts";
import type { Redactor } from "./secret.ts";

/** The administration API of one instance. Every failure is raised as a problem (admin/refusal.ts, admin/transport-failure.ts). */
export interface AdminApi {
  readonly address: InstanceAddress;
  readonly redactor: Redactor;
  /** Sends a ready-made import body; the answer is JSON still to be read. Needs IAM_OWNER. */
  importData(body: Buffer, timeoutMs: number, signal: AbortSignal): Promise<Answer>;
  /** Asks for an export; the answer is JSON still to be read. IAM_OWNER_VIEWER is enough (service behaviour 1.7). */
  exportData(body: ExportRequest, signal: AbortSignal): Promise<Answer>;
  /** One page of events; no hits is an empty list. */
  searchEvents(body: EventsRequest, signal: AbortSignal): Promise<EventsResult>;
  close(): Promise<void>;
}

export interface ClientSettings {
  readonly address: InstanceAddress;
  readonly credentials: Credentials;
  readonly redactor: Redactor;
  readonly env: Environment;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}

const SEARCH_MS = 60_000;

export function createClient(settings: ClientSettings): AdminApi {
  const { address, redactor } = settings;
  const connection = connect(address, settings.env);
  for (const secret of connection.secrets) redactor.add(secret);
  const call = createCall({ ...settings, dispatcher: connection.dispatcher });
  const tokens = createTokenSource(settings.credentials, call, redactor);

  async function post(path: string, body: Buffer, limitMs: number, role: string, signal: AbortSignal): Promise<Answer> {
    const attempt = async (): Promise<Answer> => {
      const authorization = `Bearer ${(await tokens.token(signal)).reveal()}`;
      const headers = { authorization, "content-type": "application/json" };
      return call({ path, headers, body, limitMs, role, signal });
    };
    try {
      return await attempt();
    } catch (error) {
      // A granted token may have been revoked or cut short; a fixed one cannot get better.
      const refused = error instanceof ProblemError && error.problem.code === "auth.refused";
      if (refused && tokens.renew()) return attempt();
      throw error;
    }
  }

  return {
    address,
    redactor,
    importData: (body, timeoutMs, signal) =>
      post(endpoints.importData.path, body, answerLimitMs(timeoutMs), "IAM_OWNER", signal),
    exportData: (body, signal) =>
      post(endpoints.exportData.path, json(body), answerLimitMs(parseDurationMs(body.timeout) ?? 0), VIEWER, signal),
    async searchEvents(body, signal) {
      const answer = await post(endpoints.searchEvents.path, json(body), SEARCH_MS, VIEWER, signal);
      return readEvents(answer);
    },
    close: () => connection.close(),
  };
}

const VIEWER = "IAM_OWNER_VIEWER (or IAM_OWNER)";

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

async function readEvents(answer: Answer): Promise<EventsResult> {
  const text = await readWhole(answer);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson(answer, text);
  }
  const read = EventsResult.safeParse(value);
  if (!read.success)
    throw new ProblemError({ code: "api.unexpected", host: answer.host, what: "a list of events of an unknown shape" });
  return read.data;
}

/** A page of 1,000 events holds their payloads, so it may be some megabytes. */
async function readWhole(answer: Answer): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer.bytes()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The problem of an answer that should have been JSON; `text` is its beginning. */
export function notJson({ host, status, contentType }: Answer, text: string): ProblemError {
  return new ProblemError({ code: "api.not-json", host, status, html: isHtml({ contentType, text }) });
}
