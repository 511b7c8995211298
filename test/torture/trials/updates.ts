import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMockServer, type MockServer } from "../../../src/mock/server.ts";
import type { Notes } from "../checks/findings.ts";
import type { RunResult } from "../checks/import-checks.ts";
import { filesIn, findLeaks, isManifest } from "../checks/leaks.ts";
import { Secrets } from "../input/secrets.ts";
import type { Fault } from "../instance/faults/fault.ts";
import { HostileFront } from "../instance/hostile-front.ts";
import { list, text } from "../instance/json.ts";
import type { Random } from "../random.ts";
import { addPeople, changeSource, changeTarget, type Source } from "../updates/changes.ts";
import { checkAnyRun, checkLeft, checkNothingIsLeft, checkTold, type Left, noteLeft } from "../updates/checks.ts";
import { type Expected, expectedOf, type Wish } from "../updates/model.ts";
import { metadataEntries, type Person, randomPerson, toEntry } from "../updates/person.ts";
import { type SeenEvent, seenIn } from "../updates/seen.ts";
import { MockSide, ORG } from "../updates/side.ts";
import { damageState } from "../updates/state-damage.ts";
import { interrupt, runProgram } from "./run-program.ts";
import { randomCalls, tempFolder } from "./scene.ts";
import { KILLED, spawnProgram } from "./spawned.ts";

const MOST_RUNS = 10;

/** How the source gets to the target: copied, as its export, or as a body that says less. */
type Form = "copy" | "export" | "body";

interface Scene {
  readonly folder: string;
  readonly secrets: Secrets;
  readonly form: Form;
  /** A process of its own, which is killed. */
  readonly isKilled: boolean;
  readonly hasState: boolean;
  readonly source: Source;
  readonly target: MockSide;
  /** Another account with all rights on the target. */
  readonly others: MockSide;
  readonly othersToken: string;
  readonly mocks: { readonly source: MockServer; readonly target: MockServer };
  readonly fronts: { readonly source: HostileFront; readonly target: HostileFront };
  readonly env: Readonly<Record<string, string>>;
  readonly story: string[];
  readonly earlierStates: Buffer[];
  /** Users with a role on the target's instance. */
  readonly untouchable: Set<string>;
  /** Grants that another account gave on the target: the users that have one. */
  readonly granted: Set<string>;
}

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

async function openScene(random: Random): Promise<Scene> {
  const secrets = new Secrets();
  const tokens = { source: secrets.token(random), target: secrets.token(random), others: secrets.token(random) };
  const mocks = {
    source: await createMockServer({ mimic: "v4", token: tokens.source }),
    target: await createMockServer({ mimic: "v4", token: tokens.target }),
  };
  const fronts = {
    source: new HostileFront(mocks.source, { random: random.fork() }),
    target: new HostileFront(mocks.target, { random: random.fork() }),
  };
  mocks.target.addToken(tokens.others, OTHER_ACCOUNT);
  const form = random.pick(["copy", "copy", "copy", "export", "body"] as const);
  return {
    folder: tempFolder(),
    secrets,
    form,
    isKilled: random.chance(0.08),
    hasState: form === "copy" && random.chance(0.6),
    source: {
      side: new MockSide(mocks.source, tokens.source),
      people: new Map(),
      removed: new Map(),
      known: new Set(),
    },
    target: new MockSide(mocks.target, tokens.target),
    others: new MockSide(mocks.target, tokens.others),
    othersToken: tokens.others,
    mocks,
    fronts,
    env: {
      ZITADEL_EXPORT_DOMAIN: await fronts.source.listen(),
      PAT_EXPORT_TOKEN: tokens.source,
      ZITADEL_IMPORT_DOMAIN: await fronts.target.listen(),
      PAT_IMPORT_TOKEN: tokens.target,
    },
    story: [],
    earlierStates: [],
    untouchable: new Set(),
    granted: new Set(),
  };
}

const OTHER_ACCOUNT = { userId: "another-account", roles: ["IAM_OWNER"] };

/** What happens between two nights. */
async function day(random: Random, scene: Scene, night: number): Promise<void> {
  const { source, others, othersToken, secrets, story, mocks } = scene;
  if (night === 1) {
    const people = Array.from({ length: random.between(1, 12) }, () => randomPerson(random, secrets));
    await addPeople(source, people);
  }
  if (random.chance(0.08)) {
    story.push("the target is reset");
    await mocks.target.reset();
    mocks.target.addToken(othersToken, OTHER_ACCOUNT);
    scene.untouchable.clear();
    scene.granted.clear();
  }
  if (random.chance(0.08)) {
    story.push("the source is reset");
    await mocks.source.reset();
    const people = [...source.people.values()];
    source.people.clear();
    source.removed.clear();
    await addPeople(source, people);
  }
  for (let left = random.between(0, 6); left > 0; left -= 1) story.push(await changeSource(random, source, secrets));
  for (let left = random.between(0, 3); left > 0; left -= 1)
    story.push(await changeTarget(random, others, source, { secrets, untouchable: scene.untouchable }));
  if (random.chance(0.3)) story.push(await giveRights(random, scene));
}

