import * as z from "zod";
import { removeOrg, removeUser } from "../create-instance.ts";
import { type Answer, jsonAnswer, Refusal, refusalAnswer } from "../http/answer.ts";
import { Fault, parseFault } from "../http/faults.ts";
import type { JsonObject } from "../protojson/json-value.ts";
import type { Call, Instance } from "../state/instance.ts";

/** `GET /_mock/faults`: those in force, with the calls they saw and struck. */
export async function listFaults(_call: Call, { faults }: Instance): Promise<Answer> {
  return jsonAnswer({ faults: faults.list().map((fault): JsonObject => ({ ...fault })) });
}

/** `POST /_mock/faults`: one fault, as JSON or in the flag's form. */
export async function addFault(call: Call, { faults }: Instance): Promise<Answer> {
  const text = Buffer.from(call.body).toString().trim();
  try {
    const fault = text.startsWith("{") ? Fault.parse(JSON.parse(text)) : parseFault(text);
    faults.add(fault);
    return jsonAnswer({ added: { ...fault } });
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : "not a fault";
    return refusalAnswer(new Refusal("invalidArgument", message));
  }
}

/** `DELETE /_mock/faults`. */
export async function clearFaults(_call: Call, { faults }: Instance): Promise<Answer> {
  faults.clear();
  return jsonAnswer({});
}

/** `GET /_mock/requests`: the latest requests, without headers and bodies. */
export async function listRequests(_call: Call, { log }: Instance): Promise<Answer> {
  const requests = log.requests.map(({ body: _body, ...request }): JsonObject => request);
  return jsonAnswer({ requests });
}

/** `POST /_mock/reset`: as it was when it started, without what `--data` kept. */
export async function resetInstance(_call: Call, instance: Instance): Promise<Answer> {
  await instance.refill();
  return jsonAnswer({});
}

/** `POST /_mock/settle`: answers when no work goes on in the background any more. */
export async function settle(_call: Call, { background }: Instance): Promise<Answer> {
  await background.settled();
  return jsonAnswer({});
}

/** `DELETE /_mock/users/{id}`. */
export async function deleteUser(call: Call, instance: Instance): Promise<Answer> {
  removeUser(instance, lastSegment(call.path));
  return jsonAnswer({});
}

/** `DELETE /_mock/orgs/{id}`. */
export async function deleteOrg(call: Call, instance: Instance): Promise<Answer> {
  removeOrg(instance, lastSegment(call.path));
  return jsonAnswer({});
}

function lastSegment(path: string): string {
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
  } catch {
    return "";
  }
}
