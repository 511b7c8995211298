import { listsGrant } from "../../../admin/org-lists.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { camelKey } from "../../../contract/import-request.ts";
import type { Item } from "../../../core/document/items.ts";
import { elementId, type GrantPlaces, grantPlaces } from "../../../core/document/org-sections.ts";
import { fieldsOf, textMember, textsMember } from "../../../core/json/members.ts";
import { elementTypes } from "../../../core/transfer/answer/element-types.ts";
import {
  isHarmed,
  mayBeRemoved,
  ObjectRemovals,
  objectEvents,
  objectRemovalEvents,
} from "../../../core/transfer/object-removals.ts";
import type { Asking } from "../../shared/asking.ts";
import { freshReading } from "../../shared/fresh.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { GrowingLog, readLog } from "../../shared/read-log.ts";
import { readSelf } from "../../shared/user-life.ts";
import type { Plan } from "./plan.ts";

/** A part of a head: an element of one of its lists, or a setting. */
export interface HeadPart {
  readonly type: string;
  /** "" for a setting. */
  readonly id: string;
}

/** A head without what another account has removed. */
export interface LeftHead {
  /** As those of the item. */
  readonly bytes: Buffer;
  readonly removed: readonly HeadPart[];
}

/** A project grant that a run creates although another account removed one of the same project and organization. */
export type GrantAgain = GrantPlaces & Readonly<Record<"type" | "id" | "orgId", string>>;

interface OrgsOfInput {
  readonly scan: { readonly orgs: readonly Pick<Plan["scan"]["orgs"][number], "orgId">[] };
}

/**
 * Objects besides users that other accounts have removed from the organizations of the input, or changed there so that an import would undo
 * it. They are not created again, and the texts and triggers of others are not replaced (service behaviour 9.40). Nothing is known of a target
 * that does not say which account a token has.
 */
export class RemovedObjects {
  readonly #asking: Asking;
  readonly #orgs: OrgsOfInput["scan"]["orgs"];
  /** The accounts of the job besides the one of the token. */
  readonly #accounts: readonly string[];
  readonly #growing: GrowingLog;
  #found = new ObjectRemovals();
  #self: Promise<string | undefined> | undefined;
  /** Removals that are in what was found. */
  readonly #seen = new Set<string>();
  readonly #readOn: () => Promise<void>;

  constructor(asking: Asking, { scan: { orgs } }: OrgsOfInput, accounts: readonly string[]) {
    this.#asking = asking;
    this.#orgs = orgs;
    this.#accounts = accounts;
    this.#readOn = freshReading(() => this.#read());
    this.#growing = new GrowingLog("", { eventTypes: objectRemovalEvents, orgIds: orgs.map(({ orgId }) => orgId) });
  }

  /** True if the object of an item that is no head was removed, or something that it needs. Raises what reading events raises. */
  async has({ key, bytes, org }: Pick<Item, "key" | "bytes" | "org">): Promise<boolean> {
    if (!mayBeRemoved(key)) return false;
    await this.#readOn();
    return !this.#found.isEmpty && this.#found.of(this.#orgIdOf(org), key, JSON.parse(bytes.toString())) === "removed";
  }

  /**
   * A project grant that another account removed under another id, and that is not removed itself: the service creates it. undefined for any
   * other item. Raises as `has`.
   */
  async grantedAgain(item: Item): Promise<GrantAgain | undefined> {
    const { key, bytes, org } = item;
    if (key !== "projectGrants" || (await this.has(item))) return undefined;
    const element: unknown = JSON.parse(bytes.toString());
    const places = grantPlaces(key, element);
    if (places === undefined || !this.#found.isGrantedAgain(places)) return undefined;
    return { type: key, id: elementId(key, element) ?? "", orgId: this.#orgIdOf(org), ...places };
  }

  /**
   * The roles that were removed, of a role grant that the target does not have. The service still gives them where the project is granted.
   * Raises as `has`.
   */
  async removedRoles({ key, bytes, org }: Item): Promise<readonly string[]> {
    if (key !== "userGrants") return [];
    await this.#readOn();
    if (this.#found.isEmpty) return [];
    const grant = fieldsOf(JSON.parse(bytes.toString()));
    const projectId = textMember(grant, "projectId");
    const isGone = (roleKey: string): boolean =>
      this.#found.of(this.#orgIdOf(org), "projectRoles", { projectId, roleKey }) === "removed";
    const gone = textsMember(grant, "roleKeys").filter(isGone);
    if (gone.length === 0) return gone;
    const { api, retry, signal } = this.#asking;
    const listed = { orgId: this.#orgIdOf(org), userId: textMember(grant, "userId"), projectId };
    return (await ifOffered(() => listsGrant(api, listed, retry, signal))) === true ? [] : gone;
  }

  /** A head without these parts; undefined if it has none of them. Raises what reading events raises. */
  async headOf({ bytes, org }: Item): Promise<LeftHead | undefined> {
    const members = Object.entries(fieldsOf(JSON.parse(`{${bytes.toString()}}`)));
    if (!members.some(([name]) => mayBeRemoved(camelKey(name)))) return undefined;
    await this.#readOn();
    if (this.#found.isEmpty) return undefined;
    const orgId = this.#orgIdOf(org);
    const removed: HeadPart[] = [];
    let isWhole = true;
    /** Texts that another account has set are as existing objects: nothing is said about them. */
    const stays = (type: string, element?: unknown): boolean => {
      const why = this.#found.of(orgId, type, element);
      if (why === undefined) return true;
      isWhole = false;
      if (why === "removed") removed.push({ type, id: idOf(type, element) });
      return false;
    };
    const left = members.flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      const type = camelKey(name);
      if (!mayBeRemoved(type)) return [[name, value]];
      if (Array.isArray(value)) return [[name, value.filter((element) => stays(type, element))]];
      return stays(type) ? [[name, value]] : [];
    });
    if (isWhole) return undefined;
    return { bytes: Buffer.from(JSON.stringify(Object.fromEntries(left)).slice(1, -1)), removed };
  }

  #orgIdOf(org: number): string {
    return this.#orgs[org]?.orgId ?? "";
  }

  /** Additions are many, and matter only where something was removed. */
  async #read(): Promise<void> {
    this.#self ??= readSelf(this.#asking);
    const self = await this.#self;
    if (self === undefined) return;
    const ours = new Set([self, ...this.#accounts]);
    const isByOther = ({ editor }: ServiceEvent): boolean => !ours.has(editor?.userId ?? "");
    let isAny = false;
    await this.#growing.read(this.#asking, (event) => {
      const { aggregate, creationDate, payload, type } = event;
      const name = JSON.stringify([creationDate, type.type, aggregate.id, payload]);
      if (!isHarmed(event, isByOther(event)) || this.#seen.has(name)) return;
      this.#seen.add(name);
      isAny = true;
    });
    if (isAny) await this.#readAll(isByOther);
  }

  async #readAll(isByOther: (event: ServiceEvent) => boolean): Promise<void> {
    const found = new ObjectRemovals();
    const orgIds = this.#orgs.map(({ orgId }) => orgId);
    for (const eventTypes of objectEvents)
      await readLog("", { eventTypes, orgIds }, this.#asking, (event) => found.take(event, isByOther(event)));
    this.#found = found;
  }
}

/** As the service names it in its errors; a text by its language. */
function idOf(type: string, element: unknown): string {
  const fields = fieldsOf(element);
  return elementTypes[type]?.keyOf(fields) ?? textMember(fields, "language");
}
