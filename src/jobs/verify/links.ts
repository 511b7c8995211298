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
  /** A number for each user, and the last user who got an account at a provider. */
  readonly #users = new IdTable();
  readonly #holders = new IdTable();
  /** How often a user was removed: a new user of the same id has none of the links. */
  readonly #removals: number[] = [];

  /** True if the log has no link at all. */
  get isEmpty(): boolean {
    return this.#links.size === 0;
  }

  /** @param isOwn the account of the token did it. */
  apply({ aggregate, type: { type }, payload }: ServiceEvent, isOwn: boolean): void {
    if (type === USER_REMOVED) {
      this.removeUser(aggregate.resourceOwner, aggregate.id);
      return;
    }
    const user = userKey(aggregate.resourceOwner, aggregate.id);
    const number = this.#users.get(user) ?? this.#users.size;
    this.#users.set(user, number);
    const [idpId, account] = [textMember(fieldsOf(payload), "idpConfigId"), textMember(fieldsOf(payload), "userId")];
    const mark = type === LINK_ADDED ? THERE : isOwn ? 0 : REMOVED_BY_OTHER;
    this.#links.set(this.#keyOf(number, idpId, account), mark);
    if (type === LINK_ADDED) this.#holders.set(accountKey(idpId, account), number);
  }

  /** The user is, or will be, deleted. */
  removeUser(orgId: string, userId: string): void {
    const number = this.#users.get(userKey(orgId, userId));
    if (number !== undefined) this.#removals[number] = (this.#removals[number] ?? 0) + 1;
  }

  /** Whether a user has a link, an element of `userLinks`. */
  resultOf(orgId: string, link: unknown): "same" | "different" | "changed-since" {
    const { userId, idpId, account } = placeOf(link);
    const number = this.#users.get(userKey(orgId, userId));
    const mark = number === undefined ? undefined : this.#links.get(this.#keyOf(number, idpId, account));
    if (mark === THERE) return "same";
    return mark === REMOVED_BY_OTHER ? "changed-since" : "different";
  }

  /** True if another user than that of the link has its account. The log must have all organizations. */
  isOfOther(orgId: string, link: unknown): boolean {
    const { userId, idpId, account } = placeOf(link);
    const holder = this.#holders.get(accountKey(idpId, account));
    if (holder === undefined || holder === this.#users.get(userKey(orgId, userId))) return false;
    return this.#links.get(this.#keyOf(holder, idpId, account)) === THERE;
  }

  #keyOf(user: number, idpId: string, account: string): string {
    return [user, this.#removals[user] ?? 0, idpId, account].join("\n");
  }
}

function placeOf(link: unknown): { readonly userId: string; readonly idpId: string; readonly account: string } {
  const text = (name: string): string => textMember(fieldsOf(link), name);
  return { userId: text("userId"), idpId: text("idpId"), account: text("providedUserId") };
}

function accountKey(idpId: string, account: string): string {
  return `${idpId}\n${account}`;
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
