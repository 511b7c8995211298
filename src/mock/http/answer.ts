import { grpcCodes } from "../../contract/grpc-codes.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** A body as a whole or in pieces. */
export type AnswerBody = string | Uint8Array | Iterable<string | Uint8Array>;

/** One HTTP answer, without faults. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
}

/** The other members of a details entry, besides id and message. */
export interface ErrorDetail {
  readonly type: string;
  readonly more: JsonObject;
}

/** Thrown when a whole call is refused; `id` becomes the details entry, "" one without an id (service behaviour 2.8). */
export class Refusal extends Error {
  readonly kind: keyof typeof grpcCodes;
  readonly id: string | undefined;
  readonly detail: ErrorDetail | undefined;

  constructor(kind: keyof typeof grpcCodes, message: string, id?: string, detail?: ErrorDetail) {
    super(message);
    this.name = "Refusal";
    this.kind = kind;
    this.id = id;
    this.detail = detail;
  }
}

/** Thrown when the real service's process would end (service behaviour 0.1, 0.16); the connection closes without an answer. */
export class ProcessEnd extends Error {
  override readonly name = "ProcessEnd";
}

/** A JSON answer, without the members that are undefined. */
export function jsonAnswer(value: JsonValue | readonly JsonObject[], status = 200): Answer & { readonly body: string } {
  return { status, body: JSON.stringify(value) };
}

/** Thrown for an error that is not the service's own, such as an invalid message or a deadline; versions word it differently. */
export class LibraryError extends Refusal {}

/** How a version words the errors of libraries. */
export interface LibraryWords {
  readonly hidesLibraryErrors: boolean;
  readonly detailsTimeErrors: boolean;
}

/** A refusal in the words of a version. The APIs of version 2 never hide the code. */
export function worded(refusal: Refusal, path: string, words: LibraryWords): Refusal {
  if (!(refusal instanceof LibraryError)) return refusal;
  const { kind, message } = refusal;
  if (kind === "unknown") return words.detailsTimeErrors ? new Refusal(kind, message, "") : refusal;
  if (!words.hidesLibraryErrors || !/^\/(?:admin|management)\/v1\//.test(path)) return refusal;
  const code = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return new Refusal("unknown", `rpc error: code = ${code} desc = ${message}`, "");
}

/** The text of a refusal: its message, and its id in brackets. */
export function refusalText({ message, id }: Refusal): string {
  return id === undefined ? message : `${message} (${id})`;
}

/** `{"code","message","details"}` of a refused call (service behaviour 2.8). `status` overrides the standard mapping. */
export function refusalAnswer(refusal: Refusal, status?: number): Answer {
  const { code, status: standard } = grpcCodes[refusal.kind];
  const details = detailsOf(refusal);
  const text = refusalText(refusal);
  const answer = jsonAnswer({ code, message: text, ...(details === undefined ? {} : { details }) }, status ?? standard);
  return refusal.kind === "unauthenticated" ? { ...answer, headers: { "www-authenticate": text } } : answer;
}

function detailsOf({ id, message, detail }: Refusal): JsonObject[] | undefined {
  if (id === undefined) return undefined;
  const type = `type.googleapis.com/zitadel.v1.${detail?.type ?? "ErrorDetail"}`;
  return [{ "@type": type, ...(id === "" ? {} : { id }), message, ...detail?.more }];
}

/** An error of the service's command layer; without an id: the unchanged text of a library. */
export interface ServiceFault {
  readonly id?: string;
  readonly key: string;
  readonly parent?: string;
}

const TAKEN = 'ERROR: duplicate key value violates unique constraint "unique_constraints_pkey" (SQLSTATE 23505)';

/** The fault of an object that breaks a unique constraint of the instance (service behaviour 0.5; recordings 20, 36, 49). */
export function taken(key: string): ServiceFault {
  return { id: "V3-DKcYh", key, parent: TAKEN };
}

/** The text that Go prints: raw, never localized (service behaviour 2.2). */
export function faultText(
  { id, key, parent }: ServiceFault,
  { namesParents }: { readonly namesParents: boolean },
): string {
  if (id === undefined) return key;
  return `ID=${id} Message=${key}${parent === undefined || !namesParents ? "" : ` Parent=(${parent})`}`;
}
