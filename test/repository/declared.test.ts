import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ReportSchema } from "../../src/ui/machine/report-schema.ts";

// What is declared in a table and used nowhere does nothing, and no compiler says so.

/** Files that declare flags or write help, where a name is no use of it. */
const DECLARING = ["declare.ts", "common-options.ts", "flags.ts", "help-text.ts"];

const folders = readdirSync("src/commands").filter((name) => existsSync(`src/commands/${name}/README.md`));

/** The code of a folder, without declarations and comments. */
function codeOf(folder: string): string {
  const names = readdirSync(`src/${folder}`, { recursive: true }).map(String);
  const read = names.filter((name) => name.endsWith(".ts") && !DECLARING.some((file) => name.endsWith(file)));
  return read
    .map((name) => readFileSync(`src/${folder}/${name}`, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""))
    .join("\n");
}

/** The flags in the help on a command's page. The options of providers are read by their own table. */
function flagsOf(command: string): readonly string[] {
  const help = readFileSync(`src/commands/${command}/README.md`, "utf8").split("<!-- help of ").slice(1).join("\n");
  const flags = [...help.matchAll(/^ {2}(?:-\w, )?--(?:no-)?([a-z0-9-]+)/gm)].map(([, name = ""]) => name);
  // `--color` is read by the terminal, `--help` by commander.
  return [...new Set(flags)].filter((name) => !["color", "help"].includes(name));
}

const propertyOf = (flag: string): string => flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Commands pass flags to both. */
const shared = codeOf("commands/shared") + codeOf("jobs");

/** The flags of a command that no code reads. */
function unread(command: string, code: string): readonly string[] {
  return flagsOf(command).filter((flag) => !new RegExp(`\\b${propertyOf(flag)}\\b`).test(code));
}

test.each(folders.filter((name) => name !== "migrate"))("every flag of %s is read", (command) => {
  expect(unread(command, codeOf(`commands/${command}`) + shared)).toEqual([]);
});

test("a flag without code would be found", () => {
  expect(unread("import", codeOf("commands/import"))).toContain("max-mails");
});

/** The code of src, without that of these files and folders. */
function codeWithout(...places: readonly string[]): string {
  const names = readdirSync("src", { recursive: true }).map((name) => String(name).replaceAll("\\", "/"));
  return names
    .filter((name) => name.endsWith(".ts") && !places.some((place) => name.startsWith(place)))
    .map((name) => readFileSync(`src/${name}`, "utf8"))
    .join("\n");
}

test("every problem and remark is raised somewhere", () => {
  const tables = readdirSync("src/problem").map((name) => readFileSync(`src/problem/${name}`, "utf8"));
  const codes = tables.flatMap((table) => [...table.matchAll(/^ {2}"([a-z0-9]+[.-][a-z0-9.-]+)":/gm)]);
  expect(codes.length).toBeGreaterThan(200);
  const code = codeWithout("problem/");
  expect(codes.map(([, name]) => name).filter((name) => !code.includes(`"${name}"`))).toEqual([]);
});

test("every key of a report is set by a command or a job", () => {
  const keys = new Set(ReportSchema.options.flatMap(({ shape }) => Object.keys(shape)));
  expect(keys.size).toBeGreaterThan(60);
  const code = codeWithout("ui/machine/", "ui/html/", "commands/report/shard-report.ts");
  expect([...keys].filter((key) => !new RegExp(`\\b${key}\\b`).test(code))).toEqual([]);
});
