import type { AdminApi } from "../../admin/client.ts";
import { pause } from "../../admin/throttle.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import { describe } from "../../problem/describe.ts";
import { duration } from "../../problem/format.ts";
import type { Ui } from "../../ui/ui.ts";

/** The instance's API, the terminal and the world. */
export interface CallWorld {
  readonly api: AdminApi;
  readonly ui: Ui;
  readonly context: Context;
}

/** What a call to an instance needs. */
export interface Asking {
  readonly api: AdminApi;
  readonly retry: RetryContext;
  readonly signal: AbortSignal;
}

/** What the calls of a run need, and where their progress is shown. */
export function askingOf({ api, ui, context }: CallWorld): Asking & { readonly ui: Ui } {
  return { api, ui, retry: createRetry(ui, context), signal: context.signal };
}

/** Waits in real time, unless the context has a clock, and says each pause. */
export function createRetry(ui: Ui, { sleep }: Pick<Context, "sleep">): RetryContext {
  return {
    sleep: sleep ?? pause,
    random: Math.random,
    onPause: (problem, pauseMs) => ui.say(`${describe(problem).message} Trying again in ${duration(pauseMs)}.`),
  };
}
