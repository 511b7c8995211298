import { emailProblem } from "../../core/rules/email.ts";
import { idpOption, metadataOption } from "../shared/options.ts";
import { OptionFault, type SourceOption } from "../source.ts";
import { EMAIL_DOMAIN } from "./address.ts";

/** The attribute that holds a phone number, unless another one is named: Keycloak's own claim of phone numbers reads it. */
const PHONE_ATTRIBUTE = "phoneNumber";

/** What was given last, as other flags have it. */
function last(given: readonly string[]): string | undefined {
  return given.at(-1) || undefined;
}

const realm: SourceOption<string | undefined> = {
  flag: "--realm <name>",
  description: "the realm whose users are moved, of an export of several",
  read: last,
};

const emailDomain: SourceOption<string | undefined> = {
  flag: `${EMAIL_DOMAIN} <domain>`,
  description: "gives users without an e-mail address <user name>@<domain>, not verified (default: they are rejected)",
  read(given) {
    const domain = last(given);
    if (domain === undefined || emailProblem(`a@${domain}`) === undefined) return domain;
    throw new OptionFault("it must be a host name, such as users.example.com.");
  },
};

const phoneAttribute: SourceOption<string> = {
  flag: "--phone-attribute <name>",
  description: `attribute that holds a phone number (default: ${PHONE_ATTRIBUTE})`,
  read: (given) => last(given) ?? PHONE_ATTRIBUTE,
};

/** The flags that only Keycloak has. */
export const options = { realm, emailDomain, phoneAttribute, metadata: metadataOption, idp: idpOption("alias") };

export type KeycloakOptions = typeof options;
