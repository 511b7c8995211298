import { setMaxListeners } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";

/**
 * How far an exchange had come when it ended early. "connecting": nothing of the request has left; from "sent" on, the service may have
 * worked on it; "answering": the answer has begun.
 */
export type Stage = "connecting" | "sent" | "answering";

/** An exchange that did not come to its end; the cause is what the connection raised, or one of the two errors below. */
export class ExchangeFailed extends Error {
  override readonly name = "ExchangeFailed";
  readonly stage: Stage;

  constructor(stage: Stage, cause: unknown) {
    super(stage, { cause });
    this.stage = stage;
  }
}

/** The time for the exchange, or for getting a connection, is over. */
export class DeadlinePassed extends Error {
  override readonly name = "DeadlinePassed";
}

/** The answer is larger than anything that is an answer. */
export class TooManyBytes extends Error {
  override readonly name = "TooManyBytes";
}

export interface ExchangeLimits {
  /** From the start to the end of the answer. */
  readonly answerMs: number;
  /** Of the answer's body. */
  readonly maxBytes: number;
  /** For an answer of any size: the time limit grows by what has come at this rate, so that a slow line ends no download, but a drip does. */
  readonly slowestBytesPerSecond?: number;
}

export interface ExchangeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly limits: ExchangeLimits;
  readonly signal: AbortSignal;
}

/** The head of an answer, and its body as it comes. */
export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** To be read once; giving up early closes the connection. Raises ExchangeFailed, or the signal's reason. */
  bytes(): AsyncIterable<Buffer>;
}

/** Until the request can be written: a name, a connection, a proxy and TLS, one after the other. */
export const CONNECT_MS = 30_000;
const PAUSE_ABOVE_BYTES = 512 * 1024;
const RESUME_BELOW_BYTES = 128 * 1024;

/**
 * One HTTP exchange with a bound on everything: the time until the request leaves, the time as a whole, the size of the answer. It ends
 * at once when the signal is aborted, whatever the connection is waiting for, and knows whether the request may have been seen.
 * Raises ExchangeFailed; the signal's reason when that is aborted.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<Exchanged> {
  request.signal.throwIfAborted();
  // A job has more calls under way than Node thinks reasonable for one signal.
  setMaxListeners(0, request.signal);
  return new Promise((resolve, reject) => {
    const handler = new Exchange(request, { resolve, reject });
    const { origin, pathname, search } = new URL(request.url);
    const { method, headers, body = null } = request;
    try {
      // Both of undici's own limits are off: they know silence only, and a byte now and then is none.
      dispatcher.dispatch(
        {
          origin,
          path: pathname + search,
          method: method as Dispatcher.HttpMethod,
          headers,
          body,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      );
    } catch (error) {
      handler.fail(error);
    }
  });
}

interface Settled {
  resolve(answer: Exchanged): void;
  reject(error: unknown): void;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: ExchangeRequest;
  readonly #head: Settled;
  readonly #started = performance.now();
  #stage: Stage = "connecting";
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  #failure: unknown;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #receivedBytes = 0;
  #wake: () => void = () => {};

  constructor(request: ExchangeRequest, head: Settled) {
    this.#request = request;
    this.#head = head;
    request.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#arm();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for its connection: not a byte of it may leave now.
    if (this.#over) controller.abort(asError(this.#failure));
    else this.#stage = "sent";
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#over) return;
    this.#stage = "answering";
    this.#head.resolve({ status, headers, bytes: () => this.#bytes() });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > this.#request.limits.maxBytes) {
      this.fail(new TooManyBytes());
      return;
    }
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (this.#queuedBytes > PAUSE_ABOVE_BYTES) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#finish();
    this.#wake();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** Ends the exchange, once. */
  fail(cause: unknown): void {
    if (this.#over) return;
    const { signal } = this.#request;
    this.#failure = signal.aborted ? signal.reason : new ExchangeFailed(this.#stage, cause);
    this.#finish();
    this.#controller?.abort(asError(cause));
    this.#head.reject(this.#failure);
    this.#wake();
  }

  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.fail(this.#request.signal.reason);

  /** Waits for the nearest limit, and looks again there: it may have moved on. */
  #arm(): void {
    const left = this.#msLeft();
    if (left <= 0) this.fail(new DeadlinePassed());
    else this.#timer = setTimeout(() => this.#arm(), Math.min(left, MAX_TIMER_MS));
  }

  #msLeft(): number {
    const { answerMs, slowestBytesPerSecond } = this.#request.limits;
    const bonusMs = slowestBytesPerSecond === undefined ? 0 : (this.#receivedBytes / slowestBytesPerSecond) * 1000;
    const limitMs = this.#stage === "connecting" ? Math.min(CONNECT_MS, answerMs) : answerMs + bonusMs;
    return this.#started + limitMs - performance.now();
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.#queue.shift();
        if (chunk !== undefined) {
          yield chunk;
          this.#queuedBytes -= chunk.length;
          if (!this.#over && this.#queuedBytes < RESUME_BELOW_BYTES) this.#controller?.resume();
        } else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#over) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.fail(new Error("nobody reads on"));
    }
  }
}

/** What a timer of Node can wait for. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error("given up", { cause });
}
