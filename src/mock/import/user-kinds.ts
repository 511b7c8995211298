import { type ServiceFault, taken } from "../http/answer.ts";
import { type JsonObject, textAt, textsAt } from "../http/json.ts";
import { hasUser, ownerOf, type StoredUser } from "../state/lookup.ts";
import type { Org, State } from "../state/state.ts";
import { userEvent } from "../users/human-events.ts";
import type { ImportContext, ImportStep } from "./import-context.ts";
import { addLink, isProvider, isTaken } from "./links.ts";
import { grantsTo, hasRoles, isProjectOf, projectMissing } from "./project-kinds.ts";
import { listed } from "./steps.ts";

const join = (...parts: readonly string[]): string => parts.join("_");
const user = (entry: JsonObject): string => textAt(entry, "userId");
const project = (entry: JsonObject): string => textAt(entry, "projectId");
const userMissing = (id: string): ServiceFault => ({ id, key: "Errors.User.NotFound" });

/**
 * Metadata of a user of this organization. A new value replaces the former one without an error (service behaviour 2.1), and an
 * equal value writes no event (recording full 07).
 */
export const metadata: ImportStep = {
  field: "userMetadata",
  run(context, entry) {
    const { store, org, caller, events, fail, succeed } = context;
    const [userId, key] = [textAt(entry, "id"), textAt(entry, "key")];
    if (store.state.userOrgs.get(userId) !== org.id || !hasUser(store.state, userId)) {
      fail("user_metadata", join(userId, key), userMissing("COMMAND-uXHNj"));
      return;
    }
    const isNew = writtenValue(context, { org, id: userId }, key) !== textAt(entry, "value");
    if (isNew) store.change({ do: "put", org: org.id, ...metadataChange(entry) });
    if (events && isNew) {
      const payload = { key, value: textAt(entry, "value") };
      store.push([userEvent({ userId, orgId: org.id, editor: caller.userId }, "user.metadata.set", payload)]);
    }
    succeed("userMetadata", { userId, key });
  },
};

/** The change that stores an entry of the metadata list. */
export function metadataChange(entry: JsonObject): { field: "userMetadata"; key: string; entry: JsonObject } {
  const key = metadataKey(textAt(entry, "id"), textAt(entry, "key"));
  return { field: "userMetadata", key, entry };
}

/** undefined: the user has no such key. */
export function metadataValue({ lists }: Org, userId: string, key: string): string | undefined {
  const stored = lists.get("userMetadata")?.get(metadataKey(userId, key));
  return stored === undefined ? undefined : textAt(stored, "value");
}

/** The value that was written last. Until v4.15, the service still finds it after the user was deleted and recreated (probed on v4). */
export function writtenValue(
  { store, traits }: Pick<ImportContext, "store" | "traits">,
  { org, id }: Pick<StoredUser, "org" | "id">,
  key: string,
): string | undefined {
  for (const { type, payload } of store.state.events.ofAggregate(id)) {
    if (type === "user.removed" && traits.forgetsMetadataOfRemoved) break;
    if (!type.startsWith("user.metadata.")) continue;
    if (textAt(payload, "key") === key) return type === "user.metadata.set" ? textAt(payload, "value") : undefined;
  }
  return metadataValue(org, id, key);
}

export function metadataKey(userId: string, key: string): string {
  return JSON.stringify([userId, key]);
}

/** The real service accepts a key only when it can read it (recording 22). */
export const machineKeys = listed({
  field: "machineKeys",
  type: "machine_user_key",
  key: (entry) => textAt(entry, "keyId"),
  exists: { id: "COMMAND-091mops", key: "Errors.User.Machine.Key.AlreadyExists" },
  missing(entry, { store, traits, org }) {
    const isKey = /BEGIN/.test(Buffer.from(textAt(entry, "publicKey"), "base64").toString("latin1"));
    if (!isKey && !traits.keepsMachineIds) return { id: "COMMAND-5F3h1", key: "Errors.User.Machine.Key.Invalid" };
    const isHere = store.state.userOrgs.get(user(entry)) === org.id && hasUser(store.state, user(entry));
    return isHere ? undefined : userMissing("COMMAND-bnipwm1");
  },
  success: ["machineKeys", (entry) => textAt(entry, "keyId")],
});

export const links: ImportStep = {
  field: "userLinks",
  run(context, entry) {
    const fault = linkFault(context, entry);
    if (fault !== undefined) {
      context.fail("user_link", join(user(entry), textAt(entry, "idpId")), fault);
      return;
    }
    const { idpName: _name, idpType: _type, ...link } = entry;
    addLink(context, link);
    context.succeed("userLinks", {
      userId: user(entry),
      externalUserId: textAt(entry, "providedUserId"),
      displayName: textAt(entry, "providedUserName"),
      idpId: textAt(entry, "idpId"),
    });
  },
};

