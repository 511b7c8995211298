import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";
import { PACKAGES, ROOMS, roomOf } from "./rooms.ts";

// What .biome.json says to the editor is held against the table of rooms: every import that the table does not have is an error
// at any depth, every one that it has is none. Rooms that are parts of core or of jobs are told apart by imports.test.ts alone.

/** One line of a probe: an import and whether the table has it. */
interface Probe {
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly isAllowed: boolean;
}

const area = (room: string): string => (room.startsWith("commands/") ? room : (room.split("/")[0] as string));
const areas = [...new Set(ROOMS.map(([room]) => area(room)))];
/** They put the others together; imports.test.ts alone watches them. */
const EDGES = ["context.ts", "handlers.ts", "cli.ts", "main.ts"];
const allowedAreas = new Map(
  areas.map((name) => [
    name,
    new Set(ROOMS.filter(([room]) => area(room) === name).flatMap(([, may]) => may.map(area))),
  ]),
);

/** Paths of files of a room, as deep as they may ever lie. */
function filesOf(name: string): readonly string[] {
  return name.endsWith(".ts") ? [name] : [`${name}/probe.ts`, `${name}/part/probe.ts`, `${name}/part/of/it/probe.ts`];
}

function isPackageAllowed(name: string, room: string): boolean {
  return (PACKAGES[name] ?? []).some((allowed) => allowed === room || room.startsWith(`${allowed}/`));
}

/** Writes a probe file: one import a line of every file of every other room, and of the packages that are not for all. */
function writeProbe(root: string, name: string, file: string): readonly Probe[] {
  const others = areas.filter((other) => other !== name).flatMap((other) => filesOf(other));
  const relative = others.map((other) => {
    const path = posix.relative(dirname(file), other);
    return {
      from: path.startsWith(".") ? path : `./${path}`,
      isAllowed: allowedAreas.get(name)?.has(area(roomOf(other))),
    };
  });
  const packages = Object.keys(PACKAGES).map((from) => ({ from, isAllowed: isPackageAllowed(from, name) }));
  const imports = [...relative, ...packages].map(({ from, isAllowed }) => ({ from, isAllowed: isAllowed === true }));
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), imports.map(({ from }) => `import "${from}";\n`).join(""));
  return imports.map((probe, at) => ({ file, line: at + 1, ...probe }));
}

/** The places that the linter calls errors, as `<file>:<line>`. */
function lint(root: string): ReadonlySet<string> {
  const { vcs, $schema, ...config } = JSON.parse(readFileSync(".biome.json", "utf8"));
  writeFileSync(join(root, "biome.json"), JSON.stringify(config));
  const biome = join(process.cwd(), "node_modules/@biomejs/biome/bin/biome");
  const flags = ["lint", "--only=style/noRestrictedImports", "--reporter=github", "--max-diagnostics=none", "src"];
  let output = "";
  try {
    execFileSync(process.execPath, [biome, ...flags], { cwd: root, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    output = String((error as { stdout?: unknown }).stdout); // errors were found, as they should be: a failed exit
  }
  return new Set([...output.matchAll(/src\/([^,]+),line=(\d+)/g)].map(([, file, line]) => `${file}:${line}`));
}

test("every import against the direction of the rooms is an error of the linter, at any depth, and no other is", () => {
  const root = tempDir();
  const linted = areas.filter((name) => !EDGES.includes(name));
  const probes = linted.flatMap((name) => filesOf(name).flatMap((file) => writeProbe(join(root, "src"), name, file)));
  const errors = lint(root);
  const wrong = probes.filter(({ file, line, isAllowed }) => errors.has(`${file}:${line}`) === isAllowed);
  expect(wrong.map(({ file, from, isAllowed }) => `${file} ${isAllowed ? "may" : "must not"} import ${from}`)).toEqual(
    [],
  );
  expect(errors.size).toBeGreaterThan(500);
});

test("every command and every room of src is in the table", () => {
  const rooms = readdirSync("src", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith(".ts"))
    .flatMap(({ name }) =>
      name === "commands"
        ? readdirSync("src/commands", { withFileTypes: true })
            .filter((entry) => entry.isDirectory())
            .map((entry) => `commands/${entry.name}`)
        : [name],
    );
  expect(rooms.sort()).toEqual([...areas].sort());
});
