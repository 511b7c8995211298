import { createHash } from "node:crypto";
import type { Answer } from "../../admin/call.ts";
import { type AdminApi, notJson } from "../../admin/client.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import type { ExportRequest } from "../../contract/export-request.ts";
import { createBodyScanner } from "../../core/document/body-scan.ts";
import type { ScanCounts } from "../../core/document/scan-types.ts";
import type { Sink } from "../../io/output/sink.ts";
import { ProblemError } from "../../problem.ts";
import { bytes } from "../../ui/format.ts";
import type { Ui } from "../../ui/ui.ts";
import { createRetry } from "../shared/create-retry.ts";

/** What an export holds. */
export interface Exported {
  readonly counts: ScanCounts;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** Where an export goes: made anew for each attempt, thrown away by the caller's `discard` when an attempt fails. */
export interface ExportSink extends Sink {
  discard(): void | Promise<void>;
}

const NO_COUNTS: ScanCounts = {
  orgs: 0,
  users: 0,
  machineUsers: 0,
  withHash: 0,
  withOtp: 0,
  mails: 0,
  sms: 0,
  invalidUsers: 0,
  otherFaults: 0,
};

/**
 * Fetches an export into a sink in one pass and constant memory, and checks that it is one complete JSON document.
 * Raises auth.*, api.*, net.*.
 */
export async function fetchExport<S extends ExportSink>(
  { api, ui, context }: { readonly api: AdminApi; readonly ui: Ui; readonly context: Context },
  request: ExportRequest,
  createSink: () => S | Promise<S>,
): Promise<Exported & { readonly sink: S }> {
  const once = async (): Promise<Exported & { readonly sink: S }> => {
    const answer = await api.exportData(request, context.signal).catch(asTooLarge);
    const sink = await createSink();
    try {
      return { ...(await receive(answer, sink, ui)), sink };
    } catch (error) {
      await sink.discard();
      throw error;
    }
  };
  return withRetry(once, createRetry(ui, context), context.signal);
}

async function receive(answer: Answer, sink: Sink, ui: Ui): Promise<Exported> {
  const { host } = answer;
  const scanner = createBodyScanner({ file: host, onFault() {} });
  const hash = createHash("sha256");
  const progress = ui.progress("exporting");
  let size = 0;
  let beginning = "";
  try {
    for await (const chunk of answer.bytes()) {
      if (beginning.length < 200) beginning += chunk.toString("latin1", 0, 200);
      hash.update(chunk);
      scanner.push(chunk);
      await sink.write(chunk);
      size += chunk.length;
      progress.update(() => bytes(size));
    }
    // Nothing to export is an empty list, which the service leaves out of its answer.
    const isEmpty = size < 200 && /^\s*\{\s*\}\s*$/.test(beginning);
    return { counts: isEmpty ? NO_COUNTS : scanner.end().counts, bytes: size, sha256: hash.digest("hex") };
  } catch (error) {
    throw asAnswerProblem(error, answer, beginning);
  } finally {
    progress.stop();
  }
}

/** What the scan says about a file, said about an answer. */
function asAnswerProblem(error: unknown, answer: Answer, beginning: string): unknown {
  if (!(error instanceof ProblemError) || !error.problem.code.startsWith("input.")) return error;
  const { host } = answer;
  if (error.problem.code === "input.unclosed" && beginning.trim() !== "")
    return new ProblemError({ code: "net.cut-off", host });
  if (error.problem.code === "input.malformed" || error.problem.code === "input.unclosed")
    return notJson(answer, beginning);
  return new ProblemError({ code: "api.unexpected", host, what: "JSON that is not an export" }, { cause: error });
}

function asTooLarge(error: unknown): never {
  if (error instanceof ProblemError && error.problem.code === "api.too-large") {
    throw new ProblemError({ code: "api.export-too-large", host: error.problem.host }, { cause: error });
  }
  throw error;
}
