import type { Peer } from "./facts.ts";

/** How a service is called in messages, and the flag and environment variables that name it. */
export const peers: Readonly<Record<Peer, Readonly<Record<"who" | "flag" | "address" | "token" | "client", string>>>> =
  {
    source: {
      who: "the source instance",
      flag: "--source <url>",
      address: "ZITADEL_EXPORT_DOMAIN",
      token: "PAT_EXPORT_TOKEN",
      client: "ORGFERRY_EXPORT_CLIENT",
    },
    target: {
      who: "the target instance",
      flag: "--target <url>",
      address: "ZITADEL_IMPORT_DOMAIN",
      token: "PAT_IMPORT_TOKEN",
      client: "ORGFERRY_IMPORT_CLIENT",
    },
    auth0: {
      who: "the Auth0 tenant",
      flag: "--domain <tenant>.<region>.auth0.com",
      address: "AUTH0_DOMAIN",
      token: "AUTH0_TOKEN",
      client: "AUTH0_CLIENT",
    },
  };

/** What is wrong with the address of an instance. The address is not repeated: it may hold a secret. */
export const addressFaults = {
  "not-an-address": "is not a URL such as https://example.zitadel.cloud.",
  "scheme-twice": "begins with a scheme twice, such as https://https://. Give one.",
  empty: "is empty. Is the variable in the command set?",
  port: "has a port above 65535.",
  number:
    "is a number, as ids are, and not a URL such as https://example.zitadel.cloud. Were the values of two flags swapped?",
  "too-long":
    "is no host name: a part of it has more than 63 characters. If it is a token, give it in a file, and revoke it: it is in the history of the shell.",
  scheme: "must begin with https:// (or http:// for a loopback address).",
  credentials: "must not contain a user name or password; tokens come from a file or the environment.",
  page: "has the path of a web page or an API, such as /ui/console or /api/v2. Use the address without it.",
  "not-a-tenant":
    "is not the domain of a tenant, which has the form <tenant>.<region>.auth0.com, such as acme.eu.auth0.com, without a path.",
  query: "must not contain a query or a fragment.",
  "plain-http": "is plain http, which would send the token unencrypted. Use https, or --insecure-http if you must.",
} as const;
export type AddressFault = keyof typeof addressFaults;

/** Why the users API of an instance cannot be used. */
export const usersApiAbsences = {
  missing: "the instance has no users API",
  forbidden: "the token has no access to the users API",
  nonsense: "the users API sends invalid responses",
} as const;
export type UsersApiAbsence = keyof typeof usersApiAbsences;
