import { count } from "./format.ts";

/** "3 users have", "1 user has" and similar. */
interface Users {
  readonly are: string;
  readonly have: string;
  readonly signIn: string;
}

interface Words {
  /** "loss": the user has something at the source that is not on the target. */
  readonly kind: "loss" | "notice";
  readonly of: (users: Users) => string;
}

const loss = (of: Words["of"]): Words => ({ kind: "loss", of });
const notice = (of: Words["of"]): Words => ({ kind: "notice", of });

/** What a written user loses or gains in the migration. */
const remarks = {
  "blocked-becomes-active": notice(
    ({ are }) => `${are} blocked at the source and will be active, because of --unblock`,
  ),
  "factors-lost": loss(({ have }) => `${have} a second factor that cannot be moved; they will sign in without it`),
  "picture-lost": loss(({ have }) => `${have} a picture; the service has no field for it`),
  "hash-dropped": loss(
    ({ have }) => `${have} a hash that the target cannot check; it was dropped, so they must set a new password`,
  ),
  "link-lost": loss(({ signIn }) => `${signIn} with a provider that --idp does not name; these links were dropped`),
  "link-number-lost": loss(
    ({ have }) =>
      `${have} an account at a provider whose id is a number beyond 2^53 in the file; such a number loses digits when the file is read, so this account was not linked. Write the id as a text ("user_id": "<digits>")`,
  ),
  "language-lost": loss(({ have }) => `${have} a language that the service does not accept; it was dropped`),
  "phone-lost": loss(
    ({ have }) =>
      `${have} a phone number that the service does not accept; it was dropped (national numbers are read only with their country, such as --phone-country DE)`,
  ),
  /** With `--phone-country`. */
  "phone-of-no-country": loss(
    ({ have }) =>
      `${have} a phone number that is neither international nor clearly one of the country of --phone-country; it was dropped (a number that begins with the country's calling code needs a + before it)`,
  ),
  "metadata-doubled": loss(
    ({ have }) =>
      `${have} different values for one key in two sources of metadata; the later source counts, and a prefix keeps both (--metadata user,app=app_)`,
  ),
  "linked-metadata-doubled": loss(
    ({ have }) =>
      `${have} other values for a key of the metadata in accounts that were merged by --same-email link; those of the account that is kept count`,
  ),
  "metadata-lost": loss(
    ({ have }) =>
      `${have} metadata that the service does not accept (an empty key or one of more than 200 characters, a value of more than 500,000 bytes, a NUL in the key) or a second value for one key; these were dropped`,
  ),
  "gender-lost": loss(
    ({ have }) =>
      `${have} a gender that the service does not accept; it was dropped (--value gender:Frau=female says what a word means)`,
  ),
  "otp-lost": loss(
    ({ have }) => `${have} one-time codes of a kind that the service does not check; they will sign in without them`,
  ),
  "otp-several": loss(
    ({ have }) =>
      `${have} several keys of one-time codes at the source: the first that the service checks is kept, and the others are dropped`,
  ),
  "last-name-missing": notice(({ have }) => `${have} no last name at the source: the first name stands for both`),
  "first-name-missing": notice(({ have }) => `${have} no first name at the source: the last name stands for both`),
  "stays-inactive": notice(({ are }) => `${are} blocked or disabled at the source and will be inactive`),
  "stays-locked": notice(({ are }) => `${are} locked at the source and will be locked`),
  "email-made-up": notice(
    ({ have }) =>
      `${have} no e-mail address at the source; an unverified one was made from the user name or id, which receives no e-mail unless that mailbox exists: without --no-mail, import asks them for a code that they cannot read`,
  ),
  "domain-converted": notice(
    ({ signIn }) =>
      `${signIn} with an e-mail address whose international domain was converted (for example, name@müller.de becomes name@xn--mller-kva.de); tell them their new login name`,
  ),
  "password-change": notice(
    ({ have }) =>
      `${have} to change the password at the next sign-in; import carries that over (one by one through the users API where there is a hash), except with --via import`,
  ),
  "linked-password-lost": loss(
    ({ have }) =>
      `${have} a linked database account, whose password is not carried: they sign in with the other provider, or set a new password (orgferry invite)`,
  ),
  "password-elsewhere": loss(({ have }) => `${have} the password in an external directory; no export contains it`),
  "password-placeholder": loss(
    ({ have }) => `${have} a word or a mask in place of a password, such as (none) or ********, and so no password`,
  ),
  "hash-as-name": notice(
    ({ have }) =>
      `${have} what looks like a password hash as a name, which other people can see; is the column mapped to the wrong field (--map hash=<column>)?`,
  ),
  "state-empty": notice(
    ({ have }) =>
      `${have} an empty state and will be active; --value state:=inactive says that an empty cell means inactive`,
  ),
  "phone-unverified": notice(
    ({ have }) =>
      `${have} an unverified phone number; the import sends an SMS to it, unless the user is inactive or locked`,
  ),
  "attributes-left-out": loss(({ have }) => `${have} attributes that --metadata does not name; these were dropped`),
  granted: notice(({ have }) => `${have} roles or groups that become roles in projects`),
  "roles-unread": loss(
    ({ have }) =>
      `${have} roles at --roles-by that are no text, nor a list of texts; these are not moved. Give a .csv of user_id,role instead`,
  ),
  "roles-lost": loss(({ have }) => `${have} roles or groups that --grant does not name; these are not moved`),
  "orgs-lost": loss(({ are }) => `${are} in several organizations at the source and will be in one of them`),
  "verify-email-lost": loss(
    ({ have }) => `${have} a verified address that had to be verified again; that is not moved`,
  ),
  "update-profile-lost": loss(({ have }) => `${have} a profile to update at the next sign-in; that is not moved`),
  "terms-lost": loss(({ have }) => `${have} terms to accept at the next sign-in; that is not moved`),
  "factor-setup-lost": loss(({ have }) => `${have} a second factor to set up at the next sign-in; that is not moved`),
  "action-lost": loss(({ have }) => `${have} another action to take at the next sign-in; that is not moved`),
} satisfies Readonly<Record<string, Words>>;
export type Remark = keyof typeof remarks;

