import type { ServiceFault } from "../http/answer.ts";
import { type JsonObject, textAt, textsAt } from "../http/json.ts";
import type { Org } from "../state/state.ts";
import { objectEvent } from "../users/belonging-events.ts";
import type { ImportStep } from "./import-context.ts";

/** Flows and triggers by their numbers; some also have a name (probed on v4 and v2). */
const flows: Readonly<Record<string, string>> = { FLOW_TYPE_EXTERNAL_AUTHENTICATION: "1" };
const triggers: Readonly<Record<string, string>> = {
  TRIGGER_TYPE_POST_AUTHENTICATION: "1",
  TRIGGER_TYPE_PRE_CREATION: "2",
  TRIGGER_TYPE_POST_CREATION: "3",
};

/** The triggers of each flow: external sign-in, tokens, sign-in with a password, SAML (probed on v4 and v2). */
const triggersOfFlow: Readonly<Record<string, readonly string[]>> = {
  "1": ["1", "2", "3"],
  "2": ["4", "5"],
  "3": ["1", "2", "3"],
  "4": ["6"],
};

/** Flows that an export holds: it loses the actions of tokens and of SAML answers (service behaviour 0.31). */
const exportedFlows = new Set(["1", "3"]);

const flowOf = ({ flowType }: JsonObject): string => flows[textAt(flowType)] ?? textAt(flowType);
const triggerOf = ({ triggerType }: JsonObject): string => triggers[textAt(triggerType)] ?? textAt(triggerType);

/** Replaces the actions of a trigger; the same actions are an error (recording 23). */
export const triggerActions: ImportStep = {
  field: "triggerActions",
  run({ store, org, fail, succeed, events, caller: { userId: editor } }, entry) {
    const actionIds = textsAt(entry, "actionIds");
    const given = { flowType: textAt(entry, "flowType"), triggerType: textAt(entry, "triggerType") };
    const fault = triggerFault(org, entry);
    if (fault !== undefined) {
      fail("trigger_action", `${given.flowType}_${given.triggerType}`, fault);
      return;
    }
    const key = keyOf(entry);
    store.change({ do: "put", org: org.id, field: "triggerActions", key, entry });
    const [flowType, triggerType] = [Number(flowOf(entry)), Number(triggerOf(entry))];
    const set = objectEvent("org.flow.trigger_actions.set", "org", org.id, {
      ...{ flowType, triggerType, actionIDs: [...actionIds] },
    });
    if (events) store.push([{ ...set, orgId: org.id, editor }]);
    succeed("triggerActions", { ...given, ...(actionIds.length === 0 ? {} : { actionIds: [...actionIds] }) });
  },
};

function keyOf(entry: JsonObject): string {
  return `${flowOf(entry)}_${triggerOf(entry)}`;
}

/** service behaviour 0.31. A duplicate action counts as a missing one. */
function triggerFault(org: Org, entry: JsonObject): ServiceFault | undefined {
  const known = triggersOfFlow[flowOf(entry)];
  if (known === undefined) return { id: "COMMAND-Dfhj5", key: "Errors.Flow.FlowTypeMissing" };
  if (!known.includes(triggerOf(entry))) return { id: "COMMAND-Dfgh6", key: "Errors.Flow.WrongTriggerType" };
  const actionIds = textsAt(entry, "actionIds");
  const before = org.lists.get("triggerActions")?.get(keyOf(entry));
  const had = textsAt(before, "actionIds");
  if (JSON.stringify(had) === JSON.stringify(actionIds)) return { id: "COMMAND-Nfh52", key: "Errors.Flow.NoChanges" };
  const existing = new Set(actionIds.filter((id) => org.lists.get("actions")?.has(id) === true));
  return existing.size === actionIds.length ? undefined : { id: "COMMAND-dg422", key: "Errors.Flow.ActionIDsNotExist" };
}

/** Whether a real service's export has the actions of this trigger. */
export function isExportedTrigger(entry: JsonObject): boolean {
  return exportedFlows.has(flowOf(entry)) && textsAt(entry, "actionIds").length > 0;
}

/** With the numbers of flow and trigger, as the service keeps them. */
export function numberedTrigger(entry: JsonObject): JsonObject {
  return { ...entry, flowType: flowOf(entry), triggerType: triggerOf(entry) };
}
