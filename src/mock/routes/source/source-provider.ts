import { createHmac, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { stringify } from "ndjson";
import { type Answer, jsonAnswer } from "../../http/answer.ts";
import { parsedJson } from "../../http/json.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import { ExportJob, type SourceJob } from "../../state/source-job.ts";
import { sourceError } from "./answers.ts";
import { connectionsOf, isOf } from "./connections.ts";

/** Everything of a job is deleted after a day, and a link to its file is valid for a minute. */
const JOB_MS = 24 * 3_600_000;
const LINK_MS = 60_000;

/** `POST /api/v2/jobs/users-exports`. The specification leaves its answer open; it is from the provider's documentation. */
export async function startSourceJob(call: Call, instance: Instance): Promise<Answer> {
  const parsed = ExportJob.safeParse(parsedJson(Buffer.from(call.body).toString()));
  if (!parsed.success) {
    const message = `Payload validation error: on property ${parsed.error.issues[0]?.path.join(".") ?? ""}`;
    return sourceError(400, "Bad Request", message, "invalid_body");
  }
  if (parsed.data.format === "csv") return sourceError(400, "Bad Request", "the mock exports json only");
  const connection = parsed.data.connection_id;
  if (connection !== undefined && !connectionsOf(instance).some(({ id }) => id === connection)) {
    return sourceError(400, "Bad Request", "The connection does not exist", "inexistent_connection");
  }
  const id = `job_${randomBytes(8).toString("hex")}`;
  const file = randomBytes(16).toString("hex");
  const entry = { job: parsed.data, file, createdAt: instance.now(), polls: 0, isFailed: call.isSpoiled };
  instance.sourceJobs.set(id, entry);
  return jsonAnswer(describe(id, entry));
}

/** `GET /api/v2/jobs/{id}`: pending in the first answer, processing in the second, completed from the third on. */
export async function showSourceJob(call: Call, instance: Instance): Promise<Answer> {
  const [id = ""] = call.parameters;
  const entry = instance.sourceJobs.get(id);
  if (entry === undefined || instance.now().getTime() - entry.createdAt.getTime() > JOB_MS) {
    return sourceError(404, "Not Found", "The job does not exist", "inexistent_job");
  }
  entry.isFailed ||= call.isSpoiled;
  entry.polls += 1;
  const shown = describe(id, entry);
  if (shown.status !== "completed") return jsonAnswer(shown);
  const host = headerOf(call, "host") ?? "";
  const expires = String(instance.now().getTime() + LINK_MS);
  const query = new URLSearchParams({ Expires: expires, Signature: signatureOf(entry, expires) });
  return jsonAnswer({ ...shown, location: `http://${host}/_mock/downloads/${entry.file}.json.gz?${query}` });
}

/**
 * The file of a job: gzipped NDJSON with the requested fields. The address is signed: it is refused when it has expired, was changed,
 * or comes with a token.
 */
export async function downloadSourceFile(call: Call, instance: Instance): Promise<Answer> {
  const entry = [...instance.sourceJobs.values()].find(({ file }) => `${file}.json.gz` === call.parameters[0]);
  if (entry === undefined) return sourceError(404, "Not Found", "No such file");
  if (headerOf(call, "authorization") !== undefined) return storageError(400, "InvalidArgument");
  const expires = call.query.get("Expires") ?? "";
  const isSigned = call.query.get("Signature") === signatureOf(entry, expires);
  if (!isSigned || call.isSpoiled || Number(expires) <= instance.now().getTime())
    return storageError(403, "AccessDenied");
  const rows = usersOf(entry.job, instance);
  const body = await buffer(Readable.from(rows).pipe(stringify()).pipe(createGzip()));
  return { status: 200, headers: { "content-type": "application/gzip" }, body };
}

/** A key of this process: a caller cannot sign an address. */
const key = randomBytes(32);

function signatureOf({ file }: SourceJob, expires: string): string {
  return createHmac("sha256", key).update(`${file} ${expires}`).digest("base64url");
}

function storageError(status: number, code: string): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>Request has expired</Message></Error>`;
  return { status, headers: { "content-type": "application/xml" }, body };
}

function usersOf({ connection_id: id, fields, limit }: ExportJob, instance: Instance) {
  const connection = connectionsOf(instance).find((one) => one.id === id);
  const all = instance.seed.sourceUsers.filter((user) => connection === undefined || isOf(user, connection));
  return all.slice(0, limit).map((user) => (fields === undefined ? user : picked(user, fields)));
}

function describe(id: string, { job, polls, createdAt, isFailed }: SourceJob) {
  const common = {
    type: "users_export",
    id,
    format: job.format,
    connection_id: job.connection_id,
    fields: job.fields,
    created_at: createdAt.toISOString(),
  };
  if (isFailed) return { ...common, status: "failed", status_details: "The export could not be completed" };
  if (polls < 2) return { ...common, status: "pending" };
  if (polls === 2) return { ...common, status: "processing", percentage_done: 50, time_left_seconds: 1 };
  return { ...common, status: "completed", percentage_done: 100, time_left_seconds: 0 };
}

/** The value of a field, or of a path into one: `identities[0].connection`. */
function picked(user: Readonly<Record<string, unknown>>, fields: NonNullable<ExportJob["fields"]>) {
  const found = fields.map(({ name, export_as }) => [export_as ?? name, valueAt(user, name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function valueAt(user: Readonly<Record<string, unknown>>, name: string): unknown {
  if (name in user) return user[name];
  const path = name.replace(/\[(\d+)\]/g, ".$1").split(".");
  return path.reduce<unknown>(
    (value, part) => (typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined),
    user,
  );
}
