import { createHash } from "node:crypto";
import { auth0Limits, type Job } from "../../contract/auth0.ts";
import { bytes, counted, duration } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import type { Progress } from "../../ui/terminal/progress.ts";
import { type ExportSink, withRoom } from "../export/disk-room.ts";
import type { Choice } from "./choose-connections.ts";
import { type FetchCall, retried } from "./fetch-call.ts";
import type { JobFile } from "./job-file.ts";
import { Part } from "./part.ts";
import { unpack } from "./unpack.ts";

/** What was fetched, as a whole and of each connection. */
export interface Fetched {
  readonly users: number;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  readonly connections: readonly {
    readonly connection: string | undefined;
    readonly jobId: string;
    readonly users: number;
    readonly bytes: number;
  }[];
}

/** Two calls a second is what the smallest plan allows. */
const POLL_MS = 2_000;

/**
 * Asks for the exports that were not asked for yet, waits for each and takes its users into the sink, one after the other: a tenant works
 * on few jobs at a time. Raises api.*, auth.*, net.*, output.*; what was asked for stays in the file of jobs then.
 */
export async function fetchUsers(call: FetchCall, jobs: JobFile, sink: ExportSink): Promise<Fetched> {
  const hash = createHash("sha256");
  const goal = withRoom(sink);
  const hashed = {
    write: (chunk: Uint8Array) => {
      hash.update(chunk);
      return goal.write(chunk);
    },
  };
  const connections: Fetched["connections"][number][] = [];
  try {
    for (const choice of jobs.wanted.connections) {
      const jobId = await finishedJob(call, jobs, choice);
      const part = new Part(hashed, call.api.address.host);
      await download(call, jobId, part, choice);
      const connection = choice.name ?? choice.id;
      connections.push({ connection, jobId, users: part.users, bytes: part.bytes });
    }
  } catch (error) {
    await afterFailure(error, call, jobs);
    throw error;
  }
  const sum = (key: "users" | "bytes"): number => connections.reduce((total, one) => total + one[key], 0);
  return { users: sum("users"), bytes: sum("bytes"), sha256: hash.digest("hex"), connections };
}

/** A job that is gone or failed is not waited for again; any other goes on, and so can whoever fetches it. */
async function afterFailure(error: unknown, { ui }: FetchCall, jobs: JobFile): Promise<void> {
  const problem = error instanceof ProblemError ? error.problem : undefined;
  if (problem?.code === "api.job-failed" || problem?.code === "api.job-gone") await jobs.forget(problem.jobId);
  else if (jobs.jobs.length > 0 && jobs.path !== undefined)
    ui.say(
      `Auth0 keeps the export for ${auth0Limits.jobHours} hours: the same command goes on with it (${jobs.path}).`,
    );
}

/** The id of a job that is completed. One of an earlier run that is gone by now is asked for anew. */
async function finishedJob(call: FetchCall, jobs: JobFile, choice: Choice): Promise<string> {
  const earlier = jobs.idOf(choice);
  if (earlier !== undefined) {
    call.ui.say(`going on with the export ${earlier}${ofConnection(choice)}`);
    try {
      return await waitFor(call, earlier, choice);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== "api.job-gone") throw error;
      call.ui.say(
        `it is gone: Auth0 deletes everything of an export after ${auth0Limits.jobHours} hours. Asking for a new one.`,
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
  ui.say(`asked for the export ${id}${ofConnection(choice)}`);
  return id;
}

function ofConnection({ id, name = id }: Choice): string {
  return name === undefined ? "" : ` of ${name}`;
}

/** Raises api.job-failed, api.job-gone. */
async function waitFor(call: FetchCall, id: string, choice: Choice): Promise<string> {
  const { api, context, ui, retry } = call;
  const progress = ui.progress(`exporting${ofConnection(choice)}`);
  try {
    for (;;) {
      const job = await retried(call, () => api.showJob(id, context.signal));
      if (job.status === "completed") return id;
      if (job.status === "failed") throw failed(job, call);
      progress.update(() => stateOf(job));
      await retry.sleep(POLL_MS, context.signal);
    }
  } finally {
    progress.stop();
  }
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

/** Each attempt asks for a fresh link, since one is valid for a minute. */
async function download(call: FetchCall, id: string, part: Part, choice: Choice): Promise<void> {
  const { api, context, ui } = call;
  const progress = ui.progress(`downloading${ofConnection(choice)}`);
  try {
    await retried(call, async () => {
      const { location } = await api.showJob(id, context.signal);
      if (!location) {
        const what = "a completed export without a link to its file";
        throw new ProblemError({ code: "api.unexpected", host: api.address.host, what });
      }
      const answer = await api.download(location, context.signal);
      await part.take(told(unpack(answer.bytes(), answer.host), part, progress));
    });
  } finally {
    progress.stop();
  }
}

async function* told(chunks: AsyncIterable<Buffer>, part: Part, progress: Progress): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    progress.update(() => `${counted(part.users, "user")}, ${bytes(part.bytes)}`);
  }
}
