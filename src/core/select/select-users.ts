import { camelKey } from "../../contract/import-request.ts";
import { ownedLists } from "../document/org-sections.ts";
import { bodyLayout, type Extent } from "../document/scan-types.ts";
import { machineIdOf, userIdOf } from "../document/user-id.ts";
import { fieldsOf, memberAt, textMember } from "../json/members.ts";
import { createWalker, type JsonPath, type Walker } from "../json/walker.ts";
import { IdTable } from "../tables/id-table.ts";
import { PositionSet } from "../tables/position-set.ts";
import { type UserField, userFields } from "../user-fields.ts";
import type { Selection } from "./selection.ts";

/** Which users of a document are selected. */
export interface SelectedUsers {
  /** Places of the selected ones among all users of the document. */
  readonly places: PositionSet;
  /** Ids, with the mark of whether they are selected. */
  readonly ids: IdTable;
  /** All users of the document. */
  users: number;
}

const SELECTED = 1;
const LEFT_OUT = 0;

const PATHS: ReadonlyMap<string, readonly string[]> = new Map(
  userFields.map(({ name, entry }: UserField) => [name, entry.split(".")]),
);

/** A walker that asks for each human user of a document whether it is selected; service users are left out. Raises BrokenJson. */
export function createUserSelector(selection: Selection): {
  readonly walker: Walker;
  readonly selected: SelectedUsers;
} {
  const selected: SelectedUsers = { places: new PositionSet(), ids: new IdTable(), users: 0 };
  let orgId = "";
  const walker = createWalker(bodyLayout, {
    value(path, bytes) {
      const key = path.at(-1);
      // Exports and bodies begin an organization with its id.
      if (typeof key === "string" && camelKey(key) === "orgId") orgId = String(JSON.parse(bytes.toString()));
      const list = listOf(path);
      if (list === "machineUsers") {
        const id = machineIdOf(bytes);
        if (selected.ids.get(id) === undefined) selected.ids.set(id, LEFT_OUT);
      }
      if (list !== "humanUsers") return;
      const entry: unknown = JSON.parse(bytes.toString());
      const id = textMember(fieldsOf(entry), "userId");
      const isTaken = selection.takes((field) => readText(entry, field, orgId));
      if (isTaken) selected.places.add(selected.users);
      if (isTaken || selected.ids.get(id) === undefined) selected.ids.set(id, isTaken ? SELECTED : LEFT_OUT);
      selected.users += 1;
    },
  });
  return { walker, selected };
}

function readText(entry: unknown, field: string, orgId: string): string | undefined {
  if (field === "orgId") return orgId;
  const path = PATHS.get(field);
  const value = path === undefined ? undefined : memberAt(entry, path);
  return typeof value === "string" || typeof value === "boolean" ? String(value) : undefined;
}

/**
 * A walker that finds what has to be blanked so that a document has only the selected users and what belongs to them. A user with the id of a
 * selected one stays, too, and counts as selected: that an id occurs twice is a fault, and which of the two has what belongs to it is
 * unknown. `onCut` gets extents in order. Raises BrokenJson.
 */
export function createCutter({ places, ids }: SelectedUsers, onCut: (extent: Extent) => void): Walker {
  let users = 0;
  return createElementCutter((list, bytes) => {
    const isUser = list === "humanUsers";
    const isMachine = list === "machineUsers";
    const owner = ownedLists[list];
    if (!isUser && !isMachine && owner === undefined) return undefined;
    const id = isUser ? userIdOf(bytes) : isMachine ? machineIdOf(bytes) : ownerOf(bytes, owner ?? "");
    const hasSelectedId = id !== "" && ids.get(id) === SELECTED;
    if (isUser && hasSelectedId) places.add(users);
    const isCut = isUser ? !places.has(users) : isMachine ? !hasSelectedId : ids.get(id) === LEFT_OUT;
    if (isUser) users += 1;
    return isCut;
  }, onCut);
}

/** The same for single elements of lists, and their commas. @param isCut undefined: of a list that stays whole. */
export function createElementCutter(
  isCut: (list: string, bytes: Buffer) => boolean | undefined,
  onCut: (extent: Extent) => void,
): Walker {
  let list: string | undefined;
  let end = 0;
  let hasKept = false;
  return createWalker(bodyLayout, {
    opened(path, _, offset) {
      if (typeof path.at(-1) !== "string") return;
      list = camelKey(path.at(-1) as string);
      end = offset + 1;
      hasKept = false;
    },
    value(path, bytes, _, offset) {
      if (list === undefined || listOf(path) !== list) return;
      const cuts = isCut(list, bytes);
      if (cuts === undefined) return;
      // Of the text between two elements, a comma stays only between two that are kept.
      if (cuts) onCut({ start: end, end: offset + bytes.length });
      else if (!hasKept) onCut({ start: end, end: offset });
      hasKept ||= !cuts;
      end = offset + bytes.length;
    },
  });
}

function ownerOf(element: Buffer, key: string): string {
  return textMember(fieldsOf(JSON.parse(element.toString())), key);
}

/** The list of an organization that an element stands in; undefined: it is no element. */
function listOf(path: JsonPath): string | undefined {
  const key = typeof path.at(-1) === "number" ? path.at(-2) : undefined;
  return typeof key === "string" && typeof path.at(-3) === "number" ? camelKey(key) : undefined;
}
