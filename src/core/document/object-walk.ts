import { camelKey } from "../../contract/import-request.ts";
import { createWalker, type Walker } from "../json/walker.ts";
import { stepOf } from "./org-sections.ts";
import { bodyLayout } from "./scan-types.ts";

/** An element of a list of an organization that is sent apart, or a setting of the organization as a whole. */
export interface WalkedObject {
  /** The list's key, or the setting's, in camel case. */
  readonly section: string;
  /** The organization's place in the document. */
  readonly org: number;
  readonly value: unknown;
  readonly line: number;
}

/**
 * Hands out the elements and settings of the sections that are wanted, parsed, in the order of a body or an export that has been scanned
 * before. Raises BrokenJson.
 */
export function createObjectWalk(
  wants: (section: string) => boolean,
  onObject: (object: WalkedObject) => void,
): Walker {
  return createWalker(bodyLayout, {
    value(path, bytes, line) {
      const isElement = typeof path.at(-1) === "number";
      const [org, key] = [path.at(isElement ? -3 : -2), path.at(isElement ? -2 : -1)];
      if (typeof org !== "number" || typeof key !== "string") return;
      const section = camelKey(key);
      if (section === "orgId" || isElement !== stepOf(section) > 0 || !wants(section)) return;
      onObject({ section, org, value: JSON.parse(bytes.toString()), line });
    },
  });
}
