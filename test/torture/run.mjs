// Bundles the campaign with the sources, since Node runs no TypeScript, and starts it: nothing else is needed but an install.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../", import.meta.url));
const file = join(root, "node_modules/.orgferry-torture/main.mjs");
const bundle = await rolldown({
  cwd: root,
  input: "test/torture/main.ts",
  platform: "node",
  external: [/^[^./]/],
  onLog() {},
});
await bundle.write({ file, format: "esm", codeSplitting: false, sourcemap: true });
await bundle.close();
const { status } = spawnSync(process.execPath, ["--enable-source-maps", file, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: {
    ...process.env,
    TORTURE_PROGRAM: join(root, "bin/orgferry.cjs"),
    TORTURE_FIXTURES: join(root, "fixtures"),
    TORTURE_CLOCK: join(root, "test/torture/trials/jumping-clock.cjs"),
  },
});
process.exitCode = status ?? 1;
