import type { BodyScan } from "../../../core/document/scan-types.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { type Resolution, resolveOpen, resolveUser } from "../../../core/transfer/resolve.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import type { JobEvents } from "./job-events.ts";
import type { RepeatedIds } from "./repeated-ids.ts";

/** At most this many objects are looked up. */
const LOOKED_UP = 1_000;

const REMOVED = "user.removed";

/** The events that say whether an object of a type exists. Other types have no events. */
const lifeOf: Readonly<Record<string, readonly string[]>> = {
  human_user: ["user.human.added", "user.human.selfregistered", "user.machine.added", REMOVED],
  machine_user: ["user.machine.added", "user.human.added", REMOVED],
  org: ["org.added", "org.removed"],
  project: ["project.added", "project.removed"],
  action: ["action.added", "action.removed"],
};

/**
 * Looks up what no answer mentions, before it is reported as unknown: the target's events decide (service behaviour 3). An object that
 * should have events and has none was not created, except in an instance import, which may leave no events.
 */
export async function resolveOpenItems(
  events: JobEvents,
  repeatedIds: RepeatedIds,
  { carries, container, orgs }: Pick<BodyScan, "carries" | "container" | "orgs">,
  state: JobState,
): Promise<void> {
  if (events.mark === undefined) return;
  const isBody = carries === "body" && container === "dataOrgs";
  const look = async (type: string, id: string): Promise<Resolution> => {
    const types = lifeOf[type];
    if (types === undefined || id === "") return "unknown";
    const last = await events.newest(id, types);
    if (last === undefined) return isBody ? "missing" : "unknown";
    if (last.type.type.endsWith(".removed")) return "missing";
    const isInInput = orgs.some(({ orgId }) => orgId === last.aggregate.resourceOwner);
    return isInInput && (await events.isOwn())(last) ? "created" : "alreadyThere";
  };
  const resolveAll = async (): Promise<void> => {
    for (const id of state.unknown.slice(0, LOOKED_UP)) {
      const found = await look("human_user", id);
      resolveUser(state, id, found === "created" && (await repeatedIds.isCreated(id)) ? "alreadyThere" : found);
    }
    for (const open of state.open.slice(0, LOOKED_UP)) resolveOpen(state, open, await look(open.type, open.id));
  };
  await ifOffered(resolveAll);
}
