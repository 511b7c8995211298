import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const MAX_FILES_OF_A_FOLDER = 16;
const MIN_LINES = 20;

/** Names of folders that build tools make, and that many people's ignore files therefore name. */
const IGNORED = [
  "target",
  "build",
  "out",
  "dist",
  "bin",
  "obj",
  "lib",
  "vendor",
  "coverage",
  "cache",
  "tmp",
  "temp",
  "logs",
  "env",
];

/** Files of src with fewer lines, and why each is one of its own. */
const SHORT: Readonly<Record<string, string>> = {
  "io/input/file-beginning.ts": "what outputs, status and start ask of a file",
  "io/output/sink.ts": "what outputs are, apart from the circle of those that make them",
  "commands/start/declare.ts": "a command without flags",
  "contract/grpc-codes.ts": "a table without a schema: help loads it, and no schema",
  "contract/export-request.ts": "one message of the wire a file",
  "contract/object-storage.ts": "one message of the wire a file",
  "contract/service-limits.ts": "a table that sources and rules share",
  "core/merge/asked-map.ts": "shared by flags of all sources and by migrate",
  "core/merge/join/claims.ts": "the one place that knows the bits of a claim",
  "core/events/digest.ts": "shared by the logs of users and of metadata; in either it would close a circle",
  "io/password-thread.ts": "what runs in a thread of its own",
  "jobs/shared/with-progress.ts": "shared by export and import, and about neither",
  "mock/import/process-end.ts": "what ends the service, asked before anything of a call is imported",
  "mock/state/generated-id.ts": "the one rule for how ids of the service look",
  "mock/state/timestamp.ts": "the one rule for how moments are written and read",
  "sources/csv/options.ts": "the flags of one provider, where every provider has them",
  "sources/mapped/notes.ts": "shared by the readers of a row's parts",
  "jobs/import/plan/mail-provider.ts": "asked before e-mails, and by doctor",
  "jobs/probe/probe-hashes.ts": "a probe of everything; an import asks less of the same function",
  "jobs/fetch/fetch-call.ts": "what every step of a fetch is given",
  "sources/registry.ts": "the list of sources and nothing else",
  "version.ts": "the version and nothing else: a release changes it",
};

function foldersIn(root: string): readonly string[] {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ["", ...names.map((entry) => slashes(relative(root, join(entry.parentPath, entry.name))))];
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => entry.name);
}

const slashes = (path: string): string => path.replaceAll("\\", "/");
const sources = foldersIn("src").flatMap((folder) =>
  filesIn(join("src", folder)).map((name) => slashes(join(folder, name))),
);

test("no folder of src holds more files than one takes in at a glance", () => {
  const crowded = foldersIn("src").filter((folder) => filesIn(join("src", folder)).length > MAX_FILES_OF_A_FOLDER);
  expect(crowded).toEqual([]);
});

test("no folder of src has a name that version control or an editor is often told to ignore", () => {
  const names = foldersIn("src").map((folder) => folder.split("/").at(-1) ?? "");
  expect(names.filter((name) => IGNORED.includes(name))).toEqual([]);
});

test("a file of src has a size worth a file, or a reason", () => {
  const short = sources.filter(
    (name) => readFileSync(join("src", name), "utf8").trimEnd().split("\n").length < MIN_LINES,
  );
  expect(short.length).toBeGreaterThan(0);
  expect(short.sort()).toEqual(Object.keys(SHORT).sort());
});