/** A user of the target gets a role on the instance, or a grant, from another account. */
async function giveRights(
  random: Random,
  { source, target, others, secrets, mocks, ...scene }: Scene,
): Promise<string> {
  const there = seenIn(await eventsOf(target));
  const ids = [...source.people.keys()].filter((id) => there.has(id));
  if (ids.length === 0) return "no user gets rights";
  const id = random.pick(ids);
  if (random.chance(0.5)) {
    mocks.target.addToken(secrets.token(random), { userId: id, roles: ["IAM_OWNER_VIEWER"] });
    scene.untouchable.add(id);
    return `${id} gets a role on the instance`;
  }
  const projects = [{ projectId: PROJECT, project: { name: "By hand" } }];
  await others.import({ projects, userGrants: [{ userId: id, projectId: PROJECT, roleKeys: [] }] });
  if ((await granteesOf(others)).has(id)) scene.granted.add(id);
  return `${id} gets a grant`;
}

const PROJECT = "project-by-hand";

async function granteesOf(side: MockSide): Promise<ReadonlySet<string>> {
  const grants = list(JSON.parse(await side.exported()), "orgs").flatMap((org) => list(org, "userGrants"));
  return new Set(grants.filter((grant) => text(grant, "projectId") === PROJECT).map((grant) => text(grant, "userId")));
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
    if (turn > MOST_RUNS - 2) quiet(fronts);
    const isOver = await turnOf(random, scene, job, notes);
    if (notes.what.length > 0) return;
    if (isOver) {
      await onceMore(random, scene, job, notes);
      return;
    }
  }
  notes.what.push("does not come to an end");
}

function quiet(fronts: Scene["fronts"]): void {
  for (const front of Object.values(fronts)) front.hostility = { ...front.hostility, rate: 0 };
}

interface Work {
  readonly argv: readonly string[];
  readonly journal: string | undefined;
}

interface Job {
  readonly wish: Wish;
  readonly work: Work;
  /** The target's events at the beginning of a job that can continue. */
  start: readonly SeenEvent[] | undefined;
  readonly left: Left;
}

/** One run; true when it was the last. */
async function turnOf(random: Random, scene: Scene, job: Job, notes: Notes): Promise<boolean> {
  const { story, fronts, source, target } = scene;
  const befallen = [fronts.source.befallen, fronts.target.befallen];
  const faultsBefore = befallen.flatMap(({ names }) => names).length;
  for (const one of befallen) one.hasLied = false;
  const resumes = job.work.journal !== undefined && existsSync(job.work.journal);
  const before = await eventsOf(target);
  if (!resumes || job.start === undefined) job.start = before;
  const { result, isDisturbed } = await runOnce(random, scene, notes, { ...job.work, resumes });
  const after = await eventsOf(target);
  const hasLied = befallen.some((one) => one.hasLied);
  const faults = befallen.flatMap(({ names }) => names).length - faultsBefore;
  story.push(
    `exit ${result.exitCode}${resumes ? " resumed" : ""}, ${faults} faults ${result.report?.problems.map(({ code }) => code).join(" ")}`,
  );
  const expected = expectedOf(source, job.start, job.wish, scene.untouchable);
  checkAnyRun(result, newIn(before, after), expected, job.wish, notes);
  checkLeft(newIn(before, after), job.left, notes);
  if (result.report !== undefined && !hasLied) noteLeft(result.report, job.left);
  checkFiles(result, scene, notes);
  await checkGrants(scene, notes);
  const isOver = result.exitCode === 0 || (result.exitCode === 1 && faults === 0);
  if (result.report !== undefined && isOver && !hasLied) {
    checkTold(result.report, expected, faults === 0 && !resumes, notes);
    if (faults === 0) checkExit(result, expected, job.wish, notes);
    checkNothingIsLeft(expectedOf(source, after, job.wish, scene.untouchable), notes);
  }
  if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
  return isOver && !hasLied && !isDisturbed;
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
  const left = expectedOf(source, before, job.wish, scene.untouchable);
  story.push(`once more: exit ${result.exitCode}`);
  checkAnyRun(result, newIn(before, after), left, job.wish, notes);
  checkLeft(newIn(before, after), job.left, notes);
  checkFiles(result, scene, notes);
  checkExit(result, left, job.wish, notes);
  if (result.report !== undefined) {
    checkTold(result.report, left, true, notes);
    const { calls } = result.report;
    notes.expect(form === "body" || left.refused.size > 0 || calls === 0, `${calls} calls when nothing is to be done`);
  }
  notes.expect(before.length === after.length, "something was done when nothing was to be done");
  if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
}

