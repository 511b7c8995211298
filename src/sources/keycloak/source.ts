import type { DocumentMembers } from "../../core/merge/reading.ts";
import { Granter } from "../shared/grants.ts";
import { unmatchedIds } from "../shared/values-by-user.ts";
import type { Source } from "../source.ts";
import { nestedUsersOf } from "./nested-users.ts";
import { type KeycloakOptions, options } from "./options.ts";
import { RealmOrgs } from "./orgs.ts";
import type { Unfit } from "./read-user.ts";
import { RealmRoles } from "./roles.ts";

const EXPORT = "kc.sh export --dir <folder> --realm <name> --users different_files";

/** In an export without line breaks; an indented one has a third more. */
const USER_BYTES = 750;

const WITHOUT_ROLES =
  "the input lacks the roles and groups of the realm: roles that other roles include, and roles and groups that groups give, are not granted. Give the whole export.";

/** Files that look like an export of users. */
const realmAlone = {
  what: "a realm without its users",
  instead: `Give the folder that holds its <realm>-users-<n>.json as well. If there are none, the export was a partial one or had --users skip: ${EXPORT}`,
};
const adminList = {
  what: "a list of users from the admin API, which has no passwords",
  instead: `Export the realm on the server: ${EXPORT}`,
};
const unfit = {
  "service-accounts": {
    what: "an export in which all users are service accounts, such as a partial export from the admin console",
    instead: `Export the realm on the server: ${EXPORT}`,
  },
  "no-credentials": {
    what: "no export with passwords: none of its users has credentials, not even an empty list of them",
    instead: `Export the realm on the server: ${EXPORT}`,
  },
} satisfies Record<Unfit, object>;

/** Keycloak: realm exports in every form that the server writes, with hashes. */
export const keycloak: Source<KeycloakOptions> = {
  id: "keycloak",
  title: "Keycloak",
  users: {
    flag: "users",
    shape: {
      kind: "document",
      list: ["users"],
      name: { key: "realm", flag: "--realm" },
      strangers: [
        { has: "username", is: adminList },
        { has: "realm", is: realmAlone },
      ],
    },
    folder: {
      files: /-(realm|users-\d+)\.json(\.gz)?$/,
      names: "<realm>-users-<n>.json, <realm>-realm.json",
      parts: /^(.*)-users-\d+\.json(?:\.gz)?$/,
    },
    defaultPath: "./realm-export.json",
    marks: ["realm"],
    description: "realm export: a file, a folder with its files, one realm or several, gzip or not; - is stdin",
  },
  options,
  namesOrgs: true,
  carriedBy: { "": "--metadata <attribute>" },
  createRows(settings) {
    const granter = new Granter(settings);
    const realmRoles = new RealmRoles();
    const realmOrgs = new RealmOrgs(settings.orgBy);
    const asksForOrgs = settings.orgBy?.kind === "organization";
    const about: DocumentMembers = {
      keys: ["roles", "groups", ...(asksForOrgs ? ["organizations"] : [])],
      isAnywhere: asksForOrgs,
      ...(settings.grant.length > 0 ? { ifAbsent: WITHOUT_ROLES } : {}),
      take(members) {
        realmRoles.take(members);
        realmOrgs.take(members);
      },
    };
    return {
      async load() {
        const { createReadUser } = await import("./read-user.ts");
        realmOrgs.check();
        return { readUser: createReadUser(settings, { granter, realmRoles, realmOrgs }) };
      },
      ownIdPrefix: "",
      fieldNames: { userId: "id", userName: "username", hash: "credentials" },
      document: settings.realm,
      about,
      projects: granter.projects,
      unmet: () => ({
        "--grant": granter.unmet,
        "--idp": settings.idp.unasked,
        "--metadata": settings.metadata.keys.unasked,
      }),
      unmatchedIds: () => ({ "--org-by": unmatchedIds(settings.orgBy) }),
      targetIds: { "--grant": granter.foreignProjects, "--idp": [...settings.idp.values()] },
      unfit,
      userBytes: USER_BYTES,
      // Which organization a user is in depends on the id or name, and rows that are read as bytes may not.
      ...(settings.orgBy === undefined ? { fast: { nestedUsers: nestedUsersOf(settings) } } : {}),
    };
  },
};
