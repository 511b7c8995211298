import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Members of an interface that is handed around in these folders. */
const MOST_MEMBERS = 8;
const SMALL_INTERFACES = "src/jobs/import";
/** Where what they extend is, besides. */
const BASES = "src/jobs/shared";

/** The interfaces of a source text, with their own members and the names of what they extend. */
function interfacesIn(code: string): readonly { name: string; bases: readonly string[]; own: number }[] {
  const text = code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return [...text.matchAll(/^(?:export )?interface (\w+)(?:<[^>]*>)?(?:\s+extends ([^{]+?))? \{\n([\s\S]*?)^\}/gm)].map(
    ([, name = "", bases = "", body = ""]) => ({
      name,
      bases: [...bases.matchAll(/\b[A-Z]\w+/g)].map(([base]) => base),
      own: body.split("\n").filter((line) => /^ {2}(?:readonly )?\w+[?(<:]/.test(line)).length,
    }),
  );
}

function interfacesOf(root: string): ReturnType<typeof interfacesIn> {
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => interfacesIn(readFileSync(`${root}/${name}`, "utf8")));
}

test("no interface of an import has more members than one takes in, inherited ones included", () => {
  const found = new Map(interfacesOf(SMALL_INTERFACES).map((one) => [one.name, one]));
  const bases = new Map(interfacesOf(BASES).map((one) => [one.name, one]));
  const countOf = (name: string): number => {
    const one = found.get(name) ?? bases.get(name);
    return one === undefined ? 0 : one.bases.reduce((sum, base) => sum + countOf(base), one.own);
  };
  expect(found.size).toBeGreaterThan(30);
  expect(countOf("ImportRun")).toBe(8); // inherited members count
  expect([...found.keys()].filter((name) => countOf(name) > MOST_MEMBERS)).toEqual([]);
});
