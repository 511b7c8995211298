import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Notes } from "../checks/findings.ts";
import { type Circumstances, checkEnd, checkOtps, checkRun, type RunResult } from "../checks/import-checks.ts";
import { filesIn, findLeaks, isManifest } from "../checks/leaks.ts";
import type { Fault } from "../instance/faults/fault.ts";
import type { Random } from "../random.ts";
import { withFastClock } from "./fast-clock.ts";
import { checkDamage, damage } from "./journal-damage.ts";
import { interrupt, isRefusedFlag, runProgram } from "./run-program.ts";
import { countLosses, openScene, randomCalls, type Scene, truthOf } from "./scene.ts";

const MOST_RUNS = 12;

/** What the flags of an import say. */
interface Flags {
  readonly argv: readonly string[];
  readonly isVerified: boolean;
  readonly skipInvalid: boolean;
  readonly hasRejects: boolean;
}

/** Flags of a trial, and whether its instance keeps the client waiting. */
type Trial = Flags & { readonly isSlow: boolean };

/**
 * An import into a hostile instance, sometimes interrupted, and continued to its end; compared with the truth after
 * every run. Returns what befell it.
 */
export async function importTrial(random: Random, notes: Notes): Promise<readonly string[]> {
  const isSlow = random.chance(0.02);
  const scene = await openScene(random, { mostUsers: random.pick([3, 8, 20, 40]), timeout: isSlow ? "1s" : "5m0s" });
  const flags = randomFlags(random);
  const story: string[] = [`${scene.given.form} of ${scene.given.users.length} users: ${flags.argv.join(" ")}`];
  const lies = random.chance(0.3);
  scene.server.hostility = {
    rate: random.pick([0, 0.1, 0.3, 0.7]),
    most: random.between(1, 6),
    isAllowed: (fault) => allowed(fault, lies, isSlow),
  };
  try {
    await runToTheEnd(random, scene, { ...flags, isSlow }, story, notes);
  } finally {
    story.push(...scene.server.befallen.names);
    notes.count("faults", scene.server.befallen.names.length);
    countLosses(scene.server, notes);
    await scene.close();
  }
  return story;
}

function allowed(fault: Fault, lies: boolean, isSlow: boolean): boolean {
  return (lies || fault.isLie !== true) && (isSlow || fault.isSlow !== true);
}

async function runToTheEnd(random: Random, scene: Scene, flags: Trial, story: string[], notes: Notes): Promise<void> {
  const circumstances = async (): Promise<Circumstances> => ({
    ...scene,
    ...flags,
    ...(await truthOf(scene)),
    hasLied: scene.server.befallen.hasLied,
    // Users who were lost with the end of a journal count as existing; so do all users while the events cannot be read.
    tellsEvents: scene.tellsEvents && !isCut && !scene.server.befallen.names.some((name) => name.startsWith("events")),
    hasForgotten: isCut,
  });
  let resumes = false;
  let isCut = false;
  for (let turn = 1; turn <= MOST_RUNS; turn += 1) {
    if (turn > MOST_RUNS - 2) scene.server.hostility = { ...scene.server.hostility, rate: 0 };
    const journal = `${scene.file}.journal.ndjson`;
    const broken = resumes && random.chance(0.2) ? damage(random, journal) : undefined;
    // A sound instance may take its time, on a machine that does much else.
    const isFast = flags.isSlow && scene.server.hostility.rate > 0;
    const work = (): Promise<RunResult> => runOnce(random, scene, flags, resumes, notes);
    const result = await (isFast ? withFastClock(work) : work());
    if (broken !== undefined) {
      notes.count("damaged journals");
      story.push(`    damaged journal${broken.isBeginning ? ", cut" : ""}: exit ${result.exitCode}`);
      isCut ||= broken.isBeginning && !broken.after.equals(broken.before);
      if (checkDamage(result, broken, notes)) continue;
    }
    story.push(`run ${turn}: exit ${result.exitCode}${resumes ? " resumed" : ""} ${codesOf(result)}`);
    const now = await circumstances();
    checkRun(result, now, notes);
    checkWhatIsLeft(result, scene, notes);
    checkOtps(now, notes);
    if (notes.what.length > 0) {
      story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
      return;
    }
    if (isRefusedInput(result) || (scene.server.hostility.rate === 0 && isRefusedFlag(result))) {
      notes.expect(![...now.truth.users.values()].some(({ isOurs }) => isOurs), "refused, but sent");
      return;
    }
    if (isOver(result, flags)) {
      checkEnd(result, now, notes);
      if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
      return;
    }
    // An empty file, as a cut may leave one, is no journal.
    resumes = existsSync(journal) && statSync(journal).size > 0;
    notes.expect(
      resumes === (result.report?.resume !== undefined),
      "a journal without a word of how to go on, or the other way round",
    );
  }
  notes.what.push("does not come to an end");
}

