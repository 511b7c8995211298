import { type Command, Option } from "@commander-js/extra-typings";
import { addCommonOptions, collect } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";

const NOTHING: readonly string[] = [];

/** What `migrate auth0` reads, also with `--profile full`. An export without a list of fields lacks most of it. */
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
  [
    "those of one connection, packed on the way",
    "orgferry fetch auth0 --connection people --output - | gzip > users.ndjson.gz",
  ],
  ["straight into a body", "orgferry fetch auth0 --output - | orgferry migrate auth0 --org 1 --users -"],
];

/** Declares `fetch auth0` and its flags. */
export function declareFetch(program: Command) {
  const group = program
    .command("fetch")
    .description("ask another provider for the export of its users")
    .usage("<source_provider> [options]")
    .helpCommand(false);
  const named = group
    .command("auth0")
    .description("ask Auth0 for the export of its users, wait for it and download it")
    .optionsGroup("The tenant:")
    .option("--domain <domain>", "the tenant, such as acme.eu.auth0.com (or AUTH0_DOMAIN)")
    .option(
      "--token-file <path>",
      "file with a token of its Management API (or AUTH0_TOKEN, or AUTH0_CLIENT_ID and _SECRET)",
    )
    .option("--insecure-http", "allow plain http to an address that is not this machine", false)
    .optionsGroup("What is fetched:")
    .option(
      "--connection <name>",
      "connection to export, by name or id; repeatable (default: all users of the tenant)",
      collect,
      NOTHING,
    )
    .addOption(
      new Option("--fields <names>", "fields of a user to ask for, with commas")
        .argParser(parseFields)
        .default(FIELDS, "all that migrate auth0 reads"),
    )
    .option("--output <path>", "where the users go, one a line; - is stdout (default: ./users.ndjson)")
    .option("--job-file <path>", "what an interrupted fetch is continued by (default: <output>.job.json)");
  return addCommonOptions(named).addHelpText("after", helpText(EXAMPLES, ["auth0"]));
}

function parseFields(text: string): readonly string[] {
  const fields = text.split(",").map((name) => name.trim());
  return [...new Set(["user_id", ...fields.filter((name) => name !== "")])];
}

/** The flags of `fetch auth0`, as the command line hands them over. */
export type FetchOptions = ReturnType<ReturnType<typeof declareFetch>["opts"]>;
