import { type Item, readItems } from "../../../core/document/items.ts";
import { comparedId, ownedLists } from "../../../core/document/org-sections.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { elementTypes, typeOfSection } from "../../../core/transfer/answer/element-types.ts";
import { userParts } from "../../../core/transfer/batches.ts";
import { mayBeRemoved } from "../../../core/transfer/object-removals.ts";
import { Firsts } from "../../verify/differences.ts";
import type { LinkLog } from "../../verify/links.ts";
import { type Plan, readHeads } from "../plan/plan.ts";
import type { GrantAgain, RemovedObjects } from "../plan/removed-objects.ts";
import { HeldBackElements } from "./held-back.ts";
import type { Owners } from "./owners.ts";

/** A link to an account at a provider that another user of the target has. */
interface TakenLink {
  readonly userId: string;
  readonly idpId: string;
}

/** An element that fails because of its user. */
interface OfUser {
  readonly type: string;
  readonly userId: string;
  readonly orgId: string;
}

interface Known {
  readonly plan: Plan;
  readonly signal: AbortSignal;
  /** Knows the users of the input; undefined for an input without parts of users. */
  readonly owners: Owners | undefined;
  readonly removals: RemovedObjects;
  /** The links of all users of the target; undefined if the input has none. */
  readonly links: LinkLog | undefined;
  /** True for an item that will fail, or is not sent, for a reason that is reported otherwise. */
  isSettled(item: Item): boolean;
}

/** What an import will do with what belongs to users, by the same rules as the run. */
export class PartsForecast {
  /** Links that will be sent, except those that are sent with their users, which a run does not count either. */
  readonly links = { toExisting: 0, toNew: 0 };
  readonly linkTaken = new Firsts<TakenLink>();
  /** Of users who are neither in the input nor on the target. */
  readonly userMissing = new Firsts<OfUser>();
  /** Of users whose account on the target may be another person's. */
  readonly otherPerson = new Firsts<OfUser>();
  readonly heldBack = new HeldBackElements();
  readonly grantsAgain: GrantAgain[] = [];
  /** Elements that the target lacks and that will not be made, by section; links are not among them. */
  readonly notMade = new Map<string, number>();
  readonly #known: Known;

  constructor(known: Known) {
    this.#known = known;
  }

  /** Looks for objects that other accounts have removed. Raises what reading events raises. */
  async lookForRemoved(): Promise<void> {
    const { plan, removals, isSettled, signal } = this.#known;
    for await (const head of readHeads(plan, signal)) {
      const { removed = [] } = (await removals.headOf(head)) ?? {};
      for (const part of removed) {
        this.heldBack.addPart(part, plan.scan.orgs[head.org]?.orgId ?? "");
        if (typeOfSection(part.type) !== undefined) this.#noteNotMade(part.type);
      }
    }
    const isObject = (key: string): boolean => mayBeRemoved(key) && !Object.hasOwn(ownedLists, key);
    for await (const { item, orgId } of this.#elements(isObject, false)) {
      if (isSettled(item)) continue;
      if (await removals.has(item)) this.heldBack.add(item, orgId, "object-removed");
      const again = await removals.grantedAgain(item);
      if (again !== undefined) this.grantsAgain.push(again);
    }
  }

  /** Looks for what fails because its user is missing, or may be another person. Raises what reading events raises. */
  async lookForUsers(): Promise<void> {
    const { isSettled, owners } = this.#known;
    if (owners === undefined) return;
    const mayLackUser = (key: string): boolean => key === "userLinks" || !userParts.has(key);
    for await (const { item, orgId, element } of this.#elements((key) => Object.hasOwn(ownedLists, key))) {
      if (isSettled(item)) continue;
      const isOther = (await owners.whyNot(item)) === "other-person";
      if (!isOther && !(mayLackUser(item.key) && (await owners.lacksUser(item)))) continue;
      const userId = textMember(fieldsOf(element), ownedLists[item.key] ?? "");
      const found = { type: elementTypes[item.key]?.type ?? item.key, userId, orgId };
      (isOther ? this.otherPerson : this.userMissing).add(found);
    }
  }

