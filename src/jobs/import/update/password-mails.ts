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
 * The number of e-mails for these passwords, which are counted by organization: the service sends one for every change, unless the
 * notification policy says otherwise (tried on v4). If the policy cannot be read, all of them count.
 */
export async function readPasswordMails(
  target: Pick<ImportRun, "api" | "ui" | "context">,
  passwords: ReadonlyMap<string, number>,
): Promise<number> {
  const { api, retry, signal } = askingOf(target);
  let mails = 0;
  for (const [orgId, count] of passwords) {
    const call = { method: "GET", path: endpoints.notificationPolicy.path, orgId, body: NOTHING, role: ROLE } as const;
    const read = async (): Promise<boolean> =>
      (await readAs(Policy, await api.request(call, signal)))?.policy.passwordChange ?? true;
    if ((await ifOffered(() => withRetry(read, retry, signal))) ?? true) mails += count;
  }
  return mails;
}

const NOTHING = Buffer.from("{}");
const ROLE = "IAM_OWNER";
