import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { type JsonObject, type JsonValue, valueAt } from "../../http/json.ts";

/** How many entries a list answers at once. */
export interface PageLimits {
  /** Without a limit in the request; absent: all. */
  readonly usual?: number;
  /** Absent: as many as the request asks for. */
  readonly most?: number;
}

/** One page of the entries that a request found, and the numbers in its answer. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly limit: number;
  /** `totalResult`, which is omitted where it is 0. */
  readonly total: JsonObject;
}

/** The answer of a search. */
export function listAnswer(details: JsonObject, result: readonly JsonObject[]): Answer {
  return jsonAnswer({ details, ...(result.length === 0 ? {} : { result: [...result] }) });
}

/** Reads `offset` and `limit` of a request's `query` or `pagination`. */
export function pageOf<Entry>(
  found: readonly Entry[],
  asked: JsonValue | undefined,
  limits: PageLimits = {},
): Page<Entry> {
  const { usual = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY } = limits;
  const offset = Number(valueAt(asked, "offset") ?? 0);
  const limit = Math.min(Number(valueAt(asked, "limit") ?? 0) || usual, most);
  const total: JsonObject = found.length === 0 ? {} : { totalResult: String(found.length) };
  return { entries: found.slice(offset, offset + limit), limit, total };
}
