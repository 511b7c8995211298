import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { fromJson } from "@bufbuild/protobuf";
import { ImportDataRequestSchema } from "@zitadel/proto/zitadel/admin_pb.js";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { capabilitiesOf } from "../../src/contract/versions.ts";
import { checkHumanUser } from "../../src/core/rules/human-user.ts";
import { createCleanUp } from "../../src/io/clean-up.ts";
import { openInput } from "../../src/io/input/input.ts";
import { RowReader } from "../../src/io/rows/row-reader.ts";
import { ProblemError } from "../../src/problem.ts";
import { sources } from "../../src/sources/registry.ts";
import type { Source, SourceInput } from "../../src/sources/source.ts";
import { type MergeOptions, type MergeOutcome, mergeRows } from "../helpers/merge-in-memory.ts";
import { openSpools } from "../helpers/open-spools.ts";
import { rowsShape } from "../helpers/rows-shape.ts";
import { type CliResult, type CliWorld, runCli } from "../helpers/run-cli.ts";
import { settingsOf } from "../helpers/settings-of.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { people } from "./people-source.ts";
import { roster } from "./roster-source.ts";

// What holds for every source provider, over each of its fixtures: a folder with the input files, `case.json` (the flags and the
// exit code, and what of the report counts) and `expected/`, everything that the run leaves behind.

/** Set to write what the program gives now beside the inputs, to be read by a person and committed. */
const accept = process.env["ACCEPT_FIXTURES"] === "1";
const ORG = "165617390198000897";

interface Case {
  readonly args: readonly string[];
  readonly exitCode: number;
  /** The problem that ends the run. */
  readonly problem?: string;
  /** Part of the report. */
  readonly report?: object;
}

const all: readonly { readonly source: Source; readonly fixtures: string }[] = [
  ...sources.map((source) => ({ source, fixtures: `fixtures/${source.id}` })),
  ...[people, roster].map((source) => ({ source, fixtures: `test/conformance/fixtures/${source.id}` })),
];

interface Run extends CliResult {
  readonly out: string;
  // biome-ignore lint/suspicious/noExplicitAny: a report holds any JSON
  readonly report: Readonly<Record<string, any>>;
}

/** Runs a fixture into a folder of its own. */
async function migrate(source: Source, dir: string, args: readonly string[], world: CliWorld = {}): Promise<Run> {
  const folder = tempDir();
  const out = join(folder, "out");
  mkdirSync(out);
  const report = join(folder, "report.json");
  const argv = ["migrate", source.id, "--org", ORG, "--output", join(out, "body.json"), "--report", report, ...args];
  const result = await runCli(argv, { cwd: dir, parts: { sources: [source] }, ...world });
  return { ...result, out, report: JSON.parse(readFileSync(report, "utf8")) };
}

/** Merges the files of a fixture that have the default names. */
async function mergeFixture(source: Source, cwd: string, options: MergeOptions): Promise<MergeOutcome> {
  const { signal } = new AbortController();
  const context = { cwd, stdin: Readable.from([]), signal, cleanUp: createCleanUp() };
  const open = async ({ flag, defaultPath, shape }: SourceInput): Promise<RowReader | undefined> => {
    if (!existsSync(join(cwd, defaultPath))) return undefined;
    const file = await openInput(defaultPath, { ...context, flag, twice: true });
    const strictLines = options.multiline === true;
    const rows = rowsShape(shape, readFileSync(join(cwd, defaultPath)), strictLines);
    return new RowReader({ name: defaultPath, files: [file] }, { shape: rows, strictLines });
  };
  const users = await open(source.users);
  const credentials = source.credentials === undefined ? undefined : await open(source.credentials);
  return mergeRows(users as RowReader, credentials, { ...options, source });
}

/** Everything in a folder: path → bytes as text. */
function filesIn(dir: string): Record<string, string> {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path.slice(dir.length + 1), readFileSync(path, "latin1")]));
}

