import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Notes } from "../checks/findings.ts";
import type { RunResult } from "../checks/import-checks.ts";
import type { Fault } from "../instance/faults/fault.ts";
import type { Random } from "../random.ts";
import { checkBelongings, type Open, openBelongings, strangersIn } from "../updates/belongings.ts";
import { machineEntries, memberEntries, type Source } from "../updates/changes.ts";
import { checkAnyRun, checkLeft, checkNothingIsLeft, checkTold, type Left, noteLeft } from "../updates/checks.ts";
import { type Expected, expectedOf, unlikeIn, type Wish } from "../updates/model.ts";
import { linkEntries, metadataEntries, toEntry } from "../updates/person.ts";
import { type SeenEvent, seenIn } from "../updates/seen.ts";
import { ORG } from "../updates/side.ts";
import {
  checkFiles,
  day,
  eventsOf,
  type Form,
  granteesOf,
  MOST_RUNS,
  newIn,
  openScene,
  quiet,
  runOnce,
  type Scene,
  STATE,
  type Work,
} from "./night-scene.ts";
import { randomCalls } from "./scene.ts";
import { KILLED } from "./spawned.ts";
import { noteManifests, undoAll } from "./undo-jobs.ts";

/**
 * Some nights of a copy that keeps up: random changes on both sides, instances that are reset, faults, interruptions, kills and lost
 * states; after every run source and target are held against each other by a model of its own, and the target's event log must not show
 * a change of a user that the model keeps.
 */
