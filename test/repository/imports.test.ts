import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { importsOf, ROOMS, roomOf } from "./rooms.ts";

const imports = importsOf("src");
const allowed = new Map(ROOMS);

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
  const arrows = [...imports].flatMap(([file, named]) => named.map((other) => [file, other] as const));
  // A parser that finds nothing would make this test pass for ever.
  expect(arrows.length).toBeGreaterThan(500);
  expect(arrows.filter(([, other]) => !existsSync(`src/${other}`))).toEqual([]);
  const wrong = arrows.filter(([file, other]) => {
    const [from, to] = [roomOf(file), roomOf(other)];
    return from !== to && !allowed.get(from)?.includes(to);
  });
  expect(wrong.map(([file, other]) => `${file} → ${other}`)).toEqual([]);
});

test("no files import each other in a circle, not even for types alone", () => {
  expect(circleIn(imports)).toEqual([]);
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
