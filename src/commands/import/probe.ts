import type { AdminApi } from "../../admin/client.ts";

const PROBE = Buffer.from('{"timeout":"1m"}');

/**
 * Finds out whether the token may import, without changing anything: a call without data is answered `{}`, and only to a token with
 * the right to write (service behaviour 2.7, 2.8). Raises auth.*, api.*, net.*.
 */
export async function probeRights(api: AdminApi, signal: AbortSignal): Promise<void> {
  const answer = await api.importData(PROBE, 60_000, signal);
  await answer.text();
}
