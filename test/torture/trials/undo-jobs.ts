import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Notes } from "../checks/findings.ts";
import { filesIn } from "../checks/leaks.ts";
import { text } from "../instance/json.ts";
import type { Random } from "../random.ts";
import { changeTarget } from "../updates/changes.ts";
import { type SeenEvent, seenIn } from "../updates/seen.ts";
import { checkManifest, checkUndoEnd, checkUndone, type JobManifest, UndoReport, undoableOf } from "../updates/undo.ts";
import {
  checkFiles,
  eventsOf,
  giveRights,
  HOUR_MS,
  MOST_RUNS,
  newIn,
  quiet,
  REPORT,
  runOnce,
  type Scene,
} from "./night-scene.ts";

/** Keeps what the new manifests name. */
export function noteManifests(
  { folder, manifests }: Scene,
  { from, events }: { readonly from: number; readonly events: readonly SeenEvent[] },
  notes: Notes,
): void {
  for (const { name, text: lines } of filesIn(folder).filter((file) => file.name.endsWith(".manifest.ndjson"))) {
    const ids = lines.split("\n").flatMap((line) => (line === "" ? [] : [text(JSON.parse(line), "id")]));
    const manifest = { ids: ids.filter(Boolean), from, to: events.length };
    if (manifests.get(name)?.ids.join() === manifest.ids.join()) continue;
    manifests.set(name, manifest);
    checkManifest(manifest, events, notes);
  }
}

/** After the nights and another day, every job is undone, in any order. */
export async function undoAll(random: Random, scene: Scene, notes: Notes): Promise<void> {
  const { story, fronts, manifests, clock } = scene;
  clock.pass(HOUR_MS);
  for (let left = random.between(0, 4); left > 0; left -= 1) story.push(await useTarget(random, scene));
  if (random.chance(0.3)) story.push(await giveRights(random, scene));
  clock.pass(HOUR_MS);
  for (const [name, manifest] of random.shuffled([...manifests])) {
    const isForced = random.chance(0.2);
    const calls = random.chance(0.3) ? ["--concurrency", "3"] : [];
    const argv = ["undo", "--yes", name, ...(isForced ? ["--force"] : []), ...calls];
    story.push(argv.join(" "));
    for (const front of Object.values(fronts)) {
      const most = front.befallen.names.length + 3;
      front.hostility = { ...front.hostility, rate: random.pick([0, 0.1, 0.3]), most };
    }
    for (let turn = 1; turn <= MOST_RUNS; turn += 1) {
      if (turn > MOST_RUNS - 2) quiet(fronts);
      const isOver = await undoOnce(random, scene, { argv, manifest, isForced, isSound: turn > MOST_RUNS - 2 }, notes);
      if (notes.what.length > 0) return;
      if (isOver) break;
      notes.expect(turn < MOST_RUNS, "the undo does not come to an end");
    }
  }
}

interface Undo {
  readonly argv: readonly string[];
  readonly manifest: JobManifest;
  readonly isForced: boolean;
  readonly isSound: boolean;
}

/** One undo; true when it was the last. */
async function undoOnce(
  random: Random,
  scene: Scene,
  { argv, manifest, isForced, isSound }: Undo,
  notes: Notes,
): Promise<boolean> {
  const { target, fronts, untouchable, story, folder } = scene;
  const { befallen } = fronts.target;
  const faultsBefore = befallen.names.length;
  const before = await eventsOf(target);
  const { result, isDisturbed } = await runOnce(random, scene, notes, {
    argv,
    journal: undefined,
    resumes: false,
    isSound,
  });
  await fronts.target.idle();
  const after = await eventsOf(target);
  const faults = befallen.names.length - faultsBefore;
  story.push(`exit ${result.exitCode}, ${faults} faults`);
  checkUndone(newIn(before, after), undoableOf(manifest, before, { untouchable, isForced }), notes);
  checkFiles(result, scene, notes);
  const isOver = (result.exitCode === 0 || result.exitCode === 1) && faults === 0 && !isDisturbed;
  if (isOver) {
    const report = UndoReport.safeParse(JSON.parse(readFileSync(join(folder, REPORT), "utf8"))).data;
    notes.expect(report !== undefined, "an undo without a report");
    checkUndoEnd({ ...result, report }, undoableOf(manifest, after, { untouchable, isForced }), notes);
  }
  notes.count("undos");
  if (notes.what.length > 0) story.push(result.stderr);
  return isOver;
}

/** Another account uses or changes a user of the target. */
async function useTarget(
  random: Random,
  { source, target: self, others, secrets, untouchable }: Scene,
): Promise<string> {
  const ids = [...seenIn(await eventsOf(self)).keys()];
  if (ids.length === 0 || random.chance(0.5))
    return await changeTarget(random, { self, others }, source, { secrets, untouchable });
  const userId = random.pick(ids);
  await others.send("POST", "/v2/sessions", { checks: { user: { userId } } });
  return `${userId} begins a session`;
}
