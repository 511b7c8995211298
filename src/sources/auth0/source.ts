import type { Source } from "../source.ts";

/** Auth0: a bulk user export and, from its support, the bcrypt hashes (spec: Source-provider input files). */
export const auth0: Source = {
  id: "auth0",
  title: "Auth0",
  users: {
    flag: "users",
    shape: { kind: "rows" },
    defaultPath: "./users.json",
    description: "profile file: a JSON array, NDJSON or concatenated objects, gzip or not; - is stdin",
  },
  credentials: {
    flag: "passwords",
    shape: { kind: "rows" },
    defaultPath: "./passwords.json",
    optional: true,
    description: "password file from Auth0's support (NDJSON), gzip or not; - is stdin",
  },
  options: {},
  createRows: () => ({
    async load() {
      const [{ readUser }, { readCredential }] = await Promise.all([
        import("./read-user.ts"),
        import("./read-credential.ts"),
      ]);
      return { readUser, readCredential };
    },
    // Ids of users of Auth0's own database; all others sign in with another provider.
    ownIdPrefix: "auth0|",
    fieldNames: { userId: "user_id", userName: "email", hash: "passwordHash" },
    fast: {
      users: { user_id: "userId", email: "email", name: "name", email_verified: "isEmailVerified" },
      credentials: {
        // Ids in the order in which they count.
        alt_id: "ownId",
        "_id.$oid": "ownId",
        "_ID.$oid": "ownId",
        email: "email",
        passwordHash: "hash",
        "password_set_date.$date": "date",
        tenant: "text",
        connection: "text",
        email_verified: "flag",
        _tmp_is_unique: "flag",
        identifiers: "unusual",
      },
    },
  }),
};
