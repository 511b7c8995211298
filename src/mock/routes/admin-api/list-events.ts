import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import { accept } from "../accept.ts";
import { searchEvents } from "./event-search.ts";

/** `POST /admin/v1/events/_search`. */
export async function listEvents(call: Call, instance: Instance): Promise<Answer> {
  const { request } = accept(call, instance, { message: "ListEventsRequest", permission: "events.read" });
  const { store, origin, maxResponseBytes: maxBytes, table } = instance;
  const acceptLanguage = headerOf(call, "accept-language");
  return jsonAnswer(searchEvents(request, { state: store.state, origin, acceptLanguage, maxBytes, table }));
}
