import { type Dispatcher, request } from "undici";
import { ProblemError } from "../problem.ts";
import type { InstanceAddress } from "./address.ts";
import { refusalProblem } from "./refusal.ts";
import type { Redactor } from "./secret.ts";
import { transportProblem } from "./transport-failure.ts";

/** One POST. */
export interface Outgoing {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How long the service may be silent. */
  readonly limitMs: number;
  /** The role the call needs, for the hint of a 403. */
  readonly role: string;
  readonly signal: AbortSignal;
  /** A call to the token endpoint: its refusals have another shape, and the caller reads them. */
  readonly isGrant?: boolean;
}

/** The answer to a call that was not refused. */
export interface Answer {
  readonly host: string;
  readonly status: number;
  readonly contentType: string;
  /** The service's clock, by its Date header. */
  readonly date: Date | undefined;
  /** The body as it comes; raises net.cut-off and net.timeout. To be read once. */
  bytes(): AsyncIterable<Buffer>;
  /** The whole body as text, at most 4 MiB of it. */
  text(): Promise<string>;
}

/** Sends one POST. Raises a problem for everything but a 2xx answer; the signal's reason when it is aborted. */
export type Call = (outgoing: Outgoing) => Promise<Answer>;

export interface CallSettings {
  readonly address: InstanceAddress;
  readonly dispatcher: Dispatcher;
  readonly redactor: Redactor;
  readonly now: () => Date;
  /** One line per exchange for --verbose: method, address, status, time and sizes; never headers or bodies. */
  readonly log: (line: string) => void;
}

const MAX_TEXT_BYTES = 4 * 2 ** 20;
const MAX_REFUSAL_BYTES = 64 * 1024;

export function createCall(settings: CallSettings): Call {
  return async (outgoing) => {
    const started = performance.now();
    const url = settings.address.base + outgoing.path;
    const answer = await send(url, outgoing, settings);
    const ms = Math.round(performance.now() - started);
    settings.log(`POST ${url} → ${answer.statusCode} in ${ms} ms (${outgoing.body.length} bytes sent)`);
    const received = toAnswer(answer, outgoing, settings);
    const refused = answer.statusCode < 200 || answer.statusCode > 299;
    if (!refused || (outgoing.isGrant === true && answer.statusCode < 402 && answer.statusCode >= 400)) return received;
    const text = await collect(received.bytes(), MAX_REFUSAL_BYTES).catch(() => "");
    throw new ProblemError(
      refusalProblem(
        {
          host: settings.address.host,
          status: answer.statusCode,
          contentType: received.contentType,
          location: header(answer, "location") ?? "",
          retryAfter: header(answer, "retry-after"),
          text,
          role: outgoing.role,
          sentBytes: outgoing.body.length,
        },
        settings.redactor,
        settings.now(),
      ),
    );
  };
}

async function send(url: string, outgoing: Outgoing, settings: CallSettings): Promise<Dispatcher.ResponseData> {
  const { body, headers, limitMs, signal } = outgoing;
  try {
    return await request(url, {
      method: "POST",
      headers: { accept: "application/json", ...headers },
      body,
      dispatcher: settings.dispatcher,
      signal,
      headersTimeout: limitMs,
      bodyTimeout: limitMs,
    });
  } catch (error) {
    throw translated(error, outgoing, settings, false);
  }
}

function toAnswer(data: Dispatcher.ResponseData, outgoing: Outgoing, settings: CallSettings): Answer {
  const { host } = settings.address;
  async function* bytes(): AsyncIterable<Buffer> {
    try {
      for await (const chunk of data.body) yield chunk as Buffer; // undici bodies are byte streams
    } catch (error) {
      throw translated(error, outgoing, settings, true);
    }
  }
  const date = new Date(header(data, "date") ?? "");
  return {
    host,
    status: data.statusCode,
    contentType: header(data, "content-type") ?? "",
    date: Number.isNaN(date.getTime()) ? undefined : date,
    bytes,
    text: () => collect(bytes(), MAX_TEXT_BYTES),
  };
}

function translated(error: unknown, { signal, limitMs }: Outgoing, settings: CallSettings, begun: boolean): unknown {
  if (signal.aborted) return signal.reason;
  const problem = transportProblem(error, settings.address.host, limitMs, begun);
  if (problem === undefined) return error;
  settings.log(`POST ${settings.address.host} → ${problem.code}`);
  return new ProblemError(problem, { cause: error });
}

/** The beginning of a body as text; what is beyond `limit` is not read. */
async function collect(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
  return Buffer.concat(chunks).toString("utf8", 0, limit);
}

function header({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
