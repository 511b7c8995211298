import * as z from "zod";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { EditLog } from "../../../core/events/edit-log.ts";
import type { InstanceLog } from "../../../core/events/instance-log.ts";
import { readAgainFrom } from "../../../core/events/user-life.ts";
import type { Asking } from "../../shared/asking.ts";

/** An event of an instance, up to which its log was read; `about` is a digest of the id of its object. */
export const Mark = z.object({
  about: z.string(),
  type: z.string(),
  sequence: z.string(),
  at: z.iso.datetime({ offset: true }),
});
export type Mark = z.infer<typeof Mark>;

/** The target's log as it is now, and the mark from which the next reading continues. */
export interface ReadLog {
  readonly log: InstanceLog;
  readonly key: string;
  /** Its newest event before the reading began. */
  readonly mark: Mark | undefined;
  /** The time of the newest event before the log was read; undefined: there was none. RFC 3339. */
  readonly readUntil?: string | undefined;
  /** Changes by other accounts among the events that were read. */
  readonly edits: EditLog;
}

export function toMark({ aggregate, type, sequence, creationDate }: ServiceEvent, digest: InstanceLog["digest"]): Mark {
  return { about: digestOf(digest, aggregate.id), type: type.type, sequence, at: creationDate };
}

/** True if the instance still has the event. An instance that was reset, or restored from a backup, has not. */
export async function hasMark(
  { api, retry, signal }: Asking,
  { about, type, sequence, at }: Mark,
  digest: InstanceLog["digest"],
): Promise<boolean> {
  const moment = Date.parse(at);
  const range = { since: new Date(moment - 1).toISOString(), until: new Date(moment + 1).toISOString() };
  const request = { limit: 1_000, asc: true, event_types: [type], range };
  const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
  return events.some(
    (event) =>
      event.sequence === sequence && event.creationDate === at && digestOf(digest, event.aggregate.id) === about,
  );
}

function digestOf(digest: InstanceLog["digest"], id: string): string {
  return digest("id", id).join(" ");
}

/** The time from which the next reading continues; an event that is read twice changes nothing. */
export function beforeMark({ at }: Mark): string {
  return readAgainFrom(at) ?? at;
}
