import { expect, test } from "vitest";
import { commands } from "../../src/commands/registry.ts";
import { sources } from "../../src/sources/registry.ts";
import { runCli } from "../helpers/run-cli.ts";

const PROVIDERS = sources.map(({ id }) => `migrate ${id}`);
const names = commands.map(({ name }) => name).filter((name) => name !== "man-page");
const lines = [...names, ...PROVIDERS, "fetch auth0", "report merge"];
/** `  --flag`, `  -q, --quiet` */
const FLAG = /^ {2}(?:-\w, )?(--[a-z0-9-]+)/gm;

/** Commands with more lines than a screen has. */
const LONGER: Readonly<Record<string, number>> = {
  import: 27,
  copy: 31,
  ...Object.fromEntries(PROVIDERS.map((name) => [name, 27])),
};

async function helpOf(line: string, more: readonly string[] = []) {
  const { stdout, exitCode } = await runCli([...line.split(" "), "--help", ...more], {});
  expect(exitCode).toBe(0);
  return { text: stdout, flags: [...stdout.matchAll(FLAG)].map(([, flag]) => flag as string) };
}

const tooWide = (text: string): readonly string[] => text.split("\n").filter((line) => line.length > 80);

test.each(lines)("the help of %s fits a screen: at most 20 flags and 80 columns", async (line) => {
  const { text, flags } = await helpOf(line);
  expect(flags.length).toBeLessThanOrEqual(20);
  expect(tooWide(text)).toEqual([]);
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(LONGER[line] ?? 24);
});

test.each(lines)("the whole help of %s fits into 80 columns, and its examples can be pasted", async (line) => {
  const { text } = await helpOf(line, ["--all"]);
  expect(tooWide(text)).toEqual([]);
  const [, examples = ""] = text.split(/^Examples?:\n/m);
  const commands = examples.replaceAll(/ \\\n +/g, " ").match(/^ {2}\w.*$/gm) ?? [];
  for (const command of commands) expect(command).toMatch(/^ {2}(orgferry|export) /);
});

test("the short help cuts a description at the end of a clause, and keeps the values that a flag takes", async () => {
  const { text } = await helpOf("migrate auth0");
  expect(text).toContain("  --output <path>             file for the import body; - is stdout\n");
  expect(text).toContain("  --profile <what>            plain (id, name, e-mail) or full\n");
  expect(text).toContain("(reject | drop |\n");
  const all = await helpOf("migrate auth0", ["--all"]);
  expect(all.text).toMatch(/file for the import body; - is stdout\s+\(default:\s+\.\/importBody\.json\)/);
});

test("--help --all has every flag, environment variable and example; the short help names it", async () => {
  const short = await helpOf("import");
  expect(short.text).toContain("All flags and examples: orgferry import --help --all");
  expect(short.text).not.toContain("PAT_IMPORT_TOKEN           ");
  const all = await helpOf("import", ["--all"]);
  expect(short.flags.filter((flag) => !all.flags.includes(flag))).toEqual([]);
  expect(all.flags).toContain("--batch-bytes");
  expect(all.text).toContain("Environment:\n");
  expect(all.text.match(/^ {2}orgferry import/gm)?.length).toBeGreaterThan(1);
  const { stdout } = await runCli(["help", "import", "--all"], {});
  expect(stdout).toBe(all.text);
});

test("every flag that short helps leave out is a flag of some command", async () => {
  const short = new Set((await Promise.all(lines.map((line) => helpOf(line)))).flatMap(({ flags }) => flags));
  const all = (await Promise.all(lines.map((line) => helpOf(line, ["--all"])))).flatMap(({ flags }) => flags);
  const { rareFlags } = await import("../../src/commands/shared/help-text.ts");
  expect([...rareFlags].filter((flag) => !all.includes(flag))).toEqual([]);
  expect([...rareFlags].filter((flag) => short.has(flag))).toEqual([]);
});

test("the short help of copy has what a scheduled job with --update needs", async () => {
  const { flags } = await helpOf("copy");
  expect(flags).toEqual(expect.arrayContaining(["--update", "--delete", "--max-deletes", "--prefer", "--state"]));
});

test("the flags of the page stand in a group of their own", async () => {
  expect((await helpOf("import")).text).toMatch(/Report:\n {2}--html/);
});

test("the root help begins with start, names it as the beginning, and is at most 80 columns wide", async () => {
  const { stdout } = await runCli(["--help"], {});
  expect(stdout).toMatch(/Commands:\n {2}start /);
  expect(stdout).toContain("Begin with: orgferry start");
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
});
