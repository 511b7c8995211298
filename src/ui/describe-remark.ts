import type { LeftOutReason, Remark } from "../problem.ts";
import { count } from "./format.ts";

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
  "otp-lost": ({ have }) => `${have} one-time codes of a kind the service does not check; they were left out`,
};

const leftOut: Readonly<Record<LeftOutReason, string>> = {
  linked: "their accounts at identity providers became links of another user with the same address",
  "service-account": "service accounts, which are not people",
};

/** What written users lose or gain on the way, in words. */
export function describeRemark(remark: Remark, users: number): string {
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
