import { emailDomainOption } from "../shared/address.ts";
import { grantOption, projectsOption } from "../shared/grants.ts";
import { idpOption, metadataOption, phoneCountryOption } from "../shared/options.ts";
import { last, type SourceOption } from "../source.ts";
import { orgByOption } from "./orgs.ts";

/** The attribute that holds a phone number, unless another one is named: Keycloak's own claim of phone numbers reads it. */
const PHONE_ATTRIBUTE = "phoneNumber";

/** The attribute that says whether a phone number was verified, by Keycloak's own claim of that name. */
export const VERIFIED = "phoneNumberVerified";
export const LOCALE = "locale";

const realm: SourceOption<string | undefined> = {
  flag: "--realm <name>",
  description: "the realm whose users are moved, of an export of several",
  read: (given) => last(given) || undefined,
};

const phoneAttribute: SourceOption<string> = {
  flag: "--phone-attribute <name>",
  description: `attribute that holds a phone number (default: ${PHONE_ATTRIBUTE})`,
  read: (given) => last(given) || PHONE_ATTRIBUTE,
};

/** The flags that only Keycloak has. */
export const options = {
  realm,
  emailDomain: emailDomainOption,
  phoneAttribute,
  phoneCountry: phoneCountryOption,
  metadata: metadataOption,
  idp: idpOption("alias"),
  orgBy: orgByOption,
  grant: grantOption,
  projects: projectsOption,
};

export type KeycloakOptions = typeof options;
