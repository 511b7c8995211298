import { createHash, type Hash } from "node:crypto";
import { auth0Limits, type Job } from "../../contract/auth0.ts";
import type { Sink } from "../../io/output/sink.ts";
import { bytes, counted, duration } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import { type ExportSink, withRoom } from "../export/disk-room.ts";
import { withProgress } from "../shared/with-progress.ts";
import type { Choice } from "./choose-connections.ts";
import { type FetchCall, retried } from "./fetch-call.ts";
import type { JobFile } from "./job-file.ts";
import { unpack } from "./unpack.ts";
import { type Written, writeUsers } from "./users-file.ts";

/** What was fetched, in all and per connection. */
export interface Fetched {
  readonly users: number;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  readonly connections: readonly FetchedConnection[];
}

interface FetchedConnection extends Written {
  readonly connection: string | undefined;
  readonly jobId: string;
}

/** A completed job of the tenant. */
interface FinishedJob {
  readonly id: string;
  readonly choice: Choice;
}

/** Two calls a second is what the smallest plan allows. */
const POLL_MS = 2_000;
/** A job that makes no progress for an hour is left to a later run. */
const MAX_IDLE_POLLS = 1_800;

/**
 * Requests the exports that were not requested yet and waits for each, in order: a tenant works on few jobs at a time. Then downloads
 * the users of all into a sink. When a download fails and can be repeated, the downloads start over with a new sink. The caller commits
 * the sink. Raises api.*, auth.*, net.*, output.*; the file of jobs keeps the requested jobs then.
 */
export async function fetchUsers<S extends ExportSink>(
  call: FetchCall,
  jobs: JobFile,
  createSink: () => S,
): Promise<{ readonly fetched: Fetched; readonly sink: S }> {
  let sink = createSink(); // a problem with the output is known before a job is requested
  let isNew = true;
  try {
    const finished: FinishedJob[] = [];
    for (const choice of jobs.wanted.connections) finished.push({ id: await finishedJob(call, jobs, choice), choice });
    const fetched = await retried(call, async () => {
      if (!isNew) {
        await sink.discard();
        sink = createSink();
      }
      isNew = false;
      return downloadAll(call, finished, withRoom(sink));
    });
    return { fetched, sink };
  } catch (error) {
    await sink.discard();
    await afterFailure(error, call, jobs);
    throw error;
  }
}

/** Forgets a job that failed or is gone. Other jobs are kept: the next run continues with them. */
async function afterFailure(error: unknown, { ui }: FetchCall, jobs: JobFile): Promise<void> {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  if (problem?.code === "api.job-failed" || problem?.code === "api.job-gone") await jobs.forget(problem.jobId);
  else if (jobs.jobs.length > 0 && jobs.path !== undefined)
    ui.say(
      `Auth0 keeps the export for ${auth0Limits.jobHours} hours: the same command continues with it (${jobs.path}).`,
    );
}

/** The id of a completed job. Requests a new one if the job of an earlier run is gone. */
async function finishedJob(call: FetchCall, jobs: JobFile, choice: Choice): Promise<string> {
  const earlier = jobs.idOf(choice);
  if (earlier !== undefined) {
    call.ui.say(`continuing with the export ${earlier}${ofConnection(choice)}`);
    try {
      return await waitFor(call, earlier, choice);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== "api.job-gone") throw error;
      call.ui.say(
        `the export is gone: Auth0 deletes exports after ${auth0Limits.jobHours} hours. Requesting a new one.`,
      );
      await jobs.forget(earlier);
    }
  }
  return waitFor(call, await start(call, jobs, choice), choice);
}

async function start(call: FetchCall, jobs: JobFile, choice: Choice): Promise<string> {
  const { api, context, ui } = call;
  const request = {
    ...(choice.id === undefined ? {} : { connection_id: choice.id }),
    format: "json" as const,
    fields: jobs.wanted.fields.map((name) => ({ name })),
  };
  const { id } = await retried(call, () => api.startExport(request, context.signal));
  await jobs.add(choice, id, context.now());
  ui.say(`requested the export ${id}${ofConnection(choice)}`);
  return id;
}

function ofConnection({ id, name = id }: Choice): string {
  return name === undefined ? "" : ` of ${name}`;
}

/** Raises api.job-failed, api.job-gone, net.job-pending. */
async function waitFor(call: FetchCall, id: string, choice: Choice): Promise<string> {
  const { api, context, ui, retry } = call;
  return withProgress(ui, `exporting${ofConnection(choice)}`, async (progress) => {
    let idle = 0;
    for (let last = ""; ; ) {
      const job = await retried(call, () => api.showJob(id, context.signal));
      const now = `${job.status} ${job.percentage_done}`;
      idle = now === last ? idle + 1 : 0;
      last = now;
      if (job.status === "completed") return id;
      if (job.status === "failed") throw failed(job, call);
      if (idle >= MAX_IDLE_POLLS)
        throw new ProblemError({ code: "net.job-pending", host: api.address.host, jobId: id });
      progress.update(() => stateOf(job));
      await retry.sleep(POLL_MS, context.signal);
    }
  });
}

const BAR = 20;

function stateOf({ status, percentage_done: percent, time_left_seconds: left }: Job): string {
  if (percent === undefined || percent === null) return status;
  const filled = Math.round((Math.min(Math.max(percent, 0), 100) / 100) * BAR);
  const bar = `${"█".repeat(filled)}${"░".repeat(BAR - filled)}`;
  return `${bar} ${Math.round(percent)} %${left ? `, about ${duration(left * 1000)} left` : ""}`;
}

function failed({ id, status_details: details }: Job, { api }: FetchCall): ProblemError {
  const message = api.redactor.clean(details ?? "");
  return new ProblemError({ code: "api.job-failed", host: api.address.host, jobId: id, message });
}

async function downloadAll(call: FetchCall, jobs: readonly FinishedJob[], sink: Sink): Promise<Fetched> {
  const hash = createHash("sha256");
  const hashed = hashing(sink, hash);
  const connections: FetchedConnection[] = [];
  for (const { id: jobId, choice } of jobs) {
    const written = await download(call, jobId, choice, hashed);
    connections.push({ connection: choice.name ?? choice.id, jobId, ...written });
  }
  const sum = (key: keyof Written): number => connections.reduce((total, one) => total + one[key], 0);
  return { users: sum("users"), bytes: sum("bytes"), sha256: hash.digest("hex"), connections };
}

function hashing(sink: Sink, hash: Hash): Sink {
  return {
    write(chunk) {
      hash.update(chunk);
      return sink.write(chunk);
    },
  };
}

/** Asks for a new link, since one is valid for a minute, and writes its file to the sink. */
async function download(call: FetchCall, id: string, choice: Choice, sink: Sink): Promise<Written> {
  const { api, context, ui } = call;
  const { host } = api.address;
  return withProgress(ui, `downloading${ofConnection(choice)}`, async (progress) => {
    const { location } = await api.showJob(id, context.signal);
    if (!location) {
      const what = "a completed export without a link to its file";
      throw new ProblemError({ code: "api.unexpected", host, what });
    }
    const answer = await api.download(location, context.signal);
    return writeUsers(unpack(answer.bytes(), answer.host), sink, host, (written) => {
      progress.update(() => `${counted(written.users, "user")}, ${bytes(written.bytes)}`);
    });
  });
}
