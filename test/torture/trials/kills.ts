import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Notes } from "../checks/findings.ts";
import { type Circumstances, checkEnd, checkOtps, checkRun, type RunResult } from "../checks/import-checks.ts";
import { filesIn, findLeaks, isManifest } from "../checks/leaks.ts";
import type { Random } from "../random.ts";
import { countLosses, openScene, randomCalls, type Scene, truthOf } from "./scene.ts";
import { KILLED, type Spawned, spawnProgram } from "./spawned.ts";

const MOST_KILLS = 6;
const SIGNALS = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * An import in a process of its own that is killed at the worst moments (a call has come; its work is done and nothing was said; any
 * moment), and continued to its end, sometimes with a second one in parallel or with clocks that jump. Each user exists once, and the
 * sums are those of the whole job.
 */
export async function killTrial(random: Random, notes: Notes): Promise<readonly string[]> {
  const scene = await openScene(random, { mostUsers: random.pick([20, 60]), timeout: "5m0s" });
  const story: string[] = [];
  scene.server.hostility = {
    rate: random.pick([0, 0, 0.2]),
    most: 3,
    isAllowed: (fault) => fault.isLie !== true && fault.isSlow !== true,
  };
  const flags = [
    "--skip-invalid",
    "--batch-users",
    String(random.pick([1, 5, 20])),
    ...randomCalls(random, 6),
    ...(random.chance(0.5) ? ["--rejects", join(scene.folder, "rejects")] : []),
  ];
  story.push(`${scene.given.form} of ${scene.given.users.length} users: ${flags.join(" ")}`);
  try {
    await killToTheEnd(random, scene, flags, story, notes);
  } finally {
    story.push(...scene.server.befallen.names);
    notes.count("faults", scene.server.befallen.names.length);
    countLosses(scene.server, notes);
    await scene.close();
  }
  return story;
}

async function killToTheEnd(
  random: Random,
  scene: Scene,
  flags: readonly string[],
  story: string[],
  notes: Notes,
): Promise<void> {
  const kills = random.between(1, MOST_KILLS);
  for (let turn = 0; turn <= kills + 8; turn += 1) {
    if (turn > kills) scene.server.hostility = { ...scene.server.hostility, rate: 0 };
    const resumes = existsSync(`${scene.file}.journal.ndjson`);
    const spawned = start(random, scene, flags, resumes);
    if (turn < kills) prepareKill(random, scene, spawned, story, notes);
    const twin = random.chance(0.2) ? startTwin(random, scene, flags, spawned) : undefined;
    const result = await spawned.ended;
    scene.server.onMoment = () => {};
    story.push(`run ${turn}: exit ${result.exitCode}${resumes ? " resumed" : ""}`);
    const isSecond = twin !== undefined && checkTwin(await twin, result, notes, story);
    const settings = { hasLied: false, isVerified: false, skipInvalid: true };
    const circumstances: Circumstances = { ...scene, ...settings, ...(await truthOf(scene)) };
    checkOtps(circumstances, notes);
    checkFiles(result, scene, notes);
    if (result.exitCode !== KILLED && !isSecond) checkRun(result, circumstances, notes);
    const isOver = result.exitCode === 0 || result.exitCode === 1;
    if (isOver && !isSecond) checkEnd(result, circumstances, notes);
    if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
    // Stopped after its last act: all is sent, the report says so, and there is no journal to continue.
    const { sent = 0, notSent = 1 } = result.report?.users ?? {};
    const isAllSent = sent > 0 && notSent === 0 && !existsSync(`${scene.file}.journal.ndjson`);
    // A second run that ran alone has its own report.
    if (isOver || isSecond || isAllSent || notes.what.length > 0) return;
  }
  notes.what.push("does not come to an end");
}

function start(random: Random, scene: Scene, flags: readonly string[], resumes: boolean): Spawned {
  const reportPath = join(scene.folder, "report.json");
  const argv = [
    "import",
    "--yes",
    "--report",
    reportPath,
    ...flags,
    ...(resumes ? ["--resume"] : []),
    "--",
    scene.file,
  ];
  const env = {
    ZITADEL_IMPORT_DOMAIN: scene.url,
    PAT_IMPORT_TOKEN: scene.token,
    ...(random.chance(0.25) ? { NODE_OPTIONS: `--require ${CLOCK}`, CLOCK_SEED: String(random.below(1_000)) } : {}),
  };
  return spawnProgram(argv, { cwd: scene.folder, env, reportPath });
}

