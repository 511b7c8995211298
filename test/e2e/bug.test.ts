import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, inject, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";

test("a bug ends with exit 70 and a stack that names the lines of the sources, with the release's source maps beside the files", async () => {
  const cwd = tempDir();
  const program = join(cwd, "package");
  cpSync(inject("packedDir"), program, { recursive: true });
  cpSync("dist", join(program, "dist"), { recursive: true, filter: (path) => /dist$|\.map$/.test(path) });
  writeFileSync(join(cwd, "users.json"), '{"user_id":"auth0|1","email":"ada@example.com","name":"Ada"}\n');
  writeFileSync(
    join(cwd, "break.cjs"),
    'require("node:fs").renameSync = () => { throw new TypeError("broken for a test"); };\n',
  );
  const args = [
    "--require",
    join(cwd, "break.cjs"),
    join(program, "bin/orgferry.cjs"),
    "migrate",
    "auth0",
    "--org",
    "1",
  ];
  const { exitCode, stderr } = await execa(process.execPath, args, { reject: false, cwd });
  expect(exitCode, stderr).toBe(70);
  expect(stderr).toContain("this is a bug in orgferry");
  const frames = [...stderr.matchAll(/at .*?(src\/[\w/-]+\.ts):(\d+):\d+/g)];
  expect(frames.map(([, file]) => file)).toContain("src/commands/shared/run-command.ts");
  expect(stderr).not.toMatch(/dist[\\/]/);
  // The first frame of ours is the call itself, to the line.
  const [, file, line] = frames[0] as unknown as [string, string, string];
  expect(readFileSync(file, "utf8").split("\n")[Number(line) - 1]).toContain("renameSync(");
});
