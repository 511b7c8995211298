import { camelKey } from "../../contract/import-request.ts";
import { createWalker, type Walker } from "../json/walker.ts";
import { elementId, stepOf } from "./org-sections.ts";
import { bodyLayout } from "./scan-types.ts";

/** Sections that no import carries to the target (spec: Not carried). */
const notCarried = new Set(["machineKeys", "appKeys"]);

/**
 * Names every object of a body or an export that has an id: section and id, for an organization "org" and its orgId. Raises
 * BrokenJson; the document is taken to have been scanned.
 */
export function createElementWalk(onElement: (section: string, id: string, line: number) => void): Walker {
  return createWalker(bodyLayout, {
    value(path, bytes, line) {
      const last = path.at(-1);
      const parent = path.at(-2);
      if (last === "orgId" || last === "org_id") {
        if (typeof parent === "number") onElement("org", String(JSON.parse(bytes.toString())), line);
        return;
      }
      if (typeof last !== "number" || typeof parent !== "string") return;
      const section = camelKey(parent);
      if (stepOf(section) === 0 || notCarried.has(section)) return;
      const id = elementId(section, JSON.parse(bytes.toString()));
      if (id !== undefined) onElement(section, id, line);
    },
  });
}