  /** Looks at the links. Raises what reading events raises. */
  async lookAtLinks(): Promise<void> {
    const { links } = this.#known;
    if (links === undefined) return;
    for await (const { item, orgId, element } of this.#elements((key) => key === "userLinks")) {
      const way = links.resultOf(orgId, element) === "same" ? "none" : await this.#wayOf(item, orgId);
      if (way !== "apart") continue;
      if (links.isOfOther(orgId, element)) {
        const [userId, idpId] = [textMember(fieldsOf(element), "userId"), textMember(fieldsOf(element), "idpId")];
        this.linkTaken.add({ userId, idpId });
      } else if (this.#known.owners?.isOfNewUser(item) === true) this.links.toNew += 1;
      else this.links.toExisting += 1;
    }
  }

  /** Looks at the other lists of which the target lacks elements. Raises what reading events raises. */
  async lookAtOthers(
    missing: ReadonlyMap<string, number>,
    isThere: (orgId: string, section: string, id: string) => boolean,
  ): Promise<void> {
    for await (const { item, orgId, element } of this.#elements((key) => missing.has(key) && key !== "userLinks")) {
      const id = comparedId(item.key, element);
      if (id === undefined || isThere(orgId, item.key, id)) continue;
      if ((await this.#wayOf(item, orgId)) === "none") this.#noteNotMade(item.key);
    }
  }

  /** Looks for what will not be sent of the other lists of users, where nothing compares them. Raises what reading events raises. */
  async lookAtParts(): Promise<void> {
    const isPart = (key: string): boolean => Object.hasOwn(ownedLists, key) && key !== "userLinks";
    for await (const { item, orgId } of this.#elements(isPart)) await this.#wayOf(item, orgId);
  }

  #noteNotMade(section: string): void {
    this.notMade.set(section, (this.notMade.get(section) ?? 0) + 1);
  }

  /** How an element is made; "none": it is not. */
  async #wayOf(item: Item, orgId: string): Promise<"apart" | "with-user" | "none"> {
    const { isSettled, owners, removals } = this.#known;
    // Metadata is a part of the user's conflict.
    const left = isSettled(item) || item.key === "userMetadata" ? undefined : owners?.whyLeft(item);
    if (left !== undefined) this.heldBack.add(item, orgId, left);
    if (isSettled(item) || (await owners?.whyNot(item)) !== undefined || (await owners?.lacksUser(item))) return "none";
    const unsent = (await owners?.changesOfOthers([item]))?.get(item);
    if (unsent === undefined) {
      if (!(await removals.has(item))) return "apart";
      // Objects that belong to no user are looked for apart.
      if (Object.hasOwn(ownedLists, item.key)) this.heldBack.add(item, orgId, "object-removed");
      return "none";
    }
    if (unsent === "with-user") return unsent;
    if (unsent !== "there") this.heldBack.add(item, orgId, unsent);
    return "none";
  }

  /** The elements of some lists, without those that an import leaves out, or with them. */
  async *#elements(wants: (section: string) => boolean, isWithout = true) {
    const { plan, signal } = this.#known;
    const { orgs, references } = plan.scan;
    const orgIds = new Set(orgs.map(({ orgId }) => orgId));
    const parts = plan.parts.filter(({ section }) => section !== undefined && wants(section.key));
    for await (const items of readItems(parts, plan.scan, plan.read, () => true)) {
      signal.throwIfAborted();
      for (const item of items) {
        const element: unknown = JSON.parse(item.bytes.toString());
        const { key, org } = item;
        if (isWithout && references?.isLeftOut(key, org, element, orgIds) === true) continue;
        yield { item, orgId: orgs[org]?.orgId ?? "", element };
      }
    }
  }
}
