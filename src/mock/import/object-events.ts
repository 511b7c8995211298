import { definedOnly, type JsonObject, textAt, valueAt } from "../http/json.ts";
import { belongingEvents, type ObjectEvent } from "../users/belonging-events.ts";

/** The event of an imported object, for kinds whose events orgferry reads (probed on the 4.x line of July 2026). */
export const objectEvents: Readonly<Record<string, (entry: JsonObject, orgId: string) => ObjectEvent>> = {
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
      ...definedOnly({ roleKeys: valueAt(entry, "projectGrant", "roleKeys") }),
    },
  }),
  ...belongingEvents,
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
const textTemplates: Readonly<Record<string, string>> = {
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
