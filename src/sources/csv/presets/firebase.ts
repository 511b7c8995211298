import type { Preset } from "../preset.ts";

/** Four columns for each provider, by the names of what they hold. */
function provider(name: string): readonly string[] {
  return [`${name}.id`, `${name}.email`, `${name}.displayName`, `${name}.photoUrl`];
}

/** The columns by their place; files of older versions of the tool have the first of them. A comma ends each row. */
const providers = ["google", "facebook", "twitter", "github"];
const laterProviders = ["apple", "microsoft", "gc.apple", "playgames", "linkedin", "yahoo"];
const columns = [
  "localId",
  "email",
  "emailVerified",
  "passwordHash",
  "salt",
  "displayName",
  "photoUrl",
  ...providers.flatMap(provider),
  "createdAt",
  "lastSignedInAt",
  "phoneNumber",
  "disabled",
  "customAttributes",
  ...laterProviders.flatMap(provider),
];

/** Firebase: `firebase auth:export users.csv`. It writes no names of columns, and quotes where it pleases. */
export const firebaseCsv: Preset = {
  id: "firebase-csv",
  title: "Firebase",
  table: { columns, hasLooseQuotes: true },
  fields: {
    userId: "localId",
    email: "email",
    emailVerified: "emailVerified",
    name: "displayName",
    displayName: "displayName",
    // Firebase only has numbers that were used to sign in.
    phone: "phoneNumber",
    phoneVerified: "phoneNumber",
    hash: "passwordHash",
    salt: "salt",
    state: "disabled",
  },
  metadata: { customAttributes: "customAttributes" },
  anonymousWithout: ["email", "phoneNumber", ...[...providers, ...laterProviders].map((name) => `${name}.id`)],
  hashKind: "firebase-scrypt",
};
