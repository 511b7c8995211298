import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { packedBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// What a start loads is what people wait for before anything else happens: these tests say what it must not be.

/** Writes down at the end of a process which files and which of Node's own modules it has loaded. */
const LISTER = `
process.on("exit", () => {
  const files = Object.keys(require.cache).filter((file) => /[\\\\/]dist[\\\\/]/.test(file));
  require("node:fs").writeFileSync("loaded.json", JSON.stringify({ files, modules: process.moduleLoadList }));
});
`;

/** Runs the built program and tells what it has loaded. */
async function loadedBy(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const cwd = tempDir();
  writeFileSync(join(cwd, "lister.cjs"), LISTER);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const { exitCode, stderr } = await execa(process.execPath, ["--require", "./lister.cjs", packedBin(), ...args], {
    cwd,
  });
  expect(exitCode, stderr).toBe(0);
  const loaded = JSON.parse(readFileSync(join(cwd, "loaded.json"), "utf8")) as { files: string[]; modules: string[] };
  return { hasZod: loaded.files.some((file) => readFileSync(file, "utf8").includes("$ZodType")), ...loaded };
}

test("help loads neither schemas nor modules of Node that it has no use for", async () => {
  const { hasZod, modules } = await loadedBy(["--help"]);
  expect(hasZod).toBe(false);
  for (const name of ["crypto", "zlib"]) expect(modules).not.toContain(`NativeModule ${name}`);
});

const HASH = `$2b$10$${"a".repeat(53)}`;

test("ordinary users are migrated without any schema, also where a password is left over", async () => {
  const { hasZod, modules } = await loadedBy(["migrate", "auth0", "--org", "1"], {
    "users.json": '{"user_id":"auth0|5f7c8ec7c33c6c0000000000","email":"ada@example.com","name":"Ada"}\n',
    "passwords.json": `${["5f7c8ec7c33c6c0000000000", "5f7c8ec7c33c6c0000000001"]
      .map((id) => JSON.stringify({ _id: { $oid: id }, email: `${id}@example.com`, passwordHash: HASH }))
      .join("\n")}\n`,
  });
  expect(hasZod).toBe(false);
  for (const name of ["zlib", "readline"]) expect(modules).not.toContain(`NativeModule ${name}`);
});

test("what is loaded for a row that is out of the ordinary is known to be a schema", async () => {
  const { hasZod } = await loadedBy(["migrate", "auth0", "--org", "1"], {
    "users.json": '{"user_id":"auth0|1","email":"ada@example.com","name":"A\\"da"}\n',
  });
  expect(hasZod).toBe(true);
});
