import { notJson } from "../../../admin/client.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { endpoints } from "../../../contract/endpoints.ts";
import type { Asking } from "../../shared/asking.ts";

const PROBE = Buffer.from('{"timeout":"1m"}');

/**
 * Finds out whether the token may import, without changing anything: a call without data is answered `{}`, and only to a token with
 * the right to write (service behaviour 2.7, 2.8). Raises auth.*, api.*, net.*.
 */
export async function probeRights({ api, retry, signal }: Asking): Promise<void> {
  const probe = async (): Promise<void> => {
    const answer = await api.request({ path: endpoints.importData.path, body: PROBE, role: "IAM_OWNER" }, signal);
    const text = await answer.text();
    if (!isObject(text)) throw notJson(answer, text);
  };
  await withRetry(probe, retry, signal);
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
