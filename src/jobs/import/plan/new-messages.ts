import { plainUserFacts } from "../../../core/document/plain-user.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { checkHumanUser } from "../../../core/rules/human-user.ts";
import { countRoute, NO_ROUTES } from "../../../core/rules/route.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { type Messages, messagesOf } from "../../../ui/summary/import-plan.ts";
import { askingOf } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { withProgress } from "../../shared/with-progress.ts";
import type { ImportRun } from "../import-run.ts";
import { readDirectory } from "./foresee.ts";
import { type Plan, readSection } from "./plan.ts";

/**
 * The messages that the service sends: none because of users that exist already, and none because of users that an earlier run of the job
 * has settled. Where events cannot be read, the number of the whole input. Raises net.*, auth.refused.
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
  if (directory === undefined) return most;
  const routing = { via: run.settings.plan.via, noMail: run.settings.plan.noMail };
  let routes = NO_ROUTES;
  let messages: Messages = { mails: 0, closedMails: 0, sms: 0 };
  const wants = (first: number, count: number): boolean => done?.covers(first, count) !== true;
  for await (const items of readSection(plan, "humanUsers", asking.signal, wants)) {
    for (const { bytes, way, org } of items) {
      const id = userIdOf(bytes);
      if (id !== "" && directory.orgOf(id) !== undefined) continue;
      const entry: unknown = JSON.parse(bytes.toString());
      const userName = textMember(fieldsOf(member(fieldsOf(entry), "user")), "userName");
      if (directory.isTaken(userName, plan.scan.orgs[org]?.orgId ?? "")) continue;
      const facts = plainUserFacts(bytes) ?? checkHumanUser(entry, () => {});
      if (way === "users" && hasUsersApi) routes = countRoute(routes, facts, routing);
      else
        messages = {
          mails: messages.mails + (facts.getsMail ? 1 : 0),
          closedMails: messages.closedMails + (facts.getsMail && facts.isClosed ? 1 : 0),
          sms: messages.sms + (facts.getsSms ? 1 : 0),
        };
    }
  }
  return {
    mails: messages.mails + routes.mails,
    closedMails: messages.closedMails + routes.closedMails,
    sms: messages.sms + routes.sms,
  };
}
