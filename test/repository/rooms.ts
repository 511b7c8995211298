import { readdirSync, readFileSync } from "node:fs";
import { dirname, posix } from "node:path";

const core = [
  "core/json",
  "core/tables",
  "core/rules",
  "core/rows",
  "core/merge",
  "core/document",
  "core/compare",
  "core/update",
  "core/transfer",
];
const jobs = ["jobs/shared", "jobs/export", "jobs/fetch", "jobs/verify", "jobs/import", "jobs/undo"];
const below = ["problem.ts", "contract", ...core, "io", "admin", "ui", "context.ts"];
const command = ["version.ts", ...below, ...jobs, "commands/shared"];

/**
 * Every room of src and the rooms that its files may import, besides its own. A room stands behind all that it imports: read
 * downwards, this is the direction of imports, and there can be no circle. .biome.json says the same to the editor.
 */
export const ROOMS: readonly (readonly [room: string, mayImport: readonly string[]])[] = [
  ["problem.ts", []],
  ["version.ts", []],
  ["contract", []],
  ["core/json", ["problem.ts"]],
  ["core/tables", ["core/json"]],
  ["core/rules", ["problem.ts", "contract", "core/json"]],
  ["core/rows", ["problem.ts", "core/json"]],
  ["core/merge", ["problem.ts", "contract", "core/json", "core/tables", "core/rules", "core/rows"]],
  ["core/document", ["problem.ts", "contract", "core/json", "core/tables", "core/rules", "core/merge"]],
  ["core/compare", ["contract", "core/tables", "core/rules"]],
  ["core/update", ["contract", "core/json", "core/tables", "core/rules", "core/compare"]],
  ["core/transfer", ["problem.ts", "contract", "core/json", "core/tables", "core/rules", "core/document"]],
  ["io", ["problem.ts", "contract", ...core]],
  ["admin", ["problem.ts", "contract"]],
  ["ui", ["problem.ts", "contract", ...core]],
  ["sources", ["problem.ts", "contract", "core/rules", "core/merge"]],
  ["mock", ["contract"]],
  ["context.ts", ["io"]],
  ["jobs/shared", below],
  ["jobs/export", [...below, "jobs/shared"]],
  ["jobs/fetch", [...below, "jobs/shared", "jobs/export"]],
  ["jobs/verify", [...below, "jobs/shared", "jobs/export"]],
  ["jobs/import", [...below, "jobs/shared", "jobs/verify"]],
  ["jobs/undo", [...below, "jobs/shared", "jobs/import"]],
  ["commands/shared", ["version.ts", ...below, ...jobs]],
  ["commands/migrate", [...command, "sources"]],
  ["commands/export", command],
  ["commands/fetch", command],
  ["commands/import", command],
  ["commands/copy", command],
  ["commands/verify", command],
  ["commands/doctor", command],
  ["commands/completion", command],
  ["commands/undo", command],
  ["commands/mock", ["problem.ts", "context.ts", "io", "ui", "mock", "commands/shared"]],
  ["handlers.ts", ["problem.ts", "context.ts", "sources", "commands/shared", ...commands()]],
  ["cli.ts", ["problem.ts", "version.ts", "context.ts", "handlers.ts", "sources", "commands/shared", ...commands()]],
  ["main.ts", ["problem.ts", "context.ts", "io", "cli.ts"]],
];

/** The packages and modules of Node that not every room may import. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  undici: ["admin"],
  commander: ["commands", "cli.ts"],
  "@commander-js/extra-typings": ["commands", "cli.ts"],
  "@bufbuild/protobuf": ["admin", "mock"],
  "@zitadel/proto": ["admin", "mock"],
  ora: ["ui"],
  chalk: ["ui"],
  "node:fs": ["io", "jobs", "commands", "mock", "main.ts"],
  "node:http": ["admin", "mock"],
};

function commands(): readonly string[] {
  const names = ["migrate", "export", "fetch", "import", "copy", "verify", "undo", "mock", "doctor", "completion"];
  return names.map((name) => `commands/${name}`);
}

/** Rooms that are several: what is in them is divided once more. */
const DIVIDED = ["core", "jobs", "commands"];

/** The room of a file, whose path is relative to src. */
export function roomOf(file: string): string {
  const parts = file.split("/");
  return parts.slice(0, DIVIDED.includes(parts[0] as string) && parts.length > 2 ? 2 : 1).join("/");
}

/** Every source file, relative to src, with the files that it imports, types alone as well. */
export function importsOf(root: string): ReadonlyMap<string, readonly string[]> {
  const names = readdirSync(root, { recursive: true }).map((name) => String(name).replaceAll("\\", "/"));
  const files = names.filter((name) => name.endsWith(".ts")).sort();
  return new Map(
    files.map((file) => {
      // An import stands at the beginning of a line or is a call; what a text or a comment says is neither.
      const code = readFileSync(`${root}/${file}`, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
      const found = code.matchAll(/^(?:import|export)\b[^;]*?\bfrom "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm);
      return [file, [...found].map(([, named, loaded]) => posix.join(dirname(file), named ?? (loaded as string)))];
    }),
  );
}
