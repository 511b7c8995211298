import { isEmpty } from "../shared/options.ts";
import type { Path } from "./paths.ts";

/** What is read of a value: members by their names, or all of it. */
interface Node {
  isRead: boolean;
  /** Objects and lists in it are read as well. */
  isWhole: boolean;
  readonly members: Map<string, Node>;
  /** Members with such names are read. */
  named: RegExp | undefined;
}

/** Which paths of a row are read, so that what is left out can be named. */
export class ReadPaths {
  readonly #root = createNode();

  /** @param isWhole everything inside the value is read, too. */
  add(path: Path, isWhole: boolean): void {
    let node = this.#root;
    for (const step of path) {
      if ("key" in step) node = memberOf(node, step.key);
      else if ("member" in step) {
        let member = node;
        for (const key of step.member) member = memberOf(member, key);
        member.isRead = true;
        if (typeof step.is !== "string") this.add(step.is, false);
      }
    }
    node.isRead = true;
    node.isWhole ||= isWhole;
  }

  /** Members of an object are read if their name has this form. */
  addMembers(key: string, form: RegExp): void {
    memberOf(this.#root, key).named = form;
  }

  /**
   * Paths of the row that hold something and are not read; undefined: none.
   * @param sees gets what is not read, outside of lists; also false, which is nothing that a user could miss, and may be a state.
   */
  leftOut(row: object, sees?: Sees): readonly string[] | undefined {
    const found: string[] = [];
    collect(row, this.#root, "", found, sees);
    return found.length === 0 ? undefined : found.length === 1 ? found : [...new Set(found)];
  }
}

/** Gets a value and its path. */
type Sees = (value: unknown, path: string) => void;

function createNode(): Node {
  return { isRead: false, isWhole: false, members: new Map(), named: undefined };
}

function memberOf(node: Node, key: string): Node {
  const known = node.members.get(key);
  if (known !== undefined) return known;
  const member = createNode();
  node.members.set(key, member);
  return member;
}

function collect(value: object, node: Node, path: string, found: string[], sees: Sees | undefined): void {
  if (Array.isArray(value)) {
    for (const element of value)
      if (typeof element === "object" && element !== null) collect(element, node, path, found, undefined);
    return;
  }
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    const known = node.members.get(key);
    if (isEmpty(member)) {
      if (member === false && known === undefined) sees?.(member, path === "" ? key : `${path}.${key}`);
      continue;
    }
    if (known?.isWhole === true || node.named?.test(key) === true) continue;
    const isObject = typeof member === "object";
    if (
      known === undefined ||
      (isObject && known.members.size === 0 && known.named === undefined && !isListOfTexts(member))
    ) {
      const at = path === "" ? key : `${path}.${key}`;
      found.push(at);
      sees?.(member, at);
    } else if (isObject) collect(member as object, known, path === "" ? key : `${path}.${key}`, found, sees);
  }
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
