// The main script of the single executables. The built files are assets of the executable; this loads them as Node loads files, with
// V8's compiled code (assets named *.cache) where the build could make it.
"use strict";
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

/**
 * @param read the text of a built file
 * @param cacheOf its compiled code, or undefined
 * @param threadScript the text that a thread runs for a built file
 */
function createLoader({ read, cacheOf, threadScript }) {
  const folder = dirname(process.execPath);
  const loaded = new Map();
  const scripts = new Map();
  function load(name) {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const filename = join(folder, name);
    const source = `(function (exports, require, module, __filename, __dirname) {${read(name)}\n})`;
    const script = new Script(source, { filename, cachedData: cacheOf(name) });
    scripts.set(name, script);
    script.runInThisContext().call(module.exports, module.exports, requireFrom, module, filename, folder);
    return module.exports;
  }
  function requireFrom(id) {
    if (id.startsWith("./")) return load(id.slice(2));
    return id === "node:worker_threads" ? threads() : require(id);
  }
  /** Threads whose program is a built file get its text, because there is no such file. */
  function threads() {
    const { Worker, ...others } = require("node:worker_threads");
    class AssetWorker extends Worker {
      constructor(program, options) {
        super(threadScript(program.href.slice(pathToFileURL(join(folder, "/")).href.length)), {
          ...options,
          eval: true,
        });
      }
    }
    return { ...others, Worker: AssetWorker };
  }
  return { load, scripts };
}

/** The loader of the built files in this executable. */
function assetLoader({ getAsset, getAssetKeys, getRawAsset }) {
  const keys = new Set(getAssetKeys());
  return createLoader({
    read: (name) => getAsset(name, "utf8"),
    cacheOf: (name) => (keys.has(`${name}.cache`) ? Buffer.from(getRawAsset(`${name}.cache`)) : undefined),
    threadScript: (name) =>
      `globalThis.orgferryThread = ${JSON.stringify(name)};\n${getAsset("executable.cjs", "utf8")}`,
  });
}

const sea = require("node:sea");
if (!sea.isSea()) module.exports = { createLoader };
else if (globalThis.orgferryThread !== undefined) assetLoader(sea).load(globalThis.orgferryThread);
else assetLoader(sea).load("main.cjs").main(process, []);
