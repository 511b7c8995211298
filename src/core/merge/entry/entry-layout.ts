import { putAt } from "../../json/members.ts";
import { type UserField, userFields, type WrittenField } from "../../user-fields.ts";
import type { NewProject, SourceUser } from "../source-user.ts";

const written = userFields.flatMap(({ name, form, entry, of, isReadOnly }: UserField) =>
  // The table holds both as names of fields.
  isReadOnly === true ? [] : [{ name: name as WrittenField, form, path: entry.split("."), of: of as WrittenField }],
);

/**
 * An entry of `humanUsers`, with the fields in the order of the table (spec: Import body for users; service behaviour 1.4 for the keys that
 * it does not show). Absent fields stay absent.
 */
export function toEntry(user: SourceUser): object {
  const entry = {};
  for (const field of written) {
    const value = entryValue(user, field);
    if (value !== undefined) putAt(entry, field.path, value);
  }
  return entry;
}

function entryValue(user: SourceUser, { name, form, of }: (typeof written)[number]): unknown {
  switch (form) {
    case "verified":
      return user[of] === undefined ? undefined : (user[name] ?? false);
    case "links":
      // With a hash, they stand in a list beside the entries.
      return user.hash === undefined
        ? user.idpLinks?.map(({ idpId, ...link }) => ({ configId: idpId, ...link }))
        : undefined;
    case "state":
      return user.state === undefined ? undefined : STATES[user.state];
    default:
      return user[name];
  }
}

const STATES = { active: "USER_STATE_ACTIVE", inactive: "USER_STATE_INACTIVE", locked: "USER_STATE_LOCKED" } as const;

/** The lists of an organization that say more of its users, in the order in which a body holds them. */
export const besideLists = ["userMetadata", "userLinks", "userGrants"] as const;
export type BesideList = (typeof besideLists)[number];

/**
 * The elements of a user in the lists beside `humanUsers`. The links of a user with a hash stand there: a provider that does not exist,
 * or allows no links, then fails only the link. Without a hash the links stand in the entry: such a user keeps a verified address and gets
 * no e-mail, but is not created unless the provider exists and allows links (service behaviour 0.27).
 */
export const besidesOf: Readonly<Record<BesideList, (user: SourceUser) => readonly object[]>> = {
  userMetadata: ({ userId, metadata = [] }) =>
    metadata.map(({ key, value }) => ({ id: userId, key, value: Buffer.from(value).toString("base64") })),
  userLinks: ({ userId, hash, idpLinks = [] }) =>
    (hash === undefined ? [] : idpLinks).map(({ idpId, externalUserId, displayName = externalUserId }) => ({
      userId,
      idpId,
      providedUserId: externalUserId,
      providedUserName: displayName,
    })),
  userGrants: ({ userId, grants = [] }) => grants.map((grant) => ({ userId, ...grant })),
};

/** False for a user without an element in any of the lists. Cheap: it is asked for every user. */
export function hasBesides({ metadata, idpLinks, grants }: SourceUser): boolean {
  return metadata !== undefined || idpLinks !== undefined || grants !== undefined;
}

/** The lists of an organization that create projects and grant them to other organizations (service behaviour 1.4). */
export function projectLists(
  projects: readonly NewProject[],
  others: readonly string[],
  isFirst: boolean,
): Readonly<Record<string, readonly object[]>> {
  const created = isFirst ? projects : [];
  return {
    projects: created.map(({ id, name }) => ({ projectId: id, project: { name } })),
    projectRoles: created.flatMap(({ id, roleKeys }) =>
      [...roleKeys].sort().map((roleKey) => ({ projectId: id, roleKey, displayName: roleKey })),
    ),
    projectGrants: projects.flatMap(({ id, roleKeys }) =>
      others.map((orgId) => ({
        grantId: projectGrantId(id, orgId),
        projectGrant: { projectId: id, grantedOrgId: orgId, roleKeys: [...roleKeys].sort() },
      })),
    ),
  };
}

/** The id of the grant of a created project to an organization: the same in each run. */
export function projectGrantId(projectId: string, orgId: string): string {
  return `${projectId}-${orgId}`;
}

/** The fixed text of a plain user's entry. */
export interface PlainLayout {
  /** In front of id, user name, first name, last name and address. */
  readonly before: readonly [string, string, string, string, string];
  /** What ends an entry without a hash, and what stands in front of a hash; by whether the address is verified. */
  readonly tail: Readonly<Record<"verified" | "unverified", { readonly end: string; readonly hash: string }>>;
  /** What stands behind a hash. */
  readonly afterHash: string;
}

/** The layout of a plain user (id, address, names, bcrypt hash), found by looking at what `toEntry` makes of one. */
export const plainLayout: PlainLayout = layoutOf();

function layoutOf(): PlainLayout {
  const holes = { userId: "\u0001", userName: "\u0001", firstName: "\u0001", lastName: "\u0001", email: "\u0001" };
  const pieces = (isEmailVerified: boolean, hash?: "\u0001"): readonly string[] => {
    const user = { ...holes, isEmailVerified, ...(hash === undefined ? {} : { hash }) };
    return JSON.stringify(toEntry(user)).split(JSON.stringify("\u0001").slice(1, -1));
  };
  const [a = "", b = "", c = "", d = "", e = ""] = pieces(false);
  const tail = (isEmailVerified: boolean) => ({
    end: pieces(isEmailVerified).at(-1) ?? "",
    hash: pieces(isEmailVerified, "\u0001").at(-2) ?? "",
  });
  return {
    before: [a, b, c, d, e],
    tail: { verified: tail(true), unverified: tail(false) },
    afterHash: pieces(true, "\u0001").at(-1) ?? "",
  };
}
