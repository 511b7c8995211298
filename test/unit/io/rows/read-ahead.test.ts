import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RowFrame } from "../../../../src/core/rows/row-file.ts";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { openInput } from "../../../../src/io/input/input.ts";
import { readAhead } from "../../../../src/io/rows/read-ahead.ts";
import { RowReader } from "../../../../src/io/rows/row-reader.ts";
import { keycloak } from "../../../../src/sources/keycloak/source.ts";
import { type MergeOutcome, mergeRows } from "../../../helpers/merge-in-memory.ts";
import { rowsShape } from "../../../helpers/rows-shape.ts";

const FIXTURES = new URL("../../../../fixtures/keycloak/", import.meta.url).pathname;
// The thread is a program of its own, which only the build makes.
const program = new URL("../../../../dist/reader-thread.cjs", import.meta.url);
const { signal } = new AbortController();

/** One run over a file, its rows found by a second thread or by this one. */
async function run(
  path: string,
  document: string | undefined,
  isAhead: boolean,
): Promise<MergeOutcome & { frame?: RowFrame }> {
  const options = { cwd: "/", stdin: process.stdin, signal, cleanUp: createCleanUp(), flag: "--users", twice: true };
  const input = await openInput(path, options);
  const form = { shape: rowsShape(keycloak.users.shape, Buffer.alloc(0)), strictLines: false, document };
  const own = new RowReader({ name: path, files: [input] }, form);
  const users = isAhead ? readAhead(own, { rows: "users", columns: undefined, signal, program }) : own;
  const outcome = await mergeRows(users, undefined, { source: keycloak });
  const frame = users.frame;
  await users.close();
  await input.close();
  return outcome.problem === undefined ? { ...outcome, frame } : outcome;
}

const files = readdirSync(FIXTURES).map((name) => join(FIXTURES, name, "realm-export.json"));

describe("a second thread finds the same rows and problems", () => {
  test.each(files.filter((file) => existsSync(file) && statSync(file).isFile()))("%s", async (path) => {
    const realms = path.includes("realms-") ? [undefined, "initech"] : [undefined];
    for (const realm of realms) expect(await run(path, realm, true)).toEqual(await run(path, realm, false));
  });
});
