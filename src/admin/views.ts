import { endpoints } from "../contract/endpoints.ts";
import { type View, ViewSearchResult } from "../contract/views.ts";
import { type AdminApi, readJson } from "./client.ts";

const ROLE = "IAM_OWNER_VIEWER (or IAM_OWNER)";

/** How far the readers of the event log are. Raises auth.*, api.*, net.*. */
export async function readViews(api: Pick<AdminApi, "request">, signal: AbortSignal): Promise<readonly View[]> {
  const request = { path: endpoints.searchViews.path, body: Buffer.from("{}"), role: ROLE };
  return (await readJson(await api.request(request, signal), ViewSearchResult, "a list of views")).result;
}
