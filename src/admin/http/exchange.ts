import { setMaxListeners } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";

/**
 * The stage of an exchange that failed. "connecting": nothing of the request was sent; from "sent" on, the service may have worked on
 * it; "answering": the answer has begun.
 */
export type Stage = "connecting" | "sent" | "answering";

/** An incomplete exchange. The cause is an error of the connection, or one of the two errors below. */
export class ExchangeFailed extends Error {
  override readonly name = "ExchangeFailed";
  readonly stage: Stage;

  constructor(stage: Stage, cause: unknown) {
    super(stage, { cause });
    this.stage = stage;
  }
}

/** The time limit of the exchange, or of the connection, has passed. */
export class DeadlinePassed extends Error {
  override readonly name = "DeadlinePassed";
}

/** The answer is larger than the limit. */
export class TooManyBytes extends Error {
  override readonly name = "TooManyBytes";
}

export interface ExchangeLimits {
  /** From the start to the end of the answer. */
  readonly answerMs: number;
  /** Size limit of the answer's body. */
  readonly maxBytes: number;
  /** For an answer of any size: each received byte extends the time limit at this rate. A slower download ends. */
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

/** The head of an answer, and the chunks of its body. */
export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Can be read once. Stopping early closes the connection. Raises ExchangeFailed, or the signal's reason. */
  bytes(): AsyncIterable<Buffer>;
}

/** Time limit until the request is sent: for name lookup, connection, proxy and TLS together. */
export const CONNECT_MS = 30_000;
const PAUSE_ABOVE_BYTES = 512 * 1024;
const RESUME_BELOW_BYTES = 128 * 1024;

/**
 * One HTTP exchange with limits on the time until the request is sent, the total time and the size of the answer. It ends at once when
 * the signal is aborted. Raises ExchangeFailed with the stage, and the signal's reason.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<Exchanged> {
  request.signal.throwIfAborted();
  // A job has more concurrent calls than Node's default limit of listeners.
  setMaxListeners(0, request.signal);
  return new Promise((resolve, reject) => {
    const handler = new Exchange(request, { resolve, reject });
    const { origin, pathname, search } = new URL(request.url);
    const { method, headers, body = null } = request;
    try {
      // Both limits of undici are off: they apply only to silence, not to slow answers.
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
    // The exchange failed while it waited for a connection: nothing may be sent now.
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

  /** Waits until the current time limit and checks again: received bytes may have extended it. */
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
      this.fail(new Error("reading stopped"));
    }
  }
}

/** The maximum delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error("exchange failed", { cause });
}
