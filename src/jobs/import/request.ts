import { withRetry } from "../../admin/with-retry.ts";
import { parseDurationMs } from "../../contract/duration.ts";
import type { Failure } from "../../core/transfer/answer/batch-result.ts";
import { toOutcome } from "../../core/transfer/answer/outcome.ts";
import { fold, JobState } from "../../core/transfer/job-state.ts";
import { counted } from "../../problem/format.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { summaryLines } from "../../ui/summary/import-summary.ts";
import { askingOf } from "../shared/asking.ts";
import type { ImportRun, ImportWorld } from "./import-run.ts";
import type { Rejects } from "./outcome/rejects.ts";
import { allowMessages } from "./plan/messages.ts";
import { DEFAULT_TIMEOUT, type Plan } from "./plan/plan.ts";
import { probeRights } from "./plan/probe.ts";
import type { ImportSettings } from "./settings.ts";
import { readResult } from "./ways/read-result.ts";

/** The service refuses larger bodies (service behaviour 2.9). */
const MAX_BODY_BYTES = 8 * 2 ** 20;

/** Sends a body of a variant that is not cut into batches, unchanged except for a missing or overridden `timeout`. */
export async function sendInput(run: ImportRun, plan: Plan, rejects: Rejects): Promise<ExitCode> {
  const { input, context, settings } = run;
  const { timeout } = settings.calls;
  if (input.bytes > MAX_BODY_BYTES) {
    throw new ProblemError({ code: "api.too-large", host: run.api.address.host, sentBytes: input.bytes });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of input.read({ start: 0, end: input.bytes })) chunks.push(Buffer.from(chunk));
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>; // scanned: an object
  context.signal.throwIfAborted();
  const request = timeout === undefined ? body : { ...body, timeout };
  const code = await sendRequest(run, input.path, request, settings, (failure) => rejects.failure(failure, input));
  if (!settings.dryRun) await rejects.commit([], plan);
  return code;
}

/**
 * Sends one request as it is and reports what is known of its outcome: the variants that read object storage answer `{}` at once, and
 * only the service's own log has their result (service behaviour 2.7).
 */
export async function sendRequest(
  { api, ui, report, context }: ImportWorld,
  file: string,
  request: Readonly<Record<string, unknown>>,
  settings: ImportSettings,
  onFailure: (failure: Failure) => void = () => {},
): Promise<ExitCode> {
  const body = { timeout: DEFAULT_TIMEOUT, ...request };
  const timeoutMs = typeof body.timeout === "string" ? parseDurationMs(body.timeout) : undefined;
  if (timeoutMs === undefined) throw new ProblemError({ code: "input.bad-timeout", file });
  await allowMessages(undefined, settings, { api, ui, report, context });
  const asking = askingOf({ api, ui, context });
  if (settings.dryRun) {
    await probeRights(asking);
    ui.say("dry run: the token may import; nothing was sent.");
    return exitCodes.done;
  }
  let calls = 0;
  const call = async (): ReturnType<typeof readResult> => {
    calls += 1;
    const answer = await api.importData(Buffer.from(JSON.stringify(body)), timeoutMs, context.signal);
    return readResult(answer, { items: [] }, { orgs: [] });
  };
  const result = await withRetry(call, asking.retry, context.signal);
  const outcome = toOutcome(result, { whose: () => "theirs", failOnExisting: settings.failOn.existing });
  const state = new JobState();
  const lists = { made: [], unknown: [], open: [], carried: [], failures: [...outcome.failures] };
  fold(state, { kind: "done", from: 0, to: 0, way: "import", users: 0, ...outcome, ...lists });
  const { saidSomething } = result;
  report.set({
    calls,
    outcome: saidSomething ? "known" : "unknown",
    otherObjects: outcome.others,
    failures: state.failures,
  });
  const none = { read: 0, sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0, notSent: 0, skipped: 0 };
  for (const line of summaryLines(none, state, (line) => ({ file, line }), new Map(), {
    breaches: [],
    hashes: new Map(),
  }).slice(2))
    ui.say(line);
  if (state.failed > 0) report.why(`${counted(state.failed, "item")} of the request failed.`);
  for (const failure of outcome.failures) onFailure(failure);
  if (saidSomething) return state.failed > 0 ? exitCodes.partial : exitCodes.done;
  ui.say("The instance accepted the request and processes it. Only the instance's own log has the result:");
  ui.say("check there, or compare later with: orgferry verify <the export file> --by export");
  return exitCodes.done;
}
