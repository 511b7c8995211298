import { contentOf } from "../../contract/import-request.ts";
import { ProcessEnd } from "../http/answer.ts";
import { isObject, type JsonObject, listAt, textAt } from "../http/json.ts";

/** Raises ProcessEnd for the first entry that ends the real service's process. */
export function checkInnerObjects(orgs: readonly JsonObject[]): void {
  for (const org of orgs) {
    for (const [field, inner] of Object.entries(contentOf)) {
      const index = listAt(org, field).findIndex((entry) => !isObject(entry[inner]));
      if (index < 0) continue;
      const place = `organization ${textAt(org, "orgId")}, ${field}[${index}]`;
      throw new ProcessEnd(`${place} has no \`${inner}\`: the real service's process would have ended here`);
    }
  }
}
