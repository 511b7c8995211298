import type { Answer } from "../../admin/call.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { ExportRequest } from "../../contract/export-request.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import { createRetry } from "../shared/asking.ts";
import { withProgress } from "../shared/with-progress.ts";
import { type ExportSink, withRoom } from "./disk-room.ts";
import { type ExportCall, type Received, receive } from "./receive.ts";
import type { Transport } from "./request.ts";

/** A received export, its sink and its transport. */
export type Fetched<S> = Received & { readonly sink: S; readonly transport: "rest" | "grpc-web" };

/**
 * Fetches one export into a new sink. If the export exceeds the 4 MiB that the documented call can answer with, "auto" requests it over
 * gRPC-Web. Raises auth.*, api.*, net.*.
 */
export async function fetchExport<S extends ExportSink>(
  call: ExportCall,
  request: ExportRequest,
  transport: Transport,
  createSink: () => S | Promise<S>,
): Promise<Fetched<S>> {
  const over = (how: Fetched<S>["transport"]): Promise<Fetched<S>> =>
    fetchOver(how, call, request, createSink).catch((error) => {
      // Over gRPC-Web, only an answer has a limit below that of a whole export.
      throw how === "grpc-web" && isProblem(error, "api.too-large") ? asTooLarge(error, call) : error;
    });
  if (transport === "grpc-web") return over("grpc-web");
  try {
    return await over("rest");
  } catch (error) {
    if (!isProblem(error, "api.too-large")) throw error;
    if (transport === "rest") throw asTooLarge(error, call);
    call.ui.say("the export is larger than the documented call can answer with: requesting it over gRPC-Web.");
    return await over("grpc-web").catch((second) => {
      throw isProblem(second, "api.no-grpc-web") ? asTooLarge(second, call) : second;
    });
  }
}

async function fetchOver<S extends ExportSink>(
  transport: Fetched<S>["transport"],
  call: ExportCall,
  request: ExportRequest,
  createSink: () => S | Promise<S>,
): Promise<Fetched<S>> {
  const { ui, context } = call;
  let received = 0;
  const onBytes = (bytes: number): void => {
    received = bytes;
  };
  const once = async (): Promise<Fetched<S>> => {
    received = 0;
    const answer = await ask(transport, call, request);
    const sink = await createSink();
    try {
      return { ...(await receive(answer, withRoom(sink), { context, onBytes })), sink, transport };
    } catch (error) {
      await sink.discard();
      throw error;
    }
  };
  const fetch = (): Promise<Fetched<S>> => withRetry(once, createRetry(ui, context), context.signal);
  // The service may work for minutes before it sends the first byte.
  return withProgress(ui, "exporting", fetch, { unit: "bytes", amount: () => ({ done: received }) });
}

function ask(
  transport: "rest" | "grpc-web",
  { api, ui, context }: ExportCall,
  request: ExportRequest,
): Promise<Answer> {
  if (transport === "rest") return api.exportData(request, context.signal);
  const onUnknown = (field: string): void =>
    ui.warn(
      `the export has ${field}, which this version of orgferry does not know and drops; a newer version may know it.`,
    );
  return api.exportOverGrpcWeb(request, onUnknown, context.signal);
}

function isProblem(error: unknown, code: RunProblem["code"]): boolean {
  return error instanceof ProblemError && error.problem.code === code;
}

function asTooLarge(cause: unknown, { api }: ExportCall): ProblemError {
  const host = api.address.host;
  const problem = cause instanceof ProblemError && cause.problem.code === "api.too-large" ? cause.problem : undefined;
  const limitBytes = problem?.answerLimitBytes;
  return new ProblemError(
    { code: "api.export-too-large", host, ...(limitBytes === undefined ? {} : { limitBytes }) },
    { cause },
  );
}
