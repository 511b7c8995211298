import type { HumanUserFacts } from "./human-user.ts";

/** The endpoint that creates a user: the import endpoint, many in one call, or the users API, one per call. */
export type Way = "import" | "users";

export interface Routing {
  readonly via: Way | "auto";
  /** No user gets an e-mail or a text message. */
  readonly noMail: boolean;
  /** false: the import endpoint creates active users alone. */
  readonly importStates?: boolean;
}

/**
 * Chooses the endpoint for a user. With `auto`, it is the import endpoint, which takes many users in one call, unless that endpoint
 * would drop a fact: without a password it drops that an address is verified, and sends the user an initialization e-mail (service
 * behaviour 0.2); with a hash it drops that a password must be changed (2.6). The users API keeps both, and can send nothing (0.3).
 *
 * An inactive or locked user takes the users API, with any `via`, where the import endpoint would create an active one (0.19b): the
 * state follows in the next call, and a resumed run sets it after a kill between the two. So does one who would get a message: the link of
 * an initialization e-mail makes the user active without a password (9.45).
 */
export function routeUser(user: HumanUserFacts, { via, noMail, importStates = true }: Routing): Way {
  if (user.isClosed && !importStates) return "users";
  if (via !== "auto") return via;
  if ((noMail || user.isClosed) && (user.getsMail || user.getsSms)) return "users";
  return user.losesVerified || user.losesPasswordChange ? "users" : "import";
}

/** Why the service sends a message: an e-mail, or for an unverified phone number an SMS. */
export type MessageReason = "no-password" | "email-not-verified" | "phone-not-verified" | "password-changed";

/**
 * Why the service sends messages to a user that the endpoint creates (service behaviour 0.2, 0.3, 2.6). The users API asks for proof of an
 * unverified address, and sends no e-mail to a verified one.
 */
export function messageReasons(user: HumanUserFacts, way: Way, noMail: boolean): readonly MessageReason[] {
  if (way === "users" && (noMail || user.isClosed)) return [];
  const isMailed = way === "users" ? !user.isVerified : user.getsMail;
  return [
    ...(isMailed ? [user.isVerified ? ("no-password" as const) : ("email-not-verified" as const)] : []),
    ...(user.getsSms ? ["phone-not-verified" as const] : []),
  ];
}

/**
 * True for a user who waits in the state INITIAL until the code of an e-mail is used: the import endpoint creates such users, and the users
 * API none (service behaviour 0.2, 0.19b, 0.37).
 */
export function startsInitial({ getsMail, hasLinks, isClosed }: HumanUserFacts, way: Way): boolean {
  return way === "import" && getsMail && !hasLinks && !isClosed;
}

/** Users who go through the users API, the messages that it will send, and those that the import endpoint would send. */
export const NO_ROUTES = {
  users: 0,
  mails: 0,
  sms: 0,
  mailsOtherwise: 0,
  /** Those of them to inactive and locked users: the users API sends them nothing. */
  closedMailsOtherwise: 0,
  smsOtherwise: 0,
  closedSmsOtherwise: 0,
};

export type RouteCounts = Readonly<typeof NO_ROUTES>;

/** Counts a user who goes through the users API. */
export function countRoute(counts: RouteCounts, user: HumanUserFacts, { noMail }: Routing): RouteCounts {
  const reasons = messageReasons(user, "users", noMail);
  const isMailed = reasons.includes("email-not-verified");
  return {
    users: counts.users + 1,
    mails: counts.mails + (isMailed ? 1 : 0),
    sms: counts.sms + (reasons.includes("phone-not-verified") ? 1 : 0),
    mailsOtherwise: counts.mailsOtherwise + (user.getsMail ? 1 : 0),
    closedMailsOtherwise: counts.closedMailsOtherwise + (user.getsMail && user.isClosed ? 1 : 0),
    smsOtherwise: counts.smsOtherwise + (user.getsSms ? 1 : 0),
    closedSmsOtherwise: counts.closedSmsOtherwise + (user.getsSms && user.isClosed ? 1 : 0),
  };
}
