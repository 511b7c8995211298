import { rmSync } from "node:fs";
import { join } from "node:path";
import { createMockServer, type MockServer } from "../../../src/mock/server.ts";
import type { Notes } from "../checks/findings.ts";
import { type Circumstances, checkEnd, checkRun, type RunResult } from "../checks/import-checks.ts";
import { filesIn, findLeaks, isManifest } from "../checks/leaks.ts";
import { type GivenBody, randomBody } from "../input/body.ts";
import { Secrets } from "../input/secrets.ts";
import { Caller } from "../instance/caller.ts";
import { Clock } from "../instance/clock.ts";
import { type EndpointName, forbidden, notFound, type PlainAnswer } from "../instance/endpoints.ts";
import type { Fault } from "../instance/faults/fault.ts";
import { HostileFront } from "../instance/hostile-front.ts";
import { TruthReader } from "../instance/truth.ts";
import type { Random } from "../random.ts";
import { interrupt, isRefusedFlag, runProgram } from "./run-program.ts";
import { countLosses, havePast, lossesOf, randomCalls, tempFolder, truthOf } from "./scene.ts";

const MOST_RUNS = 10;

interface CopyScene {
  readonly folder: string;
  readonly given: GivenBody;
  readonly secrets: Secrets;
  readonly source: TruthReader;
  readonly target: TruthReader;
  readonly mocks: readonly MockServer[];
  readonly sourceServer: HostileFront;
  readonly targetServer: HostileFront;
  readonly env: Readonly<Record<string, string>>;
  readonly tellsEvents: boolean;
  readonly listsUsers: boolean;
}

/**
 * Copies between two instances, both hostile, again and again until it comes to its end. A source whose export lies while its events do
 * not must never be copied with exit 0.
 */
export async function copyTrial(random: Random, notes: Notes): Promise<readonly string[]> {
  const scene = await openCopy(random);
  const story: string[] = [`${scene.given.users.length} users in ${scene.given.orgs.length} organizations`];
  const lies = random.pick(["nobody", "nobody", "the export", "anybody"] as const);
  const hostility = { rate: random.pick([0, 0.1, 0.4]), most: random.between(1, 5) };
  const mayLie = (fault: Fault): boolean =>
    fault.isLie !== true || lies === "anybody" || (lies === "the export" && fault.on?.includes("export") === true);
  const isAllowed = (fault: Fault): boolean => fault.isSlow !== true && mayLie(fault);
  scene.sourceServer.hostility = { ...hostility, isAllowed };
  scene.targetServer.hostility = { ...hostility, isAllowed };
  try {
    await copyToTheEnd(random, scene, lies, story, notes);
  } finally {
    story.push(...scene.sourceServer.befallen.names.map((name) => `source ${name}`));
    story.push(...scene.targetServer.befallen.names.map((name) => `target ${name}`));
    countLosses(scene.targetServer, notes);
    for (const server of [scene.sourceServer, scene.targetServer]) notes.count("faults", server.befallen.names.length);
    await scene.sourceServer.close();
    await scene.targetServer.close();
    await Promise.all(scene.mocks.map((mock) => mock.close()));
    rmSync(scene.folder, { recursive: true, force: true });
  }
  return story;
}

async function copyToTheEnd(
  random: Random,
  scene: CopyScene,
  lies: "nobody" | "the export" | "anybody",
  story: string[],
  notes: Notes,
): Promise<void> {
  const { sourceServer, targetServer, target } = scene;
  const flags = randomFlags(random);
  story.push(flags.join(" "));
  for (let turn = 1; turn <= MOST_RUNS; turn += 1) {
    if (turn > MOST_RUNS - 2) for (const server of [sourceServer, targetServer]) makeSound(server);
    await target.startJob();
    const before = sourceServer.befallen.names.length;
    const result = await runOnce(random, scene, flags, notes);
    story.push(`run ${turn}: exit ${result.exitCode} ${result.report?.problems.map(({ code }) => code).join(" ")}`);
    const circumstances: Circumstances = {
      ...scene,
      ...(await truthOf({ server: targetServer, truth: target })),
      given: flags.includes("--with-otp") ? scene.given : withoutOtps(scene.given),
      hasLied: sourceServer.befallen.hasLied || targetServer.befallen.hasLied,
      isVerified: false,
      skipInvalid: true,
    };
    checkRun(result, circumstances, notes);
    await checkCopy(result, scene, notes);
    // Two sound instances cannot do what a flag promises, so nothing was sent.
    const isRefused = turn > MOST_RUNS - 2 && isRefusedFlag(result);
    if (isRefused) return;
    const isOver = result.exitCode === 0 || (result.exitCode === 1 && sourceServer.befallen.names.length === before);
    if (isOver) checkEnd(result, circumstances, notes);
    if (result.exitCode === 0 && lies === "the export" && scene.tellsEvents) {
      const lost = scene.given.users.find(
        ({ id, isInvalid }) => id !== "" && !isInvalid && !circumstances.truth.users.has(id),
      );
      notes.expect(lost === undefined, `exit 0 after an export that lacks somebody: ${lost?.id}`);
    }
    if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
    if (notes.what.length > 0 || isOver) return;
  }
  notes.what.push("does not come to an end");
}

/** What an export without its secrets can bring. */
function withoutOtps(given: GivenBody): GivenBody {
  return { ...given, users: given.users.map((user) => ({ ...user, otp: "" })) };
}

