import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { beforeEach, expect, test } from "vitest";
import { testUsers } from "../helpers/bodies.ts";
import { at, manifestsIn } from "../helpers/manifests.ts";
import { binPath } from "../helpers/run-bin.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const ORG = "165617390198000897";
let source: TestMock;
let target: TestMock;
let cwd = "";

/** Two instances, and the program in the path under its name. */
beforeEach(async () => {
  source = await startMock({ mimic: "v4" });
  target = await startMock({ mimic: "v4" });
  const orgs = [{ orgId: ORG, org: { name: "One" }, humanUsers: testUsers(3) }];
  const headers = { authorization: `Bearer ${source.token}` };
  const body = JSON.stringify({ timeout: "1m", dataOrgs: { orgs } });
  await fetch(`${source.url}/admin/v1/import`, { method: "POST", headers, body });
  cwd = tempDir();
  mkdirSync(join(cwd, "bin"));
  symlinkSync(binPath(), join(cwd, "bin/orgferry"));
});

/** The line of a file of fixtures/deploy that begins like this, without the beginning. */
function lineOf(file: string, beginning: string): string {
  const lines = readFileSync(join("fixtures/deploy", file), "utf8").split("\n");
  return (lines.find((line) => line.startsWith(beginning)) ?? "").slice(beginning.length);
}

/** A command that names its addresses and token files, with those of the test. */
function adapted(line: string): string {
  for (const [name, { token }] of Object.entries({ source, target })) {
    for (const file of [name, `${name}.token`]) writeFileSync(join(cwd, file), token, { mode: 0o600 });
  }
  return line.replace("old.example.com", source.url).replace("new.example.com", target.url);
}

test.each([
  ["the line for cron", "orgferry-copy.crontab", "17 2 * * * "],
  ["the service for systemd", "orgferry-copy.service", "ExecStart=/usr/local/bin/"],
])("%s creates every user the first night and changes none the next", async (_, file, beginning) => {
  const line = adapted(lineOf(file, beginning));
  const env = { HOME: cwd, STATE_DIRECTORY: cwd, CREDENTIALS_DIRECTORY: cwd };
  const first = await run(line, env);
  expect(first.report, first.stderr).toMatchObject({ exitCode: 0, state: "none", users: { created: 3 } });
  expect((await run(line, env)).report).toMatchObject({ exitCode: 0, state: "used", users: { unchanged: 3 } });
});

test("GitLab runs the same command as GitHub, with the same variables", () => {
  const [pipeline] = manifestsIn("gitlab-ci-copy.yaml");
  const [workflow] = manifestsIn("github-actions-copy.yaml");
  const steps = at(workflow, "jobs", "copy", "steps") as readonly { readonly run?: string }[];
  expect(at(pipeline, "copy", "script")).toEqual(steps.flatMap((step) => step.run ?? []));
});

async function run(line: string, env: Readonly<Record<string, string>> = {}) {
  const path = `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}`;
  const { stdout, stderr } = await execa("sh", ["-c", line], {
    reject: false,
    extendEnv: false,
    cwd,
    env: { PATH: path, ...env },
  });
  return { report: JSON.parse(stdout), stderr };
}

test("the workflow for GitHub Actions creates every user the first night and changes none the next", async () => {
  const [workflow] = manifestsIn("github-actions-copy.yaml");
  const steps = at(workflow, "jobs", "copy", "steps") as readonly { readonly run?: string; readonly env?: object }[];
  const step = steps.find(({ run: command }) => command?.startsWith("orgferry copy"));
  const line = step?.run ?? "";
  const env = {
    ORG_ID: ORG,
    ZITADEL_EXPORT_DOMAIN: source.url,
    PAT_EXPORT_TOKEN: source.token,
    ZITADEL_IMPORT_DOMAIN: target.url,
    PAT_IMPORT_TOKEN: target.token,
  };
  expect(Object.keys(step?.env ?? {}).sort()).toEqual(Object.keys(env).sort());
  const first = await run(line, env);
  expect(first.report, first.stderr).toMatchObject({ exitCode: 0, state: "none", users: { created: 3 } });
  const second = await run(line, env);
  expect(second.report, second.stderr).toMatchObject({ exitCode: 0, state: "used", calls: 0, users: { unchanged: 3 } });
});

test("so does the manifest for Kubernetes, with its tokens and its state in volumes", async () => {
  const [cronJob] = manifestsIn("kubernetes-copy.yaml");
  const pod = at(cronJob, "spec", "jobTemplate", "spec", "template", "spec");
  const words = at(pod, "containers", 0, "args") as readonly string[];
  const volumes: Readonly<Record<string, string>> = {
    "/run/tokens/source": join(cwd, "source"),
    "/run/tokens/target": join(cwd, "target"),
    "/state/nightly.state": join(cwd, "nightly.state"),
    "old.example.com": source.url,
    "new.example.com": target.url,
  };
  writeFileSync(join(cwd, "source"), source.token, { mode: 0o600 });
  writeFileSync(join(cwd, "target"), target.token, { mode: 0o600 });
  const line = ["orgferry", ...words.map((word) => volumes[word] ?? word)].join(" ");
  expect((await run(line)).report).toMatchObject({ exitCode: 0, state: "none", users: { created: 3 } });
  expect((await run(line)).report).toMatchObject({ exitCode: 0, state: "used", calls: 0, users: { unchanged: 3 } });
});
