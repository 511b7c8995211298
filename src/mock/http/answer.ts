import { grpcCodes } from "../../contract/service-error.ts";
import type { JsonObject } from "../protojson/json-value.ts";

/** One HTTP answer, before any fault is laid upon it. A body given as an iterable is streamed. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Iterable<string>;
}

/** Thrown where a whole call is refused; `id` becomes the details entry (service behaviour 2.8). */
export class Refusal extends Error {
  readonly kind: keyof typeof grpcCodes;
  readonly id: string | undefined;

  constructor(kind: keyof typeof grpcCodes, message: string, id?: string) {
    super(message);
    this.name = "Refusal";
    this.kind = kind;
    this.id = id;
  }
}

/** A JSON answer. */
export function jsonAnswer(value: JsonObject, status = 200): Answer {
  return { status, body: JSON.stringify(value) };
}

/** `{"code","message","details"}` of a refused call (service behaviour 2.8). `status` overrides the standard mapping. */
export function refusalAnswer({ kind, message, id }: Refusal, status?: number): Answer {
  const { code, status: standard } = grpcCodes[kind];
  const details =
    id === undefined ? undefined : [{ "@type": "type.googleapis.com/zitadel.v1.ErrorDetail", id, message }];
  const text = id === undefined ? message : `${message} (${id})`;
  return jsonAnswer({ code, message: text, ...(details === undefined ? {} : { details }) }, status ?? standard);
}
