// The files of a release, from a build; the release workflow and test/release run the same steps.
//   node test/scripts/release.mjs package <folder>                  # the npm package, source maps, the list of parts, the notes
//   node test/scripts/release.mjs executable <folder> [<platform>]  # of this machine by default
//   node test/scripts/release.mjs sums <folder>                     # SHA256SUMS; every file must be there
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { version, license, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const read = (path) => readFileSync(join(root, path));

/** The npm package, and what describes it. */
function releasePackage(folder) {
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  execFileSync("npm", pack, { cwd: root, stdio: ["ignore", "ignore", 2], shell: process.platform === "win32" });
  const maps = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".map"));
  const mapsFile = join(folder, `orgferry-${version}-source-maps.tar.gz`);
  writeFileSync(
    mapsFile,
    archive(maps.sort().map((name) => ({ name: `dist/${name}`, content: read(`dist/${name}`) }))),
  );
  writeFileSync(join(folder, `orgferry-${version}.cdx.json`), `${JSON.stringify(listOfParts(), null, 2)}\n`);
  writeFileSync(join(folder, "notes.md"), notesOf(read("CHANGELOG.md").toString(), version));
}

async function releaseExecutable(folder, platform) {
  const { buildExecutable, ownPlatform } = await import("./executables.mjs");
  const name = platform ?? ownPlatform;
  const work = mkdtempSync(join(tmpdir(), "orgferry-release-"));
  const { path } = await buildExecutable(name, work);
  const files = [
    { name: path.endsWith(".exe") ? "orgferry.exe" : "orgferry", content: readFileSync(path), mode: 0o755 },
    { name: "LICENSE", content: read("LICENSE") },
    { name: "LICENSES.txt", content: read("dist/LICENSES.txt") },
    { name: "LICENSE-Node.txt", content: read("test/scripts/licenses/Node.txt") },
  ];
  writeFileSync(join(folder, `orgferry-${version}-${name}.tar.gz`), archive(files));
  rmSync(work, { recursive: true });
}

/** Checks that every file of a release is there, and writes their sums. */
async function sums(folder) {
  const { platforms } = await import("./executables.mjs");
  const executables = Object.keys(platforms).map((name) => `orgferry-${version}-${name}.tar.gz`);
  const others = [`orgferry-${version}.tgz`, `orgferry-${version}-source-maps.tar.gz`, `orgferry-${version}.cdx.json`];
  const lines = [...executables, ...others].sort().map((name) => {
    const sum = createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

/** The packages inside, in the form of CycloneDX. */
function listOfParts() {
  const component = (part) => ({
    type: "library",
    "bom-ref": `pkg:npm/${part.name.replace("@", "%40")}@${part.version}`,
    name: part.name,
    version: part.version,
    purl: `pkg:npm/${part.name.replace("@", "%40")}@${part.version}`,
    licenses: [{ expression: part.license }],
  });
  const parts = JSON.parse(read("dist/packages.json").toString()).map(component);
  const itself = { ...component({ name: "orgferry", version, license }), type: "application" };
  const url = repository.url.replace(/^git\+/, "");
  const metadata = { component: { ...itself, externalReferences: [{ type: "vcs", url }] } };
  const dependencies = [{ ref: itself["bom-ref"], dependsOn: parts.map((part) => part["bom-ref"]) }];
  return { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata, components: parts, dependencies };
}

/** The section of a version in the changelog, without its heading. */
export function notesOf(changelog, wanted) {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${wanted}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${wanted}`);
  return `${section
    .replace(/^.*\n/, "")
    .replace(/^\[.*\]: .*$/gm, "")
    .trim()}\n`;
}

/** A tar archive of these files, gzipped. It has no times, so it has the same bytes each time. */
export function archive(files) {
  const blocks = files.flatMap(({ name, content, mode = 0o644 }) => {
    const header = Buffer.alloc(512);
    const octal = (value, length, at) => header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at);
    header.write(name, 0);
    octal(mode, 8, 100);
    octal(0, 8, 108);
    octal(0, 8, 116);
    octal(content.length, 12, 124);
    octal(0, 12, 136);
    header.write("        0", 148);
    header.write("ustar\u000000", 257, "latin1");
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
      148,
    );
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  const zipped = gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
  zipped[9] = 255; // the system that packed it: unknown
  return zipped;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [step, path, platform] = process.argv.slice(2);
  const steps = { package: releasePackage, executable: releaseExecutable, sums };
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true });
  await steps[step](folder, platform);
}
