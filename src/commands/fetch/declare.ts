import { type Command, Option } from "@commander-js/extra-typings";
import { addCommonOptions, collect } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";

const NOTHING: readonly string[] = [];

/** The fields that `migrate auth0` reads, also with `--profile full`. Auth0 leaves most of them out unless the request names them. */
export const FIELDS: readonly string[] = [
  "user_id",
  "email",
  "email_verified",
  "username",
  "name",
  "given_name",
  "family_name",
  "nickname",
  "picture",
  "locale",
  "phone_number",
  "phone_verified",
  "blocked",
  "multifactor",
  "identities",
  "user_metadata",
  "app_metadata",
];

const EXAMPLES: readonly Example[] = [
  ["all users of a tenant", "orgferry fetch auth0 --domain acme.eu.auth0.com --token-file token"],
  ["with organizations and roles", "orgferry fetch auth0 --organizations --roles"],
  [
    "the users of one connection, directly into a body",
    "orgferry fetch auth0 --connection people --output - | orgferry migrate auth0 --org 1 --users -",
  ],
];

/** Declares `fetch auth0` and its flags. */
export function declareFetch(program: Command) {
  const group = program
    .command("fetch")
    .description("export users from another provider")
    .usage("<source_provider> [options]")
    .helpCommand(false)
    // An unknown provider ends here, with any flags behind it.
    .allowUnknownOption()
    .allowExcessArguments();
  group.action(() => {
    const [name] = group.args;
    if (name === undefined || name.startsWith("-")) group.help({ error: true });
    group.error(
      `error: unknown provider '${name}': fetch reads Auth0 only (orgferry fetch auth0). Export the users of another provider with its own tools, then use orgferry migrate`,
    );
  });
  const named = group
    .command("auth0")
    .description("export users from Auth0: request the export, wait for it, download it")
    .optionsGroup("Tenant:")
    .option("--domain <domain>", "domain of the tenant, such as acme.eu.auth0.com (or AUTH0_DOMAIN)")
    .option("--token-file <path>", "file with a Management API token (or AUTH0_TOKEN, or AUTH0_CLIENT_ID and _SECRET)")
    .option("--insecure-http", "allow unencrypted HTTP to a remote address", false)
    .optionsGroup("Selection:")
    .option("--connection <name>", "connection to export, by name or id; repeatable (default: all)", collect, NOTHING)
    .addOption(
      new Option("--fields <names>", "user fields to export, separated by commas")
        .argParser(parseFields)
        .default(FIELDS, "all fields that migrate auth0 reads"),
    )
    .option(
      "--organizations [path]",
      "also write who is a member of which organization, for migrate --org-by (default: ./organizations.csv)",
    )
    .option("--roles [path]", "also write who has which role, for migrate --roles-by (default: ./roles.csv)")
    .option("--output <path>", "file for the users, one per line; - is stdout (default: ./users.ndjson)")
    .option(
      "--job-file <path>",
      "file that records the requested export, to continue after an interrupt (default: <output>.job.json)",
    );
  return addCommonOptions(named).addHelpText("after", helpText(EXAMPLES, ["auth0"]));
}

function parseFields(text: string): readonly string[] {
  const fields = text.split(",").map((name) => name.trim());
  return [...new Set(["user_id", ...fields.filter((name) => name !== "")])];
}

/** The parsed flags of `fetch auth0`. */
export type FetchOptions = ReturnType<ReturnType<typeof declareFetch>["opts"]>;
