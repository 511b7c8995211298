import { type Answer, Refusal } from "../../http/answer.ts";
import { explainFault, readFault } from "../../http/explain.ts";
import type { JsonObject } from "../../http/json.ts";
import { OWNER } from "../../state/default-org.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { mailsOf } from "../../users/mails.ts";
import { existingOrg, existingUser, removeOrg, removeUser } from "../../users/remove.ts";

/** Returns the answer of a call; nothing: `{}`. Raises Refusal. */
type Control = (call: Call, instance: Instance) => JsonObject | void | Promise<void>;

/** The calls of the mock itself, by method and path. */
export const controls: Readonly<Record<string, Control>> = {
  /** The faults in force, with the calls that they counted and struck. */
  "GET /_mock/faults": (_call, { faults }) => ({ faults: faults.list().map((fault) => ({ ...fault })) }),
  "POST /_mock/faults": addFault,
  "DELETE /_mock/faults": (_call, { faults }) => faults.clear(),
  /** The latest requests, without headers and bodies. */
  "GET /_mock/requests": (_call, { log }) => ({
    requests: log.requests.map(({ body: _body, ...request }) => request),
  }),
  /** Every e-mail and text message that the real service would have sent, with the reason. */
  "GET /_mock/mails": (_call, { store }) => ({ mails: mailsOf(store.state).map((mail) => ({ ...mail })) }),
  /** Empties the instance, also the state of `--data`, and seeds it again. */
  "POST /_mock/reset": (_call, instance) => instance.refill(),
  /** Answers when no background work is left. */
  "POST /_mock/settle": (_call, { background }) => background.settled(),
  "DELETE /_mock/users/{}": ({ parameters: [id = ""] }, { store }) => removeUser(store, existingUser(store, id), OWNER),
  "DELETE /_mock/orgs/{}": ({ parameters: [id = ""] }, { store }) => removeOrg(store, existingOrg(store, id), OWNER),
};

/** Adds a fault, as JSON or in the form of the flag. */
function addFault({ body }: Call, { faults }: Instance): JsonObject {
  try {
    const fault = readFault(Buffer.from(body).toString().trim());
    faults.add(fault);
    return { added: { ...fault } };
  } catch (error) {
    throw new Refusal("invalidArgument", explainFault(error));
  }
}

/** `GET /`: leads to the console. */
export async function showWay(): Promise<Answer> {
  return { status: 302, headers: { location: "/ui/console", "content-type": "text/plain; charset=utf-8" }, body: "" };
}
