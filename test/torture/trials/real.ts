import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Notes } from "../checks/findings.ts";
import type { RunResult } from "../checks/import-checks.ts";
import { filesIn, findLeaks, isManifest } from "../checks/leaks.ts";
import { type GivenBody, randomBody } from "../input/body.ts";
import { Secrets } from "../input/secrets.ts";
import { list, text } from "../instance/json.ts";
import type { Random } from "../random.ts";
import { randomCalls, tempFolder } from "./scene.ts";
import { KILLED, spawnProgram } from "./spawned.ts";

/** A running service that may be filled with test data, from `--target` and `--token-file`. */
interface Target {
  readonly url: string;
  readonly token: string;
}

/**
 * An import into a running service, killed (SIGKILL) at some moments and continued. Then the service's own events show that each user
 * is there once, or named as failed, and the sums are those of the whole job.
 */
export async function realTrial(random: Random, notes: Notes): Promise<readonly string[]> {
  const target = targetOf();
  const secrets = new Secrets();
  const shape = { form: "dataOrgs", timeout: "5m0s", mostUsers: 120, isNamed: true } as const;
  const given = randomBody(
    random,
    { ...shape, withLists: random.chance(0.3), withInvalid: false, withTwins: false, withNameless: false },
    secrets,
  );
  const folder = tempFolder();
  const file = join(folder, "body.json");
  writeFileSync(file, given.bytes);
  writeFileSync(join(folder, "token"), target.token, { mode: 0o600 });
  const story = [`${given.users.length} users in ${given.orgs.length} organizations`];
  const flags = ["--batch-users", String(random.pick([5, 20, 60])), ...randomCalls(random, 4)];
  // A seed that was tried before on the same instance finds its own people there.
  const before = await addedUsers(target, given);
  try {
    for (let turn = 0; turn < 12; turn += 1) {
      const result = await runOnce(random, target, folder, { file, flags, mayKill: turn < 5 }, story, notes);
      findLeaks("stderr", result.stderr, secrets.all, notes);
      // Killed after its last act: its report is there, and its journal is not.
      const isTold = result.report?.exitCode === 0 || result.report?.exitCode === 1;
      const isOver = isTold && !existsSync(`${file}.journal.ndjson`);
      if (result.exitCode === KILLED && !isOver) continue;
      const isKnown = result.exitCode === result.report?.exitCode || result.exitCode === KILLED;
      notes.expect(isOver && isKnown, `exit ${result.exitCode}: ${result.stderr.slice(-600)}`);
      await checkTarget(target, given, before, result, notes);
      const left = filesIn(folder)
        .map(({ name }) => name)
        .filter((name) => !isManifest(name));
      notes.expect(left.sort().join() === "body.json,report.json,token", `left behind: ${left.join(" ")}`);
      if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
      return story;
    }
    notes.what.push("does not come to an end");
    return story;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function targetOf(): Target {
  const [url = "", path = ""] = [process.env["TORTURE_TARGET"], process.env["TORTURE_TOKEN_FILE"]];
  if (url === "" || path === "")
    throw new Error("--real needs --target <url> and --token-file <path> of a scratch instance");
  return { url, token: readFileSync(path, "utf8").trim() };
}

interface Job {
  readonly file: string;
  readonly flags: readonly string[];
  readonly mayKill: boolean;
}

async function runOnce(
  random: Random,
  target: Target,
  folder: string,
  { file, flags, mayKill }: Job,
  story: string[],
  notes: Notes,
): Promise<RunResult> {
  const reportPath = join(folder, "report.json");
  const resumes = existsSync(`${file}.journal.ndjson`);
  const argv = [
    "import",
    "--yes",
    file,
    "--target",
    target.url,
    "--token-file",
    join(folder, "token"),
    "--report",
    reportPath,
  ];
  const all = [...argv, ...flags, ...(resumes ? ["--resume"] : [])];
  const { child, ended } = spawnProgram(all, { cwd: folder, env: {}, reportPath });
  const kill = mayKill
    ? setTimeout(() => child.kill("SIGKILL") && notes.count("kills"), random.between(200, 2_500))
    : undefined;
  const result = await ended;
  clearTimeout(kill);
  story.push(`exit ${result.exitCode}${resumes ? " resumed" : ""}`);
  return result;
}

/** How often each user of the organizations was added, by the target's own events. */
async function addedUsers(target: Target, { orgs }: GivenBody): Promise<ReadonlyMap<string, number>> {
  const added = new Map<string, number>();
  for (const { orgId } of orgs) {
    for (const id of await usersAdded(target, orgId)) added.set(id, (added.get(id) ?? 0) + 1);
  }
  return added;
}

/** Each user exists once, and the sums are right. */
async function checkTarget(
  target: Target,
  given: GivenBody,
  before: ReadonlyMap<string, number>,
  { report, stderr }: RunResult,
  notes: Notes,
): Promise<void> {
  const { users } = given;
  const added = await addedUsers(target, given);
  const failed = new Set(
    (report?.failures ?? [])
      .filter(({ type, cause }) => type === "human_user" && cause !== "state")
      .map(({ id }) => id),
  );
  for (const { id } of users) {
    const times = added.get(id) ?? 0;
    notes.expect(
      times === (failed.has(id) ? 0 : 1),
      `${id} was added ${times} times${failed.has(id) ? ", and failed" : ""}`,
    );
  }
  const numbers = report?.users;
  const untold = Number(/([\d]+) of the users already there may/.exec(stderr)?.[1] ?? 0);
  notes.expect(numbers?.read === users.length && numbers.sent === users.length, `sums: ${JSON.stringify(numbers)}`);
  const made = users.filter(({ id }) => !failed.has(id) && !before.has(id)).length;
  notes.expect((numbers?.created ?? 0) + untold === made, `created ${numbers?.created} of ${made}`);
  notes.expect(
    numbers?.failed === failed.size && numbers.unknown === 0,
    `failed or unknown: ${JSON.stringify(numbers)}`,
  );
  // Concurrent writes may leave a user without a login name, and the run reports it.
  const isWhole = (report?.failures ?? []).length === 0 && (report?.["cannotSignInCount"] ?? 0) === 0;
  const expected = isWhole ? 0 : 1;
  notes.expect(report?.exitCode === expected, `exit ${report?.exitCode}`);
}

async function usersAdded({ url, token }: Target, orgId: string): Promise<string[]> {
  const response = await fetch(`${url}/admin/v1/events/_search`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ limit: 1_000, event_types: ["user.human.added"], resource_owner: orgId }),
  });
  return list(await response.json(), "events").map((event) => text(event, "aggregate", "id"));
}
