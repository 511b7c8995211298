import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";
import type { Notes } from "../checks/findings.ts";
import { filesIn } from "../checks/leaks.ts";
import { damaged } from "../input/damage.ts";
import type { Random } from "../random.ts";
import { runProgram } from "../trials/run-program.ts";
import { tempFolder } from "../trials/scene.ts";

const FIXTURES = process.env["TORTURE_FIXTURES"] ?? "fixtures";
const NOT_INPUTS = new Set(["case.json", "expected"]);
const GZIP = Buffer.from([0x1f, 0x8b]);

const Case = z.looseObject({ args: z.array(z.string()) });
const Numbers = z.record(z.string(), z.unknown());
const Report = z.looseObject({ users: Numbers.optional(), passwords: Numbers.optional() });

/** A provider's files with slips in them: a body whose users are those of the report, or a reason why not; the same a second time. */
export async function migrateCase(random: Random, notes: Notes): Promise<void> {
  const providers = readdirSync(FIXTURES).filter((name) => casesOf(name).length > 0);
  const provider = random.pick(providers);
  const name = random.pick(casesOf(provider));
  const fixture = join(FIXTURES, provider, name);
  const { args } = Case.parse(JSON.parse(readFileSync(join(fixture, "case.json"), "utf8")));
  const folder = tempFolder();
  try {
    const inputs = readdirSync(fixture).filter((file) => !NOT_INPUTS.has(file));
    for (const file of inputs) cpSync(join(fixture, file), join(folder, file), { recursive: true });
    const victim = join(folder, random.pick(filesIn(folder).map((file) => file.name)));
    if (statSync(victim).size < 200_000) writeFileSync(victim, slips(random, readFileSync(victim)));
    await migrate(provider, args, folder, `${provider}/${name}`, notes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Folders with a case; other fixtures belong to no provider. */
function casesOf(provider: string): string[] {
  return readdirSync(join(FIXTURES, provider)).filter((name) =>
    existsSync(join(FIXTURES, provider, name, "case.json")),
  );
}

/** Within what is compressed as well as in the compressed bytes. */
function slips(random: Random, bytes: Buffer): Buffer {
  if (!bytes.subarray(0, 2).equals(GZIP) || random.chance(0.5)) return damaged(random, bytes);
  return gzipSync(damaged(random, gunzipSync(bytes)));
}

async function migrate(
  provider: string,
  args: readonly string[],
  cwd: string,
  name: string,
  notes: Notes,
): Promise<void> {
  const reportPath = join(cwd, "torture-report.json");
  const org = args.includes("--org") ? [] : ["--org", "1"];
  const run = (output: string): ReturnType<typeof runProgram> => {
    const argv = ["migrate", provider, ...org, ...args, "--output", output, "--report", reportPath];
    return runProgram(argv, { cwd, env: {} }, reportPath);
  };
  const { exitCode, stderr } = await run("torture-1.json");
  // The slips may be in a file that a flag names, or in what the flags or the recognition need: names of columns, organizations.
  const isRecognized = provider === "csv" || provider === "json";
  const mayBeUsage = isRecognized || args.some((arg) => arg.endsWith(".csv") || arg === "--org-by");
  const exits = mayBeUsage ? [0, 1, 2, 3] : [0, 1, 3];
  notes.expect(exits.includes(exitCode), `${name}: exit ${exitCode}: ${stderr.slice(-600)}`);
  const report = Report.safeParse(existsSync(reportPath) ? JSON.parse(readFileSync(reportPath, "utf8")) : undefined);
  notes.expect(report.success, `${name}: no report`);
  const { users, passwords } = report.data ?? {};
  const text = JSON.stringify({ users, passwords });
  if (users !== undefined && exitCode !== 3) {
    notes.expect(number(users, "read") === number(users, "written", "rejected", "leftOut"), `${name}: no sum: ${text}`);
  }
  if (passwords !== undefined && exitCode !== 3) {
    const sum = number(passwords, "used", "superseded", "unmatched", "rejected", "leftOut");
    notes.expect(number(passwords, "read") === sum, `${name}: no sum: ${text}`);
  }
  const body = join(cwd, "torture-1.json");
  if (!existsSync(body)) return;
  const bytes = readFileSync(body);
  checkBody(bytes, users === undefined ? -1 : number(users, "written"), name, notes);
  await run("torture-2.json");
  notes.expect(readFileSync(join(cwd, "torture-2.json")).equals(bytes), `${name}: other bytes the second time`);
}

/** The sum of some of the numbers; what is not there counts for nothing. */
function number(numbers: Readonly<Record<string, unknown>>, ...names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (typeof numbers[name] === "number" ? numbers[name] : 0), 0);
}

function checkBody(bytes: Buffer, written: number, name: string, notes: Notes): void {
  try {
    const { dataOrgs } = JSON.parse(bytes.toString()) as { dataOrgs: { orgs: { humanUsers?: unknown[] }[] } }; // as it is written
    const users = dataOrgs.orgs.reduce((sum, { humanUsers = [] }) => sum + humanUsers.length, 0);
    notes.expect(users === written, `${name}: ${users} users in the body, ${written} in the report`);
  } catch (error) {
    notes.what.push(`${name}: the body is no JSON: ${String(error)}`);
  }
}
