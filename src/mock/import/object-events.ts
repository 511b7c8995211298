import { createHash } from "node:crypto";
import { type JsonObject, textAt, valueAt } from "../http/json.ts";
import type { NewEvent } from "../state/store.ts";

/** The type, the aggregate and the payload of an event. */
type ObjectEvent = Pick<NewEvent, "type" | "aggregateType" | "aggregateId"> & { readonly payload: JsonObject };

/** The event of an imported object, for kinds that an export by events reads from the log (probed on the 4.x line of July 2026). */
export const objectEvents: Readonly<Record<string, (entry: JsonObject) => ObjectEvent>> = {
  projects: (entry) => ({
    type: "project.added",
    aggregateType: "project",
    aggregateId: textAt(entry, "projectId"),
    payload: { name: textAt(entry, "project", "name") },
  }),
  projectGrants: (entry) => ({
    type: "project.grant.added",
    aggregateType: "project",
    aggregateId: textAt(entry, "projectGrant", "projectId"),
    payload: {
      grantId: textAt(entry, "grantId"),
      grantedOrgId: textAt(entry, "projectGrant", "grantedOrgId"),
      ...roles(valueAt(entry, "projectGrant", "roleKeys")),
    },
  }),
  userGrants: (entry) => ({
    type: "user.grant.added",
    aggregateType: "usergrant",
    aggregateId: idOf(entry),
    payload: {
      userId: textAt(entry, "userId"),
      projectId: textAt(entry, "projectId"),
      ...(textAt(entry, "projectGrantId") === "" ? {} : { grantId: textAt(entry, "projectGrantId") }),
      ...roles(entry["roleKeys"]),
    },
  }),
  appKeys: ({ id, projectId, appId, clientId, expirationDate, publicKey }) => ({
    type: "project.application.oidc.key.added",
    aggregateType: "project",
    aggregateId: String(projectId),
    payload: definedOnly({ applicationId: appId, clientId, expirationDate, keyId: id, publicKey }),
  }),
  machineKeys: ({ keyId, userId, expirationDate, publicKey }) => ({
    type: "user.machine.key.added",
    aggregateType: "user",
    aggregateId: String(userId),
    payload: definedOnly({ expirationDate, keyId, publicKey }),
  }),
};

/** The templates of texts in events, by the list of the document. */
export const textTemplates: Readonly<Record<string, string>> = {
  loginTexts: "Login",
  initMessages: "InitCode",
  passwordResetMessages: "PasswordReset",
  verifyEmailMessages: "VerifyEmail",
  verifyPhoneMessages: "VerifyPhone",
  domainClaimedMessages: "DomainClaimed",
  passwordlessRegistrationMessages: "PasswordlessRegistration",
  inviteUserMessages: "InviteUser",
  verifySmsOtpMessages: "VerifySMSOTP",
  verifyEmailOtpMessages: "VerifyEmailOTP",
};

/** The event of a text. The service writes one for each of its texts, with the key and the words; the mock writes one for all. */
export function textEvent(field: string, orgId: string, entry: JsonObject): ObjectEvent | undefined {
  const template = textTemplates[field];
  if (template === undefined) return undefined;
  const payload = { language: textAt(entry, "language"), template };
  return { type: "org.customtext.set", aggregateType: "org", aggregateId: orgId, payload };
}

function roles(roleKeys: JsonObject[string] | undefined): JsonObject {
  return roleKeys === undefined ? {} : { roleKeys };
}

function definedOnly(payload: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  return JSON.parse(JSON.stringify(payload)) as JsonObject; // of JSON values
}

/** The service generates the ids of grants; here each grant keeps its own. */
function idOf(entry: JsonObject): string {
  return `4${createHash("sha256").update(JSON.stringify(entry)).digest().readBigUInt64BE() % 10n ** 17n}`;
}
