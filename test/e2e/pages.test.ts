import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runPage } from "../helpers/page-world.ts";
import { type Block, blocksOf, pages } from "../helpers/pages.ts";
import { readSettings } from "../torture/settings.ts";

// Every command of every page is run, in order, in one folder for each page. A block without a language shows what the commands
// before it print. ACCEPT_PAGES=1 writes these blocks anew.

/** What has to be there before the first command of a page. */
const BEFORE: Readonly<Record<string, string>> = {
  "src/commands/verify/README.md":
    "export ZITADEL_IMPORT_DOMAIN=new.example.com PAT_IMPORT_TOKEN=…; orgferry import importBody.json",
};

/** Says that the command before it in the line ends with this exit code. */
const EXPECTED_EXIT = /# exit (\d+)/g;

const isCommand = ({ language }: Block): boolean => language === "sh" || language === "crontab";
const withCommands = pages.filter((page) => blocksOf(page).some(isCommand));

describe.skipIf(process.platform === "win32")("the commands of a page do what the page says", () => {
  test.each(withCommands)("%s", async (page) => {
    const blocks = blocksOf(page);
    const scripts = blocks.filter(isCommand).map(commandsOf);
    const { outputs, failures, calls } = await runPage(scripts, BEFORE[page]);
    if (process.env["ACCEPT_PAGES"] === "1") accept(page, blocks, outputs);
    const expected = [...scripts.join("").matchAll(EXPECTED_EXIT)].map(([, code]) => code);
    expect(
      failures.map((line) => line.split(" ")[0]),
      [...failures, ...outputs].join("\n"),
    ).toEqual(expected);
    for (const call of calls) expect(wrongWith(call), call).toBe("");
    for (const { shown, printed } of shownIn(blocksOf(page), outputs)) expect(printed).toBe(shown);
    const printed = outputs.join("");
    expect(
      explainedIn(page).filter((name) => !printed.includes(name)),
      printed,
    ).toEqual([]);
  });
});

/** A line of a crontab begins with five fields that say when. */
function commandsOf({ language, text }: Block): string {
  return language === "crontab" ? text.replaceAll(/^(\S+ +){5}/gm, "") : text;
}

/** The names of lines that a table of a page explains: its first column is headed "line". */
function explainedIn(page: string): readonly string[] {
  const tables = readFileSync(page, "utf8").matchAll(/^\| line \|.*\n\|[-| ]+\n((?:\|.*\n)+)/gm);
  return [...tables].flatMap(([, rows = ""]) => [...rows.matchAll(/^\| `(.+?)`/gm)].map(([, name]) => name as string));
}

/** Each block that shows an output, and what the commands before it printed. */
function shownIn(blocks: readonly Block[], outputs: readonly string[]) {
  let commands = 0;
  return blocks.flatMap(({ language, text }) => {
    if (isCommand({ language, text })) commands += 1;
    const isOutput = language === "" && !text.startsWith("Usage: ");
    return isOutput ? [{ shown: text, printed: outputs[commands - 1] ?? "" }] : [];
  });
}

function accept(page: string, blocks: readonly Block[], outputs: readonly string[]): void {
  const before = readFileSync(page, "utf8");
  const after = shownIn(blocks, outputs).reduce(
    (text, { shown, printed }) => text.replace(`\`\`\`\n${shown}\`\`\``, () => `\`\`\`\n${printed}\`\`\``),
    before,
  );
  if (after !== before) writeFileSync(page, after);
}

/** Why a developer's command could not work; empty when it could. */
function wrongWith(call: string): string {
  const [program, ...args] = call.split(" ");
  if (program === "npm" && args[0] === "run") return wrongWithScript(args[1] ?? "", args.slice(2));
  if (program === "npx" && !existsSync(join("node_modules/.bin", args[0] ?? ""))) return "it is not installed";
  const paths = args.filter((arg) => /^(fixtures|src|test)\//.test(arg));
  return paths.filter((path) => !existsSync(path)).join(", ");
}

function wrongWithScript(script: string, given: readonly string[]): string {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Readonly<Record<string, string>> };
  if (scripts[script] === undefined) return "there is no script of that name";
  const args = given.filter((arg) => arg !== "--");
  if (script === "bench") execFileSync(process.execPath, ["test/bench/run.mjs", ...args, "--help"], { stdio: "pipe" });
  const settings = script === "torture" ? readSettings(args) : undefined;
  return settings !== undefined && "wrong" in settings ? settings.wrong : "";
}
