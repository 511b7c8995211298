import type { Answer } from "../../admin/call.ts";
import { readInstanceVersion } from "../../admin/version.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { ExportRequest } from "../../contract/export-request.ts";
import { capabilitiesOf } from "../../contract/versions.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import { askingOf, type CallWorld } from "../shared/asking.ts";
import { notOffered } from "../shared/not-offered.ts";
import { withProgress } from "../shared/with-progress.ts";
import type { Unread } from "./by-events/export-by-events.ts";
import { type ExportSink, withRoom } from "./disk-room.ts";
import { type Received, receive } from "./receive.ts";
import type { UsedTransport } from "./request.ts";

/** A received export, its sink and its transport. */
export type Fetched<S> = Received & {
  readonly sink: S;
  readonly transport: UsedTransport;
  /** Fields that the answer has and the export lacks, by their numbers: only over gRPC-Web, which gives no names. */
  readonly droppedFields: readonly string[];
  /** What a rebuilt export lacks; only with the transport "events". */
  readonly unread?: Unread;
};

/**
 * Fetches one export into a new sink, by the first of these transports that can answer with it. Raises api.export-too-large if none can,
 * auth.*, api.*, net.*, output.*.
 */
export async function fetchExport<S extends ExportSink>(
  call: CallWorld,
  request: ExportRequest,
  transports: readonly UsedTransport[],
  createSink: () => S | Promise<S>,
): Promise<Fetched<S>> {
  let isGrpcWebTooSmall = false;
  for (const [at, transport] of transports.entries()) {
    if (transport === "grpc-web" && isGrpcWebTooSmall) continue;
    if (at > 0) call.ui.say(nextLines[transport]);
    try {
      if (transport === "events") return await rebuild(call, request, createSink);
      return await fetchOver(transport, call, request, createSink);
    } catch (error) {
      const isLast = at === transports.length - 1;
      const isOff =
        at > 0 && (transport === "events" ? notOffered(error) !== undefined : isProblem(error, "api.no-grpc-web"));
      if (!isOff && !isProblem(error, "api.too-large")) throw error;
      if (isLast) throw asTooLarge(error, call);
      if (transport === "rest" && transports.includes("events")) isGrpcWebTooSmall = await hasOneLimit(call);
    }
  }
  throw new Error("no transport");
}

/** True for a version that limits the answers of both calls alike (service behaviour 9.7): asking over gRPC-Web is in vain. */
async function hasOneLimit({ api, context }: CallWorld): Promise<boolean> {
  const { rest, grpcWeb } = capabilitiesOf(await readInstanceVersion(api, context.signal)).answerBytes;
  return grpcWeb !== undefined && grpcWeb <= rest;
}

/** What is said when the transport before could not answer with the export. */
const nextLines: Readonly<Record<UsedTransport, string>> = {
  rest: "requesting the export over REST.",
  "grpc-web": "the export is larger than the documented call can answer with: requesting it over gRPC-Web.",
  events: "the service cannot answer with the whole export: rebuilding it from the event log and the lists.",
};

async function fetchOver<S extends ExportSink>(
  transport: Exclude<UsedTransport, "events">,
  call: CallWorld,
  request: ExportRequest,
  createSink: () => S | Promise<S>,
): Promise<Fetched<S>> {
  const { ui, retry, signal } = askingOf(call);
  let received = 0;
  const onBytes = (bytes: number): void => {
    received = bytes;
  };
  const once = async (): Promise<Fetched<S>> => {
    received = 0;
    const droppedFields: string[] = [];
    const answer = await ask(transport, call, request, (field) => droppedFields.push(field));
    return { ...(await receiveInto(answer, call, createSink, onBytes)), transport, droppedFields };
  };
  const fetch = (): Promise<Fetched<S>> => withRetry(once, retry, signal);
  // The service may work for minutes before it sends the first byte.
  return withProgress(ui, "exporting", fetch, { unit: "bytes", amount: () => ({ done: received }) });
}

/** Each of its calls is repeated by itself, so the whole is not. */
async function rebuild<S extends ExportSink>(
  call: CallWorld,
  request: ExportRequest,
  createSink: () => S | Promise<S>,
): Promise<Fetched<S>> {
  const { exportByEvents } = await import("./by-events/export-by-events.ts"); // most exports do without it
  const { answer, unread, close } = await exportByEvents(call, request);
  let written = 0;
  const onBytes = (bytes: number): void => {
    written = bytes;
  };
  try {
    const write = () => receiveInto(answer, call, createSink, onBytes);
    const received = await withProgress(call.ui, "rebuilding the export", write, {
      unit: "bytes",
      amount: () => ({ done: written }),
    });
    return { ...received, transport: "events", droppedFields: [], unread: unread() };
  } finally {
    close();
  }
}

async function receiveInto<S extends ExportSink>(
  answer: Answer,
  { context }: CallWorld,
  createSink: () => S | Promise<S>,
  onBytes: (bytes: number) => void,
): Promise<Received & { readonly sink: S }> {
  const sink = await createSink();
  try {
    return { ...(await receive(answer, withRoom(sink), { context, onBytes })), sink };
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

function ask(
  transport: "rest" | "grpc-web",
  { api, context }: CallWorld,
  request: ExportRequest,
  onUnknown: (field: string) => void,
): Promise<Answer> {
  if (transport === "rest") return api.exportData(request, context.signal);
  return api.exportOverGrpcWeb(request, onUnknown, context.signal);
}

function isProblem(error: unknown, code: RunProblem["code"]): boolean {
  return error instanceof ProblemError && error.problem.code === code;
}

function asTooLarge(cause: unknown, { api }: CallWorld): ProblemError {
  const host = api.address.host;
  const problem = cause instanceof ProblemError && cause.problem.code === "api.too-large" ? cause.problem : undefined;
  const limitBytes = problem?.answerLimitBytes;
  return new ProblemError(
    { code: "api.export-too-large", host, ...(limitBytes === undefined ? {} : { limitBytes }) },
    { cause },
  );
}
