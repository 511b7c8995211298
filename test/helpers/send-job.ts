import type { AdminApi } from "../../src/admin/client.ts";
import { createBodyScanner } from "../../src/core/document/body-scan.ts";
import { planParts } from "../../src/core/document/parts.ts";
import type { BodyScan } from "../../src/core/document/scan-types.ts";
import { createHalvingPolicy } from "../../src/core/transfer/batch-policy.ts";
import { createJobState } from "../../src/core/transfer/job-state.ts";
import type { DoneEntry } from "../../src/core/transfer/journal-entries.ts";
import { createPace, exactly } from "../../src/core/transfer/pace.ts";
import type { Journal } from "../../src/io/journal/journal.ts";
import { JobProgress } from "../../src/jobs/import/progress.ts";
import { createLanes, type Lane } from "../../src/jobs/import/ways/lane.ts";
import { sendAll } from "../../src/jobs/import/ways/send-all.ts";
import { fakeApi, textAnswer } from "./fake-api.ts";

export interface SentJob {
  readonly progress: JobProgress;
  /** What was told of each batch. */
  readonly told: readonly DoneEntry[];
  /** The bodies of the calls. */
  readonly bodies: readonly string[];
  /** What ended it early. */
  readonly error: unknown;
}

/** Sends a document to an instance that gives these answers, one after the other, the last one again and again. */
export async function sendJob(
  document: string,
  answers: readonly string[],
  append: Journal["append"] = () => {},
): Promise<SentJob> {
  const bytes = Buffer.from(document);
  const scan = scanBytes(bytes);
  const told: DoneEntry[] = [];
  const bodies: string[] = [];
  const lane = oneAtATime();
  const context = {
    api: answering(answers, bodies),
    scan,
    parts: planParts(scan),
    async *read({ start, end }: { start: number; end: number }) {
      yield bytes.subarray(start, end);
    },
    journal: { append, appendSoon: append, flush() {}, close() {}, remove() {} },
    timeout: { text: "5m0s", ms: 300_000 },
    target: undefined,
    users: undefined,
    lanes: { import: lane, users: lane },
    self: async () => undefined,
    failOnExisting: false,
    retry: { sleep: async () => {}, random: () => 0, onPause() {} },
    signal: new AbortController().signal,
    onDone: (entry: DoneEntry) => void told.push(entry),
    onNoUsersApi() {},
    onSmaller() {},
  };
  const progress = new JobProgress(createJobState(), false, context.parts);
  const policy = createHalvingPolicy({ users: 5_000, bytes: 1e6 });
  const error = await sendAll(context, progress, policy).catch((cause: unknown) => cause);
  return { progress, told, bodies, error };
}

/** One call of up to 5,000 users at a time. */
function oneAtATime(): Lane {
  const pace = createPace({ calls: exactly(1), users: exactly(5_000) });
  const retry = { sleep: async () => {} };
  return createLanes({ only: pace }, { retry, signal: new AbortController().signal, clock: () => 0, maxCalls: 1 }).only;
}

/** What is found in a document. */
export function scanOf(document: unknown): BodyScan {
  return scanBytes(Buffer.from(JSON.stringify(document)));
}

function scanBytes(bytes: Buffer): BodyScan {
  const scanner = createBodyScanner({ file: "body.json", onFault() {} });
  scanner.push(bytes);
  return scanner.end();
}

function answering(texts: readonly string[], bodies: string[]): AdminApi {
  return fakeApi({
    async importData(body) {
      bodies.push(body.toString());
      return textAnswer(texts[Math.min(bodies.length, texts.length) - 1] ?? "{}");
    },
  });
}