/** Why a row of users is neither written nor rejected. */
const leftOut = {
  linked: "their accounts at identity providers became links of another user with the same address",
  "service-account": "service accounts",
  deleted:
    "deleted at the source; an import deletes and deactivates none of them on the target, and import --update names them",
  anonymous: "anonymous visitors without an account",
  "not-selected": "not selected by --only, --where and --limit",
} as const;
export type LeftOutReason = keyof typeof leftOut;

/** The users that a line names. */
const SHOWN = 10;

/**
 * What written users lose or gain, in words, always in the order of the table.
 * @param kind absent: both.
 * @param users by remark, as far as they are known, as they are shown.
 */
export function describeRemarks(
  counts: Partial<Record<Remark, number>>,
  users: Partial<Record<string, readonly string[]>> = {},
  kind?: "loss" | "notice",
): readonly string[] {
  const all = Object.keys(remarks) as Remark[]; // the keys of the table
  return all
    .filter((remark) => kind === undefined || remarks[remark].kind === kind)
    .flatMap((remark) =>
      counts[remark] === undefined ? [] : [describeRemark(remark, counts[remark]) + namesOf(users[remark])],
    );
}

/** `: u1, u2, …`; the report lists more. */
function namesOf(ids: readonly string[] = []): string {
  const named = ids.slice(0, SHOWN).join(", ");
  return named === "" ? "" : `: ${named}${ids.length > SHOWN ? ", … (--report lists more)" : ""}`;
}

function describeRemark(remark: Remark, users: number): string {
  const who = `${count(users)} ${users === 1 ? "user" : "users"}`;
  return remarks[remark].of(
    users === 1
      ? { are: `${who} is`, have: `${who} has`, signIn: `${who} signs in` }
      : { are: `${who} are`, have: `${who} have`, signIn: `${who} sign in` },
  );
}

/** Why rows of users were left out, in words. @param users as far as they are known, as they are shown. */
export function describeLeftOut(reason: LeftOutReason, users?: readonly string[]): string {
  return leftOut[reason] + namesOf(users);
}
