import { withRetry } from "../../../admin/with-retry.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { isLater } from "../../../core/rules/moment.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { type Resolution, resolveOpen, resolveUser } from "../../../core/transfer/resolve.ts";
import { ProblemError } from "../../../problem.ts";
import { isNotTold } from "../../shared/not-offered.ts";
import type { Asking } from "../import-run.ts";

/** So many things are looked up; a service that leaves more open has to be asked by other means. */
const LOOKED_UP = 1_000;

const REMOVED = "user.removed";

/** The events that say whether something of a type is there; types of things that have no events of their own are not among them. */
const lifeOf: Readonly<Record<string, readonly string[]>> = {
  human_user: ["user.human.added", "user.human.selfregistered", "user.machine.added", REMOVED],
  machine_user: ["user.machine.added", "user.human.added", REMOVED],
  org: ["org.added", "org.removed"],
  project: ["project.added", "project.removed"],
  action: ["action.added", "action.removed"],
};

/**
 * Looks up what the answers did not mention, before it is called unknown: what the target's events tell is settled by them (service
 * behaviour 3). Of what should have events and has none, nothing came, unless it is of an instance import, which need not leave any.
 */
export async function resolveOpenOnes(
  { api, retry, signal, scan }: Asking & { readonly scan: BodyScan },
  state: JobState,
): Promise<void> {
  const mark = state.job?.mark;
  if (mark === undefined) return;
  const isBody = scan.carries === "body" && scan.container === "dataOrgs";
  const look = async (type: string, id: string): Promise<Resolution> => {
    const types = lifeOf[type];
    if (types === undefined || id === "") return "unknown";
    const request = { limit: 1, asc: false, aggregate_id: id, event_types: [...types] };
    const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
    const last = events[0];
    if (last === undefined) return isBody ? "missing" : "unknown";
    if (last.type.type.endsWith(".removed")) return "missing";
    return isLater(last.creationDate, mark) ? "created" : "alreadyThere";
  };
  try {
    for (const id of state.unknown.slice(0, LOOKED_UP)) resolveUser(state, id, await look("human_user", id));
    for (const open of state.open.slice(0, LOOKED_UP)) resolveOpen(state, open, await look(open.type, open.id));
  } catch (error) {
    if (!(error instanceof ProblemError) || !isNotTold(error.problem.code)) throw error;
  }
}
