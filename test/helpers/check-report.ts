import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { reportJsonSchema } from "../../src/ui/machine/report-schema.ts";

let compiled: ValidateFunction | undefined;

/** Holds a report against its schema, closed: a key that is not in src/ui/machine/report-schema.ts is a fault. Raises an error. */
export function checkReport(report: unknown): void {
  // Each file of tests compiles the schema: to make its code faster would take longer than it saves.
  const options = {
    strict: false,
    allErrors: true,
    formats: { "date-time": true },
    code: { optimize: false },
  } as const;
  compiled ??= new Ajv2020(options).compile(reportJsonSchema({ isClosed: true }));
  if (compiled(report)) return;
  const faults = compiled.errors?.map(({ instancePath, message, params }) => {
    const { additionalProperty = "" } = params as { additionalProperty?: string }; // of that kind of error alone
    return `${instancePath || "/"} ${message} ${additionalProperty}`;
  });
  throw new Error(
    `a report is not what src/ui/machine/report-schema.ts and the contract say:\n${[...new Set(faults)].join("\n")}`,
  );
}

/** Holds what a command line has left behind against the schema of reports: stdout with `--json`, the file of `--report`. */
export function checkReportsOf(argv: readonly string[], stdout: string, cwd: string): void {
  if (argv.includes("--json") && stdout.startsWith('{"schemaVersion"')) checkReport(JSON.parse(stdout));
  const name = argv[argv.indexOf("--report") + 1];
  if (!argv.includes("--report") || name === undefined) return;
  const path = resolve(cwd, name);
  // A device is no report: /dev/full gives zeros without end.
  if (!existsSync(path) || !statSync(path).isFile()) return;
  const text = readFileSync(path, "utf8");
  // A test may name something that is no report, to see it refused.
  if (text.startsWith('{"schemaVersion"') && text.endsWith("}\n")) checkReport(JSON.parse(text));
}
