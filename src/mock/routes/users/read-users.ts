import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import { may } from "../../http/auth.ts";
import type { LoggedEvent } from "../../state/event-log.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { storedUser } from "../../state/lookup.ts";
import type { State } from "../../state/state.ts";
import { timestampOf } from "../../state/timestamp.ts";
import { datesOfUser, userDetails } from "../../users/details.ts";
import { gapsOf } from "../../users/gaps.ts";
import type { Lag } from "../../users/lag.ts";
import { searchUsers } from "../../users/search.ts";
import { viewOf } from "../../users/view.ts";
import { accept, acceptCaller } from "../shared/accept.ts";
import { listAnswer, pageOf } from "../shared/page.ts";

/** Largest page of a list. */
const MOST = 1000;
const DEFAULT = 100;

/** `GET /v2/users/{id}`. */
export async function showUser(call: Call, instance: Instance): Promise<Answer> {
  acceptCaller(call, instance, { permission: "user.read" });
  const { store, traits } = instance;
  const { hidden, nameless } = gapsOf(store.state, call);
  const [id = ""] = call.parameters;
  const user = hidden.has(id) ? undefined : storedUser(store.state, id);
  if (user === undefined) throw userNotFound();
  const details = userDetails(datesOfUser(store.state, user.id), user.org.id, traits);
  return jsonAnswer({ details, user: viewOf(user, instance, nameless) });
}

/** The error for a user that does not exist, or that reads do not return yet (service behaviour 0.26). */
export function userNotFound(): Refusal {
  return new Refusal("notFound", "User could not be found", "QUERY-Dfbg2");
}

/** `POST /v2/users`: a page of the matching users. A caller without the permission to read users gets only their number (probed on v4). */
export async function listUsers(call: Call, instance: Instance): Promise<Answer> {
  const { caller, request } = await accept(call, instance, "zitadel.user.v2.ListUsersRequest");
  const { state } = instance.store;
  const gaps = gapsOf(state, call);
  const found = searchUsers(request, state, gaps);
  const { entries, total } = pageOf(found, request["query"], { usual: DEFAULT, most: MOST });
  const page = may(caller, "user.read") ? entries : [];
  return listAnswer(
    // Behind the last page there is no number.
    { ...(entries.length === 0 ? {} : total), timestamp: timestampOfList(state, gaps) },
    page.map((user) => viewOf(user, instance, gaps.nameless)),
  );
}

/** The readers of the event log that have lists of users, and the beginning of the types of the events that they read. */
const VIEWS = {
  "projections.users14": "user.",
  "projections.login_names3": "user.",
  "auth.users3": "user.",
  "projections.user_metadata5": "user.metadata.",
  "projections.user_grants5": "user.grant.",
  "projections.idp_user_links3": "user.human.externalidp.",
} as const;

/** `POST /admin/v1/views/_search`: how far the readers of the event log are (service behaviour 9.15). */
export async function searchViews(call: Call, instance: Instance): Promise<Answer> {
  acceptCaller(call, instance, { permission: "iam.read" });
  const { state } = instance.store;
  const gaps = gapsOf(state, call);
  const result = Object.entries(VIEWS).map(([viewName, beginning]) => ({
    database: "zitadel",
    viewName,
    processedSequence: "1",
    eventTimestamp: timestampOfList(state, gaps, beginning),
  }));
  return listAnswer({ totalResult: String(result.length) }, result);
}

/** Reads return events up to this time. A list has read the events of users whose types have this beginning. */
function timestampOfList({ events }: State, { until }: Lag, beginning = "user."): string {
  const ofUsers = beginning === "user.";
  const isRead = ({ type, aggregateType, at }: LoggedEvent): boolean =>
    (ofUsers ? aggregateType === "user" : type.startsWith(beginning)) && (until === undefined || at <= until);
  return timestampOf(events.all.findLast(isRead)?.at);
}
