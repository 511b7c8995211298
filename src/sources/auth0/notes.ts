import type { UserNotes } from "../../core/merge/reading.ts";
import type { Remark } from "../../problem.ts";
import { isEmpty } from "../shared/options.ts";
import { type Auth0Settings, idpOf } from "./options.ts";

// Free of the parser: the fast path notes what its rows lose.

/** Auth0's own users are no link, and a code by e-mail or SMS is no provider of the target. */
const NO_PROVIDERS: ReadonlySet<string> = new Set(["auth0", "email", "sms"]);
/** The form of the names of providers and connections. Any other text in their place is not printed. */
const NAME = /^[\w.-]{1,128}$/;

/** Fields of a row that a plain profile leaves out. */
const FULL = ["given_name", "family_name", "nickname", "locale", "phone_number"] as const;

/** Where apps keep the roles of a user, in app_metadata. */
const ROLES = ["roles", "groups"] as const;

/** The flag that carries a field over. */
export const carriedBy: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FULL.map((field) => [field, "--profile full"])),
  username: "--user-name username",
  user_metadata: "--metadata user",
  app_metadata: "--metadata app",
  ...Object.fromEntries(ROLES.map((key) => [`app_metadata.${key}`, `--roles-by app_metadata.${key}`])),
};

/** Fields that are read or counted in another way, and Auth0's own records, which describe no user. Any other field is not carried. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["user_id", "email", "email_verified", "identifiers", "name", "phone_verified", "blocked", "identities"],
  ...["picture", "multifactor", ...Object.keys(carriedBy)],
  ...["created_at", "updated_at", "last_login", "last_ip", "logins_count", "last_password_reset"],
  ...["multifactor_last_modified", "blocked_for", "_id", "tenant", "__tenant"],
  ...["clientID", "globalClientID", "global_client_id"],
]);

type Row = Readonly<Record<string, unknown>>;

/** What a row holds and the settings do not carry over. Only what is written is counted. */
export function createNotesOf(settings: Auth0Settings): (row: object) => UserNotes {
  const { profile, userName, metadata, rolesBy } = settings;
  const texts: readonly string[] = [
    ...(profile === "plain" ? FULL : []),
    ...(userName === "username" ? [] : ["username"]),
  ];
  const objects = (["user_metadata", "app_metadata"] as const).filter(
    (name) => !metadata.some(({ field }) => field === name),
  );
  const roles = rolesBy.some(({ kind }) => kind === "table") ? [] : ROLES.filter((key) => !isTaken(key, settings));
  return (object) => {
    const row = object as Row; // an object by its type
    const providers = providersOf(row, settings);
    const remarks: Remark[] = [];
    if (isFilledText(row["picture"])) remarks.push("picture-lost");
    if (Array.isArray(row["multifactor"]) && row["multifactor"].length > 0) remarks.push("factors-lost");
    if (providers.length > 0) remarks.push("link-lost");
    if (hasLinkedPassword(row)) remarks.push("linked-password-lost");
    const fields = [
      ...texts.filter((name) => isFilledText(row[name])),
      ...objects.filter((name) => isFilledObject(row[name])),
      ...rolesIn(row["app_metadata"], roles),
      ...Object.keys(row).filter((name) => !KNOWN.has(name) && !isEmpty(row[name])),
    ];
    return { remarks, fields, providers };
  };
}

/** True for a key of app_metadata that `--roles-by` names. */
function isTaken(key: string, { rolesBy }: Auth0Settings): boolean {
  return rolesBy.some((by) => by.kind === "path" && by.keys.join(".") === `app_metadata.${key}`);
}

/** The paths with roles or groups in app_metadata, of which `--roles-by` and `--grant` make grants. */
function rolesIn(metadata: unknown, keys: readonly string[]): readonly string[] {
  const fields = isFilledObject(metadata) ? (metadata as Row) : {};
  return keys.filter((key) => [fields[key]].flat().some(isFilledText)).map((key) => `app_metadata.${key}`);
}

/** True for a user of another provider with a database account. */
function hasLinkedPassword({ user_id: userId, identities }: Row): boolean {
  const isOther = typeof userId === "string" && !userId.startsWith("auth0|");
  return isOther && Array.isArray(identities) && identities.some((one: Account | null) => one?.provider === "auth0");
}

function isFilledText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isFilledObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

/** The providers of a user that `--idp` does not name: `google-oauth2`, or with a connection of another name `okta (samlp)`. */
function providersOf(row: Row, { idp }: Auth0Settings): readonly string[] {
  const { identities, user_id: userId } = row;
  const listed = Array.isArray(identities) ? identities.map((identity): Account => identity ?? {}) : [];
  const names = new Set<string>();
  for (const { provider, connection } of accountsOf(userId, listed)) {
    if (typeof provider !== "string" || !NAME.test(provider) || NO_PROVIDERS.has(provider)) continue;
    const isOther = typeof connection === "string" && NAME.test(connection) && connection !== provider;
    const other = isOther ? connection : "";
    if (idpOf(idp, provider, other) === undefined) names.add(other === "" ? provider : `${other} (${provider})`);
  }
  return [...names];
}

interface Account {
  readonly provider?: unknown;
  readonly user_id?: unknown;
  readonly connection?: unknown;
}

/** The accounts of a user. The id is the provider and its id, so that the user's own account is known without the list as well. */
export function accountsOf<Listed extends Account>(
  userId: unknown,
  listed: readonly Listed[],
): readonly (Listed | Account)[] {
  const at = typeof userId === "string" ? userId.indexOf("|") : -1;
  if (typeof userId !== "string" || at < 1) return listed;
  const provider = userId.slice(0, at);
  if (listed.some((account) => account.provider === provider)) return listed;
  const id = userId.slice(at + 1);
  // An enterprise connection stands before the id of its account.
  const connection = id.slice(0, Math.max(0, id.indexOf("|")));
  return [...listed, { provider, user_id: id, ...(NAME.test(connection) ? { connection } : {}) }];
}
