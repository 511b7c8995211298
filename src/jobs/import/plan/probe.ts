import * as z from "zod";
import { parseAs } from "../../../admin/answer-json.ts";
import { notJson, readJson } from "../../../admin/client.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { endpoints } from "../../../contract/endpoints.ts";
import { ProblemError, type RunProblem } from "../../../problem.ts";
import type { Asking } from "../../shared/asking.ts";
import { isNotTold } from "../../shared/not-offered.ts";

const PROBE = Buffer.from('{"timeout":"1m"}');
/** Another server that accepts any call answers with other members. */
const NOTHING_DONE = z.strictObject({ success: z.unknown().optional(), errors: z.unknown().optional() });

/**
 * Finds out whether the token may import, without changing anything: a call without data is answered `{}`, and only to a token with
 * the right to write (service behaviour 2.7, 2.8). Raises auth.*, api.*, net.*.
 */
export async function probeRights({ api, retry, signal }: Asking): Promise<void> {
  const probe = async (): Promise<void> => {
    const answer = await api.request({ path: endpoints.importData.path, body: PROBE, role: "IAM_OWNER" }, signal);
    const text = await answer.text();
    if (parseAs(NOTHING_DONE, text) !== undefined) return;
    if (parseAs(z.object({}), text) === undefined) throw notJson(answer, text);
    const what = "ZITADEL answers an import without data in another way. Is the address right?";
    throw new ProblemError({ code: "api.unexpected", host: api.address.host, what });
  };
  await withRetry(probe, retry, signal);
}

/**
 * Finds out before anything is planned whether the token may import: a token that lacks the permission by its own list of permissions
 * (service behaviour 9.18) is refused as the import call refuses it. Where there is no such list, the import call tells whether the address is
 * that of an instance. Raises auth.*, api.*, net.*.
 */
export async function checkRights(asking: Asking): Promise<void> {
  const permissions = await readPermissions(asking);
  if (permissions === "untold" || (permissions !== "stranger" && permissions.includes("iam.write"))) return;
  await probeRights(asking);
}

/** The same for a token that changes users without an import. Raises auth.*, net.*. */
export async function checkUserRights(asking: Asking): Promise<void> {
  const permissions = await readPermissions(asking);
  if (typeof permissions === "string" || permissions.includes("user.write")) return;
  const { host } = asking.api.address;
  throw new ProblemError({ code: "auth.forbidden", host, role: "IAM_OWNER", message: "user.write" });
}

/** What the token may do; "untold": the instance does not say it; "stranger": the answer is none of the service's. */
async function readPermissions({ api, retry, signal }: Asking): Promise<readonly string[] | "untold" | "stranger"> {
  const { path } = endpoints.ownPermissions;
  const ask = async (): Promise<readonly string[]> => {
    const answer = await api.request({ path, body: Buffer.from("{}"), role: "IAM_OWNER" }, signal);
    return readJson(answer, Permissions, "permissions of an unknown shape").then(({ result }) => result);
  };
  try {
    return await withRetry(ask, retry, signal);
  } catch (error) {
    if (!(error instanceof ProblemError) || !isNotTold(error.problem.code) || isOtherHost(error.problem)) throw error;
    return isOtherServer(error.problem) ? "stranger" : "untold";
  }
}

const Permissions = z.object({ result: z.array(z.string()).default([]) });

/** There is no such call, or a web server or a proxy has answered: only the import call itself tells them from an instance. */
function isOtherServer(problem: RunProblem): boolean {
  if (problem.code === "auth.forbidden") return problem.isPage === true;
  if (problem.code === "api.not-json") return problem.html;
  return problem.code === "api.not-an-instance";
}

/** The service has no instance under the name in the address. */
function isOtherHost(problem: RunProblem): boolean {
  return problem.code === "api.not-an-instance" && /instance not found/i.test(problem.message ?? "");
}
