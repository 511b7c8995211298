import type { Way } from "../rules/route.ts";
import { stepOf, USER_STEP } from "./org-sections.ts";
import type { BodyScan, Section } from "./scan-types.ts";

/** Adjacent items of the input that go to the same endpoint: a head (no section), a section, or the users of a section. */
export interface Part {
  readonly org: number;
  /** Index of its first item. */
  readonly first: number;
  readonly count: number;
  readonly section?: Section;
  readonly way: Way;
}

/**
 * The order of sending (service behaviour 2.1): each organization's head and users first, organization by organization; then step
 * by step everything that refers to users, of all organizations. Any cut of this order into calls keeps references valid. Users
 * of the users API are a separate part, with separate places. Links within users are last.
 */
export function planParts({ orgs, sections }: Pick<BodyScan, "orgs" | "sections">): Part[] {
  const parts: Part[] = [];
  let first = 0;
  const add = (org: number, count: number, section?: Section, way: Way = "import"): void => {
    parts.push({ org, first, count, way, ...(section === undefined ? {} : { section }) });
    first += count;
  };
  const addSection = (section: Section): void => {
    const { org, count, viaUsers } = section;
    if (viaUsers.size < count || count === 0) add(org, count, section);
    if (viaUsers.size > 0) add(org, count, section, "users");
  };
  const ordered = sections.filter(({ isWithinUsers }) => !isWithinUsers).sort(bySendingOrder);
  let next = 0;
  for (const org of orgs.keys()) {
    add(org, 1);
    for (; isUserSectionOf(ordered[next], org); next += 1) addSection(ordered[next] as Section);
  }
  for (const section of ordered.slice(next)) addSection(section);
  for (const section of sections) if (section.isWithinUsers) add(section.org, section.count, section);
  return parts;
}

function isUserSectionOf(section: Section | undefined, org: number): boolean {
  return section !== undefined && section.org === org && stepOf(section.key) <= USER_STEP;
}

function bySendingOrder(a: Section, b: Section): number {
  const stepA = stepOf(a.key);
  const stepB = stepOf(b.key);
  return stepA - stepB || a.org - b.org || a.key.localeCompare(b.key, "en") || a.start - b.start;
}