describe.each(all)("$source.id", ({ source, fixtures }) => {
  const cases = readdirSync(fixtures).filter((name) => statSync(join(fixtures, name)).isDirectory());
  const caseOf = (name: string): Case => JSON.parse(readFileSync(join(fixtures, name, "case.json"), "utf8"));

  test.each(cases)("%s: leaves exactly what is expected", async (name) => {
    const dir = join(fixtures, name);
    const { args, exitCode, problem, report = {} } = caseOf(name);
    const run = await migrate(source, dir, args);
    expect(run.exitCode, run.stderr).toBe(exitCode);
    expect(run.report).toMatchObject(report);
    if (problem !== undefined) expect(run.report["problems"].at(-1)).toMatchObject({ code: problem });
    expect(run.stdout).toBe("");
    const expected = join(dir, "expected");
    if (accept) {
      rmSync(expected, { recursive: true, force: true });
      cpSync(run.out, expected, { recursive: true });
    }
    expect(filesIn(run.out)).toEqual(existsSync(expected) ? filesIn(expected) : {});
  });

  test.each(cases)("%s: the service knows every field of the body, and accepts every user", async (name) => {
    const { out } = await migrate(source, join(fixtures, name), caseOf(name).args);
    for (const body of readdirSync(out).filter((file) => file.endsWith(".json"))) {
      const request = JSON.parse(readFileSync(join(out, body), "utf8"));
      // Throws on a field or a type that the service does not know.
      fromJson(ImportDataRequestSchema, request, { ignoreUnknownFields: false });
      if (source === people) continue; // its users have no address, on purpose
      for (const entry of request.dataOrgs.orgs.flatMap((org: { humanUsers: object[] }) => org.humanUsers)) {
        // The service refuses a call as a whole for one invalid user (service behaviour 2.4).
        const refuse: Parameters<typeof checkHumanUser>[1] = (field, { code }) =>
          expect.fail(`${body}: ${field}: ${code}`);
        // Letters outside ASCII before the @ need a version from 4.8.1 on.
        checkHumanUser(entry, refuse, capabilitiesOf(undefined));
      }
    }
  });

  test.each(cases)("%s: every row stands in exactly one number", async (name) => {
    const { report, out } = await migrate(source, join(fixtures, name), caseOf(name).args);
    const { users, passwords } = report;
    if (users === undefined) return; // the run was ended
    // --strict
    const written = users.written + (users.wouldHaveWritten ?? 0);
    expect(users.read).toBe(written + users.rejected + users.leftOut);
    expect(written).toBe(users.withHash + users.withoutHash);
    expect(passwords.read).toBe(passwords.used + passwords.superseded + passwords.unmatched + passwords.rejected);
    const entries = report["outputs"].flatMap(({ path }: { path: string }) =>
      JSON.parse(readFileSync(path, "utf8")).dataOrgs.orgs.flatMap((org: { humanUsers: object[] }) => org.humanUsers),
    );
    if (report["outputs"].length > 0) expect(entries).toHaveLength(users.written);
    for (const [input, counts] of [[source.users, users] as const, [source.credentials, passwords] as const]) {
      if (input === undefined) continue;
      const kept = counts.rejected + (counts.unmatched ?? 0);
      expect(rejectedRows(out, input.flag, hasHeader(caseOf(name)))).toHaveLength(kept);
    }
  });

  test.each(cases)("%s: what a row holds is never said, but for the id in the report", async (name) => {
    const dir = join(fixtures, name);
    const run = await migrate(source, dir, caseOf(name).args);
    const reasons = Object.entries(filesIn(run.out)).find(([path]) => path.endsWith("reasons.ndjson"))?.[1] ?? "";
    const problems = (run.report["problems"] as readonly object[]).map((one) => ({ ...one, id: "" }));
    const said = run.stderr + JSON.stringify(problems) + reasons;
    for (const text of textsIn(dir)) expect(said).not.toContain(text);
  });

  test.each(cases)("%s: reads the same whether rows are parsed or read as bytes", async (name) => {
    if (
      source.createRows(settingsOf(source), new Date(0)).fast === undefined ||
      !existsSync(join(fixtures, name, source.users.defaultPath))
    )
      return;
    const options = { multiline: caseOf(name).args.includes("--multiline") };
    const careful = await mergeFixture(source, join(fixtures, name), { ...options, reading: "careful" });
    const bytes = await mergeFixture(source, join(fixtures, name), { ...options, reading: "bytes" });
    expect(bytes).toEqual(careful);
  });

  test.each(cases)("%s: the same where the join is kept in parts, also of a pipe", async (name) => {
    const dir = join(fixtures, name);
    const path = join(dir, source.users.defaultPath);
    const { args } = caseOf(name);
    if (!existsSync(path) || args.includes(`--${source.users.flag}`)) return; // a folder, or a name of its own
    const run = (more: readonly string[]): Promise<Run> =>
      migrate(source, dir, [...args, `--${source.users.flag}`, "-", ...more], {
        stdin: Readable.from([readFileSync(path)]),
      });
    const whole = await run([]);
    const parted = await run(["--memory", "192MiB"]);
    expect(parted.exitCode, parted.stderr).toBe(whole.exitCode);
    expect(filesIn(parted.out)).toEqual(filesIn(whole.out));
    const sums = ({ users, passwords, remarks }: Run["report"]): object => ({ users, passwords, remarks });
    expect(sums(parted.report)).toEqual(sums(whole.report));
    expect(openSpools()).toEqual([]);
  });

  test.each(cases)("%s: what was rejected can be read again, row by row", async (name) => {
    const first = await migrate(source, join(fixtures, name), caseOf(name).args);
    const folder = join(first.out, "body.json.rejects");
    const fed = [source.users, ...(source.credentials === undefined ? [] : [source.credentials])].flatMap(
      ({ flag }) => {
        const file = existsSync(folder) ? readdirSync(folder).find((path) => path.startsWith(`${flag}.`)) : undefined;
        return file === undefined ? [] : [`--${flag}`, join(folder, file)];
      },
    );
    if (!fed.includes(`--${source.users.flag}`)) return;
    const again = await migrate(source, folder, [...ofTheTable(caseOf(name)), ...fed]);
    const { users } = again.report;
    // A file of broken rows alone is refused as such. A line that holds two objects is two rows, unless it was to be one.
    if (users === undefined) {
      expect(["input.no-readable-row", "input.unclosed"]).toContain(again.report["problems"].at(-1).code);
    } else expect(users.read).toBeGreaterThanOrEqual(first.report["users"].rejected);
  });

  test.each(cases)("%s: ends at once when it is interrupted, at any row, and leaves nothing behind", async (name) => {
    const dir = join(fixtures, name);
    const path = join(dir, source.users.defaultPath);
    const { args, exitCode } = caseOf(name);
    if (!existsSync(path) || args.includes(`--${source.users.flag}`)) return; // a folder, or a name of its own
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += Math.max(1, Math.ceil(bytes.length / 7))) {
      const controller = new AbortController();
      const stdin = Readable.from(pieces(bytes, at, () => interrupt(controller)));
      const { out, ...run } = await migrate(source, dir, [...args, `--${source.users.flag}`, "-"], {
        stdin,
        signal: controller.signal,
      });
      // What was read ahead of the interrupt may have ended the run already.
      expect(at === 0 ? [130] : [130, exitCode], run.stderr).toContain(run.exitCode);
      if (run.exitCode === 130) expect(filesIn(out)).toEqual({});
    }
  });
});