function checkExit({ exitCode, stderr }: RunResult, expected: Expected, { prefer }: Wish, notes: Notes): void {
  const { conflict, tooMany, refused } = expected;
  const isLeft = (conflict.size > 0 && prefer !== "target") || tooMany.size > 0 || refused.size > 0;
  notes.expect(exitCode === (isLeft ? 1 : 0) || exitCode === KILLED, `exit ${exitCode}: ${stderr.slice(-600)}`);
}

async function eventsOf(target: MockSide): Promise<readonly SeenEvent[]> {
  return await target.events(await target.self());
}

/** A target has no fewer than before, unless it was reset, and that is not done while a run is under way. */
function newIn(before: readonly SeenEvent[], after: readonly SeenEvent[]): readonly SeenEvent[] {
  return after.slice(before.length);
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
  const people = [...source.people.values()];
  writeFileSync(file, form === "export" ? await source.side.exported() : bodyOf(people));
  return { argv: ["import", "--yes", ...argv, file], journal: `${file}.journal.ndjson` };
}

function bodyOf(people: readonly Person[]): string {
  const lists = { humanUsers: people.map(toEntry), userMetadata: people.flatMap(metadataEntries) };
  const orgs = [{ orgId: ORG, org: { name: "One" }, ...lists }];
  return JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" });
}

const STATE = "night.state";

/** A run, interrupted or killed at times; the state may be damaged before. */
async function runOnce(
  random: Random,
  scene: Scene,
  notes: Notes,
  { argv, resumes, isSound = false }: Work & { readonly resumes: boolean; readonly isSound?: boolean },
): Promise<{ readonly result: RunResult; readonly isDisturbed: boolean }> {
  const { folder, env, fronts, earlierStates, story } = scene;
  const path = join(folder, STATE);
  if (existsSync(path)) {
    earlierStates.push(readFileSync(path));
    if (random.chance(0.3)) {
      story.push(`state: ${damageState(random, path, earlierStates)}`);
      notes.count("damaged states");
    }
  }
  const reportPath = join(folder, "report.json");
  const all = [...argv, ...(resumes ? ["--resume"] : []), "--report", reportPath];
  const isDisturbed = !isSound && random.chance(scene.isKilled ? 0.6 : 0.2);
  const disturb = (end: () => void): void => {
    const moment = random.pick(["asked", "done"] as const);
    let left = random.between(1, 25);
    const onMoment = (when: "asked" | "done"): void => {
      if (when !== moment || --left !== 0) return;
      end();
      notes.count(scene.isKilled ? "kills" : "interrupts");
    };
    for (const front of Object.values(fronts)) front.onMoment = onMoment;
  };
  const result = await (scene.isKilled ? spawned() : inProcess());
  for (const front of Object.values(fronts)) front.onMoment = () => {};
  return { result, isDisturbed: isDisturbed && result.exitCode !== 0 && result.exitCode !== 1 };

  async function spawned(): Promise<RunResult> {
    const { child, ended } = spawnProgram(all, { cwd: folder, env, reportPath });
    const signal = random.pick(["SIGKILL", "SIGKILL", "SIGTERM"] as const);
    if (isDisturbed) disturb(() => void child.kill(signal));
    return await ended;
  }

  async function inProcess(): Promise<RunResult> {
    const controller = new AbortController();
    if (isDisturbed) disturb(() => interrupt(controller, "SIGTERM"));
    return await runProgram(all, { cwd: folder, env, controller }, reportPath);
  }
}

/** Nothing that is secret is anywhere but in the input, and nothing is left that should not be there. */
function checkFiles({ exitCode, stdout, stderr }: RunResult, { folder, secrets }: Scene, notes: Notes): void {
  findLeaks("stdout", stdout, secrets.all, notes);
  findLeaks("stderr", stderr, secrets.all, notes);
  const isFinished = exitCode === 0 || exitCode === 1;
  for (const { name, text } of filesIn(folder)) {
    if (name === "input.json") continue;
    findLeaks(name, text, secrets.all, notes);
    const isKnown = name === "report.json" || name === STATE || isManifest(name);
    notes.expect(isKnown || !isFinished, `left behind: ${name}`);
  }
}