/** A module that lets the day's clock jump; it is loaded before the program. */
const CLOCK = process.env["TORTURE_CLOCK"] ?? fileURLToPath(new URL("jumping-clock.cjs", import.meta.url));

function prepareKill(random: Random, scene: Scene, { child }: Spawned, story: string[], notes: Notes): void {
  const signal = random.pick(SIGNALS);
  const kill = (): void => {
    story.push(`    ${signal} at call ${scene.server.calls}`);
    if (child.exitCode === null && child.kill(signal)) notes.count("kills");
  };
  if (random.chance(0.3)) {
    setTimeout(kill, random.between(50, 900)).unref();
    return;
  }
  const moment = random.pick(["asked", "done"] as const);
  let left = random.between(1, 14);
  scene.server.onMoment = (when) => {
    if (when === moment && --left === 0) kill();
  };
}

/** The same job a second time, while the first one is at it. */
async function startTwin(
  random: Random,
  scene: Scene,
  flags: readonly string[],
  { ended }: Spawned,
): Promise<{ readonly result: RunResult; readonly isAlone: boolean }> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const journal = `${scene.file}.journal.ndjson`;
  while (!isOver && !existsSync(`${journal}.lock`)) await new Promise<void>((resolve) => setTimeout(resolve, 5));
  if (isOver) return { result: { exitCode: 3, stdout: "", stderr: "", report: undefined }, isAlone: true };
  const reportPath = join(scene.folder, "report.json");
  const argv = ["import", "--yes", ...flags, random.pick(["--resume", "--restart"]), "--json", "--", scene.file];
  const env = { ZITADEL_IMPORT_DOMAIN: scene.url, PAT_IMPORT_TOKEN: scene.token };
  const twin = spawnProgram(argv, { cwd: scene.folder, env, reportPath: `${reportPath}.twin` });
  const result = await twin.ended;
  return { result, isAlone: isOver };
}

/** While the first one runs, it is refused; after that it is a run as any other. True when it may have done something. */
function checkTwin(
  { result, isAlone }: { readonly result: RunResult; readonly isAlone: boolean },
  first: RunResult,
  notes: Notes,
  story: string[],
): boolean {
  story.push(`    a second one: exit ${result.exitCode}${isAlone ? " (alone)" : ""}`);
  // The first one may have come to its end, lock and all, and be about to go.
  const isFirstOver = first.exitCode === 0 || first.exitCode === 1;
  notes.expect(
    isAlone || isFirstOver || result.exitCode === 3,
    `two at once: exit ${result.exitCode} ${result.stderr.slice(-300)}`,
  );
  notes.expect(result.exitCode !== 70, `exit 70: ${result.stderr.slice(-800)}`);
  return result.exitCode !== 3;
}

function checkFiles(
  { exitCode, stdout, stderr }: RunResult,
  { folder, file, secrets, given }: Scene,
  notes: Notes,
): void {
  findLeaks("stdout", stdout, secrets.all, notes);
  findLeaks("stderr", stderr, secrets.all, notes);
  const isFinished = exitCode === 0 || exitCode === 1;
  for (const { name, mode, text } of filesIn(folder)) {
    if (join(folder, name) === file) {
      notes.expect(readFileSync(file).equals(given.bytes), "the input was changed");
      continue;
    }
    const isBody = name === "rejects/body.json" || /^rejects\/\.body\.json\.\S+\.tmp$/.test(name);
    if (isBody) notes.expect(mode === 0o600, `${name} has mode ${mode.toString(8)}`);
    else findLeaks(name, text, secrets.all, notes);
    // A finished run has swept up what one that was killed before it left.
    const isOfRun = isManifest(name) || /\.journal\.ndjson(\.lock(\.[0-9a-f]{8})?)?$/.test(name) || /\.tmp$/.test(name);
    const isKnown = /^report\.json$|^rejects\/(reasons\.ndjson|unknown\.ndjson|body\.json)$/.test(name);
    notes.expect(
      isFinished ? isKnown || isManifest(name) : isKnown || isOfRun,
      `left behind after exit ${exitCode}: ${name}`,
    );
  }
}
