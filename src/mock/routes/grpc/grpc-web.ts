import { type Answer, Refusal, refusalAnswer } from "../../http/answer.ts";
import { messageType } from "../../messages/message-type.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import { exportFor } from "../admin-api/export-call.ts";
import { acceptCaller, tooLargeText } from "../shared/accept.ts";
import { messageHead, messageIn, percentEncoded, trailers } from "./frames.ts";

const CONTENT = "application/grpc-web";

/** `POST /zitadel.…/…` over gRPC-Web: only the export exists; until v4.15 its size has no limit (service behaviour 0.14). */
export async function callGrpcWeb(call: Call, instance: Instance): Promise<Answer> {
  const contentType = headerOf(call, "content-type") ?? "";
  if (![CONTENT, `${CONTENT}+proto`].includes(contentType)) return refusalAnswer(new Refusal("notFound", "Not Found"));
  const [service = "", method = ""] = call.parameters;
  if (service !== "zitadel.admin.v1.AdminService") return refusedEarly(contentType, 12, `unknown service ${service}`);
  if (method !== "ExportData") return refusedEarly(contentType, 12, `unknown method ${method} for service ${service}`);
  const message = messageIn(call.body);
  if (message === "nothing") return refusedEarly(contentType, 2, "EOF");
  if (message === "cut") return refusedEarly(contentType, 2, "unexpected EOF");
  const request = (await messageType("zitadel.admin.v1.ExportDataRequest")).fromBytes(message);
  if (request === undefined) {
    const text = "grpc: error unmarshalling request: proto: cannot parse invalid wire-format data";
    return refusedEarly(contentType, 13, text);
  }
  const headers = { "content-type": contentType };
  try {
    acceptCaller(call, instance, { permission: "iam.read" });
    const { document, type } = await exportFor(request, call, instance);
    const bytes = type.encode(document);
    const { traits, maxResponseBytes } = instance;
    if (traits.limitsGrpcWeb && bytes.length > maxResponseBytes) {
      return refusedEarly(contentType, 8, tooLargeText(bytes.length, maxResponseBytes, traits.tooLargeVerb));
    }
    return { status: 200, headers, body: [messageHead(bytes.length), bytes, trailers()] };
  } catch (error) {
    if (error instanceof Refusal) return { status: 200, headers, body: trailers(error) };
    throw error;
  }
}

/** Refused before a handler: the status is in the headers (probed on v4). */
function refusedEarly(contentType: string, code: number, message: string): Answer {
  const status = { "grpc-status": String(code), "grpc-message": percentEncoded(message) };
  return { status: 200, headers: { "content-type": contentType, ...status }, body: "" };
}
