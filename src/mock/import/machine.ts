import type { ServiceFault } from "../http/answer.ts";
import { type JsonObject, textAt } from "../http/json.ts";
import { generatedId } from "../state/generated-id.ts";
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
    const fault = machineFault(context, userId, userName);
    if (fault !== undefined) {
      context.fail("machine_user", textAt(given, "userId"), fault);
      return;
    }
    const entry: JsonObject = { userId, user, ...keptState(traits, textAt(given, "state")) };
    store.change({ do: "put", org: org.id, field: "machineUsers", key: userId, entry });
    if (context.events) {
      const where = { userId, orgId: org.id, editor: context.caller.userId };
      store.push([userEvent(where, "user.machine.added", entry)]);
    }
    context.succeed("machineUserIds", textAt(given, "userId") || userId);
  },
};

function machineFault({ store, org }: ImportContext, userId: string, userName: string): ServiceFault | undefined {
  if (store.state.userOrgs.has(userId)) return { id: "COMMAND-k2una", key: "Errors.User.AlreadyExisting" };
  if (domainIsForeign(store.state, org, userName)) {
    return { id: "COMMAND-SFd21", key: "Errors.User.DomainNotAllowedAsUsername" };
  }
  return nameFault(store.state, org, userName);
}
