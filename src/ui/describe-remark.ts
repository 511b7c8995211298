import type { LeftOutReason, Remark } from "../problem.ts";
import { count } from "./format.ts";

const remarks: Readonly<Record<Remark, (users: string) => string>> = {
  "blocked-becomes-active": (users) =>
    `${users} blocked at the source will be active; --profile full keeps them inactive`,
  "factors-lost": (users) => `${users} have a second factor that cannot be moved, and sign in without it`,
  "picture-lost": (users) => `${users} have a picture, which the service has no field for`,
  "hash-dropped": (users) =>
    `${users} have a hash the target cannot check; it was dropped, and they set a new password`,
  "link-lost": (users) => `${users} sign in with a provider that --idp does not name; these links were left out`,
  "language-lost": (users) => `${users} have a language the service does not take; it was left out`,
  "phone-lost": (users) => `${users} have a phone number the service does not take; it was left out`,
  "metadata-lost": (users) => `${users} have metadata the service does not take; it was left out`,
  "otp-lost": (users) => `${users} have one-time codes of a kind the service does not check; they were left out`,
};

const leftOut: Readonly<Record<LeftOutReason, string>> = {
  "service-account": "service accounts, which are no people",
};

/** What written users lose or gain on the way, in words. */
export function describeRemark(remark: Remark, users: number): string {
  return remarks[remark](`${count(users)} ${users === 1 ? "user" : "users"}`);
}

/** Why rows of users were left out, in words. */
export function describeLeftOut(reason: LeftOutReason): string {
  return leftOut[reason];
}
