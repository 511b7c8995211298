import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { importsOf } from "./rooms.ts";

// What imports.test.ts checks between rooms, this checks inside of them.

/** Areas that still have circles of folders. */
const OPEN = ["core/merge", "mock"];
/** Members of an interface that is handed around in these folders. */
const MOST_MEMBERS = 8;
const SMALL_INTERFACES = ["src/jobs/import"];

const isOpen = (folder: string): boolean => OPEN.some((area) => folder === area || folder.startsWith(`${area}/`));
const isWithin = (folder: string, other: string): boolean => other === "." || folder.startsWith(`${other}/`);

/** The folders that each folder imports, except a folder that holds it or is in it. */
function foldersOf(imports: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [file, named] of imports) {
    const from = posix.dirname(file);
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const to of named.map((other) => posix.dirname(other))) {
      if (from !== to && !isWithin(from, to) && !isWithin(to, from)) targets.add(to);
    }
  }
  return graph;
}

/** Every pair of folders that reach each other. */
function circlesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reached = (start: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const walk = (folder: string): void => {
      for (const next of graph.get(folder) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        walk(next);
      }
    };
    walk(start);
    return seen;
  };
  const all = new Map([...graph.keys()].map((folder) => [folder, reached(folder)]));
  return [...all].flatMap(([folder, others]) =>
    [...others].filter((other) => folder < other && all.get(other)?.has(folder)).map((other) => `${folder} ⇄ ${other}`),
  );
}

test("no folders import each other in a circle, except a folder and what it holds", () => {
  const circles = circlesIn(foldersOf(importsOf("src")));
  expect(circles.filter((circle) => !circle.split(" ⇄ ").every(isOpen))).toEqual([]);
  const made = new Map([
    ["a/x.ts", ["b/y.ts"]],
    ["b/y.ts", ["b/in/z.ts", "b/c/z.ts"]],
    ["b/c/z.ts", ["a/x.ts", "b/y.ts"]],
  ]);
  expect(circlesIn(foldersOf(made))).toEqual([]);
  expect(circlesIn(foldersOf(new Map([...made, ["b/y.ts", ["a/x.ts"]]])))).toEqual(["a ⇄ b"]);
});

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

test("no interface of an import has more members than one takes in, inherited ones included", () => {
  const found = new Map(
    SMALL_INTERFACES.flatMap((root) =>
      readdirSync(root, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(".ts"))
        .flatMap((name) => interfacesIn(readFileSync(`${root}/${name}`, "utf8")))
        .map((one) => [one.name, one] as const),
    ),
  );
  const countOf = (name: string): number => {
    const one = found.get(name);
    return one === undefined ? 0 : one.bases.reduce((sum, base) => sum + countOf(base), one.own);
  };
  expect(found.size).toBeGreaterThan(30);
  expect(countOf("ImportRun")).toBe(8); // inherited members count
  expect([...found.keys()].filter((name) => countOf(name) > MOST_MEMBERS)).toEqual([]);
});
