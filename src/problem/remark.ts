import { count } from "./format.ts";

/** "3 users have", "1 user has" and similar. */
interface Users {
  readonly are: string;
  readonly have: string;
  readonly signIn: string;
}

/** What a written user loses or gains in the migration. */
const remarks = {
  "blocked-becomes-active": ({ are }) => `${are} blocked at the source and will be active, because of --unblock`,
  "factors-lost": ({ have }) => `${have} a second factor that cannot be moved; they will sign in without it`,
  "picture-lost": ({ have }) => `${have} a picture; the service has no field for it`,
  "hash-dropped": ({ have }) =>
    `${have} a hash that the target cannot check; it was dropped, so they must set a new password`,
  "link-lost": ({ signIn }) => `${signIn} with a provider that --idp does not name; these links were dropped`,
  "language-lost": ({ have }) => `${have} a language that the service does not accept; it was dropped`,
  "phone-lost": ({ have }) => `${have} a phone number that the service does not accept; it was dropped`,
  "metadata-lost": ({ have }) => `${have} metadata that the service does not accept; these were dropped`,
  "gender-lost": ({ have }) => `${have} a gender that the service does not accept; it was dropped`,
  "otp-lost": ({ have }) =>
    `${have} one-time codes of a kind that the service does not check, or several keys; these were dropped`,
  "stays-inactive": ({ are }) => `${are} blocked or disabled at the source and will be inactive`,
  "email-made-up": ({ have }) =>
    `${have} no e-mail address at the source; an unverified one was made from the user name`,
  "password-change": ({ have }) =>
    `${have} to change the password at the next sign-in; for users with a hash, only the users API carries that over`,
  "password-elsewhere": ({ have }) => `${have} the password in an external directory; no export contains it`,
  "phone-unverified": ({ have }) => `${have} an unverified phone number; the import sends an SMS to it`,
  "attributes-left-out": ({ have }) => `${have} attributes that --metadata does not name; these were dropped`,
  granted: ({ have }) => `${have} roles or groups that become roles in projects`,
  "roles-lost": ({ have }) => `${have} roles or groups that --grant does not name; these are not moved`,
  "orgs-lost": ({ are }) => `${are} in several organizations at the source and will be in one of them`,
  "verify-email-lost": ({ have }) => `${have} a verified address that had to be verified again; that is not moved`,
  "update-profile-lost": ({ have }) => `${have} a profile to update at the next sign-in; that is not moved`,
  "terms-lost": ({ have }) => `${have} terms to accept at the next sign-in; that is not moved`,
  "factor-setup-lost": ({ have }) => `${have} a second factor to set up at the next sign-in; that is not moved`,
  "action-lost": ({ have }) => `${have} another action to take at the next sign-in; that is not moved`,
} satisfies Readonly<Record<string, (users: Users) => string>>;
export type Remark = keyof typeof remarks;

/** Why a row of users is neither written nor rejected. */
const leftOut = {
  linked: "their accounts at identity providers became links of another user with the same address",
  "service-account": "service accounts",
  deleted: "deleted at the source",
  anonymous: "anonymous visitors without an account",
  "not-selected": "not selected by --only, --where and --limit",
} as const;
export type LeftOutReason = keyof typeof leftOut;

/** What written users lose or gain, in words, always in the order of the table. */
export function describeRemarks(counts: Partial<Record<Remark, number>>): readonly string[] {
  const all = Object.keys(remarks) as Remark[]; // the keys of the table
  return all.flatMap((remark) => (counts[remark] === undefined ? [] : [describeRemark(remark, counts[remark])]));
}

function describeRemark(remark: Remark, users: number): string {
  const who = `${count(users)} ${users === 1 ? "user" : "users"}`;
  return remarks[remark](
    users === 1
      ? { are: `${who} is`, have: `${who} has`, signIn: `${who} signs in` }
      : { are: `${who} are`, have: `${who} have`, signIn: `${who} sign in` },
  );
}

/** Why rows of users were left out, in words. */
export function describeLeftOut(reason: LeftOutReason): string {
  return leftOut[reason];
}
