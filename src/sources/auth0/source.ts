import type { CredentialRole, FieldTable, ParsedRowReaders, UserRole } from "../../core/merge/reading.ts";
import { ProblemError } from "../../problem.ts";
import { Granter } from "../shared/grants.ts";
import { unmatchedIds } from "../shared/values-by-user.ts";
import type { Source } from "../source.ts";
import { FieldsSeen } from "./fields-seen.ts";
import { carriedBy, createNotesOf } from "./notes.ts";
import { type Auth0Settings, type Auth0Unfit, isPlain, options } from "./options.ts";

/** Auth0: a bulk user export and, from its support, the bcrypt hashes (spec: Source-provider input files). */
export const auth0: Source<typeof options> = {
  id: "auth0",
  title: "Auth0",
  users: {
    flag: "users",
    shape: { kind: "rows" },
    defaultPath: "./users.json",
    marks: ["user_id"],
    description: "profile file: a JSON array, NDJSON or concatenated objects, gzip or not; - is stdin",
  },
  credentials: {
    flag: "passwords",
    shape: { kind: "rows" },
    defaultPath: "./passwords.json",
    optional: true,
    marks: ["passwordHash", "password_set_date", "_tmp_is_unique"],
    description: "password file from Auth0's support (NDJSON), gzip or not; - is stdin",
  },
  options,
  namesOrgs: true,
  carriedBy,
  createRows(settings) {
    const message = missingFlag(settings);
    if (message !== undefined) throw new ProblemError({ code: "usage.invalid", message });
    const granter = new Granter(settings);
    const seen = new FieldsSeen();
    const notesOf = createNotesOf(settings);
    return {
      async load() {
        const { readUser, ...others } = await loadReaders(settings, granter);
        return { readUser: (row) => readUser(seen.of(row)), ...others };
      },
      // Users of Auth0's database; others sign in with another provider.
      ownIdPrefix: "auth0|",
      fieldNames: { userId: "user_id", userName: "email", hash: "passwordHash" },
      fast: isPlain(settings) ? { users, credentials } : { credentials },
      // Of rows that are read as bytes, one of each shape is enough.
      notesOf: (row) => notesOf(seen.of(row)),
      lacks: (isEmailVerified) => seen.lacks(settings.unblock, isEmailVerified),
      projects: granter.projects,
      unmet: () => ({ "--grant": granter.unmet, "--idp": settings.idp.unasked }),
      unmatchedIds: () => ({
        "--org-by": unmatchedIds(settings.orgBy),
        "--roles-by": settings.rolesBy.flatMap(unmatchedIds),
      }),
      targetIds: { "--grant": granter.foreignProjects, "--idp": [...settings.idp.values()] },
      unfit,
    };
  },
};

/** A flag that has no effect without another one; undefined: there is none. */
function missingFlag({ grant, rolesBy, phoneCountry, profile }: Auth0Settings): string | undefined {
  if (grant.length > 0 && rolesBy.length === 0) return "--grant needs --roles-by, which says where the roles are.";
  if (phoneCountry !== undefined && profile === "plain")
    return "--phone-country needs --profile full, which reads phone numbers.";
  return undefined;
}

const unfit = {
  extension: {
    what: "an export of Auth0's User Import/Export extension, which has other names of fields",
    instead: "Export the users as CSV and use orgferry migrate csv --preset auth0, or use orgferry fetch auth0.",
  },
  stranger: {
    what: "JSON without a user_id and an e-mail address, which users of Auth0 have",
    instead: "Get the users with orgferry fetch auth0, or use orgferry migrate json for those of another system.",
  },
} satisfies Record<Auth0Unfit, object>;

async function loadReaders(settings: Auth0Settings, granter: Granter): Promise<ParsedRowReaders> {
  const { readCredential } = await import("./read-credential.ts");
  if (isPlain(settings)) {
    const { createPlainReader } = await import("./read-user.ts");
    return { readUser: createPlainReader(settings), readCredential };
  }
  return { readUser: (await import("./full-profile.ts")).createFullReader(settings, granter), readCredential };
}

const users: FieldTable<UserRole> = {
  user_id: "providerAndId",
  email: "email",
  name: "name",
  email_verified: "isEmailVerified",
  // Rows with it, if false as well, say the state of the user.
  blocked: "unusual",
  // Reported as lost if it is not empty.
  multifactor: "empty",
  // Counted where they say something.
  given_name: "counted-text",
  family_name: "counted-text",
  nickname: "counted-text",
  locale: "counted-text",
  phone_number: "counted-text",
  username: "counted-text",
  picture: "counted-text",
  user_metadata: "counted-object",
  // It may have roles and groups, which are counted.
  app_metadata: "counted-text",
  identities: "accounts",
};

const credentials: FieldTable<CredentialRole> = {
  // Ids by priority.
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
};
