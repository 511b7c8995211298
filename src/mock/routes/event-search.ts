import { isObject, type JsonObject, parseStored, textAt, valueAt } from "../protojson/json-value.ts";
import type { LoggedEvent } from "../state/event-log.ts";
import { type State, storedUser } from "../state/state.ts";

const MOST = 1000;

/** Answers a ListEventsRequest (service behaviour 3): newest first unless `asc`, at most 1000, `{}` when there are none. */
export function searchEvents(request: JsonObject, state: State): JsonObject {
  const matches = filterOf(request);
  const asked = Number(request["limit"] ?? 0);
  const limit = asked === 0 || asked > MOST ? MOST : asked;
  const found: JsonObject[] = [];
  for (const event of inOrder(request, state)) {
    if (!matches(event)) continue;
    found.push(toWire(event, state));
    if (found.length === limit) break;
  }
  return found.length === 0 ? {} : { events: found };
}

/** Events between the given times, in the order asked for. `from` means later with `asc` and earlier without; a range wins. */
function* inOrder(request: JsonObject, { events }: State): Generator<LoggedEvent> {
  const asc = request["asc"] === true;
  const range = valueAt(request, "range");
  const from = microseconds(textAt(request, "from") || textAt(request, "creationDate"));
  const since = isObject(range) ? microseconds(textAt(range, "since")) : asc ? from : undefined;
  const until = isObject(range) ? microseconds(textAt(range, "until")) : asc ? undefined : from;
  const first = since === undefined ? 0 : events.firstAfter(since);
  const end = until === undefined ? events.length : events.firstAfter(until - 1);
  if (asc) for (let index = first; index < end; index += 1) yield events.eventAt(index);
  else for (let index = end - 1; index >= first; index -= 1) yield events.eventAt(index);
}

function filterOf(request: JsonObject): (event: LoggedEvent) => boolean {
  const list = (key: string): readonly unknown[] => (Array.isArray(request[key]) ? request[key] : []);
  const [types, aggregateTypes] = [list("eventTypes"), list("aggregateTypes")];
  const [editor, aggregate, owner] = ["editorUserId", "aggregateId", "resourceOwner"].map((key) =>
    textAt(request, key),
  );
  const sequence = Number(request["sequence"] ?? 0);
  const asc = request["asc"] === true;
  return (event) =>
    (types.length === 0 || types.includes(event.type)) &&
    (aggregateTypes.length === 0 || aggregateTypes.includes(event.aggregateType)) &&
    (!editor || event.editor === editor) &&
    (!aggregate || event.aggregateId === aggregate) &&
    (!owner || event.orgId === owner) &&
    (sequence === 0 || (asc ? event.sequence > sequence : event.sequence < sequence));
}

function microseconds(timestamp: string): number | undefined {
  if (timestamp === "") return undefined;
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? "";
  const wholeSeconds = Date.parse(timestamp.replace(/\.\d+/, ""));
  return wholeSeconds * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

/** RFC 3339 in UTC with as many digits as protojson gives: none, 3 or 6. */
function timestampOf(at: number): string {
  const seconds = new Date(Math.floor(at / 1e6) * 1000).toISOString().slice(0, 19);
  const micros = (at % 1e6).toString().padStart(6, "0");
  const digits = micros === "000000" ? "" : `.${micros.replace(/000$/, "")}`;
  return `${seconds}${digits}Z`;
}

const messages: Readonly<Record<string, string>> = {
  user: "User",
  org: "Organization",
  "user.human.added": "Person added",
  "user.machine.added": "Technical user added",
  "user.removed": "User removed",
  "org.added": "Organization added",
};

function named(kind: string, name: string): JsonObject {
  return { type: name, localized: { key: `${kind}.${name}`, localizedMessage: messages[name] ?? name } };
}

function toWire(event: LoggedEvent, state: State): JsonObject {
  const payload = payloadOf(event, state);
  return {
    editor: { userId: event.editor, service: "ADMIN-API" },
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

/** The user as it was added. It may hold the hash, as the real one does (service behaviour 3). */
function payloadOf({ type, aggregateId }: LoggedEvent, state: State): JsonObject | undefined {
  if (type !== "user.human.added") return undefined;
  const stored = storedUser(state, aggregateId) ?? state.removedUsers.get(aggregateId)?.entry;
  if (stored === undefined) return undefined;
  const user = valueAt(parseStored(stored), "user");
  const hash = textAt(user, "hashedPassword", "value");
  const profile = valueAt(user, "profile");
  return {
    userName: textAt(user, "userName"),
    ...(isObject(profile) ? profile : {}),
    email: textAt(user, "email", "email"),
    ...(hash === "" ? {} : { encodedHash: hash }),
  };
}
