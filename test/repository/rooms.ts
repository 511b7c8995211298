import { readdirSync, readFileSync } from "node:fs";
import { dirname, posix } from "node:path";

const core = [
  "core",
  "core/json",
  "core/tables",
  "core/rules",
  "core/rows",
  "core/merge",
  "core/document",
  "core/select",
  "core/compare",
  "core/events",
  "core/update",
  "core/transfer",
  "core/probe",
];
const jobs = [
  "jobs/shared",
  "jobs/export",
  "jobs/fetch",
  "jobs/verify",
  "jobs/import",
  "jobs/undo",
  "jobs/probe",
  "jobs/diff",
  "jobs/invite",
];
const below = ["problem", "problem.ts", "contract", ...core, "io", "admin", "ui", "context.ts"];
const command = ["version.ts", ...below, ...jobs, "sources", "commands/shared"];

/**
 * Every room of src and the rooms that its files may import, besides its own. A room stands behind all that it imports: read
 * downwards, this is the direction of imports, and there can be no circle.
 */
export const ROOMS: readonly (readonly [room: string, mayImport: readonly string[]])[] = [
  ["problem", []],
  ["problem.ts", ["problem"]],
  ["version.ts", []],
  ["contract", []],
  ["core", ["contract"]],
  ["core/json", ["problem.ts"]],
  ["core/tables", ["core/json"]],
  ["core/rules", ["problem.ts", "contract", "core", "core/json"]],
  ["core/rows", ["problem.ts", "core/json"]],
  ["core/merge", ["problem.ts", "contract", "core", "core/json", "core/tables", "core/rules", "core/rows"]],
  ["core/document", ["problem.ts", "contract", "core/json", "core/tables", "core/rules", "core/merge"]],
  ["core/select", ["contract", "core", "core/json", "core/tables", "core/rules", "core/document"]],
  ["core/compare", ["contract", "core", "core/json", "core/tables", "core/rules"]],
  ["core/events", ["contract", "core", "core/json", "core/tables", "core/rules", "core/compare"]],
  ["core/update", ["contract", "core", "core/json", "core/tables", "core/rules", "core/events"]],
  ["core/transfer", ["problem.ts", "contract", "core", "core/json", "core/tables", "core/rules", "core/document"]],
  ["core/probe", ["contract"]],
  ["io", ["problem.ts", "contract", ...core]],
  ["admin", ["problem.ts", "contract"]],
  ["ui", ["problem", "problem.ts", "contract", ...core]],
  ["mock", ["contract"]],
  ["sources", ["problem.ts", "contract", "core/rules", "core/merge"]],
  ["context.ts", ["io"]],
  ["jobs/shared", below],
  ["jobs/export", [...below, "jobs/shared"]],
  ["jobs/fetch", [...below, "jobs/shared", "jobs/export"]],
  ["jobs/verify", [...below, "jobs/shared", "jobs/export"]],
  ["jobs/import", [...below, "jobs/shared", "jobs/verify"]],
  ["jobs/undo", [...below, "jobs/shared", "jobs/import"]],
  ["jobs/invite", [...below, "jobs/shared", "jobs/import"]],
  ["jobs/probe", [...below, "jobs/shared"]],
  ["jobs/diff", [...below, "jobs/shared"]],
  ["commands/shared", ["version.ts", ...below, ...jobs, "sources"]],
  ["commands/start", command],
  ["commands/status", command],
  ["commands/migrate", command],
  ["commands/export", command],
  ["commands/fetch", command],
  ["commands/import", command],
  ["commands/invite", command],
  ["commands/copy", command],
  ["commands/verify", command],
  ["commands/diff", command],
  ["commands/doctor", command],
  ["commands/completion", command],
  ["commands/report", command],
  ["commands/undo", command],
  ["commands/mock", ["problem", "problem.ts", "context.ts", "io", "ui", "mock", "commands/shared"]],
  ["commands", ["sources", "commands/shared", ...commands()]],
  ["cli.ts", ["problem.ts", "version.ts", "context.ts", "sources", "commands", "commands/shared"]],
  ["main.ts", ["problem.ts", "context.ts", "io", "cli.ts"]],
];

/** The packages and modules of Node that not every room may import. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  undici: ["admin"],
  commander: ["commands", "cli.ts"],
  "@commander-js/extra-typings": ["commands", "cli.ts"],
  "@bufbuild/protobuf": ["admin", "mock"],
  "@zitadel/proto": ["admin", "mock"],
  "@clack/prompts": ["commands"],
  ora: ["ui"],
  chalk: ["ui"],
  "node:fs": ["io", "jobs", "commands", "mock", "main.ts"],
  "node:http": ["admin", "mock"],
};

function commands(): readonly string[] {
  const names = ["start", "migrate", "export", "fetch", "import", "copy", "verify", "report", "undo", "mock", "status"];
  return [...names, "invite", "diff", "doctor", "completion"].map((name) => `commands/${name}`);
}

/** Rooms that are several: what is in them is divided once more. */
const DIVIDED = ["core", "jobs", "commands"];

/** The room of a file, whose path is relative to src. */
export function roomOf(file: string): string {
  const parts = file.split("/");
  return parts.slice(0, DIVIDED.includes(parts[0] as string) && parts.length > 2 ? 2 : 1).join("/");
}

/** What a source file imports, types included. */
export interface Imports {
  /** Files, relative to the root. */
  readonly files: readonly string[];
  /** Packages and modules of Node: `undici`, `@zitadel/proto`, `node:fs`. */
  readonly packages: readonly string[];
}

/** The imports of every source file, by its path relative to the root. */
export function importsOf(root: string): ReadonlyMap<string, Imports> {
  const names = readdirSync(root, { recursive: true }).map((name) => String(name).replaceAll("\\", "/"));
  const files = names.filter((name) => name.endsWith(".ts")).sort();
  return new Map(files.map((file) => [file, importsIn(readFileSync(`${root}/${file}`, "utf8"), dirname(file))]));
}

/** The imports of a text, whose relative paths start at `folder`. */
export function importsIn(text: string, folder: string): Imports {
  // An import starts a line or is a call. Comments and other texts hold none.
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const found = code.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm);
  const names = [...found].map((match) => match.slice(1).find((name) => name !== undefined) ?? "");
  const isFile = (name: string): boolean => name.startsWith(".");
  return {
    files: names.filter(isFile).map((name) => posix.join(folder, name)),
    packages: names.filter((name) => !isFile(name)).map(packageOf),
  };
}

/** `undici` of `undici/lib/api`, `@zitadel/proto` of `@zitadel/proto/zitadel/admin_pb`. */
function packageOf(name: string): string {
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}
