import { type JsonObject, textAt } from "../protojson/json-value.ts";
import { owned, ownerKey, type State, storedUser } from "../state/state.ts";
import type { ImportStep, ServiceFault } from "./import-context.ts";
import { listed } from "./steps.ts";

const join = (...parts: readonly string[]): string => parts.join("_");
const user = (entry: JsonObject): string => textAt(entry, "userId");
const project = (entry: JsonObject): string => textAt(entry, "projectId");
const memberExists: ServiceFault = { id: "V3-DKcYh", key: "Errors.Member.AlreadyExists" };
const userMissing = (id: string): ServiceFault => ({ id, key: "Errors.User.NotFound" });
const projectMissing: ServiceFault = { id: "COMMAND-4m9s2", key: "Errors.Project.NotFound" };

const isUser = (state: State, id: string): boolean => storedUser(state, id) !== undefined;

/** Setting metadata again replaces it: there is no error for that (service behaviour 2.1). */
export const metadata: ImportStep = {
  field: "userMetadata",
  run({ store, org, fail, succeed }, entry) {
    const [userId, key] = [textAt(entry, "id"), textAt(entry, "key")];
    if (!isUser(store.state, userId)) {
      fail("user_metadata", join(userId, key), userMissing("COMMAND-uXHNj"));
      return;
    }
    const change = { field: "userMetadata", key: JSON.stringify([userId, key]), entry: JSON.stringify(entry) };
    store.change({ do: "put", org: org.id, ...change });
    succeed("userMetadata", { userId, key });
  },
};

export const machineKeys = listed({
  field: "machineKeys",
  type: "machine_user_key",
  key: (entry) => textAt(entry, "keyId"),
  exists: { id: "COMMAND-091mops", key: "Errors.User.Machine.Key.AlreadyExists" },
  missing: (entry, state) => (isUser(state, user(entry)) ? undefined : userMissing("COMMAND-4n8vs")),
  success: ["machineKeys", (entry) => textAt(entry, "keyId")],
});

export const links = listed({
  field: "userLinks",
  type: "user_link",
  key: (entry) => JSON.stringify([user(entry), textAt(entry, "idpId"), textAt(entry, "providedUserId")]),
  errorId: (entry) => join(user(entry), textAt(entry, "idpId")),
  exists: { id: "V3-DKcYh", key: "Errors.User.ExternalIDP.AlreadyExists" },
  missing: (entry, state) => (isUser(state, user(entry)) ? undefined : userMissing("COMMAND-SJI3g")),
  success: [
    "userLinks",
    (entry) => ({
      userId: user(entry),
      externalUserId: textAt(entry, "providedUserId"),
      displayName: textAt(entry, "providedUserName"),
      idpId: textAt(entry, "idpId"),
    }),
  ],
});

export const userGrants = listed({
  field: "userGrants",
  type: "user_grant",
  key: (entry) => JSON.stringify([project(entry), textAt(entry, "projectGrantId"), user(entry)]),
  errorId: (entry, org) => join(org.id, project(entry), user(entry)),
  exists: { id: "V3-DKcYh", key: "Errors.UserGrant.AlreadyExists" },
  missing(entry, state) {
    if (!isUser(state, user(entry))) return { id: "COMMAND-4f8sg", key: "Errors.User.NotFound" };
    return owned(state, "projects", project(entry)) ? undefined : projectMissing;
  },
  success: ["userGrants", (entry) => ({ projectId: project(entry), userId: user(entry) })],
});

export const members = listed({
  field: "orgMembers",
  type: "org_member",
  key: user,
  errorId: (entry, org) => join(org.id, user(entry)),
  exists: memberExists,
  missing: (entry, state) => (isUser(state, user(entry)) ? undefined : userMissing("ORG-GoXOn")),
  success: ["orgMembers", user],
});

export const projectMembers = listed({
  field: "projectMembers",
  type: "project_member",
  key: (entry) => JSON.stringify([project(entry), user(entry)]),
  errorId: (entry, org) => join(org.id, project(entry), user(entry)),
  exists: memberExists,
  missing(entry, state) {
    if (!isUser(state, user(entry))) return userMissing("PROJECT-3m9ds");
    return owned(state, "projects", project(entry)) ? undefined : projectMissing;
  },
  success: ["projectMembers", (entry) => ({ projectId: project(entry), userId: user(entry) })],
});

export const projectGrantMembers = listed({
  field: "projectGrantMembers",
  type: "project_grant_member",
  key: (entry) => JSON.stringify([project(entry), textAt(entry, "grantId"), user(entry)]),
  errorId: (entry, org) => join(org.id, project(entry), textAt(entry, "grantId"), user(entry)),
  exists: memberExists,
  missing(entry, state) {
    if (!isUser(state, user(entry))) return userMissing("PROJECT-2m9fs");
    const granted = state.orgs.get(state.owners.get(ownerKey("projects", project(entry))) ?? "")?.lists;
    return granted?.get("projectGrants")?.has(textAt(entry, "grantId"))
      ? undefined
      : { id: "PROJECT-8fi7G", key: "Errors.Project.Grant.NotFound" };
  },
  success: [
    "projectGrantMembers",
    (entry) => ({ projectId: project(entry), grantId: textAt(entry, "grantId"), userId: user(entry) }),
  ],
});
