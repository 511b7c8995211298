import type { Item } from "../../../core/document/items.ts";
import { elementId, ownedLists } from "../../../core/document/org-sections.ts";
import { fieldsOf, textMember, textsMember } from "../../../core/json/members.ts";
import { LISTED_PROBLEMS, type ReportFields } from "../../../ui/report.ts";
import type { HeldBackCause } from "./owners.ts";

type Found = Pick<ReportFields<"import">, "heldBack" | "heldBackCauses">;

/** Elements that are not sent because they would change existing users: how many for each reason, and the first of them. */
export class HeldBackElements {
  readonly #causes = new Map<HeldBackCause, number>();
  readonly #first: NonNullable<Found["heldBack"]>[number][] = [];

  add({ key: type, bytes }: Item, orgId: string, cause: HeldBackCause): void {
    this.#causes.set(cause, (this.#causes.get(cause) ?? 0) + 1);
    if (this.#first.length >= LISTED_PROBLEMS) return;
    const element: unknown = JSON.parse(bytes.toString());
    const fields = fieldsOf(element);
    this.#first.push({
      ...{ type, id: elementId(type, element) ?? "", orgId },
      userId: textMember(fields, ownedLists[type] ?? ""),
      ...(type === "userGrants" ? { roleKeys: [...textsMember(fields, "roleKeys")] } : {}),
      cause,
    });
  }

  /** As the report has them; undefined for none. */
  get found(): Required<Found> | undefined {
    if (this.#first.length === 0) return undefined;
    return { heldBack: this.#first, heldBackCauses: Object.fromEntries(this.#causes) };
  }
}
