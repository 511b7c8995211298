import { withRetry } from "../../../admin/with-retry.ts";
import { type Resolution, resolveOpen, resolveUser } from "../../../core/transfer/resolve.ts";
import { ProblemError } from "../../../problem.ts";
import { isNotTold } from "../../shared/not-offered.ts";
import { isOwn } from "../../shared/user-life.ts";
import type { Asking } from "../import-run.ts";
import type { JobProgress } from "../progress.ts";
import type { SendContext } from "../ways/way.ts";
import { placesOfRepeated } from "./repeated-ids.ts";

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
  context: Asking & Pick<SendContext, "scan" | "parts" | "read" | "self">,
  { state, repeated }: Pick<JobProgress, "state" | "repeated">,
): Promise<void> {
  const { api, retry, signal, scan, self } = context;
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
    const isInInput = scan.orgs.some(({ orgId }) => orgId === last.aggregate.resourceOwner);
    return isInInput && isOwn(last, { mark, self: await self() }) ? "created" : "alreadyThere";
  };
  // Of an id that stands several times in the input, one place alone can have made the user.
  const isMadeElsewhere = async (id: string): Promise<boolean> => {
    repeated.places ??= await placesOfRepeated(context);
    return state.madeIds.includes(id) || repeated.places.get(id)?.some((place) => state.made.has(place)) === true;
  };
  try {
    for (const id of state.unknown.slice(0, LOOKED_UP)) {
      const found = await look("human_user", id);
      resolveUser(state, id, found === "created" && (await isMadeElsewhere(id)) ? "alreadyThere" : found);
    }
    for (const open of state.open.slice(0, LOOKED_UP)) resolveOpen(state, open, await look(open.type, open.id));
  } catch (error) {
    if (!(error instanceof ProblemError) || !isNotTold(error.problem.code)) throw error;
  }
}
