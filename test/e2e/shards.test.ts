import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testBody, testUsers } from "../helpers/bodies.ts";
import { at, manifestsIn } from "../helpers/manifests.ts";
import { programWith, runBin } from "../helpers/run-bin.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SHARDS = 4;
const PARTS = 6;
const USERS_A_PART = 300;
const KILLED = [0, 2];

/** What the program of a manifest's container is started with. */
function recipe(container: "import" | "merge"): readonly string[] {
  const job = manifestsIn(`kubernetes-${container}.yaml`).find(({ kind }) => kind === "Job");
  return at(job, "spec", "template", "spec", "containers", 0, "args") as readonly string[];
}

test("the manifest runs one shard at a time, since shards in parallel write concurrently", () => {
  const job = manifestsIn("kubernetes-import.yaml").find(({ kind }) => kind === "Job");
  expect(at(job, "spec", "completionMode")).toBe("Indexed");
  expect(at(job, "spec", "parallelism")).toBe(1);
  const env = at(job, "spec", "template", "spec", "containers", 0, "env");
  expect(env).toContainEqual({ name: "JOB_COMPLETIONS", value: String(at(job, "spec", "completions")) });
});

test.each([
  ["in order, as the manifest has it", 1],
  ["in parallel", SHARDS],
])(
  "shards in separate processes, two of them killed and started again, create every user once: %s",
  async (_, most) => {
    const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] }, keepBodies: false });
    mock.addFault({ endpoint: "import", fault: "latency", delay: "80ms" });
    const cwd = tempDir();
    mkdirSync(join(cwd, "state"));
    writeFileSync(join(cwd, "token"), mock.env["PAT_IMPORT_TOKEN"] ?? "");
    const here = (word: string): string =>
      word.replace("/data/", `${cwd}/`).replace("/run/tokens/", `${cwd}/`).replace("new.example.com", mock.url);
    for (let part = 0; part < PARTS; part += 1) {
      writeFileSync(join(cwd, `part-${part}.json`), testBody(testUsers(USERS_A_PART, part * USERS_A_PART)));
    }
    // The same line for a first run and for one after a crash.
    const start = (index: number): ChildProcess => {
      const args = recipe("import").map((word) => here(word).replace("$(JOB_COMPLETION_INDEX)", String(index)));
      const child = spawn(...programWith(args), {
        cwd,
        env: {
          PATH: process.env["PATH"],
          ...mock.env,
          JOB_COMPLETION_INDEX: String(index),
          JOB_COMPLETIONS: String(SHARDS),
        },
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    };
    for (let first = 0; first < SHARDS; first += most) {
      const indices = Array.from({ length: most }, (_, place) => first + place);
      // As many as there are shards: each is in the middle of its work, and none has finished.
      const answered = mock.answered("/import", most);
      const children = new Map(indices.map((index) => [index, start(index)]));
      await answered;
      for (const index of indices.filter((one) => KILLED.includes(one))) {
        const again = ended(children.get(index));
        children.get(index)?.kill("SIGKILL");
        await again;
        children.set(index, start(index));
      }
      expect(await Promise.all([...children.values()].map(ended))).toEqual(indices.map(() => 0));
    }

    const { exitCode, stdout } = await runBin([...recipe("merge").map(here), "--json"], { cwd });
    expect(exitCode).toBe(0);
    const all = PARTS * USERS_A_PART;
    expect(JSON.parse(stdout)).toMatchObject({
      isWhole: true,
      shards: SHARDS,
      users: { read: all, sent: all, created: all, alreadyThere: 0, failed: 0, unknown: 0, notSent: 0 },
    });
    const check = await runBin(["verify", "part-0.json", "--json"], { cwd, env: mock.env });
    expect(JSON.parse(check.stdout)).toMatchObject({ expected: USERS_A_PART, found: USERS_A_PART, missing: [] });
  },
);

function ended(child: ChildProcess | undefined): Promise<number | null> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve(child?.exitCode ?? null);
  }
  return new Promise((done) => child.once("exit", done));
}
