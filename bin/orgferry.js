#!/usr/bin/env node
// Plain JavaScript so that an old Node gets a sentence instead of a syntax error from a dependency.
import module from "node:module";

module.enableCompileCache?.(); // Node >= 22.1; absent on 20
const { main } = await import("../dist/main.js");
await main(process);
