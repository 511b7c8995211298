import type { HumanUserFacts } from "./human-user.ts";

/** The endpoint that makes a user: the import endpoint, many at a time, or the users API, one by one. */
export type Way = "import" | "users";

export interface Routing {
  readonly via: Way | "auto";
  /** Nobody is to get a mail or a text message. */
  readonly noMail: boolean;
}

/**
 * The way that a user goes. On its own the import endpoint is chosen, which is made for many; but it forgets that an address is
 * verified when there is no password, makes the person start anew and mails them (service behaviour 0.2), and it forgets that a
 * password is to be changed when it comes as a hash (2.6). The users API keeps both, and can be told to send nothing (0.3).
 */
export function routeUser(user: HumanUserFacts, { via, noMail }: Routing): Way {
  if (via !== "auto") return via;
  if (noMail && (user.getsMail || user.getsSms)) return "users";
  return user.losesVerified || user.losesPasswordChange ? "users" : "import";
}

/** How many go through the users API, what they will get from it, and what they would get from the import endpoint. */
export interface RouteCounts {
  readonly users: number;
  readonly mails: number;
  readonly sms: number;
  readonly mailsOtherwise: number;
  readonly smsOtherwise: number;
}

export const NO_ROUTES: RouteCounts = { users: 0, mails: 0, sms: 0, mailsOtherwise: 0, smsOtherwise: 0 };

/** Adds a user who goes through the users API. It asks for an address to be verified; to somebody verified it sends nothing. */
export function countRoute(counts: RouteCounts, user: HumanUserFacts, { noMail }: Routing): RouteCounts {
  return {
    users: counts.users + 1,
    mails: counts.mails + (user.isVerified || noMail ? 0 : 1),
    sms: counts.sms + (user.getsSms && !noMail ? 1 : 0),
    mailsOtherwise: counts.mailsOtherwise + (user.getsMail ? 1 : 0),
    smsOtherwise: counts.smsOtherwise + (user.getsSms ? 1 : 0),
  };
}
