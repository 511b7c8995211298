import { ProblemError } from "../../../problem.ts";
import { type Messages, messagesQuestion, UNTOLD_MESSAGES_QUESTION } from "../../../ui/summary/import-plan.ts";
import type { ImportWorld } from "../import-run.ts";
import type { ImportSettings } from "../settings.ts";

/** What the flags say about mails. */
export type MailSettings = Pick<ImportSettings, "dryRun" | "plan" | "consent">;

/**
 * Nothing is sent before this returns: nobody is mailed against `--max-mails` nor, where somebody sits at a terminal, without their yes.
 * Without a terminal the plan has told the number, and the run goes on. `messages` undefined: they cannot be counted. Raises
 * run.too-many-mails, run.declined, usage.invalid, the signal's reason.
 */
export async function allowMessages(
  messages: Messages | undefined,
  { dryRun, plan: { noMail }, consent: { maxMails, yes } }: MailSettings,
  { api, ui, context: { signal } }: Pick<ImportWorld, "api" | "ui" | "context">,
): Promise<void> {
  const { host } = api.address;
  const flag = noMail ? "--no-mail" : maxMails === undefined ? undefined : "--max-mails";
  if (messages === undefined && flag !== undefined) {
    const message = `${flag} cannot be kept: how many people this sends a mail to is known to the service alone.`;
    throw new ProblemError({ code: "usage.invalid", message });
  }
  if (messages !== undefined && maxMails !== undefined && messages.mails > maxMails)
    throw new ProblemError({ code: "run.too-many-mails", host, mails: messages.mails, limit: maxMails });
  if (dryRun || yes || (messages?.mails === 0 && messages.sms === 0)) return;
  const question = messages === undefined ? UNTOLD_MESSAGES_QUESTION : messagesQuestion(messages, host);
  if ((await ui.confirm(question, signal)) === false) throw new ProblemError({ code: "run.declined" });
}
