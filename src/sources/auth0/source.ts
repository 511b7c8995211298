import type { Source } from "../source.ts";

/** Auth0: a bulk user export and, from its support, the bcrypt hashes (spec: Source-provider input files). */
export const auth0: Source = {
  id: "auth0",
  title: "Auth0",
  inputs: [
    {
      flag: "users",
      defaultPath: "./users.json",
      optional: false,
      description: "profile file: a JSON array, NDJSON or concatenated objects, gzip or not; - is stdin",
    },
    {
      flag: "passwords",
      defaultPath: "./passwords.json",
      optional: true,
      description: "password file from Auth0's support (NDJSON), gzip or not; - is stdin",
    },
  ],
  load: async () => (await import("./merge.ts")).mergeAuth0,
};
