import { AskedMap } from "../../core/merge/asked-map.ts";
import { emailDomainOption } from "../shared/address.ts";
import { grantOption, projectsOption } from "../shared/grants.ts";
import { type IdpIds, phoneCountryOption, readPair } from "../shared/options.ts";
import { orgsByUser, type ValuesByUser, valuesByUser } from "../shared/values-by-user.ts";
import { last, OptionFault, type OptionTable, ofLast, type Settings, type SourceOption } from "../source.ts";

/** Where users' metadata come from, and what stands in front of their keys. */
export interface MetadataSource {
  readonly field: "user_metadata" | "app_metadata";
  readonly prefix: string;
}

/** How it is found out which organization a user goes to. */
export type OrgBy =
  | { readonly kind: "connection" }
  | { readonly kind: "path"; readonly keys: readonly string[] }
  /** The organizations' ids by the user's. */
  | { readonly kind: "table"; readonly table: ValuesByUser };

const profile: SourceOption<"plain" | "full"> = {
  flag: "--profile <what>",
  description:
    "plain (id, name, e-mail) or full (all names, phone, …): full adds given and family name, nickname, language and phone (default: plain)",
  read: (given) => choice(last(given) ?? "plain", ["plain", "full"]),
};

const userName: SourceOption<"email" | "username"> = {
  flag: "--user-name <field>",
  description: "what people sign in with: email, or username where there is one (default: email)",
  read: (given) => choice(last(given) ?? "email", ["email", "username"]),
};

const metadata: SourceOption<readonly MetadataSource[]> = {
  flag: "--metadata <sources>",
  description: "take user_metadata and app_metadata along: user, app, or user=prefix_,app=prefix_ (repeatable)",
  read: (given) => given.flatMap((text) => text.split(",")).map(metadataSource),
};

const idp: SourceOption<IdpIds> = {
  flag: "--idp <provider=id>",
  description: "id on the target of a provider or connection (google-oauth2) that users sign in with; repeatable",
  read: (given) => new AskedMap(given.map((text) => readPair(text, "google-oauth2=293847561029384756"))),
};

const orgBy: SourceOption<OrgBy | undefined> = {
  flag: "--org-by <what>",
  description: "users of several organizations: connection, a path such as app_metadata.org, or a .csv of user_id,org",
  read: (given, readFile) => ofLast(given, (text) => orgByOf(text, readFile)),
};

/** Where the roles of users are. */
export type RolesBy =
  | { readonly kind: "path"; readonly keys: readonly string[] }
  /** The names of the roles by the user's id. */
  | { readonly kind: "table"; readonly table: ValuesByUser };

const rolesBy: SourceOption<readonly RolesBy[]> = {
  flag: "--roles-by <what>",
  description: "roles for --grant: a path such as app_metadata.roles, or a .csv of user_id,role; repeatable",
  read: (given, readFile) => given.map((text) => rolesByOf(text, readFile)),
};

/** The target's provider for an account: that of its connection before that of its provider. */
export function idpOf(ids: IdpIds, provider: string, connection?: string | null): string | undefined {
  const ofProvider = ids.get(provider);
  return ids.get(connection ?? "") ?? ofProvider;
}

const unblock: SourceOption<boolean> = {
  flag: "--unblock",
  description: "make users active who are blocked at the source (default: they are inactive)",
  read: ([given]) => given !== undefined,
};

/** The flags of `migrate auth0` alone. */
export const options = {
  profile,
  phoneCountry: phoneCountryOption,
  userName,
  metadata,
  idp,
  orgBy,
  emailDomain: emailDomainOption,
  unblock,
  rolesBy,
  grant: grantOption,
  projects: projectsOption,
} satisfies OptionTable;
export type Auth0Settings = Settings<typeof options>;

/** What the whole input is if every row of it says so. */
export type Auth0Unfit = "extension" | "stranger";

/** True when the specification's own mapping is all that is wanted. */
export function isPlain({
  profile: what,
  userName: name,
  metadata: sources,
  idp: providers,
  orgBy: by,
  rolesBy: roles,
}: Auth0Settings): boolean {
  if (roles.length > 0) return false;
  return what === "plain" && name === "email" && sources.length === 0 && providers.size === 0 && by === undefined;
}

function choice<Choice extends string>(given: string, choices: readonly Choice[]): Choice {
  const found = choices.find((one) => one === given);
  if (found === undefined) throw new OptionFault(`it must be ${choices.join(" or ")}.`);
  return found;
}

function metadataSource(text: string): MetadataSource {
  const [name, prefix = ""] = text.trim().split("=", 2);
  if (name !== "user" && name !== "app")
    throw new OptionFault("it must be user, app or user,app, with a prefix if needed, such as user,app=auth0_.");
  return { field: `${name}_metadata`, prefix };
}

function orgByOf(text: string, readFile: (path: string) => string): OrgBy {
  if (text === "connection") return { kind: "connection" };
  if (text.endsWith(".csv")) return { kind: "table", table: orgsByUser(text, readFile) };
  const keys = pathOf(text);
  if (keys === undefined)
    throw new OptionFault("it must be connection, a path such as app_metadata.org, or a .csv file.");
  return { kind: "path", keys };
}

function rolesByOf(text: string, readFile: (path: string) => string): RolesBy {
  if (text.endsWith(".csv")) return { kind: "table", table: valuesByUser(readFile(text), text, "a role") };
  const keys = pathOf(text);
  if (keys === undefined) throw new OptionFault("it must be a path such as app_metadata.roles, or a .csv file.");
  return { kind: "path", keys };
}

/** Keys into the metadata of a user; undefined: it is no such path. */
function pathOf(text: string): readonly string[] | undefined {
  const keys = text.split(".");
  const isPath = (keys[0] === "app_metadata" || keys[0] === "user_metadata") && keys.length > 1 && !keys.includes("");
  return isPath ? keys : undefined;
}