/** False for a table without a row of names. */
function hasHeader({ args }: Case): boolean {
  return !args.includes("firebase-csv");
}

/** The flags that say which column of a table is what: rejects are of the same form. */
function ofTheTable({ args }: Case): readonly string[] {
  return args.flatMap((flag, at) => (["--map", "--preset", "--list"].includes(flag) ? [flag, args[at + 1] ?? ""] : []));
}

/** The rows of a rejects folder that came from one input. */
function rejectedRows(out: string, flag: string, hasNames: boolean): readonly unknown[] {
  for (const [path, text] of Object.entries(filesIn(out))) {
    if (path.endsWith(`/${flag}.ndjson`)) return text.trimEnd().split("\n");
    if (path.endsWith(`/${flag}.csv`)) return recordsOf(text).slice(hasNames ? 1 : 0);
    if (path.endsWith(`/${flag}.json`)) {
      const { users, ...others } = JSON.parse(text);
      return listIn(users ?? others); // what stands around the users may have lists, too
    }
  }
  return [];
}

/** The list in a document, at any depth. */
function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listIn) : [];
}

function recordsOf(text: string): readonly unknown[] {
  return parse(text, { delimiter: [",", ";", "\t"], relax_column_count: true, relax_quotes: true });
}

/** Texts of the fixture's input files that are long enough not to stand in a message by chance. */
function textsIn(dir: string): readonly string[] {
  const texts = new Set<string>();
  const names = new Set<string>();
  for (const [path, raw] of Object.entries(filesIn(dir))) {
    if (path === "case.json" || path.startsWith("expected")) continue;
    const bytes = Buffer.from(raw, "latin1");
    const whole = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
    // The names of columns are said; a table that has none holds a user there.
    const text =
      path.endsWith(".csv") && !whole.slice(0, whole.indexOf("\n")).includes("@")
        ? whole.slice(whole.indexOf("\n"))
        : whole;
    for (const [word] of text.matchAll(/[^\s",;|{}[\]:\\]{12,}/gu)) texts.add(word);
    for (const [, name = ""] of text.matchAll(/"([^"\\]+)\\?"\s*:/g)) names.add(name);
    // In an id: <provider>|<id>.
    for (const [, name = ""] of text.matchAll(/"([\w-]+)\|/g)) names.add(name);
    for (const [, name = ""] of text.matchAll(/"(?:provider|connection|identityProvider)"\s*:\s*"([^"]+)"/g))
      names.add(name);
    for (const [, list = ""] of text.matchAll(/"(?:groups|realmRoles)"\s*:\s*\[([^\]{]*)\]/g))
      for (const [, name = ""] of list.matchAll(/"([^"]+)"/g)) names.add(name);
  }
  // Names of fields, of identity providers, and of roles and groups are said.
  return [...texts].filter((text) => !names.has(text));
}

function* pieces(bytes: Buffer, at: number, interrupted: () => void): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += 16) {
    if (from >= at) interrupted();
    yield bytes.subarray(from, from + 16);
  }
}

function interrupt(controller: AbortController): void {
  if (!controller.signal.aborted) controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
}
