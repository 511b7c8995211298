import { endpoints } from "../../contract/endpoints.ts";
import type { ExportRequest } from "../../contract/export-request.ts";
import { ProblemError } from "../../problem.ts";
import type { Answer, Call } from "../call.ts";
import { refusalProblem } from "../refusal.ts";
import { loadProtobuf, type ProtobufLibrary, toExportJson } from "./export-json.ts";
import { type GrpcStatus, httpStatusOf, toFrame, unframed } from "./frames.ts";
import { BrokenMessage } from "./message-reader.ts";

export interface ExportCall {
  readonly body: ExportRequest;
  readonly authorization: string;
  readonly limitMs: number;
  readonly role: string;
  readonly signal: AbortSignal;
}

export interface ExportCallSettings {
  readonly call: Call;
  readonly onUnknown: (field: string) => void;
  readonly now: () => Date;
}

const CONTENT_TYPE = "application/grpc-web+proto";

/**
 * Requests an export over gRPC-Web (service behaviour 0.14). Raises as the documented call; api.no-grpc-web if the instance does not
 * support it, api.unexpected if the answer is no export.
 */
export async function callExport(request: ExportCall, settings: ExportCallSettings): Promise<Answer> {
  const { body, authorization, ...rest } = request;
  const library = await loadProtobuf();
  const frame = toFrame(encode(body, library));
  const headers = { authorization, accept: CONTENT_TYPE, "content-type": CONTENT_TYPE, "x-grpc-web": "1" };
  const { path } = endpoints.exportOverGrpcWeb;
  const answer = await settings.call({ ...rest, path, headers, body: frame, isDownload: true }).catch(asMissing);
  if (!answer.contentType.startsWith("application/grpc-web")) {
    throw new ProblemError({ code: "api.no-grpc-web", host: answer.host });
  }
  const message = unframed(answer, (status) => checkStatus(status, answer, request, settings));
  const chunks = asProblems(toExportJson(message, library, settings.onUnknown), answer);
  // A refusal has HTTP status 200 and is known only at the end of its answer. A refused token must be known now.
  const first = await chunks.next();
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      if (first.done !== true) yield first.value;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  }
  return {
    ...answer,
    contentType: "application/json",
    bytes,
    text: () => Promise.reject(new Error("the answer is too large for a text")),
  };
}

function encode(
  body: ExportRequest,
  { fromJsonString, toBinary, ExportDataRequestSchema }: ProtobufLibrary,
): Uint8Array {
  return toBinary(ExportDataRequestSchema, fromJsonString(ExportDataRequestSchema, JSON.stringify(body)));
}

function checkStatus(
  { code, message }: GrpcStatus,
  { host, clean }: Answer,
  { role }: ExportCall,
  { now }: ExportCallSettings,
): void {
  if (code === 0) return;
  const refusal = {
    host,
    status: httpStatusOf(code),
    contentType: "",
    location: "",
    retryAfter: undefined,
    text: JSON.stringify({ code, message }),
    role,
    sentBytes: 0,
  };
  throw new ProblemError(refusalProblem(refusal, clean, now()));
}

async function* asProblems(chunks: AsyncGenerator<Buffer>, answer: Answer): AsyncGenerator<Buffer, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof BrokenMessage)) throw error;
    const what = "a message that is no export";
    throw new ProblemError({ code: "api.unexpected", host: answer.host, what }, { cause: error });
  }
}

/** A proxy in front of the instance may support only the documented calls. */
const MISSING = new Set([405, 415, 501]);

function asMissing(error: unknown): never {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  const isMissing = problem?.code === "api.rejected" && MISSING.has(problem.status);
  if (problem?.code !== "api.not-an-instance" && !isMissing) throw error;
  throw new ProblemError({ code: "api.no-grpc-web", host: problem.host }, { cause: error });
}
