import { type JsonObject, textAt, valueAt } from "../http/json.ts";
import { belongingEvents, type ObjectEvent, objectEvent } from "../users/belonging-events.ts";

/** The event of an imported object, for kinds whose events orgferry reads (probed on the 4.x line of July 2026). */
export const objectEvents: Readonly<Record<string, (entry: JsonObject, orgId: string) => ObjectEvent>> = {
  projects: (entry) =>
    objectEvent("project.added", "project", entry["projectId"], { name: textAt(entry, "project", "name") }),
  actions: ({ actionId, action }) => objectEvent("action.added", "action", actionId, { name: textAt(action, "name") }),
  projectGrants({ grantId, projectGrant }) {
    const [projectId, grantedOrgId] = [textAt(projectGrant, "projectId"), textAt(projectGrant, "grantedOrgId")];
    const roleKeys = valueAt(projectGrant, "roleKeys");
    return objectEvent("project.grant.added", "project", projectId, { grantId, grantedOrgId, roleKeys });
  },
  projectRoles: ({ projectId, roleKey: key, displayName, group }) =>
    objectEvent("project.role.added", "project", projectId, { key, displayName, group }),
  ...belongingEvents,
  oidcIdps: idpEvent,
  jwtIdps: idpEvent,
  appKeys({ id: keyId, projectId, appId: applicationId, clientId, expirationDate, publicKey }) {
    const payload = { applicationId, clientId, expirationDate, keyId, publicKey };
    return objectEvent("project.application.oidc.key.added", "project", projectId, payload);
  },
  machineKeys: ({ keyId, userId, expirationDate, publicKey }) =>
    objectEvent("user.machine.key.added", "user", userId, { expirationDate, keyId, publicKey }),
};

function idpEvent({ idpId: idpConfigId, idp }: JsonObject, orgId: string): ObjectEvent {
  return objectEvent("org.idp.config.added", "org", orgId, { idpConfigId, name: textAt(idp, "name") });
}
