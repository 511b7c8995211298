import { type Answer, jsonAnswer, Refusal, refusalAnswer } from "../../http/answer.ts";
import { explainFault, readFault } from "../../http/explain.ts";
import type { JsonObject } from "../../http/json.ts";
import { OWNER } from "../../state/default-org.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { mailsOf } from "../../users/mails.ts";
import { existingOrg, existingUser, removeOrg, removeUser } from "../../users/remove.ts";

/** `GET /_mock/faults`: the faults in force, with the calls that they counted and struck. */
export async function listFaults(_call: Call, { faults }: Instance): Promise<Answer> {
  return jsonAnswer({ faults: faults.list().map((fault): JsonObject => ({ ...fault })) });
}

/** `POST /_mock/faults`: adds a fault, as JSON or in the form of the flag. */
export async function addFault(call: Call, { faults }: Instance): Promise<Answer> {
  try {
    const fault = readFault(Buffer.from(call.body).toString().trim());
    faults.add(fault);
    return jsonAnswer({ added: { ...fault } });
  } catch (error) {
    return refusalAnswer(new Refusal("invalidArgument", explainFault(error)));
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

/** `GET /_mock/mails`: every e-mail and text message that the real service would have sent, with the reason. */
export async function listMails(_call: Call, { store }: Instance): Promise<Answer> {
  return jsonAnswer({ mails: [...mailsOf(store.state)].map((mail): JsonObject => ({ ...mail })) });
}

/** `POST /_mock/reset`: empties the instance, also the state of `--data`, and seeds it again. */
export async function resetInstance(_call: Call, instance: Instance): Promise<Answer> {
  await instance.refill();
  return jsonAnswer({});
}

/** `POST /_mock/settle`: answers when no background work is left. */
export async function settle(_call: Call, { background }: Instance): Promise<Answer> {
  await background.settled();
  return jsonAnswer({});
}

/** `DELETE /_mock/users/{id}`. */
export async function deleteUser(call: Call, instance: Instance): Promise<Answer> {
  const { store } = instance;
  removeUser(store, existingUser(store, call.parameters[0] ?? ""), OWNER);
  return jsonAnswer({});
}

/** `DELETE /_mock/orgs/{id}`. */
export async function deleteOrg(call: Call, instance: Instance): Promise<Answer> {
  const { store } = instance;
  removeOrg(store, existingOrg(store, call.parameters[0] ?? ""), OWNER);
  return jsonAnswer({});
}

/** `GET /`: leads to the console. */
export async function showWay(): Promise<Answer> {
  return { status: 302, headers: { location: "/ui/console", "content-type": "text/plain; charset=utf-8" }, body: "" };
}
