import * as z from "zod";
import { endpoints } from "../contract/endpoints.ts";
import { ProblemError } from "../problem.ts";
import type { AdminApi } from "./client.ts";

const MyInstance = z.object({
  instance: z.object({ id: z.string().max(200).default(""), version: z.string().max(100).default("") }),
});
type MyInstance = z.infer<typeof MyInstance>["instance"];

/** The version that the instance reports (service behaviour 9.1); undefined as for readInstanceId. Raises run.aborted. */
export async function readInstanceVersion(api: AdminApi, signal: AbortSignal): Promise<string | undefined> {
  const version = (await readInstance(api, signal))?.version ?? "";
  return version === "" ? undefined : api.redactor.clean(version);
}

/**
 * The id of the instance, which is the same under all its addresses (service behaviour 9.1); undefined if it does not report it, for any
 * reason: a later call names the problem. Raises run.aborted.
 */
export async function readInstanceId(api: AdminApi, signal: AbortSignal): Promise<string | undefined> {
  return (await readInstance(api, signal))?.id || undefined;
}

async function readInstance(api: AdminApi, signal: AbortSignal): Promise<MyInstance | undefined> {
  const { method, path } = endpoints.myInstance;
  try {
    const answer = await api.request({ method, path, body: Buffer.alloc(0), role: "IAM_OWNER_VIEWER" }, signal);
    return MyInstance.parse(JSON.parse(await answer.text())).instance;
  } catch (error) {
    if (signal.aborted || (error instanceof ProblemError && error.problem.code === "run.aborted")) throw error;
    return undefined;
  }
}

/** The clock of an instance, and that of this machine at the same time. Raises what the call raises. */
export async function askClock(
  api: AdminApi,
  signal: AbortSignal,
): Promise<{ readonly date: Date | undefined; readonly atMs: number }> {
  const body = Buffer.from('{"query":{"limit":1}}');
  const answer = await api.request({ path: endpoints.searchOrgs.path, body, role: "IAM_OWNER_VIEWER" }, signal);
  const atMs = Date.now();
  await answer.text();
  return { date: answer.date, atMs };
}
