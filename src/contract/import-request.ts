/**
 * The variants of the import request: exactly one top-level data field selects one (spec: Endpoints, rules). The service reads
 * camelCase and snake_case alike (service behaviour 1).
 */
export const importVariants = [
  { variant: "dataOrgs", camel: "dataOrgs", snake: "data_orgs", carries: "body" },
  { variant: "dataOrgsv1", camel: "dataOrgsv1", snake: "data_orgsv1", carries: "body" },
  { variant: "dataOrgsGcs", camel: "dataOrgsGcs", snake: "data_orgs_gcs", carries: "object-storage" },
  { variant: "dataOrgsv1Gcs", camel: "dataOrgsv1Gcs", snake: "data_orgsv1_gcs", carries: "object-storage" },
] as const;
export type ImportVariant = (typeof importVariants)[number]["variant"];

/** Variants of the real service that read the server's disk or an S3 bucket (service behaviour 1.1); not in the specification. */
export const otherImportVariants = [
  { camel: "dataOrgsLocal", snake: "data_orgs_local" },
  { camel: "dataOrgsv1Local", snake: "data_orgsv1_local" },
  { camel: "dataOrgsS3", snake: "data_orgs_s3" },
  { camel: "dataOrgsv1S3", snake: "data_orgsv1_s3" },
] as const;

/** The camelCase form of a key; the service reads snake_case alike (service behaviour 1). */
export function camelKey(key: string): string {
  return key.includes("_") ? key.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : key;
}

/**
 * The members of an organization in a body or an export: the messages DataOrg of admin and v1, version 4.15. The service ignores other
 * members without an error (service behaviour 1).
 */
export const orgMembers: ReadonlySet<string> = new Set([
  ...["orgId", "org", "orgState", "domains", "domainPolicy", "labelPolicy", "lockoutPolicy", "loginPolicy"],
  ...["passwordComplexityPolicy", "privacyPolicy", "projects", "projectRoles", "apiApps", "oidcApps", "appKeys"],
  ...["humanUsers", "machineUsers", "machineKeys", "userMetadata", "userLinks", "userGrants", "orgMembers"],
  ...["projectMembers", "projectGrants", "projectGrantMembers", "actions", "triggerActions", "oidcIdps", "jwtIdps"],
  ...["loginTexts", "initMessages", "passwordResetMessages", "verifyEmailMessages", "verifyPhoneMessages"],
  ...["verifySmsOtpMessages", "verifyEmailOtpMessages", "domainClaimedMessages", "passwordlessRegistrationMessages"],
  ...["inviteUserMessages", "iamPolicy", "secondFactors", "multiFactors", "idps"],
]);
