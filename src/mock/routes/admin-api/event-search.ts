import type { Answer } from "../../http/answer.ts";
import { isObject, type JsonObject, textAt, textsAt } from "../../http/json.ts";
import { messageType } from "../../messages/message-type.ts";
import type { LoggedEvent } from "../../state/event-log.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import { storedUser } from "../../state/lookup.ts";
import type { State } from "../../state/state.ts";
import { microsecondsOf, timestampOf } from "../../state/timestamp.ts";
import { displayNameOf } from "../../users/human-user.ts";
import { payloadOf } from "../../users/payloads.ts";
import { accept, sizedAnswer } from "../shared/accept.ts";
import { localized } from "./event-texts.ts";

const MOST = 1000;

/**
 * `POST /admin/v1/events/_search` (service behaviour 3): newest first unless `asc`, at most 1000, `{}` when there are none. Raises
 * Refusal 429 code 8 when the answer is larger than the service can give (service behaviour 0.19).
 */
export async function listEvents(call: Call, instance: Instance): Promise<Answer> {
  const { request } = await accept(call, instance, "zitadel.admin.v1.ListEventsRequest", { permission: "events.read" });
  const language = headerOf(call, "accept-language");
  const events = matchingEvents(request, instance.store.state).map((event) => toWire(event, instance, language));
  const type = await messageType("zitadel.admin.v1.ListEventsResponse");
  return sizedAnswer(events.length === 0 ? {} : { events }, type, instance);
}

/** The events a request asks for, in its order. */
export function matchingEvents(request: JsonObject, { events }: State): readonly LoggedEvent[] {
  const matches = filterOf(request);
  const aggregate = textAt(request, "aggregateId");
  const newestFirst = aggregate === "" ? events.all.toReversed() : events.ofAggregate(aggregate);
  const inOrder = request["asc"] === true ? newestFirst.toReversed() : newestFirst;
  const asked = Number(request["limit"] ?? 0);
  return inOrder.filter(matches).slice(0, asked === 0 || asked > MOST ? MOST : asked);
}

/** `from` means later with `asc` and earlier without; a range wins. */
function timesOf(request: JsonObject): { readonly since: number; readonly until: number } {
  const asc = request["asc"] === true;
  const { range } = request;
  const from = microsecondsOf(textAt(request, "from") || textAt(request, "creationDate"));
  const since = isObject(range) ? microsecondsOf(textAt(range, "since")) : asc ? from : undefined;
  const until = isObject(range) ? microsecondsOf(textAt(range, "until")) : asc ? undefined : from;
  return { since: since ?? -1, until: until ?? Number.POSITIVE_INFINITY };
}

function filterOf(request: JsonObject): (event: LoggedEvent) => boolean {
  const [types, aggregateTypes] = [textsAt(request, "eventTypes"), textsAt(request, "aggregateTypes")];
  const [editor, owner] = ["editorUserId", "resourceOwner"].map((key) => textAt(request, key));
  const sequence = Number(request["sequence"] ?? 0);
  const asc = request["asc"] === true;
  const { since, until } = timesOf(request);
  return (event) =>
    event.at > since &&
    event.at < until &&
    (types.length === 0 || types.includes(event.type)) &&
    (aggregateTypes.length === 0 || aggregateTypes.includes(event.aggregateType)) &&
    (!editor || event.editor === editor) &&
    (!owner || event.orgId === owner) &&
    (sequence === 0 || (asc ? event.sequence > sequence : event.sequence < sequence));
}

function toWire(event: LoggedEvent, { store, origin }: Instance, acceptLanguage?: string): JsonObject {
  const payload = payloadOf(event, origin);
  const named = (kind: string, type: string): JsonObject => {
    const key = `${kind}.${type}`;
    return { type, localized: { key, localizedMessage: localized(key, type, acceptLanguage) } };
  };
  return {
    editor: editorOf(event, store.state),
    aggregate: {
      id: event.aggregateId,
      type: named("AggregateTypes", event.aggregateType),
      resourceOwner: event.orgId,
    },
    sequence: String(event.sequence),
    creationDate: timestampOf(event.at),
    ...(payload === undefined ? {} : { payload }),
    type: named("EventTypes", event.type),
  };
}

function editorOf({ editor }: LoggedEvent, state: State): JsonObject {
  if (editor === "") return { service: "zitadel" };
  const user = storedUser(state, editor);
  const name = user?.field === "machineUsers" ? textAt(user.entry, "user", "name") : user && displayNameOf(user.entry);
  return { userId: editor, displayName: name ?? editor, service: "zitadel" };
}
