import { createBodyScanner } from "../../src/core/document/body-scan.ts";
import { planParts } from "../../src/core/document/parts.ts";
import type { BodyScan } from "../../src/core/document/scan-types.ts";
import type { Failure } from "../../src/core/transfer/answer/batch-result.ts";
import { JobState } from "../../src/core/transfer/job-state.ts";
import { exactly, Pace } from "../../src/core/transfer/pace.ts";
import type { Journal } from "../../src/io/journal/journal.ts";
import { Ledger } from "../../src/jobs/import/ledger.ts";
import { Provenance } from "../../src/jobs/import/provenance/provenance.ts";
import { openScreen } from "../../src/jobs/import/provenance/screen.ts";
import { sendAll } from "../../src/jobs/import/send-all.ts";
import { ImportEndpoint } from "../../src/jobs/import/ways/import-endpoint.ts";
import { createLanes, type Lane } from "../../src/jobs/import/ways/lane.ts";
import type { Ui } from "../../src/ui/ui.ts";
import { startFrontApi } from "./front-api.ts";

export interface SentJob {
  readonly ledger: Ledger;
  /** The failures of each settlement. */
  readonly settled: readonly (readonly Failure[])[];
  /** The bodies of the calls. */
  readonly bodies: readonly string[];
  /** What ended it early. */
  readonly error: unknown;
}

/** Sends a document to an instance that gives these answers in order, and repeats the last one. */
export async function sendJob(
  document: string,
  answers: readonly string[],
  append: Journal["append"] = () => {},
): Promise<SentJob> {
  const bytes = Buffer.from(document);
  const scan = scanBytes(bytes);
  const settled: (readonly Failure[])[] = [];
  const bodies: string[] = [];
  const lane = sequentialLane();
  const asking = {
    api: await startFrontApi({
      import: (body) => answers[Math.min(bodies.push(body), answers.length) - 1] ?? "{}",
    }),
    ui: {} as Ui, // nothing is shown without a target state
    retry: { sleep: async () => {}, random: () => 0, onPause() {} },
    signal: new AbortController().signal,
  };
  const plan = {
    scan,
    parts: planParts(scan),
    async *read({ start, end }: { start: number; end: number }) {
      yield bytes.subarray(start, end);
    },
    timeout: { text: "5m0s", ms: 300_000 },
    sha256: "",
    fingerprint: "",
  };
  const onFailures = (failures: readonly Failure[]) => void settled.push(failures);
  const ledger = new Ledger(new JobState(), plan.parts, { failOnExisting: false, onFailures });
  const journal = { append, appendSoon: append, flush() {}, close() {}, remove() {} };
  ledger.keepIn(journal);
  const provenance = new Provenance(asking, plan, ledger);
  const context = {
    calling: { ...asking, lanes: { import: lane, users: lane, changes: lane } },
    plan,
    ledger,
    provenance,
    screen: await openScreen({
      asking,
      plan,
      target: undefined,
      replaced: provenance.replaced,
      ledger,
      leavesRemoved: false,
    }),
  };
  const endpoint = new ImportEndpoint(context, 1e6, () => {});
  const senders = { import: endpoint, users: undefined, onlyUsersOverlap: false };
  const error = await sendAll(context, senders).catch((cause: unknown) => cause);
  return { ledger, settled, bodies, error };
}

/** One call of up to 5,000 users at a time. */
function sequentialLane(): Lane {
  const pace = new Pace({ calls: 1, users: exactly(5_000) });
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
