import { join } from "node:path";
import { withoutMaps } from "../../../core/document/org-map.ts";
import type { Part } from "../../../core/document/parts.ts";
import type { Section } from "../../../core/document/scan-types.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { createWalker } from "../../../core/json/walker.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import type { Document } from "../../../io/input/document.ts";
import { realPathOf } from "../../../io/links.ts";
import { OwnFiles, REASONS } from "../../../io/output/own-files.ts";
import { describeCause } from "../../../problem/cause.ts";
import { sentences } from "../../../problem/description.ts";
import { describeRowCause } from "../../../problem/row.ts";
import { movedRejectsLine } from "../../../problem/run.ts";
import type { RowProblem } from "../../../problem.ts";
import { placeOf } from "../../shared/scan-input.ts";
import type { ImportRun } from "../import-run.ts";
import { type Plan, readOwnedElements } from "../plan/plan.ts";
import type { RejectsPlace } from "../settings.ts";

const UNKNOWN = "unknown.ndjson";
/** The files of a rejects folder of an import. */
export const REJECT_FILES = ["body.json", REASONS, UNKNOWN] as const;

/** The files of rejected and failed users (design: "Nothing is lost"); a file without content is not created. */
export interface Rejects {
  /** The folder; undefined: they are not kept. After `commit`, the folder that has the files. */
  readonly dir: string | undefined;
  fault(problem: RowProblem): void;
  failure(failure: Failure, input: Pick<Document, "path" | "place">): void;
  /**
   * Writes `body.json` with the failed and the skipped users, and makes all files visible. Deletes files of an earlier run that this run
   * does not write.
   */
  commit(failedItems: readonly number[], plan: RejectedPlan): Promise<void>;
  /** Takes the ids of all users with an unknown outcome, for `unknown.ndjson`. */
  unknown(ids: readonly string[]): void;
  /** The path of `body.json`, after `commit`; undefined: there are no failed or skipped users, or they are not kept. */
  readonly body: string | undefined;
  /** The path of that file; undefined: it is not kept. */
  readonly unknownFile: string | undefined;
  discard(): void;
}

/** What the rejected users are read by. */
type RejectedPlan = Omit<Plan, "sha256" | "fingerprint">;

/** Keeps nothing without a place. Raises output.unwritable, output.full, output.planted for a place that cannot be written. */
export function openRejects(
  place: RejectsPlace | undefined,
  { context, ui }: Pick<ImportRun, "context" | "ui">,
): Rejects {
  if (place === undefined) {
    return {
      dir: undefined,
      body: undefined,
      fault() {},
      failure() {},
      unknown() {},
      unknownFile: undefined,
      async commit() {},
      discard() {},
    };
  }
  const { dir, writer, inputs } = place;
  // Rejects of another input are kept.
  const owner = [writer, ...inputs.map((path) => realPathOf(context.cwd, path))].join(" ");
  const onMoved = (from: string, to: string): void => ui.warn(movedRejectsLine(from, to));
  const files = new OwnFiles(dir, { owner, names: REJECT_FILES, inputs }, { ...context, flag: "--rejects", onMoved });
  const write = (fields: Readonly<Record<string, unknown>>): void => files.open(REASONS).line(fields);
  return {
    get dir() {
      return files.path;
    },
    fault: (problem) => {
      const { file, line, code, id, path, field } = problem;
      write({ file, line, code, id, path, field, message: sentences(describeRowCause(problem)) });
    },
    failure: ({ type, id, message, cause, line }, input) => {
      const place = line === undefined ? { file: input.path } : placeOf(input, line);
      const words = message === "" ? describeCause(cause).message : message;
      write({ ...place, code: cause, type, id, message: words });
    },
    async commit(failedItems, plan) {
      const failed = new Set(failedItems);
      const faulty = plan.scan.sections.some((section) => section.key === "humanUsers" && hasSkipped(section));
      if (failed.size > 0 || faulty) {
        const body = files.open("body.json");
        for await (const bytes of rejectedBody(failed, plan)) body.write(bytes);
      }
      await files.commit();
    },
    unknown(ids) {
      for (const id of ids) files.open(UNKNOWN).line({ id });
    },
    get body() {
      return files.has("body.json") ? join(files.path, "body.json") : undefined;
    },
    get unknownFile() {
      return join(files.path, UNKNOWN);
    },
    discard: () => files.discard(),
  };
}

/**
 * An import body of the failed and the skipped users, with the bytes of the input, and of what belongs to them. It has the ids of the input,
 * so the flags of the import (`--org-map`, `--idp`) are for it, too. It is written after an interruption, too. Of users with one id, it has
 * the first at most: imported with `--update`, another one would replace what the first one has got.
 */
async function* rejectedBody(failed: ReadonlySet<number>, plan: RejectedPlan): AsyncGenerator<Buffer> {
  const { parts, read, timeout } = plan;
  const scan = withoutMaps(plan.scan);
  yield Buffer.from(`{"${scan.container}":{"orgs":[`);
  const ids = new Set<string>();
  let orgs = 0;
  for (const part of parts) {
    if (part.section?.key !== "humanUsers") continue;
    let users = 0;
    for await (const user of pick(part, part.section, failed, read)) {
      const orgId = JSON.stringify(scan.orgs[part.org]?.orgId);
      if (users === 0) yield Buffer.from(`${orgs === 0 ? "" : ","}\n{"orgId":${orgId},"humanUsers":[`);
      yield Buffer.concat([Buffer.from(users === 0 ? "\n" : ",\n"), user]);
      ids.add(userIdOf(user));
      users += 1;
    }
    if (users === 0) continue;
    orgs += 1;
    yield Buffer.from("\n]}");
  }
  ids.delete("");
  let list = "";
  for await (const { item, owner } of ids.size === 0 ? [] : readOwnedElements({ scan, parts, read })) {
    if (!ids.has(owner)) continue;
    const orgId = JSON.stringify(scan.orgs[item.org]?.orgId);
    const begin = `{"orgId":${orgId},"${item.key}":[`;
    yield Buffer.from(list === begin ? ",\n" : `${list === "" ? "" : "\n]}"},\n${begin}\n`);
    yield Buffer.from(item.bytes);
    list = begin;
  }
  if (list !== "") yield Buffer.from("\n]}");
  yield Buffer.from(`\n]},"timeout":${JSON.stringify(timeout.text)}}\n`);
}

/** True for a list with skipped users besides those with the id of an earlier one. */
function hasSkipped({ invalid, repeated }: Section): boolean {
  return [...invalid].some((at) => !repeated.has(at));
}

async function* pick(
  { first, count, way }: Part,
  section: Section,
  failed: ReadonlySet<number>,
  read: RejectedPlan["read"],
): AsyncGenerator<Buffer> {
  // Invalid users are not sent; they are counted with the import endpoint's.
  const isSkipped = (at: number): boolean => way === "import" && section.invalid.has(at) && !section.repeated.has(at);
  const wanted =
    (way === "import" && hasSkipped(section)) || [...failed].some((index) => index >= first && index < first + count);
  if (!wanted) return;
  let position = 0;
  let picked: Buffer[] = [];
  const walker = createWalker(
    { elements: undefined },
    {
      value: (_, bytes) => {
        if (isSkipped(position) || failed.has(first + position)) picked.push(bytes);
        position += 1;
      },
    },
  );
  for await (const chunk of read(section)) {
    walker.push(chunk);
    yield* picked;
    picked = [];
  }
}
