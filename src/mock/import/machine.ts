import type { ServiceFault } from "../http/answer.ts";
import { type JsonObject, textAt } from "../http/json.ts";
import { generatedId } from "../state/generated-id.ts";
import { storedUser } from "../state/lookup.ts";
import { userEvent } from "../users/human-events.ts";
import { userOf } from "../users/human-user.ts";
import { domainIsForeign, keptState, nameFault } from "./human.ts";
import type { ImportContext, ImportStep } from "./import-context.ts";

/**
 * Machine users. The real service ignores `userId` and takes only `user.userId`, which its export does not fill, so that ids
 * change and references to the old id fail; `success` still lists the old one (service behaviour 2.6). In the mode of the specification
 * the id is kept.
 */
export const machineUsers: ImportStep = {
  field: "machineUsers",
  run(context, given) {
    const { store, org, traits } = context;
    const { userId: inner, ...user } = userOf(given);
    const outer = traits.keepsMachineIds ? textAt(given, "userId") : "";
    const userId = (typeof inner === "string" && inner) || outer || generatedId();
    const userName = textAt(user, "userName");
    const existing = storedUser(store.state, userId);
    const fault = machineFault(context, userId, userName);
    if (fault !== undefined) {
      context.fail("machine_user", textAt(given, "userId"), fault);
      return;
    }
    const home = existing !== undefined && traits.writesOnto === "in own org" ? existing.org : org;
    const entry: JsonObject = { userId, user, ...keptState(traits, textAt(given, "state")) };
    store.change({ do: "put", org: home.id, field: "machineUsers", key: userId, entry });
    if (context.events) {
      const where = { userId, orgId: home.id, editor: context.caller.userId };
      store.push([userEvent(where, "user.machine.added", entry)]);
    }
    context.succeed("machineUserIds", textAt(given, "userId") || userId);
  },
};

function machineFault(
  { store, org, traits }: ImportContext,
  userId: string,
  userName: string,
): ServiceFault | undefined {
  const existing = storedUser(store.state, userId);
  const isSame = existing?.field === "machineUsers" && existing.org.id === org.id;
  const isWrittenOnto = traits.writesOnto !== "no user" && existing !== undefined && !isSame;
  if (store.state.userOrgs.has(userId) && !isWrittenOnto)
    return { id: "COMMAND-k2una", key: "Errors.User.AlreadyExisting" };
  if (domainIsForeign(store.state, org, userName)) {
    return { id: "COMMAND-SFd21", key: "Errors.User.DomainNotAllowedAsUsername" };
  }
  return nameFault(store.state, org, userName);
}
