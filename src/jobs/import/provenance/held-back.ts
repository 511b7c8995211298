import type { Item } from "../../../core/document/items.ts";
import { elementId, grantPlaces, ownedLists, rolesIn } from "../../../core/document/org-sections.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { elementTypes } from "../../../core/transfer/answer/element-types.ts";
import { LISTED } from "../../../problem/format.ts";
import type { ReportFields } from "../../../ui/report.ts";
import type { HeldBackCause } from "../../../ui/summary/left-objects.ts";
import type { HeadPart } from "../plan/removed-objects.ts";

type Found = Pick<ReportFields<"import">, "heldBack" | "heldBackCauses">;

/** Elements that are not sent because they would undo what others did: how many for each reason, and the first of them. */
export class HeldBackElements {
  readonly #causes = new Map<HeldBackCause, number>();
  /** Parts of heads that were counted. */
  readonly #parts = new Set<string>();
  readonly #first: NonNullable<Found["heldBack"]>[number][] = [];

  add({ key: type, bytes }: Item, orgId: string, cause: HeldBackCause): void {
    const element: unknown = JSON.parse(bytes.toString());
    const fields = fieldsOf(element);
    const owner = Object.hasOwn(ownedLists, type) ? ownedLists[type] : undefined;
    const id = elementId(type, element) ?? elementTypes[type]?.keyOf(fields) ?? "";
    const roleKeys = rolesIn(type, element);
    this.#add({
      ...{ type, id, orgId },
      ...(owner === undefined ? {} : { userId: textMember(fields, owner) }),
      ...(roleKeys === undefined ? {} : { roleKeys: [...roleKeys] }),
      ...grantPlaces(type, element),
      cause,
    });
  }

  /** A part of a head that was removed. It counts once, however often its head is sent: returns false for one that was counted. */
  addPart({ type, id }: HeadPart, orgId: string): boolean {
    const name = JSON.stringify([orgId, type, id]);
    if (this.#parts.has(name)) return false;
    this.#parts.add(name);
    this.#add({ type, id, orgId, cause: "object-removed" });
    return true;
  }

  #add(one: NonNullable<Found["heldBack"]>[number]): void {
    this.#causes.set(one.cause, (this.#causes.get(one.cause) ?? 0) + 1);
    if (this.#first.length < LISTED) this.#first.push(one);
  }

  /** As the report has them; undefined for none. */
  get found(): Required<Found> | undefined {
    if (this.#first.length === 0) return undefined;
    return { heldBack: this.#first, heldBackCauses: Object.fromEntries(this.#causes) };
  }
}
