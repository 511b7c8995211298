import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Notes } from "../checks/findings.ts";
import { type Circumstances, checkEnd, checkOtps, checkRun } from "../checks/import-checks.ts";
import { filesIn, findLeaks, isManifest } from "../checks/leaks.ts";
import type { Random } from "../random.ts";
import { openScene, type Scene, truthOf } from "./scene.ts";
import { spawnProgram } from "./spawned.ts";

/**
 * An import whose files are on a disk that becomes full: a small one of its own where the machine allows that, else a limit of the size of
 * files. The run then continues on a larger one.
 */
export async function fullDiskTrial(random: Random, notes: Notes): Promise<readonly string[]> {
  const scene = await openScene(random, { mostUsers: 60, timeout: "5m0s" });
  const story: string[] = [`${scene.given.form} of ${scene.given.users.length} users`];
  try {
    await fillUp(random, scene, story, notes);
  } finally {
    await scene.close();
  }
  return story;
}

async function fillUp(random: Random, scene: Scene, story: string[], notes: Notes): Promise<void> {
  const work = join(scene.folder, "work");
  const file = join(work, basename(scene.file));
  const flags = [
    "--skip-invalid",
    "--batch-users",
    String(random.pick([1, 3])),
    "--concurrency",
    String(random.pick([1, 4])),
  ];
  const env = { ZITADEL_IMPORT_DOMAIN: scene.url, PAT_IMPORT_TOKEN: scene.token };
  for (let turn = 0; turn < 12; turn += 1) {
    const kilobytes = turn < 4 ? random.pick([4, 8, 16, 32]) : 4_096;
    mkdirSync(work, { recursive: true });
    if (!existsSync(file)) copyFileSync(scene.file, file);
    const resumes = existsSync(`${file}.journal.ndjson`);
    const journal = `${file}.journal.ndjson`;
    const reportPath = join(scene.folder, "report.json");
    const argv = [
      "import",
      "--yes",
      "--journal",
      journal,
      "--report",
      reportPath,
      ...flags,
      ...(resumes ? ["--resume"] : []),
    ];
    const wrapper = wrapperOf(work, kilobytes, scene.given.bytes.length);
    const result = await spawnProgram([...argv, "--", scene.file], { cwd: scene.folder, env, wrapper, reportPath })
      .ended;
    if (kilobytes < 4_096) notes.count("full disks");
    story.push(`${kilobytes} kB: exit ${result.exitCode}${resumes ? " resumed" : ""}`);
    findLeaks("stderr", result.stderr, scene.secrets.all, notes);
    const settings = { hasLied: false, isVerified: false, skipInvalid: true };
    const circumstances: Circumstances = { ...scene, ...settings, ...(await truthOf(scene)) };
    checkOtps(circumstances, notes);
    // A report may itself be what the limit of files keeps from being written.
    if (result.report !== undefined || kilobytes === 4_096) checkRun(result, circumstances, notes);
    const isOver = result.exitCode === 0 || result.exitCode === 1;
    if (isOver) {
      checkEnd(result, circumstances, notes);
      const left = filesIn(work).map(({ name }) => name);
      notes.expect(
        left.every((name) => name === basename(file) || isManifest(name)),
        `left behind: ${left.join(" ")}`,
      );
    }
    if (notes.what.length > 0) story.push(result.stderr, JSON.stringify(result.report ?? "no report"));
    if (isOver || notes.what.length > 0) return;
  }
  notes.what.push("does not come to an end");
}

/** A disk of that size in place of the folder, which keeps what was on it; or a limit that nothing ends the process for. */
function wrapperOf(work: string, kilobytes: number, inputBytes: number): readonly string[] {
  if (!hasOwnDisks()) return ["sh", "-c", `trap "" XFSZ; ulimit -f ${kilobytes * 2}; exec "$@"`, "sh"];
  const kept = `${work}.kept`;
  rmSync(kept, { recursive: true, force: true });
  const size = kilobytes * 1_024 + Math.ceil(inputBytes / 4_096) * 4_096 + 4_096;
  const script = `set -e; mv "$1" "$2"; mkdir "$1"; mount -t tmpfs -o size=${size} tmpfs "$1"; cp -a "$2"/. "$1"; w=$1; k=$2; shift 2; code=0; "$@" || code=$?; rm -rf "$k"; cp -a "$w" "$k"; umount "$w"; rmdir "$w"; mv "$k" "$w"; exit $code`;
  return ["unshare", "-rm", "sh", "-c", script, "sh", work, kept];
}

/** True where a process may have a disk of its own. */
function hasOwnDisks(): boolean {
  return spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", tmpdir()]).status === 0;
}
