import type { ManagementApi } from "../../admin/auth0/management-api.ts";
import { type RetryContext, withRetry } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import type { Ui } from "../../ui/ui.ts";

/** Who talks to a tenant, to people, and to the world. */
export interface FetchCall {
  readonly api: ManagementApi;
  readonly ui: Ui;
  readonly context: Context;
  readonly retry: RetryContext;
}

/** Repeats a call as the retry policy says. All of them can be: an export that was asked for twice is made twice, and changes nothing. */
export function retried<T>({ retry, context }: FetchCall, call: () => Promise<T>): Promise<T> {
  return withRetry(call, retry, context.signal);
}
