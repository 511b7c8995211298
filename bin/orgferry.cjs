#!/usr/bin/env node
// Plain and old JavaScript, so that an old Node gets a sentence instead of a syntax error.
// CommonJS, here and in dist: Node starts it 10 ms sooner.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`orgferry needs Node 20.19 or newer; this is ${process.versions.node}\n`);
  process.exit(2);
}
const { enableCompileCache } = require("node:module");
if (enableCompileCache !== undefined) enableCompileCache(); // Node >= 22.1; absent on 20
require("../dist/main.cjs").main(process);
