import type { SettingsCall } from "../../admin/org-lists.ts";

/**
 * A place of the console with settings that no export carries. The calls were tried on 2.62 and 4.x of July 2026 (service behaviour 9.20);
 * a version may lack some of them.
 */
export interface SettingPlace extends SettingsCall {
  /** As the console names it. */
  readonly name: string;
  /** Where the console shows it; the path after `/ui/console/`. */
  readonly page: string;
}

const RESULT = { paging: "query", member: "result" } as const;

const one = (name: string, id: string, path: string): SettingPlace => ({ name, page: `instance?id=${id}`, path });
const many = (name: string, page: string, path: string): SettingPlace => ({ name, page, path, list: RESULT });

/** The settings of an instance. */
export const instancePlaces: readonly SettingPlace[] = [
  one("Login behavior and security", "login", "/admin/v1/policies/login"),
  many("Login behavior and security: identity providers", "instance?id=login", "/admin/v1/policies/login/idps/_search"),
  one("Password complexity", "complexity", "/admin/v1/policies/password/complexity"),
  one("Password expiry", "age", "/admin/v1/policies/password/age"),
  one("Lockout", "lockout", "/admin/v1/policies/lockout"),
  one("Security settings", "security", "/admin/v1/policies/security"),
  one("Domain settings", "domain", "/admin/v1/policies/domain"),
  one("Branding", "branding", "/admin/v1/policies/label"),
  one("External links", "privacypolicy", "/admin/v1/policies/privacy"),
  one("Notifications", "notifications", "/admin/v1/policies/notification"),
  one("Default language", "languages", "/admin/v1/languages/default"),
  one("Allowed languages", "languages", "/admin/v1/languages/allowed"),
  one("Restrictions", "languages", "/admin/v1/restrictions"),
  one("OIDC token lifetimes", "oidc", "/admin/v1/settings/oidc"),
  one("Features", "features", "/v2/features/instance"),
  many("Identity providers", "instance?id=idp", "/admin/v1/idps/templates/_search"),
  many("E-mail providers", "instance?id=smtpprovider", "/admin/v1/email/_search"),
  many("SMS providers", "instance?id=smsprovider", "/admin/v1/sms/_search"),
  many("Secret generators", "instance?id=secrets", "/admin/v1/secretgenerators/_search"),
  many("Domains of the instance", "instance", "/admin/v1/domains/_search"),
  many("Trusted domains", "instance", "/admin/v1/trusted_domains/_search"),
  many("Administrators of the instance", "instance/members", "/admin/v1/members/_search"),
  {
    name: "Action targets",
    page: "instance?id=actions_targets",
    path: "/v2/actions/targets/search",
    list: { paging: "pagination", member: "targets" },
  },
  {
    name: "Actions",
    page: "instance?id=actions",
    path: "/v2/actions/executions/search",
    list: { paging: "pagination", member: "executions" },
  },
];

/** The settings of one organization that its export lacks. */
export const orgPlaces: readonly SettingPlace[] = [
  many("Identity providers", "org-settings?id=idp", "/management/v1/idps/templates/_search"),
  { name: "Flow: complement token", page: "actions", path: "/management/v1/flows/2" },
  { name: "Flow: complement SAML response", page: "actions", path: "/management/v1/flows/4" },
];