function linkFault(context: ImportContext, entry: JsonObject): ServiceFault | undefined {
  const { state } = context.store;
  const isHere = state.userOrgs.get(user(entry)) === context.org.id && hasUser(state, user(entry));
  if (!isHere) return userMissing("COMMAND-vzktar7b7f");
  if (!isProvider(context, textAt(entry, "idpId"))) {
    return { id: "COMMAND-39nf2", key: "Errors.IDPConfig.NotExisting" };
  }
  return isTaken(context.store, entry) ? taken("Errors.User.ExternalIDP.AlreadyExists") : undefined;
}

/** Roles of a user in a project of the user's organization, or in one that was granted to that organization. */
export const userGrants = listed({
  field: "userGrants",
  type: "user_grant",
  key: (entry) => JSON.stringify([project(entry), textAt(entry, "projectGrantId"), user(entry)]),
  errorId: (entry, org) => join(org.id, project(entry), user(entry)),
  exists: taken("Errors.UserGrant.AlreadyExists"),
  existsFirst: false,
  missing(entry, context) {
    const { state } = context.store;
    if (!hasUser(state, user(entry))) return userMissing("COMMAND-4f8sg");
    const roleKeys = textsAt(entry, "roleKeys");
    const roleMissing = { id: "COMMAND-mm9F4", key: "Errors.Project.Role.NotFound" };
    if (isProjectOf(context, project(entry)))
      return hasRoles(context.org, project(entry), roleKeys) ? undefined : roleMissing;
    const grantId = textAt(entry, "projectGrantId");
    if (grantId === "" && !context.traits.findsProjectGrants) return { ...projectMissing, id: "COMMAND-3n77S" };
    const grant = grantsTo(context, project(entry)).find((one) => grantId === "" || textAt(one, "grantId") === grantId);
    if (grant === undefined) return { id: "COMMAND-4m9ff", key: "Errors.Project.Grant.NotFound" };
    const granted = new Set(textsAt(grant["projectGrant"], "roleKeys"));
    return roleKeys.every((key) => granted.has(key)) ? undefined : roleMissing;
  },
  success: ["userGrants", (entry) => ({ projectId: project(entry), userId: user(entry) })],
});

/** The prefix of a role says where it is valid. */
function areRoles(entry: JsonObject, prefix: string): boolean {
  const roles = textsAt(entry, "roles");
  return roles.length > 0 && roles.every((role) => role.startsWith(prefix) || role.startsWith("SELF_"));
}

export const members = listed({
  field: "orgMembers",
  type: "org_member",
  key: user,
  errorId: (entry, org) => join(org.id, user(entry)),
  exists: { id: "ORG-poWwe", key: "Errors.Org.Member.AlreadyExists" },
  missing(entry, { store }) {
    if (!hasUser(store.state, user(entry))) return userMissing("ORG-GoXOn");
    return areRoles(entry, "ORG_") ? undefined : { id: "Org-4N8es", key: "Errors.Org.MemberInvalid" };
  },
  success: ["orgMembers", user],
});

export const projectMembers = listed({
  field: "projectMembers",
  type: "project_member",
  key: (entry) => JSON.stringify([project(entry), user(entry)]),
  errorId: (entry, org) => join(org.id, project(entry), user(entry)),
  exists: { id: "PROJECT-PtXi1", key: "Errors.Project.Member.AlreadyExists" },
  missing(entry, context) {
    if (!hasUser(context.store.state, user(entry))) return userMissing("COMMAND-uXHNj");
    if (!isProjectOf(context, project(entry))) return projectMissing;
    return areRoles(entry, "PROJECT_") ? undefined : { id: "PROJECT-3m9ds", key: "Errors.Project.Member.Invalid" };
  },
  success: ["projectMembers", (entry) => ({ projectId: project(entry), userId: user(entry) })],
});

export const projectGrantMembers = listed({
  field: "projectGrantMembers",
  type: "project_grant_member",
  key: (entry) => JSON.stringify([project(entry), textAt(entry, "grantId"), user(entry)]),
  errorId: (entry, org) => join(org.id, project(entry), textAt(entry, "grantId"), user(entry)),
  exists: { id: "PROJECT-37fug", key: "Errors.AlreadyExists" },
  missing(entry, { store }) {
    if (!hasUser(store.state, user(entry))) return userMissing("COMMAND-uXHNj");
    return isGrant(store.state, entry) ? undefined : { id: "PROJECT-D8JxR", key: "Errors.Project.Grant.NotFound" };
  },
  success: [
    "projectGrantMembers",
    (entry) => ({ projectId: project(entry), grantId: textAt(entry, "grantId"), userId: user(entry) }),
  ],
});

function isGrant(state: State, entry: JsonObject): boolean {
  const owner = ownerOf(state, "projects", project(entry));
  const grant = owner?.lists.get("projectGrants")?.get(textAt(entry, "grantId"));
  return grant !== undefined && textAt(grant, "projectGrant", "projectId") === project(entry);
}
