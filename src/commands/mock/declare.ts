import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { groups, type Missing, parseMissing } from "../../mock/http/groups.ts";
import { mimics } from "../../mock/traits.ts";
import { type VerifierName, verifierNames } from "../../mock/users/verifier-names.ts";
import { collect } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { parsePort, parseTimeout } from "../shared/parse-flags.ts";

const WITHOUT_HELP = `endpoints it answers as if it had them not: ${groups.join(", ")}; 404, or =405, =501 after the name`;

const FAULT_HELP = `
Faults: --fault <endpoint>:<fault>[,key=value…]
  endpoint  import, export, events, token, health, users, sessions, orgs, grpc-web, any;
            Auth0's jobs, connections, downloads
  fault     latency · per-user (time that one user takes) · 401 403 404 405 413 429 500 501 502 503 504
            timeout (after users=N were created) · lag (the users=N newest are not seen yet: by export, users, sessions, orgs)
            nameless (the users=N made first have no login name: by users, sessions)
            reset-before, reset-during, reset-after (the work is done) · truncated · half-json · not-json · trickle
            jobs:failed (the export fails) · downloads:expired (the link is over)
  keys      times=N (default: every call) · skip=N · probability=0.3 · seed=N · delay=200ms · retryAfter=2 (seconds)
            retryAfterDate=2 (as a date, so many seconds ahead) · users=N · bytes=N · handled=true (a status, but the work is done)
  example   --fault import:429,times=2,retryAfter=1 --fault export:lag,users=100,times=1
  While it runs: curl -d import:502,times=1 <url>/_mock/faults, and -X DELETE removes them.
  Who would have been mailed: <url>/_mock/mails.`;

const EXAMPLES: readonly Example[] = [
  ["an instance on this machine", "orgferry mock --token my-token"],
  ["with what an export holds", "orgferry mock --seed export.json --data ./mock-data"],
  ["one that is busy now and then", "orgferry mock --fault import:429,probability=0.2,retryAfter=1"],
];

const NONE: readonly string[] = [];

/** Declares `mock` and its flags. */
export function declareMock(program: Command) {
  return program
    .command("mock")
    .description("the bundled admin server: offline runs, demos, tests")
    .option("--host <address>", "where to listen; the default is this machine alone", "127.0.0.1")
    .option("--port <port>", "where to listen; 0 picks a free port", parsePort, 8080)
    .option("--token <pat>", "a token with the role IAM_OWNER (default: made up and printed)")
    .option(
      "--org <id[=name]>",
      "an organization to start with; its name is its id unless given (repeatable)",
      collect,
      NONE,
    )
    .option("--seed <file>", "tokens, clients, organizations, faults and source users to start with, as JSON")
    .option(
      "--data <dir>",
      "keep state and object storage in this folder (default: they are lost when the server stops)",
    )
    .option("--latency <duration>", "wait before every answer", parseTimeout)
    .option("--fault <spec>", "make something go wrong, see below (repeatable)", collect, NONE)
    .addOption(
      new Option("--mimic <what>", "answer as the specification says, or as a real service of that version does")
        .choices(mimics)
        .default("specification" as const),
    )
    .option("--without <groups>", WITHOUT_HELP, parseGroups)
    .option("--verifiers <names>", "what it can check passwords with besides bcrypt", parseVerifiers)
    .option("--report <path>", "write the summary as JSON to this file, also when the run fails")
    .option("--json", "print one line {url, token, pid} on stdout when it is ready", false)
    .option("-q, --quiet", "print only warnings and errors", false)
    .option("-v, --verbose", "print more", false)
    .option("--no-color", "no colour (NO_COLOR is honoured too)")
    .addHelpText("after", FAULT_HELP)
    .addHelpText("after", helpText(EXAMPLES));
}

/** The flags of `mock`, as the command line hands them over. */
export type MockCommandOptions = ReturnType<ReturnType<typeof declareMock>["opts"]>;

function parseGroups(text: string): Missing {
  const missing = parseMissing(text);
  if (typeof missing === "string") throw new InvalidArgumentError(`${capitalized(missing)}.`);
  return missing;
}

function parseVerifiers(text: string): readonly VerifierName[] {
  return text.split(",").map((part) => {
    const name = verifierNames.find((known) => known === part.trim());
    if (name !== undefined) return name;
    throw new InvalidArgumentError(`There is no verifier "${part.trim()}"; write some of ${verifierNames.join(", ")}.`);
  });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
