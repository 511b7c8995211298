import { type Absence, createUsersApi } from "../../../admin/users-api.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { ProblemError } from "../../../problem.ts";
import {
  type Messages,
  messagesQuestion,
  NO_MAIL_PROVIDER,
  UNTOLD_MESSAGES_QUESTION,
  usersApiAbsenceLine,
} from "../../../ui/summary/import-plan.ts";
import { askingOf } from "../../shared/asking.ts";
import type { ImportRun, ImportWorld } from "../import-run.ts";
import type { ImportSettings } from "../settings.ts";
import { hasMailProvider } from "./mail-provider.ts";
import type { Plan } from "./plan.ts";

// Everything that decides whether a user gets an e-mail or an SMS, except which way a user is sent (core/rules/route.ts).

/**
 * Asks the target whether it has the users API, if some users are created by it; undefined if there are none. The API is optional: without
 * it, which is reported, the import endpoint creates all users. Raises api.no-mail-impossible and api.flag-impossible if `--no-mail` or
 * `--via users` forbids that.
 */
export async function findUsersApi(run: ImportRun, { scan: { routes } }: Plan): Promise<"there" | Absence | undefined> {
  if (routes.users === 0) return undefined;
  const { api, ui, retry, signal } = askingOf(run);
  const { noMail, via } = run.settings.plan;
  const { host } = api.address;
  const probe = (): Promise<"there" | Absence> => withRetry(() => createUsersApi(api).probe(signal), retry, signal);
  let found = await probe();
  // One page of a proxy is no reason to e-mail users.
  if (found === "nonsense" && !noMail) found = await probe();
  if (found === "there") return found;
  const sendsMessages = routes.mailsOtherwise + routes.smsOtherwise > 0;
  refuseMails(noMail && sendsMessages, host, found);
  if (via === "users")
    throw new ProblemError({ code: "api.flag-impossible", host, flag: "--via users", lacks: "users-api" });
  ui.warn(usersApiAbsenceLine(found));
  return found;
}

/** Raises api.no-mail-impossible if the import endpoint would send messages that `--no-mail` forbids. */
export function refuseMails(isForbidden: boolean, host: string, why: Absence): void {
  if (isForbidden) throw new ProblemError({ code: "api.no-mail-impossible", host, why });
}

/** Raises api.would-mail if changed passwords would send e-mails that `--no-mail` forbids. `hasBegun`: users may have been changed. */
export function refusePasswordMails(
  { noMail }: { readonly noMail: boolean },
  host: string,
  { users, hasBegun }: { readonly users: number; readonly hasBegun: boolean },
): void {
  if (noMail && users > 0) throw new ProblemError({ code: "api.would-mail", host, users, hasBegun });
}

/** What decides whether messages may be sent. */
interface MessageSettings {
  readonly dryRun: boolean;
  readonly consent: ImportSettings["consent"];
  readonly plan: Pick<ImportSettings["plan"], "noMail">;
  /** The command exists to send e-mails, and can send fewer. */
  readonly fewer?: true;
}

/**
 * Warns if the target cannot deliver e-mails; a command that exists to send them ends there. Returns only if the messages may be sent: not against `--max-mails`, and at a terminal only after a yes. Without a terminal the plan has
 * shown the number, and the run continues. `passwords`: so many of the e-mails are about changed passwords. `messages` undefined: their number is unknown. Raises api.no-mail-provider, run.too-many-mails,
 * run.declined, usage.invalid, the signal's reason.
 */
export async function allowMessages(
  messages: (Pick<Messages, "mails" | "sms"> & { readonly passwords?: number }) | undefined,
  { dryRun, plan: { noMail }, consent: { maxMails, yes, yesCommand }, fewer }: MessageSettings,
  world: Pick<ImportWorld, "api" | "ui" | "report" | "context">,
): Promise<void> {
  const {
    api: {
      address: { host },
    },
    ui,
    report,
    context: { signal },
  } = world;
  if (messages !== undefined && messages.mails > 0 && (await hasMailProvider(askingOf(world))) === false) {
    if (fewer && !dryRun) throw new ProblemError({ code: "api.no-mail-provider", host });
    ui.warn(NO_MAIL_PROVIDER);
    report.set({ noMailProvider: true });
  }
  const advice = { fewer, passwords: messages?.passwords };
  const flag = noMail ? "--no-mail" : maxMails === undefined ? undefined : "--max-mails";
  if (messages === undefined && flag !== undefined) {
    const message = `${flag} cannot be used here: only the service knows how many users will get an e-mail.`;
    throw new ProblemError({ code: "usage.invalid", message });
  }
  if (messages !== undefined && maxMails !== undefined && messages.mails > maxMails)
    throw new ProblemError({ code: "run.too-many-mails", host, mails: messages.mails, limit: maxMails, ...advice });
  // --max-mails is a yes to these e-mails, and does not cover SMS.
  const isAnswered = yes || (maxMails !== undefined && messages?.sms === 0);
  if (dryRun || isAnswered || (messages?.mails === 0 && messages.sms === 0)) return;
  const question = messages === undefined ? UNTOLD_MESSAGES_QUESTION : messagesQuestion(messages, host);
  const answer = await ui.confirm(question, signal);
  if (answer === false) throw new ProblemError({ code: "run.declined", ...advice });
  if (answer === undefined)
    throw new ProblemError({
      ...{ code: "usage.mails-not-confirmed", host, ...messages, command: yesCommand, ...advice },
      ...(maxMails === undefined ? {} : { hasLimit: true }),
    });
}
