import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { importsIn, importsOf, PACKAGES, ROOMS, roomOf } from "./rooms.ts";

const imports = importsOf("src");
const allowed = new Map(ROOMS);
const files = new Map([...imports].map(([file, named]) => [file, named.files]));

/** The first circle found from one of the files, as the files of it; empty when there is none. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of graph.get(file) ?? []) {
      const circle = walk(next, [...path, file]);
      if (circle.length > 0) return circle;
    }
    done.add(file);
    return [];
  };
  for (const file of graph.keys()) {
    const circle = walk(file, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

/** The folders directly in `parent` and which of each other they import, with all that they hold. */
function foldersIn(parent: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string[]> {
  const folderOf = (file: string): string | undefined =>
    file.startsWith(parent) ? /^[^/]+(?=\/)/.exec(file.slice(parent.length))?.[0] : undefined;
  const folders = new Map<string, string[]>();
  for (const [file, named] of graph) {
    const folder = folderOf(file);
    if (folder === undefined) continue;
    const others = named.map(folderOf).filter((other) => other !== undefined && other !== folder);
    folders.set(folder, [...(folders.get(folder) ?? []), ...(others as string[])]);
  }
  return folders;
}

/** The first circle of folders that stand in one folder, for each folder that has one. */
function folderCircles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const parents = new Set(
    [...graph.keys()].flatMap((file) => [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index + 1))),
  );
  return ["", ...parents].flatMap((parent) => {
    const circle = circleIn(foldersIn(parent, graph));
    return circle.length === 0 ? [] : [`${parent || "src/"}: ${circle.join(" → ")}`];
  });
}

test("the table of rooms runs one way: each room stands behind what it may import", () => {
  const order = ROOMS.map(([room]) => room);
  const back = ROOMS.flatMap(([room, mayImport], at) =>
    mayImport.filter((other) => !order.slice(0, at).includes(other)).map((other) => `${room} → ${other}`),
  );
  expect(back).toEqual([]);
});

test("every file of src is in a room, and every room has files", () => {
  const rooms = new Set([...imports.keys()].map(roomOf));
  expect([...rooms].sort()).toEqual([...allowed.keys()].sort());
});

test("no import runs back up", () => {
  expect(imports.size).toBeGreaterThan(150);
  const arrows = [...files].flatMap(([file, named]) => named.map((other) => [file, other] as const));
  // Without arrows this test would pass always.
  expect(arrows.length).toBeGreaterThan(500);
  expect(arrows.filter(([, other]) => !existsSync(`src/${other}`))).toEqual([]);
  const wrong = arrows.filter(([file, other]) => {
    const [from, to] = [roomOf(file), roomOf(other)];
    return from !== to && !allowed.get(from)?.includes(to);
  });
  expect(wrong.map(([file, other]) => `${file} → ${other}`)).toEqual([]);
});

/** The rows of the map, from the top: the files and folders that each names. */
const map = readFileSync("src/README.md", "utf8")
  .split("\n## ")[0]
  ?.split("\n")
  .flatMap((line) => /^\| (`[^|]+`) \|/.exec(line)?.[1] ?? [])
  .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)) as readonly (readonly string[])[];

/** The row of a file in the map, from 0: the one with its longest name; `<name>` is any name. -1: none. */
function rowOf(file: string): number {
  const names = map.flatMap((row, at) => row.map((name) => ({ name, at })));
  const fits = names.filter(({ name }) => {
    const pattern = name.replace(/[.]/g, "\\.").replace(/<\w+>/, "[^/]+");
    return new RegExp(`^${pattern}${name.endsWith("/") ? "" : "$"}`).test(file);
  });
  const length = ({ name }: { name: string }): number => name.replace(/<\w+>.*/, "").length;
  return fits.sort((a, b) => length(b) - length(a))[0]?.at ?? -1;
}

test("the map in src/README.md has the rooms of this table, in its order, and imports run down the map", () => {
  const order = [...ROOMS].reverse().map(([room]) => {
    const file = [...files.keys()].find((name) => roomOf(name) === room);
    return rowOf(file ?? "");
  });
  expect([...new Set(order)]).toEqual(map.map((_, at) => at));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect([...files.keys()].filter((file) => rowOf(file) === -1)).toEqual([]);
  const up = [...files].flatMap(([file, named]) =>
    named.filter((other) => rowOf(other) < rowOf(file)).map((other) => `${file} → ${other}`),
  );
  expect(up).toEqual([]);
});

test("no files import each other in a circle, types included", () => {
  expect(circleIn(files)).toEqual([]);
  expect(
    circleIn(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["b"]],
      ]),
    ),
  ).toEqual(["b", "c", "b"]); // it would be found
});

test("no folders import each other in a circle, but for a folder and what it holds", () => {
  expect(folderCircles(files)).toEqual([]);
  const found = new Map([
    ["a/b/x.ts", ["a/c/y.ts", "a/z.ts"]],
    ["a/c/in/y.ts", ["a/b/x.ts"]],
    ["a/z.ts", ["a/b/x.ts"]],
  ]);
  expect(folderCircles(found)).toEqual(["a/: b → c → b"]);
});

test("a package that not every room may import is imported by its rooms alone", () => {
  const wrong = [...imports].flatMap(([file, { packages }]) =>
    packages
      .filter((name) => PACKAGES[name]?.every((room) => !`${file}/`.startsWith(`${room}/`)))
      .map((name) => `${file} → ${name}`),
  );
  expect(wrong).toEqual([]);
  const read = importsIn('import "node:fs";\nexport * from "undici/lib/x.js";\nawait import("./a.ts");', "io");
  expect(read).toEqual({ packages: ["node:fs", "undici"], files: ["io/a.ts"] });
});
