import * as z from "zod";
import { endpoints } from "../contract/endpoints.ts";
import { ProblemError } from "../problem.ts";
import type { AdminApi } from "./client.ts";

const MyInstance = z.object({ instance: z.object({ version: z.string().max(100) }) });

/**
 * The version that the instance reports (service behaviour 9.1); undefined if it does not, for any reason: a later call names the
 * problem. Raises run.aborted.
 */
export async function readInstanceVersion(api: AdminApi, signal: AbortSignal): Promise<string | undefined> {
  const { method, path } = endpoints.myInstance;
  try {
    const answer = await api.request({ method, path, body: Buffer.alloc(0), role: "IAM_OWNER_VIEWER" }, signal);
    const { version } = MyInstance.parse(JSON.parse(await answer.text())).instance;
    return version === "" ? undefined : answer.clean(version);
  } catch (error) {
    if (signal.aborted || (error instanceof ProblemError && error.problem.code === "run.aborted")) throw error;
    return undefined;
  }
}
