import { listEvents } from "../../../admin/events.ts";
import type { Item } from "../../../core/document/items.ts";
import { type Fields, fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import {
  type BatchResult,
  type Counts,
  countOne,
  type Existing,
  type Failure,
} from "../../../core/transfer/answer/batch-result.ts";
import type { Cause } from "../../../core/transfer/answer/cause.ts";
import type { Asking } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { LinkLog, linkEventTypes } from "../../verify/links.ts";

/** A type of which the service reports existing objects without saying which one exists, and how its creation event names it. */
interface Ambiguous {
  readonly event: string;
  /** The name of an object: by the element that was sent, and by the event. */
  readonly ofElement: (element: Fields) => string;
  readonly ofEvent: (aggregateId: string, payload: Fields) => string;
  /** The cause of the failure if another object exists. */
  readonly cause: Cause;
}

const ambiguous: Readonly<Record<string, Ambiguous>> = {
  // A project is granted to an organization once; grants of users refer to the project grant by its id.
  project_grant: {
    event: "project.grant.added",
    ofElement: (element) => {
      const grant = fieldsOf(member(element, "projectGrant"));
      return `${textMember(grant, "projectId")} ${textMember(element, "grantId")}`;
    },
    ofEvent: (projectId, payload) => `${projectId} ${textMember(payload, "grantId")}`,
    cause: "name-taken",
  },
};

/** An identity of a provider is linked to one user, and may have been another one's before. */
const LINK = "user_link";

/**
 * For project grants and linked identities the service reports "exists" also when another object is in the way. This compares with the
 * target's events: an object that they know exists, any other one is a failure. If events cannot be read, the answer stays as it is.
 */
export class SameObjects {
  readonly #asking: Asking;
  readonly #orgs: readonly { readonly orgId: string }[];
  /** The links of an organization's users; read when first needed, as the names are. */
  readonly #links = new Map<string, Promise<LinkLog | undefined>>();
  /** The names that an organization of the target, or all of them, have had, by event and organization. */
  readonly #names = new Map<string, Promise<IdTable | undefined>>();

  constructor(asking: Asking, { orgs }: { readonly orgs: readonly { readonly orgId: string }[] }) {
    this.#asking = asking;
    this.#orgs = orgs;
  }

  /** Moves existing objects that are other ones to the failures. */
  async failOthers<T extends BatchResult>(result: T, items: readonly Item[]): Promise<T> {
    if (!result.existing.some(({ type }) => type === LINK || Object.hasOwn(ambiguous, type))) return result;
    const byIndex = new Map(items.map((item) => [item.index, item]));
    const others: Map<string, Counts> = new Map(result.others);
    const existing: Existing[] = [];
    const failures: Failure[] = [...result.failures];
    for (const one of result.existing) {
      const item = one.item === undefined ? undefined : byIndex.get(one.item);
      const kind = Object.hasOwn(ambiguous, one.type) ? ambiguous[one.type] : undefined;
      const isSame =
        item === undefined ||
        (one.type === LINK ? await this.#isSameLink(item) : kind === undefined || (await this.#isSame(item, kind)));
      if (isSame) existing.push(one);
      else {
        countOne(others, one.type, "failed");
        failures.push({ ...one, cause: kind?.cause ?? "link-taken" });
      }
    }
    return { ...result, existing, failures, others };
  }

  async #isSameLink(item: Item): Promise<boolean> {
    const orgId = this.#orgs[item.org]?.orgId ?? "";
    const ofOrg = await this.#linksOf(orgId);
    // Only a log that has no link of any organization says nothing.
    const log = ofOrg?.isEmpty === true ? await this.#linksOf(undefined) : ofOrg;
    return log === undefined || log.isEmpty || log.resultOf(orgId, JSON.parse(item.bytes.toString())) === "same";
  }

  #linksOf(orgId: string | undefined): Promise<LinkLog | undefined> {
    const reading = this.#links.get(orgId ?? "") ?? ifOffered(() => this.#readLinks(orgId));
    this.#links.set(orgId ?? "", reading);
    return reading;
  }

  async #readLinks(orgId: string | undefined): Promise<LinkLog> {
    const { api, retry, signal } = this.#asking;
    const filter = { eventTypes: linkEventTypes, ...(orgId === undefined ? {} : { orgId }) };
    const log = new LinkLog();
    for await (const event of listEvents(api, filter, retry, signal)) log.apply(event, false);
    return log;
  }

  async #isSame(item: Item, kind: Ambiguous): Promise<boolean> {
    const ofOrg = await this.#namesOf(kind, this.#orgs[item.org]?.orgId);
    // Only a log that has no such object of any organization says nothing.
    const names = ofOrg?.size === 0 ? await this.#namesOf(kind, undefined) : ofOrg;
    const name = kind.ofElement(fieldsOf(JSON.parse(item.bytes.toString())));
    return names === undefined || names.size === 0 || names.get(name) !== undefined;
  }

  #namesOf(kind: Ambiguous, orgId: string | undefined): Promise<IdTable | undefined> {
    const key = `${kind.event} ${orgId ?? ""}`;
    const reading = this.#names.get(key) ?? ifOffered(() => this.#readNames(kind, orgId));
    this.#names.set(key, reading);
    return reading;
  }

  async #readNames({ event, ofEvent }: Ambiguous, orgId: string | undefined): Promise<IdTable> {
    const { api, retry, signal } = this.#asking;
    const names = new IdTable();
    const filter = { eventTypes: [event], ...(orgId === undefined ? {} : { orgId }) };
    for await (const { aggregate, payload } of listEvents(api, filter, retry, signal)) {
      names.set(ofEvent(aggregate.id, fieldsOf(payload)), 0);
    }
    return names;
  }
}
