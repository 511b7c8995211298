import { expect, test } from "vitest";
import { inFolder } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";

const env = { ZITADEL_IMPORT_DOMAIN: "http://127.0.0.1:9", PAT_IMPORT_TOKEN: "pat" };

test.each([
  [
    "a table",
    "users.csv",
    "id,email\n1,ann@example.com\n",
    "this is a table. Make an import body of it: orgferry migrate csv",
  ],
  ["a quoted table", "users.csv", '"id";"email"\n"1";"ann@example.com"\n', "orgferry migrate csv"],
  [
    "a manifest",
    "x.manifest.ndjson",
    '{"kind":"manifest","schemaVersion":1}\n',
    "this is the manifest of an import or a copy",
  ],
])("%s given to import or verify: the right command is named", async (_, name, content, words) => {
  const { cwd } = inFolder(content, name);
  for (const command of ["import", "verify"]) {
    const { exitCode, stderr } = await runCli([command, name], { cwd, env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining(words) });
  }
});

test.each([
  [["help", "imprt"], "Did you mean import?"],
  [["export", "--organisation", "1"], "Did you mean --org-id?"],
  [["migrate", "auth0", "--organization=1"], "Did you mean --org?"],
  [["import", "x.json", "--source-token-file", "t"], "Did you mean --token-file?"],
  [["export", "--source-token-file=t"], "Did you mean --token-file?"],
  [["import", "x.json", "--target-limits", "none"], "'--target-limits': it is a flag of orgferry migrate"],
  [["verify", "x.json", "--target-verifiers=bcrypt"], "'--target-verifiers': it is a flag of orgferry migrate"],
  [["export", "body.json"], "with --output body.json; to send a file, use orgferry import body.json"],
  [["import", "x", "--concurrency", "lots"], "It must be auto or a whole number from 1."],
])("%j is answered with what is meant", async (argv, words) => {
  const { exitCode, stderr } = await runCli(argv, { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(words) });
});
