import { isObject, type JsonObject, textAt, valueAt } from "../protojson/json-value.ts";
import { domainIsForeign, generatedId, nameFault } from "./human.ts";
import { numbered } from "./human-events.ts";
import type { ImportContext, ImportStep, ServiceFault } from "./import-context.ts";

/**
 * Machine users. The real service ignores `userId` and takes only `user.userId`, which its export does not fill, so that ids
 * change and what refers to the old id fails; `success` lists the old one all the same (service behaviour 2.6). Following the
 * specification, the id is kept.
 */
export const machineUsers: ImportStep = {
  field: "machineUsers",
  run(context, entry) {
    const { store, org } = context;
    const { userId: inner, ...user } = userOf(entry);
    const outer = context.mimic === "specification" ? textAt(entry, "userId") : "";
    const userId = (typeof inner === "string" && inner) || outer || generatedId();
    const fault = machineFault(context, userId, textAt(user, "userName"));
    if (fault !== undefined) {
      context.fail("machine_user", textAt(entry, "userId"), fault);
      return;
    }
    const kept = JSON.stringify({ ...entry, userId, user });
    const userName = textAt(user, "userName");
    store.change({ do: "put", org: org.id, field: "machineUsers", key: userId, entry: kept, userName });
    if (context.events) {
      const sequence = store.state.removedUsers.has(userId) ? store.state.events.lastSequence(userId) : 0;
      store.push(numbered(["user.machine.added"], { userId, orgId: org.id, editor: context.caller.userId, sequence }));
    }
    context.succeed("machineUserIds", textAt(entry, "userId") || userId);
  },
};

function userOf(entry: JsonObject): JsonObject {
  const user = valueAt(entry, "user");
  return isObject(user) ? user : {};
}

function machineFault({ store, org }: ImportContext, userId: string, userName: string): ServiceFault | undefined {
  if (store.state.userOrgs.has(userId)) return { id: "COMMAND-k2una", key: "Errors.User.AlreadyExisting" };
  if (domainIsForeign(store.state, org, userName)) {
    return { id: "COMMAND-SFd21", key: "Errors.User.DomainNotAllowedAsUsername" };
  }
  return nameFault(store.state, org, userName);
}
