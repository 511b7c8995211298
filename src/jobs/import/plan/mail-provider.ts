import { readSettings } from "../../../admin/org-lists.ts";
import { fieldsOf } from "../../../core/json/members.ts";
import type { Asking } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";

/** The list of the e-mail providers of an instance (service behaviour 9.29). */
const PROVIDERS = { path: "/admin/v1/email/_search", list: { paging: "query", member: "result" } } as const;
const ACTIVE = "EMAIL_PROVIDER_ACTIVE";

/** True if an e-mail provider of the instance is active; undefined if the instance does not say it. Raises net.*, auth.refused. */
export async function hasMailProvider(asking: Asking): Promise<boolean | undefined> {
  const answer = await ifOffered(() => readSettings(PROVIDERS, asking));
  if (answer === undefined || !("items" in answer)) return undefined;
  return answer.items.some((item) => fieldsOf(item)["state"] === ACTIVE);
}