/** A comparison that cannot be made, or is interrupted, ends a run that has otherwise come to its end. */
function isOver({ exitCode, report }: RunResult, { isVerified }: Flags): boolean {
  if (exitCode === 0 || exitCode === 1) return true;
  const { sent = 0, notSent = 0 } = report?.users ?? {};
  return (isVerified || sent > 0) && exitCode !== 3 && report?.resume === undefined && notSent === 0;
}

function codesOf({ report }: RunResult): string {
  return [...new Set(report?.problems.map(({ code }) => code))].join(" ");
}

/** Nothing was sent, and never will be. */
function isRefusedInput({ exitCode, report }: RunResult): boolean {
  return exitCode === 3 && report?.problems.some(({ code }) => code.startsWith("input.")) === true;
}

async function runOnce(random: Random, scene: Scene, flags: Flags, resumes: boolean, notes: Notes): Promise<RunResult> {
  const controller = new AbortController();
  const reportPath = join(scene.folder, "report.json");
  const argv = [
    "import",
    "--yes",
    "--report",
    reportPath,
    ...flags.argv,
    ...(resumes ? ["--resume"] : []),
    ...(flags.hasRejects ? ["--rejects", join(scene.folder, "rejects")] : []),
    "--",
    scene.file,
  ];
  if (random.chance(0.25)) {
    const call = random.below(12);
    const moment = random.pick(["asked", "done"] as const);
    const signal = random.pick(["SIGINT", "SIGTERM"] as const);
    let calls = 0;
    scene.server.onMoment = (when) => {
      if (when !== moment || calls++ !== call || scene.server.hostility.rate === 0) return;
      notes.count("interrupts");
      interrupt(controller, signal);
    };
  }
  const env = { ZITADEL_IMPORT_DOMAIN: scene.url, PAT_IMPORT_TOKEN: scene.token };
  const now = random.chance(0.1) ? jumping(random.fork()) : () => new Date();
  const result = await runProgram(argv, { cwd: scene.folder, env, controller, now }, reportPath);
  scene.server.onMoment = () => {};
  return result;
}

/** The system clock, set to a wrong time now and then. */
function jumping(random: Random): () => Date {
  let aheadMs = 0;
  return () => {
    if (random.chance(0.2)) aheadMs = random.pick([0, 2_000, -2_000, 3_600_000, -3_600_000, 3.2e10, -3.2e10]);
    return new Date(Date.now() + aheadMs);
  };
}

function randomFlags(random: Random): Flags {
  const isVerified = random.chance(0.15);
  const failOnExisting = random.chance(0.1);
  const skipInvalid = random.chance(0.5);
  const hasRejects = random.chance(0.7);
  const argv = [
    "--batch-users",
    String(random.pick([1, 3, 7, 20, 5_000])),
    ...randomCalls(random, 6),
    ...(random.chance(0.2) ? ["--batch-bytes", random.pick(["500B", "2KiB"])] : []),
    ...(random.chance(0.2) ? ["--via", random.pick(["import", "users"])] : []),
    ...(isVerified ? ["--verify"] : []),
    ...(failOnExisting ? ["--fail-on-existing"] : []),
    ...(skipInvalid ? ["--skip-invalid"] : []),
    ...(random.chance(0.5) ? ["--json"] : []),
    ...(random.chance(0.2) ? ["--verbose"] : []),
  ];
  return { argv, isVerified, skipInvalid, hasRejects };
}

/** What a run may leave besides the body of those that failed, and the manifest. */
const KNOWN = new Set(["report.json", "rejects/reasons.ndjson", "rejects/unknown.ndjson"]);

/** Files that may be there, how they may be read, and what may stand in them. */
function checkWhatIsLeft(result: RunResult, { folder, file, secrets, given }: Scene, notes: Notes): void {
  findLeaks("stdout", result.stdout, secrets.all, notes);
  findLeaks("stderr", result.stderr, secrets.all, notes);
  const isFinished = result.exitCode === 0 || result.exitCode === 1;
  for (const { name, mode, text } of filesIn(folder)) {
    if (join(folder, name) === file) {
      notes.expect(readFileSync(file).equals(given.bytes), "the input was changed");
    } else if (name.endsWith("body.json") && name.startsWith("rejects")) {
      notes.expect(mode === 0o600, `${name} has mode ${mode.toString(8)}`);
    } else {
      findLeaks(name, text, secrets.all, notes);
      const isJournal = name.endsWith(".journal.ndjson");
      const isKnown = isJournal ? !isFinished : KNOWN.has(name) || isManifest(name);
      notes.expect(isKnown, `left behind: ${name}`);
    }
  }
}
