import * as z from "zod";
import { readAs } from "../../../admin/answer-json.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { endpoints } from "../../../contract/endpoints.ts";
import { askingOf } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import type { ImportRun } from "../import-run.ts";

/** The policy of an organization, its own or the instance's; a member that is false is absent. */
const Policy = z.object({ policy: z.object({ passwordChange: z.boolean().default(false) }) });

/**
 * Those of these organizations whose users get an e-mail about a changed password: the service sends one for every change, unless the
 * notification policy says otherwise (tried on v4). If the policy cannot be read, the organization is one of them.
 */
export async function readPasswordMails(
  target: Pick<ImportRun, "api" | "ui" | "context">,
  orgIds: Iterable<string>,
): Promise<readonly string[]> {
  const { api, retry, signal } = askingOf(target);
  const mailing: string[] = [];
  for (const orgId of orgIds) {
    const call = { method: "GET", path: endpoints.notificationPolicy.path, orgId, body: NOTHING, role: ROLE } as const;
    const read = async (): Promise<boolean> =>
      (await readAs(Policy, await api.request(call, signal)))?.policy.passwordChange ?? true;
    if ((await ifOffered(() => withRetry(read, retry, signal))) ?? true) mailing.push(orgId);
  }
  return mailing;
}

const NOTHING = Buffer.from("{}");
const ROLE = "IAM_OWNER";
