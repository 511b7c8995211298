import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fromJson } from "@bufbuild/protobuf";
import { ImportDataRequestSchema } from "@zitadel/proto/zitadel/admin_pb.js";
import { expect, test } from "vitest";
import { HumanUserEntry } from "../../src/contract/import-body.ts";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const FIXTURES = "fixtures/auth0";

/** Set to write what the program gives now beside the inputs, to be read by a person and committed. */
const accept = process.env["ACCEPT_FIXTURES"] === "1";

interface Case {
  readonly args: readonly string[];
  readonly exitCode: number;
}

/** Everything a run left in its output folder: path → bytes as text. */
function filesIn(dir: string): Record<string, string> {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path.slice(dir.length + 1), readFileSync(path, "latin1")]));
}

test.each(readdirSync(FIXTURES))("auth0 fixture: %s", async (name) => {
  const dir = join(FIXTURES, name);
  const { args, exitCode } = JSON.parse(readFileSync(join(dir, "case.json"), "utf8")) as Case;
  const out = tempDir();
  const output = join(out, "body.json");
  const result = await runCli(["migrate", "auth0", "--org", "165617390198000897", "--output", output, ...args], {
    cwd: dir,
  });
  expect(result.exitCode, result.stderr).toBe(exitCode);
  expect(result.stdout).toBe("");
  const expected = join(dir, "expected");
  if (accept) {
    rmSync(expected, { recursive: true, force: true });
    cpSync(out, expected, { recursive: true });
  }
  expect(filesIn(out)).toEqual(existsSync(expected) ? filesIn(expected) : {});
  for (const body of readdirSync(out).filter((file) => file.endsWith(".json"))) {
    const request = JSON.parse(readFileSync(join(out, body), "utf8"));
    // Throws on a field or a type that the service does not know.
    fromJson(ImportDataRequestSchema, request, { ignoreUnknownFields: false });
    for (const entry of request.dataOrgs.orgs[0].humanUsers) HumanUserEntry.parse(entry);
  }
});
