import { plainUserFacts } from "../../../core/document/plain-user.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { checkHumanUser } from "../../../core/rules/human-user.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { Recipients } from "../../../core/transfer/recipients.ts";
import { type Messages, messagesOf } from "../../../ui/summary/import-plan.ts";
import { askingOf } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { withProgress } from "../../shared/with-progress.ts";
import type { ImportRun } from "../import-run.ts";
import { readDirectory } from "./foresee.ts";
import { type Plan, readSection } from "./plan.ts";

/**
 * The messages that the service sends, and who gets them: none because of users that exist already, and none because of users that an earlier run
 * of the job has settled. Where events cannot be read, all users of the input count as new. Raises net.*, auth.refused.
 */
export async function messagesOfNew(
  run: ImportRun,
  plan: Plan,
  hasUsersApi: boolean,
  done: JobState["done"] | undefined,
): Promise<Messages> {
  const most = messagesOf(plan.scan.counts, plan.scan.routes, hasUsersApi);
  if (most.mails + most.sms === 0) return most;
  const asking = askingOf(run);
  const directory = await withProgress(run.ui, "checking which users exist", (progress) =>
    ifOffered(() => readDirectory(asking, progress)),
  );
  const recipients = new Recipients();
  let [closedMails, closedSms] = [0, 0];
  const wants = (first: number, count: number): boolean => done?.covers(first, count) !== true;
  for await (const items of readSection(plan, "humanUsers", asking.signal, wants)) {
    for (const { bytes, way, org } of items) {
      const id = userIdOf(bytes);
      if (id !== "" && directory?.orgOf(id) !== undefined) continue;
      const entry: unknown = JSON.parse(bytes.toString());
      const name = textMember(fieldsOf(member(fieldsOf(entry), "user")), "userName");
      if (directory?.isTaken(name, plan.scan.orgs[org]?.orgId ?? "") === true) continue;
      const facts = plainUserFacts(bytes) ?? checkHumanUser(entry, () => {});
      const { mails, sms } = recipients;
      recipients.addNew({ id, name }, facts, hasUsersApi ? way : "import", run.settings.plan.noMail);
      if (facts.isClosed) closedMails += recipients.mails - mails;
      if (facts.isClosed) closedSms += recipients.sms - sms;
    }
  }
  return { mails: recipients.mails, closedMails, sms: recipients.sms, closedSms, recipients };
}
