import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import {
  type BelongingList,
  belongingLists,
  GRANT_ADDED,
  grantRemovals,
  keyOf,
  LINK_ADDED,
  linkRemovals,
  membershipRemovals,
  rightIn,
} from "../../../core/events/belonging-log.ts";
import { ALL_METADATA_REMOVED, METADATA_REMOVED, METADATA_SET } from "../../../core/events/instance-log.ts";
import { type Fields, fieldsOf, textMember } from "../../../core/json/members.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { Asking } from "../../shared/asking.ts";
import { GrowingLog } from "../../shared/read-log.ts";
import { readSelf } from "../../shared/user-life.ts";
import type { Ledger } from "../ledger.ts";
import type { Plan } from "../plan/plan.ts";

const MACHINE_KEY_REMOVED = "user.machine.key.removed";

/** Ways to sign in that were taken away (service behaviour 9.30), also with their identity provider (9.39). */
export const signInRemovals: readonly string[] = [...linkRemovals, MACHINE_KEY_REMOVED];

/** What was read counts for so long. The log is full of this job's own changes, so it is not read more often. */
const FRESH_MS = 2_000;
const ALL_KEYS = "\u0000all";

/** What the changes of others are read with. */
interface TouchedContext {
  readonly asking: Asking;
  readonly plan: Plan;
  readonly ledger: Ledger;
}

/** Metadata that other accounts have set or removed since the job began, and links, keys, grants and memberships that they have removed. */
export class TouchedParts {
  readonly #context: TouchedContext;
  readonly #keys = new IdTable();
  #log: GrowingLog | undefined;
  #self: Promise<string | undefined> | undefined;
  #reading: Promise<void> | undefined;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(context: TouchedContext) {
    this.#context = context;
  }

  /** Reads again at the next question. */
  outdate(): void {
    this.#readMs = Number.NEGATIVE_INFINITY;
  }

  /** @param part of `partOf`. Raises what reading events raises. */
  async has(userId: string, part: string): Promise<boolean> {
    if (performance.now() - this.#readMs > FRESH_MS) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return [part, ALL_KEYS].some((one) => this.#keys.get(`${userId}\n${one}`) !== undefined);
  }

  async #read(): Promise<void> {
    const { asking, plan, ledger } = this.#context;
    const after = ledger.state.job?.mark;
    this.#self ??= after === undefined ? Promise.resolve(undefined) : readSelf(asking);
    const self = await this.#self;
    const begunMs = performance.now();
    if (after !== undefined && self !== undefined) {
      const rights = [...grantRemovals, ...membershipRemovals];
      const eventTypes = [METADATA_SET, METADATA_REMOVED, ALL_METADATA_REMOVED, ...signInRemovals, ...rights];
      const grantIds: string[] = [];
      this.#log ??= new GrowingLog("", { eventTypes, orgIds: plan.scan.orgs.map(({ orgId }) => orgId), after });
      await this.#log.read(asking, (event) => {
        if (event.editor?.userId === self) return;
        const { id } = event.aggregate;
        const { type } = event.type;
        if (grantRemovals.includes(type)) grantIds.push(id);
        else if (rights.includes(type)) this.#noteRight(event);
        else this.#keys.set(`${id}\n${type === ALL_METADATA_REMOVED ? ALL_KEYS : removedPart(event)}`, 1);
      });
      for (const id of grantIds) {
        const added = await this.#additionOf(id);
        if (added !== undefined) this.#noteRight(added);
      }
    }
    this.#readMs = begunMs;
  }

  #noteRight(event: ServiceEvent): void {
    const { userId, part } = rightOf(event);
    this.#keys.set(`${userId}\n${part}`, 1);
  }

  /** The event that added a grant; the one that removed it does not name the user. */
  async #additionOf(grantId: string): Promise<ServiceEvent | undefined> {
    const { api, retry, signal } = this.#context.asking;
    const request = { aggregate_id: grantId, event_types: [GRANT_ADDED], asc: false, limit: 1 };
    const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
    return events[0];
  }
}

/** What an element of the input gives its user: a key of metadata, and beside these a link or a key to sign in, a grant or a membership. */
export function partOf(list: string, fields: Fields, orgId: string): string {
  if (isRight(list)) return rightPart(keyOf(list, fields, orgId));
  if (list === "userLinks") return linkPart(fields, "idpId", "providedUserId");
  return list === "machineKeys" ? machineKeyPart(fields) : textMember(fields, "key");
}

/** The same of an event that sets or removes it. */
export function removedPart({ type: { type }, payload }: ServiceEvent): string {
  const fields = fieldsOf(payload);
  if (type === LINK_ADDED || linkRemovals.includes(type)) return linkPart(fields, "idpConfigId", "userId");
  return type === MACHINE_KEY_REMOVED ? machineKeyPart(fields) : textMember(fields, "key");
}

function isRight(list: string): list is BelongingList {
  return list !== "userLinks" && belongingLists.some((one) => one === list);
}

/** The same of a grant or membership that an event names, and its user. */
export function rightOf(event: ServiceEvent): { readonly userId: string; readonly part: string } {
  const { userId, key } = rightIn(event);
  return { userId, part: rightPart(key) };
}

function rightPart(key: string): string {
  return `\u0000right\n${key}`;
}

function linkPart(fields: Fields, idp: string, external: string): string {
  return `\u0000link\n${textMember(fields, idp)}\n${textMember(fields, external)}`;
}

function machineKeyPart(fields: Fields): string {
  return `\u0000key\n${textMember(fields, "keyId")}`;
}
