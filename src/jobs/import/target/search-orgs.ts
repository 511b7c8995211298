import * as z from "zod";
import { withRetry } from "../../../admin/with-retry.ts";
import { ProblemError } from "../../../problem.ts";
import type { Asking } from "../import-run.ts";

const Found = z.object({
  result: z.array(z.object({ id: z.string(), name: z.string().default("") })).default([]),
});

const PAGE = 1_000;

/**
 * The organizations that the target's search finds, id → name; undefined where it has none, or does not tell. What was just made may
 * not be among them yet.
 */
export async function searchOrgs({ api, retry, signal }: Asking): Promise<ReadonlyMap<string, string> | undefined> {
  const orgs = new Map<string, string>();
  try {
    for (let offset = 0; ; offset += PAGE) {
      const body = Buffer.from(JSON.stringify({ query: { offset: String(offset), limit: PAGE, asc: true } }));
      const call = { path: "/admin/v1/orgs/_search", body, role: "IAM_OWNER" };
      const text = await withRetry(async () => (await api.request(call, signal)).text(), retry, signal);
      const { result } = Found.parse(JSON.parse(text));
      for (const { id, name } of result) orgs.set(id, name);
      if (result.length < PAGE) return orgs;
    }
  } catch (error) {
    if (error instanceof ProblemError && !isNotTold(error.problem.code)) throw error;
    return undefined; // whatever it is that was answered, it is no list of organizations
  }
}

/** Refused, missing or nonsense: everything beyond the import itself is optional, so it is no reason not to import. */
export function isNotTold(code: string): boolean {
  return code === "auth.forbidden" || code.startsWith("api.");
}
