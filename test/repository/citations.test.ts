import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/** The pages that comments cite, and how a citation of each begins. */
const PAGES = {
  "service behaviour": "src/contract/service.md",
  "spec:": "src/contract/specification.md",
  "design:": "src/commands/README.md",
} as const;

const SECTION = String.raw`\d+(?:\.\d+[a-z]?)?`;
const SECTIONS = new RegExp(`^ (${SECTION}(?:(?:, and |, | and | to |–)${SECTION})*)`);

/** Numbers of service.md: of its headings, and of the facts of section 0, each of which begins an item of a list. */
function sectionsOf(page: string): ReadonlySet<string> {
  const numbers = readFileSync(page, "utf8").matchAll(/^(?:#{2,3} |- \*\*)(\d+(?:\.\d+[a-z]?)?)\b/gm);
  return new Set([...numbers].map(([, number]) => number as string));
}

function headingsOf(page: string): readonly string[] {
  return [...readFileSync(page, "utf8").matchAll(/^#{2,3} (.+)$/gm)].map(([, title]) => title as string);
}

const sections = sectionsOf(PAGES["service behaviour"]);
const headings = { "spec:": headingsOf(PAGES["spec:"]), "design:": headingsOf(PAGES["design:"]) };

/** Every citation in a text whose section does not exist. */
function unresolved(text: string): readonly string[] {
  // A comment goes over several lines; its stars and slashes are no part of what it says.
  const flat = text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*/g, " ");
  return [...unresolvedNumbers(flat), ...unresolvedTitles(flat, "spec:"), ...unresolvedTitles(flat, "design:")];
}

/** "service behaviour 2.4, 2.8", "1.1–1.3", and, where it is clear from before what is meant, "(2.4)" alone. */
function unresolvedNumbers(flat: string): readonly string[] {
  const full = [...flat.matchAll(/service behaviour/g)].flatMap(({ index }) => {
    const [, found] = SECTIONS.exec(flat.slice(index + "service behaviour".length)) ?? [];
    return found === undefined ? ["service behaviour without a section"] : found.split(/, and |, | and | to |–/);
  });
  const short = [...flat.matchAll(/(?<!\w)\((\d\.\d+[a-z]?)\)/g)].map(([, number]) => number as string);
  return [...full, ...short].filter((number) => !sections.has(number));
}

/** A citation begins with a heading, in quotes or not; what follows may say where in the section. */
function unresolvedTitles(flat: string, kind: "spec:" | "design:"): readonly string[] {
  return [...flat.matchAll(new RegExp(`\\b${kind} ([^)]{0,80})`, "g"))]
    .map(([, cited]) => cited as string)
    .filter((cited) => !headings[kind].some((title) => isBeginning(title, cited.replace(/^"/, ""))))
    .map((cited) => `${kind} ${cited}`);
}

function isBeginning(title: string, cited: string): boolean {
  return cited.startsWith(title) && !/^\w/.test(cited.slice(title.length));
}

function filesOf(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|mjs|md)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
}

describe("a citation that leads nowhere is found", () => {
  test.each([
    ["a section that is not there", "/** As the service does (service behaviour 2.99). */", ["2.99"]],
    ["the second of two", "// service behaviour 2.4, 9.99", ["9.99"]],
    ["the end of a range", "// service behaviour 1.1–1.77", ["1.77"]],
    ["a short one", "/** As above (7.7). */", ["7.7"]],
    ["over a line break", "/**\n * service\n * behaviour 3.3 */", ["3.3"]],
    ["without a number", "// as service behaviour says", ["service behaviour without a section"]],
    ["a heading that is not there", "// spec: Nothing", ["spec: Nothing"]],
    ["a word that only begins like a heading", "// spec: Limitsx", ["spec: Limitsx"]],
    ["a design decision that is not there", '// (design: "The knot")', ['design: "The knot"']],
  ])("%s", (_, text, found) => {
    expect(unresolved(text)).toEqual(found);
  });
});

test("every section, rule and decision that a comment cites exists", () => {
  const files = filesOf("src", "test").filter((name) => !name.endsWith("citations.test.ts"));
  expect(files.length).toBeGreaterThan(200);
  const broken = files.flatMap((name) =>
    unresolved(readFileSync(name, "utf8")).map((citation) => `${name}: ${citation}`),
  );
  expect(broken).toEqual([]);
});

test("the facts of section 0 are numbered without a gap", () => {
  const numbers = Array.from({ length: 31 }, (_, index) => `0.${index + 1}`);
  expect([...numbers, "0.19a", "0.19b"].filter((number) => !sections.has(number))).toEqual([]);
});
