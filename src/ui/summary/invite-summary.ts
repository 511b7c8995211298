import { count, counted, firstOf, idWithName, linesIf, type Names } from "../../problem/format.ts";
import type { ReportFields } from "../report.ts";

/** `read` is the sum of all others. `unknown` are users of a call whose response was lost; `toSend` were left to a later run. */
export type InviteNumbers = { -readonly [Name in keyof Numbers]: number };
type Numbers = NonNullable<ReportFields<"invite">["users"]>;

const skipped: readonly (readonly [keyof Numbers, string])[] = [
  ["withPassword", "with a password in the file"],
  ["signsInOtherwise", "sign in with an identity provider or a passkey"],
  ["passwordSet", "with a password on the target"],
  ["invitedBefore", "got such an e-mail before, or it is on its way (--again sends another one)"],
  ["inactive", "inactive or locked"],
  ["gone", "not in the organization of the target"],
  [
    "otherPerson",
    "maybe another person on the target, who has had neither the user name nor the e-mail address of the file",
  ],
];

const SHOWN_LEFT = 5;

/** A user who gets no e-mail for a reason on the target. */
export interface LeftUser {
  readonly id: string;
  readonly names: readonly string[];
  readonly reason: "gone" | "inactive" | "other-person";
}

const reasonOf = { gone: "gone", inactive: "inactive", "other-person": "otherPerson" } as const satisfies Readonly<
  Record<LeftUser["reason"], keyof Numbers>
>;

/** What the run will do. */
export function invitePlanLines(
  numbers: Numbers,
  { chosen, unsent }: { readonly chosen: number; readonly unsent: number },
  { by, limit }: { readonly by: "reset" | "invitation"; readonly limit: number | undefined },
  host: string,
  left: readonly LeftUser[],
): readonly string[] {
  const named = (name: keyof Numbers): string => {
    const users = left.filter(({ reason }) => reasonOf[reason] === name);
    const texts = users.map(({ id, names: [user] }) => idWithName(id, user));
    return texts.length === 0 ? "" : `: ${firstOf(texts, SHOWN_LEFT)}`;
  };
  const what = by === "reset" ? "a link to set a new password" : "an invitation";
  const later =
    limit === undefined || numbers.toSend <= chosen ? "" : `, ${count(numbers.toSend - chosen)} later (--limit)`;
  return [
    `target:   ${host}`,
    `users:    ${count(numbers.read)} read`,
    ...skipped.flatMap(([name, words]) =>
      linesIf(numbers[name] > 0, `          ${count(numbers[name])} ${words}${named(name)}`),
    ),
    `e-mails:  ${counted(chosen, "user")} will get ${what}${later}`,
    ...linesIf(
      unsent > 0,
      `          for ${count(unsent)} of them, an e-mail was requested before, and the service has not sent it`,
    ),
  ];
}

/** Said of a file whose users are all missing. */
export const NONE_IS_THERE =
  "none of these users is on the target. Is it the right instance? If the organization has another id there, use --org-map.";

const SHOWN_FAILURES = 10;

/** Users that the service refused an e-mail. @param names user names by id. */
export function notInvitedLines(
  failures: readonly { readonly id: string; readonly message: string }[],
  names: Names,
): readonly string[] {
  // COMMAND-Sfe4g: an invitation is accepted (service behaviour 9.21).
  const isUnfinished = failures.some(({ message }) => message.includes("not yet initialized"));
  return [
    ...failures
      .slice(0, SHOWN_FAILURES)
      .map(({ id, message }) => `failed:   ${idWithName(id, names.get(id) || undefined)}: "${message}"`),
    ...linesIf(
      failures.length > SHOWN_FAILURES,
      `          ${count(failures.length - SHOWN_FAILURES)} more; --report lists them`,
    ),
    ...linesIf(
      isUnfinished,
      "          Users who never finished their registration can get an invitation (--by invitation).",
    ),
  ];
}

/** Said of a run that ends early, also with --quiet. @param open users whose call has no answer. */
export function stoppedInviteLine({ sent }: Numbers, open: readonly string[], names: Names): string {
  const users = open.map((id) => idWithName(id, names.get(id) || undefined));
  const unknown = users.length === 0 ? "" : `, and it is unknown whether ${firstOf(users, SHOWN_LEFT)} got one`;
  return `${counted(sent, "e-mail was", "e-mails were")} sent before the run ended${unknown}. Run the same command again: it sends no second one (without --again).`;
}

/** The result. */
export function inviteSummaryLines(
  { sent, failed, unknown, toSend, passwordSet, invitedBefore }: Numbers,
  again: boolean,
): readonly string[] {
  const rest = again
    ? "not in this run; the next one begins with them"
    : "without an e-mail; run the same command again";
  return [
    `sent:     ${counted(sent, "e-mail")}${failed + unknown === 0 ? "" : `, ${count(failed)} failed, ${count(unknown)} unknown`}`,
    `now:      ${count(passwordSet)} have a password, ${count(invitedBefore + sent + (again ? toSend : 0))} have not yet`,
    ...linesIf(toSend > 0, `left:     ${counted(toSend, "user")} ${rest}`),
  ];
}
