import { type Command, Option } from "@commander-js/extra-typings";
import { collect } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { parsePort, parseTimeout } from "../shared/parse-flags.ts";

const FAULT_HELP = `
Faults: --fault <endpoint>:<fault>[,key=value…]
  endpoint  import, export, events, token, health, jobs (the source provider's), any
  fault     latency · per-user (time that one user takes) · 401 413 429 500 502 503 504 · timeout (after users=N were created)
            reset-before, reset-during, reset-after (the work is done) · truncated · half-json · not-json · trickle
  keys      times=N (default: every call) · skip=N · probability=0.3 · seed=N · delay=200ms · retryAfter=2 (seconds)
            retryAfterDate=2 (as a date, so many seconds ahead) · users=N · bytes=N · handled=true (a status, but the work is done)
  example   --fault import:429,times=2,retryAfter=1 --fault export:truncated,times=1
  While it runs: curl -d import:502,times=1 <url>/_mock/faults, and -X DELETE removes them.`;

const EXAMPLES: readonly Example[] = [
  ["an instance on this machine", "orgferry mock --token my-token"],
  ["with what an export holds", "orgferry mock --seed export.json --data ./mock-data"],
  ["one that is busy now and then", "orgferry mock --fault import:429,probability=0.2,retryAfter=1"],
];

const NO_FAULTS: readonly string[] = [];

/** Declares `mock` and its flags. */
export function declareMock(program: Command) {
  return program
    .command("mock")
    .description("the bundled admin server: offline runs, demos, tests")
    .option("--host <address>", "where to listen; the default is this machine alone", "127.0.0.1")
    .option("--port <port>", "where to listen; 0 picks a free port", parsePort, 8080)
    .option("--token <pat>", "a token with the role IAM_OWNER (default: made up and printed)")
    .option("--seed <file>", "tokens, clients, organizations, faults and source users to start with, as JSON")
    .option(
      "--data <dir>",
      "keep state and object storage in this folder (default: they are lost when the server stops)",
    )
    .option("--latency <duration>", "wait before every answer", parseTimeout)
    .option("--fault <spec>", "make something go wrong, see below (repeatable)", collect, NO_FAULTS)
    .addOption(
      new Option("--mimic <what>", "what to follow where the specification and the real service differ")
        .choices(["specification", "service"] as const)
        .default("specification" as const),
    )
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
