import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { HashLimit, Verifier } from "../../mock/api.ts";
import { faultHelp } from "../../mock/http/fault-kinds.ts";
import { groups, type Missing, parseMissing } from "../../mock/http/groups.ts";
import { parseLimits } from "../../mock/state/hash-limits.ts";
import { mimics, verifierNames } from "../../mock/state/traits.ts";
import { collect } from "../shared/common-options.ts";
import { type Example, helpText, onlyWithAll } from "../shared/help-text.ts";
import { parsePort, parseTimeout } from "../shared/parse-flags.ts";

const WITHOUT_HELP = `endpoints that are missing: ${groups.join(", ")}; they answer 404, or 405 or 501 with =405, =501 after the name`;

const FAULT_HELP = `
Faults: --fault <endpoint>:<fault>[,key=value…]
${faultHelp()}
  example   --fault import:429,times=2,retryAfter=1
            --fault export:lag,users=100,times=1
  While it runs: curl -d import:502,times=1 <url>/_mock/faults
  (-X DELETE removes them).
  List of e-mails that would have been sent: <url>/_mock/mails.`;

const EXAMPLES: readonly Example[] = [
  ["an instance on this machine", "orgferry mock --token my-token"],
  ["an instance with the data of an export", "orgferry mock --seed export.json --data ./mock-data"],
  ["an instance that is overloaded at times", "orgferry mock --fault import:429,probability=0.2,retryAfter=1"],
];

const NONE: readonly string[] = [];

/** Declares `mock` and its flags. */
export function declareMock(program: Command) {
  return program
    .command("mock")
    .description("run the bundled mock server, for offline runs, demos and tests")
    .addOption(
      new Option("--host <address>", "address to listen on").default("127.0.0.1", "127.0.0.1, this machine only"),
    )
    .option("--port <port>", "port to listen on; 0 picks a free port", parsePort, 8080)
    .option("--token <pat>", "token with the role IAM_OWNER (default: generated and printed)")
    .option(
      "--org <id[=name]>",
      "organization to create at the start; the name defaults to the id; repeatable",
      collect,
      NONE,
    )
    .option("--seed <file>", "JSON file with tokens, clients, organizations, faults and source users")
    .option("--data <dir>", "folder for state and object storage (default: in memory)")
    .option("--latency <duration>", "delay of every response", parseTimeout)
    .option("--fault <spec>", "simulate a fault, see below; repeatable", collect, NONE)
    .addOption(
      new Option("--mimic <what>", "behave as the specification says, or as a real service of this version")
        .choices(mimics)
        .default("specification" as const),
    )
    .option("--without <groups>", WITHOUT_HELP, parseGroups)
    .option("--verifiers <names>", "hash algorithms that it verifies besides bcrypt", parseVerifiers)
    .option(
      "--limits <names>",
      "limits of imported hashes, such as BCRYPT_MINCOST=4,ARGON2_MINMEMORY=7168",
      parseHashLimits,
    )
    .option("--report <path>", "write the report as JSON to this file, also when the run fails")
    .option("--json", "print one line {url, token, pid} on stdout when the server is ready", false)
    .option("-q, --quiet", "print warnings and errors only", false)
    .option("-v, --verbose", "print more", false)
    .option("--no-color", "no color (NO_COLOR has the same effect)")
    .addHelpText("after", onlyWithAll(FAULT_HELP))
    .addHelpText("after", helpText(EXAMPLES));
}

/** The parsed flags of `mock`. */
export type MockCommandOptions = ReturnType<ReturnType<typeof declareMock>["opts"]>;

function parseGroups(text: string): Missing {
  const missing = parseMissing(text);
  if (typeof missing === "string") throw new InvalidArgumentError(`${capitalized(missing)}.`);
  return missing;
}

function parseHashLimits(text: string): Readonly<Partial<Record<HashLimit, number>>> {
  const limits = parseLimits(text);
  if (typeof limits === "string") throw new InvalidArgumentError(`${capitalized(limits)}.`);
  return limits;
}

function parseVerifiers(text: string): readonly Verifier[] {
  return text.split(",").map((part) => {
    const name = verifierNames.find((known) => known === part.trim());
    if (name !== undefined) return name;
    throw new InvalidArgumentError(`There is no verifier "${part.trim()}"; write some of ${verifierNames.join(", ")}.`);
  });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
