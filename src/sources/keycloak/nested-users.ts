import type { NestedTable } from "../../core/merge/reading.ts";
import type { Settings } from "../source.ts";
import { type KeycloakOptions, LOCALE, VERIFIED } from "./options.ts";

const TEXT: NestedTable = { role: "any-text" };
const NUMBER: NestedTable = { role: "any-number" };
/** As it stands. */
const EXACT: NestedTable = {};

/** What differs from user to user of a realm export and means the same to `createReadUser`, by what was asked of it. */
export function nestedUsersOf(settings: Settings<KeycloakOptions>): NestedTable {
  return {
    members: {
      id: { role: "userId" },
      username: { role: "userName" },
      email: { role: "email" },
      firstName: { role: "firstName" },
      lastName: { role: "lastName" },
      createdTimestamp: NUMBER,
      notBefore: NUMBER,
      serviceAccountClientId: TEXT,
      credentials: { elements: { members: credential } },
      attributes: attributesOf(settings),
      federatedIdentities: identitiesOf(settings),
    },
  };
}

const credential: Readonly<Record<string, NestedTable>> = {
  id: TEXT,
  userLabel: TEXT,
  createdDate: NUMBER,
  priority: NUMBER,
  secretData: { role: "base64" },
};

/** Attributes that become fields of the user are read; others only count as a loss. */
function attributesOf({ phoneAttribute, metadata }: Settings<KeycloakOptions>): NestedTable {
  if (metadata.isAll) return EXACT;
  const named = [LOCALE, VERIFIED, phoneAttribute, ...metadata.keys.keys()];
  return {
    members: Object.fromEntries(named.map((name) => [name, EXACT])),
    others: { role: "any-text", elements: TEXT },
  };
}

/** Without `--idp`, no user is linked to a provider. */
function identitiesOf({ idp }: Settings<KeycloakOptions>): NestedTable {
  return idp.size > 0 ? EXACT : { elements: { members: { userId: TEXT, userName: TEXT } } };
}