export async function updateTrial(random: Random, notes: Notes): Promise<readonly string[]> {
  const scene = await openScene(random);
  const { story, fronts, mocks, folder } = scene;
  story.push(`${scene.form}${scene.isKilled ? ", killed" : ""}${scene.hasState ? ", with a state" : ""}`);
  try {
    const nights = scene.isKilled ? 2 : random.between(2, 4);
    for (let night = 1; night <= nights && notes.what.length === 0; night += 1) {
      story.push(`night ${night}`);
      await day(random, scene, night);
      await nightOf(random, scene, notes);
    }
    if (notes.what.length === 0) await undoAll(random, scene, notes);
  } finally {
    for (const [name, front] of Object.entries(fronts)) {
      story.push(...front.befallen.names.map((fault) => `${name} ${fault}`));
      notes.count("faults", front.befallen.names.length);
      await front.close();
    }
    await Promise.all([mocks.source.close(), mocks.target.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
  return story;
}

/** Existing users have the grants that another account gave. */
async function checkGrants({ others, target, granted }: Scene, notes: Notes): Promise<void> {
  if (granted.size === 0) return;
  const [there, grantees] = [seenIn(await eventsOf(target)), await granteesOf(others)];
  for (const id of granted) {
    if (!there.has(id)) granted.delete(id);
    else notes.expect(grantees.has(id), `the grant of ${id} is gone`);
  }
}

/** Runs until everything is done, and once more. */
async function nightOf(random: Random, scene: Scene, notes: Notes): Promise<void> {
  const { story, fronts, form } = scene;
  const wish = randomWish(random, form);
  const argv = [...flagsOf(wish), ...randomFlags(random)];
  story.push(argv.join(" "));
  const work = await workOf(scene, argv);
  const lies = random.chance(0.2);
  const isAllowed = (fault: Fault): boolean =>
    fault.isSlow !== true && (fault.isLie !== true || (lies && fault.on?.includes("export") === true));
  const hostility = { rate: random.pick([0, 0, 0.1, 0.3]), most: random.between(1, 5), isAllowed };
  for (const front of Object.values(fronts))
    front.hostility = { ...hostility, most: hostility.most + front.befallen.names.length };
  const job: Job = { wish, work, start: undefined, left: new Map() };
  for (let turn = 1; turn <= MOST_RUNS; turn += 1) {
    const isSound = turn > MOST_RUNS - 2;
    if (isSound) quiet(fronts);
    const isOver = await turnOf(random, scene, job, isSound, notes);
    if (notes.what.length > 0) return;
    if (isOver) {
      await onceMore(random, scene, job, notes);
      return;
    }
  }
  notes.what.push("does not come to an end");
}

interface Job {
  readonly wish: Wish;
  readonly work: Work;
  /** The target's events at the beginning of a job that can continue. */
  start: readonly SeenEvent[] | undefined;
  readonly left: Left;
}

/** One run; true when it was the last. */
async function turnOf(random: Random, scene: Scene, job: Job, isSound: boolean, notes: Notes): Promise<boolean> {
  const { story, fronts, source, target } = scene;
  const befallen = [fronts.source.befallen, fronts.target.befallen];
  const faultsBefore = befallen.flatMap(({ names }) => names).length;
  for (const one of befallen) one.hasLied = false;
  const resumes = job.work.journal !== undefined && existsSync(job.work.journal);
  const before = await eventsOf(target);
  if (!resumes || job.start === undefined) job.start = before;
  const { result, isDisturbed } = await runOnce(random, scene, notes, { ...job.work, resumes, isSound });
  const after = await eventsOf(target);
  const hasLied = befallen.some((one) => one.hasLied);
  const faults = befallen.flatMap(({ names }) => names).length - faultsBefore;
  story.push(
    `exit ${result.exitCode}${resumes ? " resumed" : ""}, ${faults} faults ${result.report?.problems.map(({ code }) => code).join(" ")}`,
  );
  const strangers = await strangersOf(scene, job, job.start);
  const expected = expectedOf(source, job.start, job.wish, scene.untouchable, strangers);
  checkAnyRun(result, newIn(before, after), expected, job.wish, notes);
  checkLeft(newIn(before, after), job.left, notes);
  const circumstances = { ...scene, ...job.wish, strangers };
  checkBelongings(after, before.length, circumstances, notes);
  if (result.report !== undefined && !hasLied) noteLeft(result.report, job.left);
  noteManifests(scene, { from: job.start.length, events: after }, notes);
  checkFiles(result, scene, notes);
  await checkGrants(scene, notes);
  const isOver = result.exitCode === 0 || (result.exitCode === 1 && faults === 0);
  if (result.report !== undefined && isOver && !hasLied) {
    checkTold(result.report, expected, faults === 0 && !resumes, notes);
    const belongings = openBelongings(after, job.start.length, circumstances);
    notes.expect(belongings.open.size === 0, `not given: ${[...belongings.open].join(" ")}`);
    if (faults === 0) checkExit(result, expected, belongings, job.wish, notes);
    checkNothingIsLeft(expectedOf(source, after, job.wish, scene.untouchable, strangers), notes);
  }
  if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
  return isOver && !hasLied && !isDisturbed;
}

/** Users of the source whose account on the target is another person's, as far as the run can know. */
async function strangersOf({ source }: Scene, { wish }: Job, target: readonly SeenEvent[]): Promise<Set<string>> {
  return wish.hasLog ? strangersIn(await eventsOf(source.side), target) : unlikeIn(source.people, target);
}

/** On sound instances, right after the end: nothing is sent, and conflicts are reported again. */
async function onceMore(random: Random, scene: Scene, job: Job, notes: Notes): Promise<void> {
  const { fronts, source, target, story, form } = scene;
  quiet(fronts);
  const before = await eventsOf(target);
  const { result } = await runOnce(random, { ...scene, isKilled: false }, notes, {
    ...job.work,
    resumes: false,
    isSound: true,
  });
  const after = await eventsOf(target);
  const strangers = await strangersOf(scene, job, before);
  const circumstances = { ...scene, ...job.wish, strangers };
  const left = expectedOf(source, before, job.wish, scene.untouchable, strangers);
  const belongings = openBelongings(before, before.length, circumstances);
  story.push(`once more: exit ${result.exitCode}`);
  checkAnyRun(result, newIn(before, after), left, job.wish, notes);
  checkLeft(newIn(before, after), job.left, notes);
  checkFiles(result, scene, notes);
  checkBelongings(after, before.length, circumstances, notes);
  checkExit(result, left, belongings, job.wish, notes);
  if (result.report !== undefined) {
    checkTold(result.report, left, true, notes);
    const { calls } = result.report;
    notes.expect(
      form === "body" || left.refused.size + belongings.blocked.size + belongings.fenced.size > 0 || calls === 0,
      `${calls} calls when nothing is to be done`,
    );
  }
  notes.expect(before.length === after.length, "something was done when nothing was to be done");
  if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
}

function checkExit(
  { exitCode, stderr }: RunResult,
  { conflict, unsettled, tooMany, refused }: Expected,
  { blocked, fenced }: Open,
  { prefer }: Wish,
  notes: Notes,
): void {
  const isOpen = (prefer === "target" ? unsettled : conflict).size > 0;
  const isLeft = isOpen || tooMany.size + refused.size + blocked.size > 0;
  const isUnsure = fenced.size > 0 && (exitCode === 0 || exitCode === 1);
  notes.expect(
    exitCode === (isLeft ? 1 : 0) || exitCode === KILLED || isUnsure,
    `exit ${exitCode}: ${stderr.slice(-600)}`,
  );
}

function randomWish(random: Random, form: Form): Wish {
  const prefer = random.pick([undefined, undefined, "source", "target"] as const);
  const removals = form === "copy" ? random.pick([undefined, "delete", "delete", "deactivate"] as const) : undefined;
  const maxDeletes = removals !== undefined && random.chance(0.3) ? random.below(3) : undefined;
  return { prefer, removals, maxDeletes, isWhole: form !== "body", hasLog: form === "copy" };
}

function flagsOf({ prefer, removals, maxDeletes }: Wish): string[] {
  return [
    "--update",
    ...(prefer === undefined ? [] : ["--prefer", prefer]),
    ...(removals === undefined ? [] : [`--${removals}`]),
    ...(maxDeletes === undefined ? [] : ["--max-deletes", String(maxDeletes)]),
  ];
}

function randomFlags(random: Random): string[] {
  return [
    "--batch-users",
    String(random.pick([1, 4, 5_000])),
    ...randomCalls(random, 5),
    ...(random.chance(0.4) ? ["--json"] : []),
    ...(random.chance(0.1) ? ["--verbose"] : []),
  ];
}

/** The command of a night, and the file that it takes. */
async function workOf({ form, source, folder, hasState }: Scene, argv: readonly string[]): Promise<Work> {
  if (form === "copy") {
    const selection = ["--org-id", ORG, "--with-passwords", "--settle", "1s"];
    const state = hasState ? ["--state", join(folder, STATE)] : [];
    return { argv: ["copy", "--yes", ...selection, ...argv, ...state], journal: undefined };
  }
  const file = join(folder, "input.json");
  writeFileSync(file, form === "export" ? await source.side.exported() : bodyOf(source));
  return { argv: ["import", "--yes", ...argv, file], journal: `${file}.journal.ndjson` };
}

function bodyOf(source: Source): string {
  const people = [...source.people.values()];
  const lists = {
    humanUsers: people.map(toEntry),
    machineUsers: machineEntries(source.machines),
    userMetadata: people.flatMap(metadataEntries),
    userLinks: people.flatMap(linkEntries),
    orgMembers: memberEntries(source.members),
  };
  const orgs = [{ orgId: ORG, org: { name: "One" }, ...lists }];
  return JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" });
}
