import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ALL } from "../../src/commands/shared/help-text.ts";
import { sources } from "../../src/sources/registry.ts";
import { blocksOf, linksOf, packedPages, pages } from "../helpers/pages.ts";

const MOST_README_LINES = 300;
const MOST_RECIPE_LINES = 15;
const MOST_CLICKS = 2;

/** Flags of other programs that the pages mention. */
const FOREIGN_FLAGS = [
  // npm, node and the scripts of this repository
  ...["--global", "--no-git-tag-version", "--version", "--config"],
  ...["--only", "--sizes", "--rounds", "--sweep", "--compare"],
  ...["--imports", "--copies", "--kills", "--fuzz", "--updates", "--real", "--minutes", "--jobs"],
  // gpg, kc.sh, kubectl
  ...["--decrypt", "--dir", "--for"],
  // V8, in the notes on speed
  ...["--no-lazy-feedback-allocation", "--always-sparkplug", "--interrupt-budget", "--ticks-before-optimization"],
  ...["--no-use-osr", "--semi-space-growth-factor", "--min-semi-space-size", "--single-threaded-gc", "--maglev"],
  ...["--no-turbo-inlining", "--log-ic"],
];

/** The anchor that a heading gets on the page. */
function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
  return words.replaceAll(" ", "-");
}

function headingsOf(page: string): readonly string[] {
  const text = readFileSync(page, "utf8").replaceAll(/^ *```.*?^ *```$/gms, "");
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading as string);
}

function hasHeading(page: string, anchor: string): boolean {
  return headingsOf(page).some((heading) => anchorOf(heading) === anchor);
}

test("the contract of the commands has a link to the page of each", () => {
  const folders = readdirSync("src/commands").filter((name) => existsSync(`src/commands/${name}/README.md`));
  const linked = linksOf("src/commands/README.md").map(({ target }) => target);
  expect(folders.filter((name) => !linked.includes(`src/commands/${name}/README.md`))).toEqual([]);
});

test("every link of a page to a file or a heading of the repository leads somewhere", () => {
  expect(pages.length).toBeGreaterThan(5);
  const links = pages.flatMap(linksOf);
  expect(links.length).toBeGreaterThan(10);
  const broken = links.filter(
    ({ target, anchor }) => !existsSync(target) || (anchor !== undefined && !hasHeading(target, anchor)),
  );
  expect(broken.map(({ page, target, anchor = "" }) => `${page} → ${target}#${anchor}`)).toEqual([]);
});

test("a page of the package links to a file outside the package by its address in the repository", () => {
  const links = packedPages.flatMap(linksOf);
  const isPacked = (target: string): boolean =>
    target === "README.md" || target.startsWith("fixtures/deploy/") || packedPages.includes(target);
  expect(links.filter(({ isAddress }) => isAddress).length).toBeGreaterThan(5);
  const dead = links.filter(({ target, isAddress }) => !isAddress && !isPacked(target));
  expect(dead.map(({ page, target }) => `${page} → ${target}`)).toEqual([]);
});

test("every page is reachable from README.md in two clicks", () => {
  let reached = new Set(["README.md"]);
  for (let click = 0; click < MOST_CLICKS; click += 1) {
    const targets = [...reached].flatMap((page) => linksOf(page).map(({ target }) => target));
    reached = new Set([...reached, ...targets.filter((target) => target.endsWith(".md") && existsSync(target))]);
  }
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

test("README.md has at most 300 lines, and its table of contents names every section", () => {
  const lines = readFileSync("README.md", "utf8").trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(MOST_README_LINES);
  const sections = lines.filter((line) => line.startsWith("## ")).map((line) => line.slice(3));
  const named = linksOf("README.md").flatMap(({ target, anchor }) => (target === "README.md" ? [anchor] : []));
  expect(sections.length).toBeGreaterThan(5);
  expect(sections.map(anchorOf).filter((anchor) => anchor !== "contents" && !named.includes(anchor))).toEqual([]);
});

test("a recipe of README.md has at most 15 lines", () => {
  const [, recipes = ""] = readFileSync("README.md", "utf8").split("\n## Recipes\n");
  const sections = (recipes.split("\n## ")[0] ?? "").split("\n### ").slice(1);
  expect(sections.length).toBeGreaterThan(7);
  const long = sections.filter((text) => text.trimEnd().split("\n").length > MOST_RECIPE_LINES);
  expect(long.map((text) => text.split("\n")[0])).toEqual([]);
});

test("every command has a page with its flags, and every provider has a page", () => {
  const commands = readdirSync("src/commands", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "shared")
    .map(({ name }) => name);
  const text = (command: string): string => readFileSync(`src/commands/${command}/README.md`, "utf8");
  for (const command of commands) expect(text(command)).toContain(`<!-- help of "orgferry ${command}`);
  for (const { id } of sources) {
    expect(text("migrate")).toContain(`<!-- help of "orgferry migrate ${id}"`);
    expect(existsSync(`src/sources/${id}/README.md`)).toBe(true);
  }
});

test("every flag that a page mentions exists", () => {
  const help = pages.filter((page) => page.startsWith("src/commands/")).flatMap(blocksOf);
  const known = new Set(
    [...help.filter(({ text }) => text.startsWith("Usage: ")).map(({ text }) => text)].flatMap(flagsIn),
  );
  expect(known.size).toBeGreaterThan(80);
  // The flag of `--help` itself stands in no list.
  for (const flag of [...FOREIGN_FLAGS, ALL]) known.add(flag);
  // What was removed stays in the changelog, and service.md is about other programs as well.
  const others = pages.filter((page) => !["CHANGELOG.md", "src/contract/service.md"].includes(page));
  const unknown = others.flatMap((page) =>
    [...new Set(flagsIn(readFileSync(page, "utf8")))]
      .filter((flag) => !known.has(flag))
      .map((flag) => `${page}: ${flag}`),
  );
  expect(unknown).toEqual([]);
});

function flagsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w<!-])--[a-z][a-z-]*[a-z]/g)].map(([flag]) => flag);
}
