import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { isLater } from "../rules/moment.ts";
import { METADATA_REMOVED, METADATA_SET } from "./instance-log.ts";
import { changeOf } from "./user-change.ts";

/** Who changed a user, and when. */
export interface Edit {
  /** The account; undefined for events of the setup of the instance. */
  readonly userId?: string;
  /** Its display name. */
  readonly name?: string;
  /** RFC 3339. */
  readonly at: string;
}

/** The field of an edit that deleted the user. */
export const DELETED = "user";

/** The name of an entry of metadata, as reports have it. */
export function metadataField(key: string): string {
  return `metadata.${key}`;
}

/** Edits that are kept: of more, the last ones. */
const MOST = 100_000;

/** The last edit of each field of each user by other accounts, from events in the order of the log. */
export class EditLog {
  readonly #edits = new Map<string, Edit>();

  /** Takes an event of another account than this job's service user. */
  take(event: ServiceEvent): void {
    const { aggregate } = event;
    const edit = editOf(event);
    for (const field of fieldsOfEvent(event)) {
      const key = keyOf(aggregate.resourceOwner, aggregate.id, field);
      this.#edits.delete(key);
      this.#edits.set(key, edit);
    }
    for (const key of this.#edits.keys()) {
      if (this.#edits.size <= MOST) return;
      this.#edits.delete(key);
    }
  }

  /** The newest edit of some fields, by their names in reports; undefined if no event of it was read. */
  newest(orgId: string, userId: string, fields: readonly string[]): Edit | undefined {
    const edits = fields.flatMap((field) => this.#edits.get(keyOf(orgId, userId, field)) ?? []);
    return edits.reduce<Edit | undefined>(
      (last, edit) => (last === undefined || isLater(edit.at, last.at) ? edit : last),
      undefined,
    );
  }
}

/** Who caused an event, and when. */
export function editOf({ editor: { userId = "", displayName = "" } = {}, creationDate: at }: ServiceEvent): Edit {
  return {
    ...(userId === "" ? {} : { userId }),
    ...(displayName === "" || displayName === userId ? {} : { name: displayName }),
    at,
  };
}

/** The names of fields, as reports have them. */
function fieldsOfEvent({ type: { type }, payload }: ServiceEvent): readonly string[] {
  if (type === METADATA_SET || type === METADATA_REMOVED) return [metadataField(textMember(fieldsOf(payload), "key"))];
  const change = changeOf(type, payload);
  if (change?.kind === "removed") return [DELETED];
  return change?.kind === "changed" ? Object.keys(change.view) : [];
}

function keyOf(orgId: string, userId: string, field: string): string {
  return `${orgId}\u0000${userId}\u0000${field}`;
}
