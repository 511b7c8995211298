// `npm run bench`: how fast, how much memory, and how that compares with doing next to nothing (floor.mjs) in the same run. HELP says
// the rest; it is answered before anything is installed or built.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { busyProcessors, busyWarning } from "./machine.mjs";
import { csvTable, jsonTable, keycloakTable, memoryTable, mergeTable, startTable, uploadTable } from "./parts.mjs";
import { measureService, requireService } from "./service.mjs";
import { variantsOf } from "./service-settings.mjs";
import { asMarkdown, compareRuns, describeMachine, readRun } from "./tables.mjs";

/** Parts that are measured at each of several sizes. */
const SIZED = { merge: mergeTable, keycloak: keycloakTable, csv: csvTable, json: jsonTable, memory: memoryTable };
const PARTS = [...Object.keys(SIZED), "start", "upload", "service"];
/** Only these are measured with more than a million users: the others would only take longer. */
const HUGE = ["merge", "memory"];
/** Fewer fit into the least that --memory takes. */
const LEAST_IN_PARTS = 1e6;

const HELP = `Usage: npm run bench -- [options]

Measures whole processes, by turns, and prints medians with the spread from the fastest to the slowest run.

  --only <parts>        merge (Auth0), keycloak, csv, json, memory (with --memory and without; from 1000000 users on), start, upload (into
                        the bundled server), service (into a real one); several with commas (default: all but service)
  --sizes <numbers>     users of the first five and of upload (default: 5000,100000,1000000)
  --rounds <n>          counted runs of each variant (default: 5; service: 3)
  --compare <file>      the change against an earlier run, which --json wrote
  --json <file>         write what was measured, for a later --compare
  --from <file>         measure nothing: take an earlier run in place of a new one
  --markdown <file>     write the tables as Markdown too
  -h, --help            this text

A running service (--only service):
  ORGFERRY_TEST_SERVICE=<command>   is called as "<command> up v4 <name>", which prints one JSON line with url and token, and
                                    "<command> down v4 <name>" (as for npm run test:real)
  --target <url> --token-file <path>   or an instance that may be filled with test data
                        By turns go a loop over ready-made calls of 5000, orgferry with sequential writes, orgferry by default
                        (concurrent writes where the version is safe), orgferry --concurrency auto, and the settings of --sweep.
                        The table has the moment when everything was sent, and the moment when the service lists every user under
                        a login name. On unsafe versions, concurrent writes lose about 1 in 1000 login names; the table counts them
  --version <version>   which service to start: v2, v4, v413 or v415 (default: v4)
  --ways <ways>         which ways of orgferry take turns with the loop: sequential, default, auto (default: all three)
  --users <n>           users a turn, each into an organization of its own (default: 10000)
  --via import|users    users with a hash in batches, or one by one through the users API, compared with one call at a time
                        in place of the loop (default: import)
  --sweep <settings>    fixed settings to go by turns with, as calls at a time x users a call: 8x250,16x50; all: the 25 of
                        {1,2,4,8,16} x {50,100,250,1000,5000} (default: none). With --via users, calls at a time: 4,8,16;
                        all: {2,4,8,16} (default: none). About how long it takes is said before the first turn, and each row as
                        soon as it is known; a setting that fails is told and left out
`;

function readFlags() {
  try {
    const text = { type: "string" };
    const { values } = parseArgs({
      options: {
        help: { type: "boolean", short: "h" },
        sizes: { ...text, default: "5000,100000,1000000" },
        only: { ...text, default: PARTS.filter((part) => part !== "service").join() },
        sweep: text,
        ways: text,
        via: { ...text, default: "import" },
        users: { ...text, default: "10000" },
        version: { ...text, default: "v4" },
        rounds: text,
        markdown: text,
        json: text,
        from: text,
        compare: text,
        target: text,
        "token-file": text,
      },
    });
    const unknown = values.only.split(",").filter((part) => !PARTS.includes(part));
    if (unknown.length > 0) throw new Error(`--only knows ${PARTS.join(", ")}, not ${unknown.join(", ")}`);
    if (!["import", "users"].includes(values.via)) throw new Error(`--via knows import and users, not ${values.via}`);
    checkNumbers(values);
    if (values.only.split(",").includes("service")) {
      variantsOf(values); // a sweep that is not understood is told before anything is installed, and so is a service that is missing
      requireService(values);
    }
    return values;
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}

function checkNumbers({ sizes, rounds, users }) {
  for (const [flag, text] of Object.entries({ sizes, rounds, users })) {
    const wrong = text?.split(",").find((one) => !/^[1-9]\d*$/.test(one));
    if (wrong !== undefined) throw new Error(`--${flag}: ${wrong} is not a whole number from 1`);
  }
}

async function measure(flags) {
  execFileSync(process.execPath, [fileURLToPath(new URL("../scripts/setup.mjs", import.meta.url))], {
    stdio: "inherit",
  });
  const parts = flags.only.split(",");
  const sizes = flags.sizes.split(",").map(Number);
  const out = mkdtempSync(join(tmpdir(), "orgferry-bench-out-"));
  const busyBefore = await busyProcessors();
  const warning = busyWarning(busyBefore);
  if (warning !== undefined) process.stderr.write(`${warning}\n`);
  const run = {
    ...describeMachine(),
    rounds: Number(flags.rounds ?? (flags.only === "service" ? 3 : 5)),
    busyBefore,
    tables: [],
  };
  const add = (table) => {
    run.tables.push(table);
    process.stdout.write(`\n${asMarkdown(table)}`);
  };
  try {
    for (const [part, measurePart] of Object.entries(SIZED)) {
      let smallest;
      for (const users of parts.includes(part) ? sizes : []) {
        if (users > 1e6 && !HUGE.includes(part)) continue;
        if (part === "memory" && users < LEAST_IN_PARTS) {
          process.stderr.write(`memory: ${users} users fit into the least --memory, so there is nothing to compare\n`);
          continue;
        }
        const table = measurePart({ users, out, rounds: run.rounds, smallest });
        smallest ??= table;
        add(table);
      }
    }
    if (parts.includes("start")) add(startTable({ out, rounds: run.rounds }));
    if (parts.includes("upload")) add(await uploadTable({ users: Math.min(1e6, Math.max(...sizes)), out }));
    if (parts.includes("service")) add(await measureService({ flags, out, rounds: Number(flags.rounds ?? 3) }));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  run.busyAfter = await busyProcessors();
  const late = warning === undefined ? busyWarning(run.busyAfter) : undefined;
  if (late !== undefined) process.stderr.write(`${late}\n`);
  return run;
}

const flags = readFlags();
if (flags.help) process.stdout.write(HELP);
else {
  const earlier = flags.compare === undefined ? undefined : readRun(flags.compare);
  const run = flags.from === undefined ? await measure(flags) : readRun(flags.from);
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(run, undefined, 2)}\n`);
  if (flags.markdown !== undefined)
    writeFileSync(flags.markdown, [run.machine, "", ...run.tables.map(asMarkdown)].join("\n"));
  if (earlier !== undefined) process.stdout.write(`\n${compareRuns(earlier, run)}`);
}
