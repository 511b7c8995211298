import type { ManagementApi } from "../../admin/auth0/management-api.ts";
import { type RetryContext, withRetry } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import type { Ui } from "../../ui/ui.ts";

/** The tenant's API, the terminal and the world. */
export interface FetchCall {
  readonly api: ManagementApi;
  readonly ui: Ui;
  readonly context: Context;
  readonly retry: RetryContext;
}

/** Repeats a call by the retry policy. Every call can be repeated: an export that is requested twice changes nothing. */
export function retried<T>({ retry, context }: FetchCall, call: () => Promise<T>): Promise<T> {
  return withRetry(call, retry, context.signal);
}
