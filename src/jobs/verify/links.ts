import type { ServiceEvent } from "../../contract/events.ts";
import { linksOf } from "../../core/document/items.ts";
import { withMappedIdp } from "../../core/document/org-map.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { LINK_ADDED, linkRemovals } from "../../core/events/belonging-log.ts";
import { USER_REMOVED, userKey } from "../../core/events/user-life.ts";
import { fieldsOf, textMember } from "../../core/json/members.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import type { Document } from "../../io/input/document.ts";
import { walkObjects } from "../shared/scan-input.ts";
import type { EntryDifferences } from "./metadata.ts";

const THERE = 1;
const REMOVED_BY_OTHER = 2;

/** The events that say which links users have. */
export const linkEventTypes: readonly string[] = [LINK_ADDED, ...linkRemovals, USER_REMOVED];

/** Which links users have by the event log, oldest event first. It has room for all users of an instance; `BelongingLog` knows more of a few. */
export class LinkLog {
  /** THERE, or REMOVED_BY_OTHER; 0: this account removed it. */
  readonly #links = new IdTable();
  /** How often a user was removed: a new user of the same id has none of the links. */
  readonly #removals = new IdTable();

  /** True if the log has no link at all. */
  get isEmpty(): boolean {
    return this.#links.size === 0;
  }

  /** @param isOwn the account of the token did it. */
  apply({ aggregate, type: { type }, payload }: ServiceEvent, isOwn: boolean): void {
    const user = userKey(aggregate.resourceOwner, aggregate.id);
    if (type === USER_REMOVED) {
      this.#removals.set(user, (this.#removals.get(user) ?? 0) + 1);
      return;
    }
    const fields = fieldsOf(payload);
    const mark = type === LINK_ADDED ? THERE : isOwn ? 0 : REMOVED_BY_OTHER;
    this.#links.set(this.#keyOf(user, textMember(fields, "idpConfigId"), textMember(fields, "userId")), mark);
  }

  /** Whether a user has a link, an element of `userLinks`. */
  resultOf(orgId: string, link: unknown): "same" | "different" | "changed-since" {
    const [userId = "", idpId = "", account = ""] = ["userId", "idpId", "providedUserId"].map((name) =>
      textMember(fieldsOf(link), name),
    );
    const mark = this.#links.get(this.#keyOf(userKey(orgId, userId), idpId, account));
    if (mark === THERE) return "same";
    return mark === REMOVED_BY_OTHER ? "changed-since" : "different";
  }

  #keyOf(user: string, idpId: string, account: string): string {
    return [user, this.#removals.get(user) ?? 0, idpId, account].join("\n");
  }
}

/** Links of a body that users lack, by the id of their organization and of their user: names of fields, `link.<provider>`. */
export async function differentLinks(
  { input, context }: { readonly input: Document; readonly context: { readonly signal: AbortSignal } },
  { orgs, idpMap }: Pick<BodyScan, "orgs" | "idpMap">,
  log: LinkLog,
): Promise<Map<string, EntryDifferences>> {
  const found = new Map<string, EntryDifferences>();
  await walkObjects(
    input,
    context,
    (section) => section === "humanUsers" || section === "userLinks",
    ({ section, org, value, line }) => {
      const orgId = orgs[org]?.orgId ?? "";
      for (const given of section === "humanUsers" ? linksOf(value) : [value]) {
        const link = idpMap === undefined ? given : withMappedIdp(given, idpMap);
        const result = log.resultOf(orgId, link);
        if (result === "same") continue;
        const name = userKey(orgId, textMember(fieldsOf(link), "userId"));
        const user = found.get(name) ?? { line, different: [], changedSince: [] };
        found.set(name, user);
        const field = `link.${textMember(fieldsOf(link), "idpId")}`;
        if ([...user.different, ...user.changedSince].includes(field)) continue;
        (result === "different" ? user.different : user.changedSince).push(field);
      }
    },
  );
  return found;
}
