import { taken } from "../http/answer.ts";
import { textAt } from "../http/json.ts";
import { domains } from "./domains.ts";
import { humanUsers } from "./human.ts";
import type { ImportStep } from "./import-context.ts";
import { machineUsers } from "./machine.ts";
import { actions, apiApps, appKeys, oidcApps, projectGrants, projectRoles, projects } from "./project-kinds.ts";
import { type ListedKind, listed, setting } from "./steps.ts";
import { texts } from "./texts.ts";
import { triggerActions } from "./triggers.ts";
import {
  links,
  machineKeys,
  members,
  metadata,
  projectGrantMembers,
  projectMembers,
  userGrants,
} from "./user-kinds.ts";

const identityProvider = (field: string, type: string, list: string, more: Partial<ListedKind> = {}): ImportStep =>
  listed({
    field,
    type,
    key: (entry) => textAt(entry, "idpId"),
    unique: (entry) => textAt(entry, "idpId"),
    exists: { id: "Org-1J8fs", key: "Errors.Org.IDPConfig.AlreadyExisting" },
    name: { of: (entry) => textAt(entry, "idp", "name"), taken: taken("Errors.IDPConfig.AlreadyExists") },
    success: [list, (entry) => textAt(entry, "idpId")],
    ...more,
  });

const lockoutExists = { id: "ORG-0olDf", key: "Errors.ORG.LockoutPolicy.AlreadyExists" }; // sic: recording 23
const exists = (id: string, what: string) => ({ id, key: `Errors.Org.${what}.AlreadyExists` });

/** The order of the kinds that refer to no other organization (service behaviour 2.1). */
const firstStage: readonly ImportStep[] = [
  setting("domainPolicy", "domain_policy", exists("ORG-1M8ds", "DomainPolicy")),
  domains,
  setting("labelPolicy", "label_policy", exists("Org-2B0ps", "LabelPolicy")),
  setting("lockoutPolicy", "lockout_policy", lockoutExists),
  identityProvider("oidcIdps", "oidc_idp", "oidcIpds"), // sic: service behaviour 1.6
  identityProvider("jwtIdps", "jwt_idp", "jwtIdps", { isReported: ({ reportsJwtIdps }) => reportsJwtIdps }),
  setting("loginPolicy", "login_policy", exists("Org-Dgfb2", "LoginPolicy")),
  setting("passwordComplexityPolicy", "password_complexity_policy", exists("Org-LdhbS", "PasswordComplexityPolicy")),
  setting("privacyPolicy", "privacy_policy", exists("Org-0oLpd", "PrivacyPolicy")),
  ...texts,
  humanUsers,
  machineUsers,
  metadata,
  machineKeys,
  links,
  projects,
  oidcApps,
  apiApps,
  appKeys,
  actions,
  projectRoles,
];

/** Kinds that may refer to any organization of the same call, then memberships (service behaviour 2.1). */
const secondStage: readonly ImportStep[] = [triggerActions, projectGrants, userGrants];
const thirdStage: readonly ImportStep[] = [members, projectGrantMembers, projectMembers];

export const importStages: readonly (readonly ImportStep[])[] = [firstStage, secondStage, thirdStage];
