import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createMockServer, type MockServer } from "../../../src/mock/server.ts";
import type { Notes } from "../checks/findings.ts";
import type { RunResult } from "../checks/import-checks.ts";
import { filesIn, findLeaks, isManifest } from "../checks/leaks.ts";
import { Secrets } from "../input/secrets.ts";
import { Clock } from "../instance/clock.ts";
import { HostileFront } from "../instance/hostile-front.ts";
import { list, text } from "../instance/json.ts";
import type { Random } from "../random.ts";
import {
  addMachine,
  addMembers,
  addPeople,
  changeSource,
  changeTarget,
  machineEntries,
  type Source,
} from "../updates/changes.ts";
import { randomPerson } from "../updates/person.ts";
import { type SeenEvent, seenIn } from "../updates/seen.ts";
import { IDP, MockSide } from "../updates/side.ts";
import { damageState } from "../updates/state-damage.ts";
import type { JobManifest } from "../updates/undo.ts";
import { interrupt, runProgram } from "./run-program.ts";
import { tempFolder } from "./scene.ts";
import { spawnProgram } from "./spawned.ts";

export const MOST_RUNS = 10;

/** How the source gets to the target: copied, as its export, or as a body that says less. */
export type Form = "copy" | "export" | "body";

export interface Scene {
  readonly folder: string;
  readonly secrets: Secrets;
  readonly form: Form;
  /** Of both instances. */
  readonly clock: Clock;
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
  /** By the names of their files. */
  readonly manifests: Map<string, JobManifest>;
}

export async function openScene(random: Random): Promise<Scene> {
  const secrets = new Secrets();
  const tokens = { source: secrets.token(random), target: secrets.token(random), others: secrets.token(random) };
  const clock = new Clock(1);
  const options = { mimic: "v4", now: clock.now, seed: { instanceIdpIds: [IDP] } } as const;
  const mocks = {
    source: await createMockServer({ ...options, token: tokens.source }),
    target: await createMockServer({ ...options, token: tokens.target }),
  };
  const fronts = {
    source: new HostileFront(mocks.source, { random: random.fork(), clock }),
    target: new HostileFront(mocks.target, { random: random.fork(), clock }),
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
      machines: new Map(),
      members: new Set(),
      now: () => clock.now().toISOString(),
    },
    clock,
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
    manifests: new Map(),
  };
}

const OTHER_ACCOUNT = { userId: "another-account", roles: ["IAM_OWNER"] };

/** What happens between two nights. */
export async function day(random: Random, scene: Scene, night: number): Promise<void> {
  const { source, target: self, others, othersToken, secrets, story, mocks, clock } = scene;
  clock.pass(HOUR_MS);
  if (night === 1) {
    const people = Array.from({ length: random.between(1, 12) }, () => randomPerson(random, secrets));
    await addPeople(source, people);
    for (let left = random.below(3); left > 0; left -= 1) await addMachine(random, source);
    await addMembers(source, random.some([...source.people.keys(), ...source.machines.keys()], 0.25));
  }
  if (random.chance(0.08)) {
    story.push("the target is reset");
    await mocks.target.reset();
    mocks.target.addToken(othersToken, OTHER_ACCOUNT);
    scene.untouchable.clear();
    scene.granted.clear();
    // The users of earlier jobs are gone.
    for (const [name, { ids }] of scene.manifests) scene.manifests.set(name, { ids, from: Infinity, to: Infinity });
  }
  if (random.chance(0.08)) {
    story.push("the source is reset");
    await mocks.source.reset();
    const people = [...source.people.values()];
    source.people.clear();
    source.removed.clear();
    await addPeople(source, people);
    await source.side.import({ machineUsers: machineEntries(source.machines) });
    await addMembers(source, [...source.members]);
  }
  for (let left = random.between(0, 6); left > 0; left -= 1) story.push(await changeSource(random, source, secrets));
  for (let left = random.between(0, 3); left > 0; left -= 1)
    story.push(await changeTarget(random, { self, others }, source, { secrets, untouchable: scene.untouchable }));
  // A grant goes with its user, and a user who is created again has none.
  const grantees = scene.granted.size === 0 ? scene.granted : await granteesOf(others);
  for (const id of scene.granted) if (!grantees.has(id)) scene.granted.delete(id);
  if (random.chance(0.3)) story.push(await giveRights(random, scene));
  clock.pass(HOUR_MS);
}

export const HOUR_MS = 3_600_000;

/** A user of the target gets a role on the instance, or a grant, from another account. */
export async function giveRights(
  random: Random,
  { source, target, others, secrets, mocks, ...scene }: Scene,
): Promise<string> {
  const ids = [...seenIn(await eventsOf(target)).keys()];
  if (ids.length === 0) return "no user gets rights";
  const id = random.pick(ids);
  if (random.chance(0.5) || !source.people.has(id)) {
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

export async function granteesOf(side: MockSide): Promise<ReadonlySet<string>> {
  const grants = list(JSON.parse(await side.exported()), "orgs").flatMap((org) => list(org, "userGrants"));
  return new Set(grants.filter((grant) => text(grant, "projectId") === PROJECT).map((grant) => text(grant, "userId")));
}

export function quiet(fronts: Scene["fronts"]): void {
  for (const front of Object.values(fronts)) front.hostility = { ...front.hostility, rate: 0 };
}

export interface Work {
  readonly argv: readonly string[];
  readonly journal: string | undefined;
}

export async function eventsOf(target: MockSide): Promise<readonly SeenEvent[]> {
  return await target.events(await target.self());
}

/** A target has no fewer than before, unless it was reset, and that is not done while a run is under way. */
export function newIn(before: readonly SeenEvent[], after: readonly SeenEvent[]): readonly SeenEvent[] {
  return after.slice(before.length);
}

export const STATE = "night.state";

export const REPORT = "report.json";

/** A run, interrupted or killed at times; the state may be damaged before. */
export async function runOnce(
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
  const reportPath = join(folder, REPORT);
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
export function checkFiles({ exitCode, stdout, stderr }: RunResult, { folder, secrets }: Scene, notes: Notes): void {
  findLeaks("stdout", stdout, secrets.all, notes);
  findLeaks("stderr", stderr, secrets.all, notes);
  const isFinished = exitCode === 0 || exitCode === 1;
  for (const { name, text } of filesIn(folder)) {
    if (name === "input.json") continue;
    findLeaks(name, text, secrets.all, notes);
    const isKnown = name === REPORT || name === STATE || isManifest(name);
    notes.expect(isKnown || !isFinished, `left behind: ${name}`);
  }
}