function makeSound(server: HostileFront): void {
  server.hostility = { ...server.hostility, rate: 0 };
  server.befallen.hasLied = false;
}

async function checkCopy(
  result: RunResult,
  { folder, secrets, source, sourceServer }: CopyScene,
  notes: Notes,
): Promise<void> {
  findLeaks("stdout", result.stdout, secrets.all, notes);
  findLeaks("stderr", result.stderr, secrets.all, notes);
  const { truth, harm } = await truthOf({ server: sourceServer, truth: source });
  notes.expect(harm.length === 0, `the source was sent: ${harm[0]}`);
  notes.expect(![...truth.users.values()].some(({ isOurs }) => isOurs), "the source was changed");
  for (const { name, text } of filesIn(folder)) {
    notes.expect(name === "report.json" || isManifest(name), `left behind: ${name}`);
    findLeaks(name, text, secrets.all, notes);
  }
}

async function runOnce(random: Random, scene: CopyScene, flags: readonly string[], notes: Notes): Promise<RunResult> {
  const controller = new AbortController();
  const reportPath = join(scene.folder, "report.json");
  if (random.chance(0.15)) {
    const call = random.below(10);
    let calls = 0;
    const onMoment = (): void => {
      if (calls++ !== call || scene.targetServer.hostility.rate === 0) return;
      notes.count("interrupts");
      interrupt(controller, "SIGTERM");
    };
    scene.sourceServer.onMoment = onMoment;
    scene.targetServer.onMoment = onMoment;
  }
  const argv = ["copy", "--yes", "--report", reportPath, ...flags];
  const result = await runProgram(argv, { cwd: scene.folder, env: scene.env, controller }, reportPath);
  scene.sourceServer.onMoment = () => {};
  scene.targetServer.onMoment = () => {};
  return result;
}

function randomFlags(random: Random): string[] {
  return [
    "--with-passwords",
    "--settle",
    "1s",
    "--batch-users",
    String(random.pick([1, 7, 5_000])),
    ...randomCalls(random, 5),
    ...(random.chance(0.3) ? ["--with-otp"] : []),
    ...(random.chance(0.2) ? ["--via", random.pick(["import", "users"])] : []),
    ...(random.chance(0.4) ? ["--json"] : []),
  ];
}

async function openCopy(random: Random): Promise<CopyScene> {
  const secrets = new Secrets();
  const shape = { form: "export", timeout: "5m0s", withLists: true } as const;
  const allSound = { withInvalid: false, withTwins: false, withNameless: false };
  const body = randomBody(random, { ...shape, ...allSound, mostUsers: random.pick([3, 20]) }, secrets);
  const tellsEvents = random.chance(0.9);
  const hasUsersApi = random.chance(0.5);
  const [from, to] = [secrets.token(random), secrets.token(random)];
  // In the other mode the source would have a default organization, which the target has already.
  const [sourceClock, targetClock] = [new Clock(1), new Clock(1)];
  const sourceMock = await createMockServer({ token: from, now: sourceClock.now });
  const mimic = random.chance(0.5) ? ({ mimic: "v4" } as const) : {};
  const targetMock = await createMockServer({ ...mimic, token: to, now: targetClock.now });
  const orgs = body.orgs.map(({ orgId, name, lists }) => ({
    orgId,
    org: { name: name || orgId },
    ...withKeptIds(lists),
  }));
  await new Caller(sourceMock, from).expect("POST", "/admin/v1/import", { dataOrgs: { orgs }, timeout: "1m" });
  await havePast(random, targetMock, body);
  const refusals = new Map<EndpointName, PlainAnswer>(hasUsersApi ? [] : [["users", notFound]]);
  const refusedEvents = new Map<EndpointName, PlainAnswer>(tellsEvents ? [] : [["events", forbidden]]);
  const sourceServer = new HostileFront(sourceMock, {
    random: random.fork(),
    clock: sourceClock,
    refusals: new Map([...refusals, ...refusedEvents]),
  });
  const losses = lossesOf(random, targetMock, secrets);
  const targetServer = new HostileFront(targetMock, { random: random.fork(), clock: targetClock, refusals, losses });
  losses.rate = random.pick([0, 0.1, 0.4]);
  const source = new TruthReader(sourceMock);
  await source.startJob();
  const env = {
    ZITADEL_EXPORT_DOMAIN: await sourceServer.listen(),
    PAT_EXPORT_TOKEN: from,
    ZITADEL_IMPORT_DOMAIN: await targetServer.listen(),
    PAT_IMPORT_TOKEN: to,
  };
  return {
    folder: tempFolder(),
    given: { ...body, others: (await source.read()).others },
    secrets,
    source,
    target: new TruthReader(targetMock, losses),
    mocks: [sourceMock, targetMock],
    sourceServer,
    targetServer,
    env,
    tellsEvents,
    listsUsers: hasUsersApi,
  };
}

/** A source has its service users by their own ids, however they came there. */
function withKeptIds(lists: GivenBody["orgs"][number]["lists"]): Record<string, readonly unknown[]> {
  const machineUsers = (lists["machineUsers"] ?? []).map((entry) => {
    const { userId, user } = entry as { userId: string; user: object }; // as input/lists.ts makes them
    return { userId, user: { ...user, userId } };
  });
  return { ...lists, machineUsers };
}
