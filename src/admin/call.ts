import type { Dispatcher } from "undici";
import { ProblemError, type RunProblem } from "../problem.ts";
import type { InstanceAddress } from "./address.ts";
import { type Exchanged, ExchangeFailed, type ExchangeLimits, exchange } from "./http/exchange.ts";
import { transportProblem } from "./http/transport-failure.ts";
import { type Refusal, refusalProblem } from "./refusal.ts";
import type { Clean, Redactor } from "./secret.ts";

/** One call. */
export interface Outgoing {
  /** Default: POST. */
  readonly method?: "GET" | "PUT" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Time limit of the whole exchange. */
  readonly limitMs: number;
  /** The role the call needs, for the hint of a 403. */
  readonly role: string;
  readonly signal: AbortSignal;
  /** true: a call to the token endpoint, whose refusals have another shape. The caller reads them. */
  readonly isGrant?: boolean;
  /** true: the answer may be of any size, and its time limit grows with its size. */
  readonly isDownload?: boolean;
}

/** The answer to a call that was not refused. */
export interface Answer {
  readonly host: string;
  readonly status: number;
  readonly contentType: string;
  /** The service's clock, by its Date header. */
  readonly date: Date | undefined;
  /** A header by its name in small letters. */
  header(name: string): string | undefined;
  /** The chunks of the body, once. Raises net.cut-off, net.broken-answer, net.timeout and api.answer-too-large. */
  bytes(): AsyncIterable<Buffer>;
  /** The whole body as text, at most 4 MiB of it. */
  text(): Promise<string>;
  /** Removes secrets from texts of the answer, including those of its request. */
  readonly clean: Clean;
}

/** Sends one call. Raises a problem for any answer other than 2xx, and the signal's reason when it is aborted. */
export type Call = (outgoing: Outgoing) => Promise<Answer>;

export interface CallSettings {
  readonly address: InstanceAddress;
  readonly dispatcher: Dispatcher;
  readonly redactor: Redactor;
  readonly now: () => Date;
  /** One line per exchange for --verbose: method, address, status, time and sizes; never headers, queries or bodies. */
  readonly log: (line: string) => void;
  /** Waits until the next call may be sent. Raises the signal's reason. */
  readonly turn?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Reads the refusals of a service other than ZITADEL. */
  readonly readRefusal?: (refusal: Refusal, clean: Clean, now: Date) => RunProblem;
}

/** For these statuses the body has the outcome. Without the body the outcome is unknown. */
const OUTCOME_IN_BODY: ReadonlySet<number> = new Set([400, 404, 409, 412]);
const MAX_TEXT_BYTES = 4 * 2 ** 20;
const MAX_REFUSAL_BYTES = 64 * 1024;
/** The service limits a message to 4 MiB of protobuf (service behaviour 0.9, 0.14); its JSON is a few times as long. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
const SLOWEST_DOWNLOAD = 16 * 1024;

export function createCall(settings: CallSettings): Call {
  const readRefusal = settings.readRefusal ?? refusalProblem;
  return async (outgoing) => {
    const { host } = settings.address;
    const { method = "POST", path } = outgoing;
    const url = settings.address.base + path;
    await settings.turn?.(outgoing.signal);
    const started = performance.now();
    const answer = await send(url, outgoing, settings);
    const ms = Math.round(performance.now() - started);
    // A query may hold a signature.
    settings.log(
      `${method} ${url.replace(/\?.*$/s, "")} → ${answer.status} in ${ms} ms (${outgoing.body.length} bytes sent)`,
    );
    const received = toAnswer(answer, outgoing, settings);
    const refused = answer.status < 200 || answer.status > 299;
    if (!refused || (outgoing.isGrant === true && answer.status < 402 && answer.status >= 400)) return received;
    const text = await collect(received.bytes(), MAX_REFUSAL_BYTES).catch((error: unknown) => {
      if (OUTCOME_IN_BODY.has(answer.status)) throw error;
      return "";
    });
    outgoing.signal.throwIfAborted();
    const refusal = {
      host,
      status: answer.status,
      contentType: received.contentType,
      location: received.header("location") ?? "",
      retryAfter: received.header("retry-after"),
      rateLimitReset: received.header("x-ratelimit-reset"),
      text,
      role: outgoing.role,
      sentBytes: outgoing.body.length,
    };
    throw new ProblemError(readRefusal(refusal, received.clean, settings.now()));
  };
}

function limitsOf({ limitMs, isDownload }: Outgoing): ExchangeLimits {
  return isDownload === true
    ? { answerMs: limitMs, maxBytes: Number.POSITIVE_INFINITY, slowestBytesPerSecond: SLOWEST_DOWNLOAD }
    : { answerMs: limitMs, maxBytes: MAX_ANSWER_BYTES };
}

async function send(url: string, outgoing: Outgoing, settings: CallSettings): Promise<Exchanged> {
  const { method = "POST", body, headers, signal } = outgoing;
  const request = {
    method,
    url,
    headers: { accept: "application/json", ...headers },
    body: method === "GET" ? undefined : body,
    limits: limitsOf(outgoing),
    signal,
  };
  try {
    return await exchange(settings.dispatcher, request);
  } catch (error) {
    throw translated(error, outgoing, settings);
  }
}

function toAnswer(answer: Exchanged, outgoing: Outgoing, settings: CallSettings): Answer {
  const header = (name: string): string | undefined => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  async function* bytes(): AsyncIterable<Buffer> {
    try {
      yield* answer.bytes();
    } catch (error) {
      throw translated(error, outgoing, settings);
    }
  }
  const date = new Date(header("date") ?? "");
  return {
    host: settings.address.host,
    status: answer.status,
    contentType: header("content-type") ?? "",
    date: Number.isNaN(date.getTime()) ? undefined : date,
    header,
    bytes,
    text: () => collect(bytes(), MAX_TEXT_BYTES),
    clean: settings.redactor.cleanFor(outgoing.body),
  };
}

function translated(error: unknown, outgoing: Outgoing, settings: CallSettings): unknown {
  if (!(error instanceof ExchangeFailed)) return error;
  const problem = transportProblem(error, settings.address, limitsOf(outgoing));
  if (problem === undefined) return error;
  settings.log(`${outgoing.method ?? "POST"} ${settings.address.host} → ${problem.code}`);
  return new ProblemError(problem, { cause: error });
}

/** The first `limit` bytes of a body as text; the rest is not read. */
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
