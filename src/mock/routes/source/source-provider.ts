import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { stringify } from "ndjson";
import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { grantOf } from "../../http/auth.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import { ExportJob, type SourceJob } from "./source-job.ts";

/** `POST /api/v2/jobs/users-exports`. assumed: the specification leaves its response open. */
export async function startSourceJob(call: Call, instance: Instance): Promise<Answer> {
  const refused = withoutToken(call, instance);
  if (refused !== undefined) return refused;
  const parsed = ExportJob.safeParse(parseJson(call.body));
  if (!parsed.success) return sourceError(400, "Bad Request", "Payload validation error");
  if (parsed.data.format === "csv") return sourceError(400, "Bad Request", "the mock exports json only");
  const id = `job_${randomBytes(8).toString("hex")}`;
  const entry = { job: parsed.data, file: randomBytes(16).toString("hex"), polls: 0 };
  instance.sourceJobs.set(id, entry);
  return jsonAnswer(describe(id, entry));
}

/** `GET /api/v2/jobs/{id}`: pending when first asked, completed from then on. */
export async function showSourceJob(call: Call, instance: Instance): Promise<Answer> {
  const refused = withoutToken(call, instance);
  if (refused !== undefined) return refused;
  const id = call.path.split("/").at(-1) ?? "";
  const entry = instance.sourceJobs.get(id);
  if (entry === undefined) return sourceError(404, "Not Found", "Job not found");
  entry.polls += 1;
  if (entry.polls === 1) return jsonAnswer(describe(id, entry));
  const host = headerOf(call, "host") ?? "";
  return jsonAnswer({ ...describe(id, entry), location: `http://${host}/_mock/downloads/${entry.file}.json.gz` });
}

/** The file of a job: gzipped NDJSON with the fields asked for. The address itself is the secret, as with a signed one. */
export async function downloadSourceFile(call: Call, instance: Instance): Promise<Answer> {
  const file = call.path.split("/").at(-1) ?? "";
  const entry = [...instance.sourceJobs.values()].find((candidate) => `${candidate.file}.json.gz` === file);
  if (entry === undefined) return sourceError(404, "Not Found", "No such file");
  const { fields, limit } = entry.job;
  const users = instance.seed.sourceUsers.slice(0, limit);
  const rows = users.map((user) => (fields === undefined ? user : picked(user, fields)));
  const body = await buffer(Readable.from(rows).pipe(stringify()).pipe(createGzip()));
  return { status: 200, headers: { "content-type": "application/gzip" }, body };
}

function describe(id: string, { job, polls }: SourceJob) {
  const common = {
    type: "users_export",
    id,
    format: job.format,
    ...(job.connection_id === undefined ? {} : { connection_id: job.connection_id }),
    created_at: new Date(0).toISOString(),
  };
  return polls < 2 ? { ...common, status: "pending" } : { ...common, status: "completed", percentage_done: 100 };
}

function picked(user: Readonly<Record<string, unknown>>, fields: NonNullable<ExportJob["fields"]>) {
  return Object.fromEntries(
    fields.filter(({ name }) => name in user).map(({ name, export_as }) => [export_as ?? name, user[name]]),
  );
}

function withoutToken(call: Call, { grants, now }: Instance): Answer | undefined {
  const grant = grantOf(headerOf(call, "authorization") ?? "", grants, now());
  return grant === undefined ? sourceError(401, "Unauthorized", "Invalid token") : undefined;
}

function sourceError(statusCode: number, error: string, message: string): Answer {
  return jsonAnswer({ statusCode, error, message }, statusCode);
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
