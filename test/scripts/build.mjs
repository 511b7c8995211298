// src → dist: the TypeScript compiler checks the types, then rolldown joins the modules into a few files, since Node takes longer to
// find and link fifty files than to read five. The used parts of all packages are included, so that the package
// depends on nothing.
// Each command is a separate file, loaded when it runs. The mock is a file that tests of other projects load, too.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const stampOf = (root) => join(root, "node_modules/.orgferry-built");

/** True if no source, build setting or installation is newer than the last build. */
export function isBuildFresh(root) {
  const stamp = stampOf(root);
  if (!existsSync(stamp) || !existsSync(join(root, "dist/main.cjs"))) return false;
  const built = statSync(stamp).mtimeMs;
  const sources = readdirSync(join(root, "src"), { recursive: true }).map((name) => join(root, "src", name));
  const settings = ["tsconfig.json", "package-lock.json", "test/scripts/build.mjs"].map((name) => join(root, name));
  return [...sources, ...settings].every((path) => statSync(path).mtimeMs <= built);
}

/** Raises if a type is wrong; the compiler's messages go to stderr. */
export async function build(root) {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const check = [compiler, "-p", join(root, "tsconfig.json"), "--noEmit"];
  execFileSync(process.execPath, check, { cwd: root, stdio: ["ignore", 2, 2] });
  // An empty dist, so that the package has no file of an earlier build.
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const { rolldown } = await import("rolldown"); // not installed yet when this file is loaded
  const bundle = await rolldown({
    cwd: root,
    input: {
      main: "src/main.ts",
      "reader-thread": "src/io/rows/reader-thread.ts",
      "password-thread": "src/io/password-thread.ts",
      mock: "src/mock/server.ts",
    },
    platform: "node",
    transform: { define: { "process.env.ORGFERRY_COMMIT": JSON.stringify(process.env.ORGFERRY_COMMIT ?? "") } },
    // "module": only the used functions of hash-wasm. A link to node_modules is no other folder, so the bytes are the same.
    resolve: { mainFields: ["module", "main"], symlinks: false },
  });
  const names = { entryFileNames: "[name].cjs", chunkFileNames: nameOfChunk };
  const { output } = await bundle.write({
    dir: "dist",
    format: "cjs",
    sourcemap: "hidden",
    comments: false,
    dynamicImportInCjs: false,
    ...names,
  });
  await bundle.close();
  for (const chunk of output) if (chunk.type === "chunk" && chunk.map !== null) writeMap(root, chunk);
  declareMock(root, compiler);
  const packages = packagesIn(output);
  writeFileSync(join(root, "dist/LICENSES.txt"), licenses(packages));
  // For the list of parts of a release.
  writeFileSync(join(root, "dist/packages.json"), JSON.stringify(packages.map(({ manifest }) => partOf(manifest))));
  const { reportJsonSchema } = await load(root, "src/ui/machine/report-schema.ts");
  writeFileSync(
    join(root, "dist/report.schema.json"),
    // For programs: indented, it would be twice as large.
    `${JSON.stringify(reportJsonSchema({ isClosed: false }))}\n`,
  );
  writeManPages(root);
  writeFileSync(stampOf(root), "");
}

/** Writes the manual page of the program, and one for each command. */
function writeManPages(root) {
  const print = (words) => execFileSync(process.execPath, [join(root, "bin/orgferry.cjs"), "man-page", ...words]);
  writeFileSync(join(root, "dist/orgferry.1"), print([]));
  for (const path of print(["list"]).toString().trim().split("\n")) {
    const words = path.split(" ");
    writeFileSync(join(root, `dist/orgferry-${words.join("-")}.1`), print(words));
  }
}

/** The exports of a module of the sources, for the build. */
async function load(root, input) {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({ cwd: root, input, platform: "node" });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString("base64")}`);
}

/**
 * Writes the types of `orgferry/mock`: those of `src/mock/api.ts`, which imports nothing, and the declaration of its function. The
 * compiler reads only that file, since the declarations of the whole program take minutes.
 */
function declareMock(root, compiler) {
  const dist = join(root, "dist");
  const options = ["--declaration", "--emitDeclarationOnly", "--module", "nodenext", "--target", "es2023", "--strict"];
  const emit = [compiler, "--ignoreConfig", ...options, "--types", "", "--outDir", dist, "src/mock/api.ts"];
  execFileSync(process.execPath, emit, { cwd: root, stdio: ["ignore", 2, 2] });
  const types = readFileSync(join(dist, "api.d.ts"), "utf8");
  rmSync(join(dist, "api.d.ts"));
  writeFileSync(join(dist, "mock.d.cts"), `${types}export declare const createMockServer: CreateMockServer;\n`);
}

/** The file of a command has the command's name, any other file the name of its first module. */
function nameOfChunk({ facadeModuleId }) {
  const [, command] = /commands[\\/](\w+)[\\/]command\.ts$/.exec(facadeModuleId ?? "") ?? [];
  return command === undefined ? "[name].cjs" : `command-${command}.cjs`;
}

/**
 * Writes a source map for the package, without the text of the sources, which is in the repository. A file with only packages gets none.
 * `io/source-stack.ts` reads the maps when it prints a bug.
 */
function writeMap(root, { fileName, sourcemapFileName, map }) {
  const path = join(root, "dist", sourcemapFileName ?? `${fileName}.map`);
  const { sourcesContent, ...kept } = map;
  if (map.sources.every((source) => source.includes("node_modules"))) rmSync(path);
  else writeFileSync(path, JSON.stringify(kept));
}

/** The folders of the packages whose code is in the output. */
function packagesIn(output) {
  const modules = output.flatMap((chunk) => Object.entries(chunk.modules ?? {}));
  const used = modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => id.replaceAll("\\", "/"));
  const folders = used.map((id) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]).filter(Boolean);
  return [...new Set(folders)].sort().map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { manifest, folder, files: used.filter((id) => id.startsWith(`${folder}/`)).sort() };
  });
}

function partOf({ name, version, license }) {
  return { name, version, license };
}

/** The licenses of these packages; the package must include them. */
function licenses(packages) {
  const texts = packages.map(({ manifest, folder, files }) => {
    const file = readdirSync(folder).find((entry) => /^licen[cs]e([-.].*)?$/i.test(entry));
    const text = file === undefined ? standardText(manifest, files) : readFileSync(join(folder, file), "utf8");
    return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text.trim()}\n`;
  });
  return texts.join("\n----\n\n");
}

/** The license of a package without a file for it: the notices at the beginning of its used files, its authors, and the standard texts. */
function standardText({ name, license, author = `the authors of ${name}` }, files) {
  const notices = files.map((file) => /^(?:\/\/.*\n)+/.exec(readFileSync(file, "utf8"))?.[0] ?? "");
  const own = new Set(
    notices.filter((notice) => /copyright/i.test(notice)).map((notice) => notice.replace(/^\/\/ ?/gm, "")),
  );
  if (own.size === 0) own.add(`Copyright ${author.name ?? author}\n`);
  const texts = license.match(/[\w.-]+/g).filter((id) => id !== "AND");
  return [...own, ...texts.map((id) => readFileSync(new URL(`licenses/${id}.txt`, import.meta.url), "utf8"))].join(
    "\n",
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(fileURLToPath(new URL("../../", import.meta.url)));
