import { count } from "../problem/format.ts";
import type { LeftOutReason, Remark } from "../problem.ts";

/** "3 users have", "1 user has" and the like. */
interface Users {
  readonly are: string;
  readonly have: string;
  readonly signIn: string;
}

const remarks: Readonly<Record<Remark, (users: Users) => string>> = {
  "blocked-becomes-active": ({ are }) =>
    `${are} blocked at the source and will be active; --profile full keeps them inactive`,
  "factors-lost": ({ have }) => `${have} a second factor that cannot be moved, and will sign in without it`,
  "picture-lost": ({ have }) => `${have} a picture, which the service has no field for`,
  "hash-dropped": ({ have }) =>
    `${have} a hash that the target cannot check; it was dropped, so a new password must be set`,
  "link-lost": ({ signIn }) => `${signIn} with a provider that --idp does not name; these links were left out`,
  "language-lost": ({ have }) => `${have} a language the service does not accept; it was left out`,
  "phone-lost": ({ have }) => `${have} a phone number the service does not accept; it was left out`,
  "metadata-lost": ({ have }) => `${have} metadata the service does not accept; they were left out`,
  "gender-lost": ({ have }) => `${have} a gender that the service has no word for; it was left out`,
  "otp-lost": ({ have }) =>
    `${have} one-time codes of a kind the service does not check, or several keys of them; these were left out`,
  "stays-inactive": ({ are }) => `${are} disabled at the source and will be inactive (by a 2.x target: active)`,
  "email-made-up": ({ have }) => `${have} no e-mail address at the source; one was made of the user name, not verified`,
  "password-change": ({ have }) =>
    `${have} to change the password at the next sign-in; beside a hash the users API passes that on, the import endpoint does not`,
  "password-elsewhere": ({ have }) => `${have} the password in a directory that the source asks; it is in no export`,
  "phone-unverified": ({ have }) => `${have} a phone number that is not verified; when this is imported it gets an SMS`,
  "attributes-left-out": ({ have }) => `${have} attributes that --metadata does not name; these were left out`,
  "roles-lost": ({ have }) => `${have} roles or groups, which are not moved`,
  "verify-email-lost": ({ have }) => `${have} a verified address that was to be verified again; that is not moved`,
  "update-profile-lost": ({ have }) => `${have} a profile to update at the next sign-in; that is not moved`,
  "terms-lost": ({ have }) => `${have} terms to accept at the next sign-in; that is not moved`,
  "factor-setup-lost": ({ have }) => `${have} a second factor to set up at the next sign-in; that is not moved`,
  "action-lost": ({ have }) => `${have} something else to do at the next sign-in; that is not moved`,
};

const leftOut: Readonly<Record<LeftOutReason, string>> = {
  linked: "their accounts at identity providers became links of another user with the same address",
  "service-account": "service accounts, which are not people",
  deleted: "deleted at the source",
  anonymous: "visitors without an account",
};

/** What written users lose or gain on the way, in words, in one order whatever came first. */
export function describeRemarks(counts: Partial<Record<Remark, number>>): readonly string[] {
  const all = Object.keys(remarks) as Remark[]; // the table has every one
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
