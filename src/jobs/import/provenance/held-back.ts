import type { Item } from "../../../core/document/items.ts";
import { elementId, grantPlaces, ownedLists, rolesIn } from "../../../core/document/org-sections.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { elementTypes } from "../../../core/transfer/answer/element-types.ts";
import { LISTED_PROBLEMS, type ReportFields } from "../../../ui/report.ts";
import type { HeldBackCause } from "../../../ui/summary/left-objects.ts";
import type { HeadPart } from "../plan/removed-objects.ts";

type Found = Pick<ReportFields<"import">, "heldBack" | "heldBackCauses">;

/** Elements that are not sent because they would undo what others did: how many for each reason, and the first of them. */
export class HeldBackElements {
  readonly #causes = new Map<HeldBackCause, number>();
  /** What counts once, however often it comes. */
  readonly #once = new Set<string>();
  readonly #first: NonNullable<Found["heldBack"]>[number][] = [];

  /** False for a member of a project that was counted: an export repeats it in every organization. */
  add({ key: type, bytes }: Item, orgId: string, cause: HeldBackCause): boolean {
    const element: unknown = JSON.parse(bytes.toString());
    const fields = fieldsOf(element);
    const owner = Object.hasOwn(ownedLists, type) ? ownedLists[type] : undefined;
    const id = elementId(type, element) ?? elementTypes[type]?.keyOf(fields) ?? "";
    if (type === "projectMembers" && this.#isRepeated(type, id)) return false;
    const roleKeys = rolesIn(type, element);
    this.#add({
      ...{ type, id, orgId },
      ...(owner === undefined ? {} : { userId: textMember(fields, owner) }),
      ...(roleKeys === undefined ? {} : { roleKeys: [...roleKeys] }),
      ...grantPlaces(type, element),
      cause,
    });
    return true;
  }

  /** A part of a head that was removed. It counts once, however often its head is sent: returns false for one that was counted. */
  addPart({ type, id }: HeadPart, orgId: string): boolean {
    if (this.#isRepeated(orgId, type, id)) return false;
    this.#add({ type, id, orgId, cause: "object-removed" });
    return true;
  }

  #isRepeated(...names: readonly string[]): boolean {
    const name = JSON.stringify(names);
    const isRepeated = this.#once.has(name);
    this.#once.add(name);
    return isRepeated;
  }

  #add(one: NonNullable<Found["heldBack"]>[number]): void {
    this.#causes.set(one.cause, (this.#causes.get(one.cause) ?? 0) + 1);
    if (this.#first.length < LISTED_PROBLEMS) this.#first.push(one);
  }

  /** As the report has them; undefined for none. */
  get found(): Required<Found> | undefined {
    if (this.#first.length === 0) return undefined;
    return { heldBack: this.#first, heldBackCauses: Object.fromEntries(this.#causes) };
  }
}
