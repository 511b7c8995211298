import type { Answer } from "../../../admin/call.ts";
import type { AdminApi } from "../../../admin/client.ts";
import { newestEvent } from "../../../admin/events.ts";
import { readInstanceVersion } from "../../../admin/version.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ExportRequest } from "../../../contract/export-request.ts";
import { capabilitiesOf } from "../../../contract/versions.ts";
import { recoveryCodeEventTypes } from "../../../core/events/rebuild/user-fold.ts";
import { askingOf, type CallWorld } from "../../shared/asking.ts";
import type { LogReading } from "../../shared/read-log.ts";
import type { FoundOrg } from "../../shared/search-orgs.ts";
import { findUnknownEvents } from "../../shared/unknown-events.ts";
import { listLiving } from "../select-orgs.ts";
import { type ReadLog, readLogOf } from "./read-log.ts";
import { readOrg } from "./read-org.ts";
import { orgJson } from "./write-org.ts";

/** What an export that was rebuilt from events lacks, known when its answer was read to the end. */
export interface Unread {
  /** Users with an OTP secret, which the service encrypts; 0 without --with-otp. */
  readonly otpSecrets: number;
  /** Identity providers whose client secret the service does not return. */
  readonly clientSecrets: number;
  /** Events that came while the export was read, and that it does not contain. */
  readonly laterEvents: number;
  /** Types of events of users that orgferry does not know. */
  readonly unknownEventTypes: readonly string[];
}

/** A rebuilt export. */
export interface RebuiltExport {
  readonly answer: Answer;
  unread(): Unread;
  /** Frees the temporary files. */
  close(): void;
}

const FLUSH_BYTES = 64 * 1024;

/**
 * Rebuilds the export of these organizations (none: all) from the event log, up to its newest event, and from the lists of the older API:
 * for organizations that the service cannot export, because its answer would be too large (service behaviour 0.60). Memory holds some 150
 * bytes per user; the events wait in encrypted temporary files. Raises what reading events and lists raises, and output.*.
 */
export async function exportByEvents(call: CallWorld, request: ExportRequest): Promise<RebuiltExport> {
  const { api, context } = call;
  const { signal, cleanUp } = context;
  const reading = askingOf(call);
  const mark = await newestChange(reading);
  const wanted = new Set(request.org_ids);
  const listed = await listLiving(reading);
  const orgs = wanted.size === 0 ? listed : listed.filter(({ id }) => wanted.has(id));
  const ids = orgs.map(({ id }) => id);
  const { recoveryCodes } = capabilitiesOf(await readInstanceVersion(api, signal));
  const moreTypes = recoveryCodes && request.with_otp ? recoveryCodeEventTypes : [];
  const log = await readLogOf(ids, moreTypes, mark, reading, cleanUp);
  const unknownEventTypes = await findUnknownEvents(reading, ids);
  const counts = { otpSecrets: 0, clientSecrets: 0 };
  return {
    answer: answerOf(api, () => inChunks(documentOf({ orgs, log, reading, request, counts, call }))),
    unread: () => ({ ...counts, laterEvents: log.laterEvents, unknownEventTypes }),
    close: log.remove,
  };
}

interface Rebuilding {
  readonly orgs: readonly FoundOrg[];
  readonly log: ReadLog;
  readonly reading: LogReading;
  readonly request: ExportRequest;
  readonly counts: { otpSecrets: number; clientSecrets: number };
  readonly call: CallWorld;
}

async function* documentOf(rebuilding: Rebuilding): AsyncGenerator<string | Buffer> {
  const { orgs, log, reading, request, counts, call } = rebuilding;
  const ids = new Set(orgs.map(({ id }) => id));
  const scope = { orgs: log.orgs, hasOrg: (id: string) => ids.has(id), hasUser: log.hasUser };
  let before = '{"orgs":[';
  for (const org of orgs) {
    const read = await readOrg(org.id, reading, scope);
    counts.clientSecrets += read.clientSecrets;
    yield before;
    yield* orgJson({
      org,
      read,
      log,
      scope,
      withPasswords: request.with_passwords,
      withOtp: request.with_otp,
      cleanUp: call.context.cleanUp,
      onOtp: () => {
        if (request.with_otp) counts.otpSecrets += 1;
      },
    });
    before = ",";
  }
  yield before === "," ? "]}" : "{}";
}

/** The time of the newest event on what an export contains, by the instance's clock; "" without events. */
async function newestChange({ api, retry, signal }: LogReading): Promise<string> {
  const aggregate_types = ["user", "org", "usergrant", "project"];
  const newest = await withRetry(() => newestEvent(api, signal, { aggregate_types }), retry, signal);
  return newest?.creationDate ?? "";
}

async function* inChunks(pieces: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece); // a copy: chunks of a spool are valid for one step only
    waiting.push(bytes);
    size += bytes.length;
    if (size < FLUSH_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  yield Buffer.concat(waiting);
}

/** The document as if the service had answered it. */
function answerOf({ address: { host } }: AdminApi, bytes: () => AsyncIterable<Buffer>): Answer {
  return {
    host,
    status: 200,
    contentType: "application/json",
    date: undefined,
    header: () => undefined,
    bytes,
    text: () => Promise.reject(new Error("a rebuilt export is read in chunks")),
    clean: (text) => text,
  };
}
