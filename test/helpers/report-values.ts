/** Reports as `--report` writes them, with everything in them that a page shows. */

/** What every report has. */
export const ENDED = { schemaVersion: 1, version: "0.1.0", startedAt: "2026-11-21T22:28:19.000Z" } as const;

/** Of an import that went badly in every way. */
export const importValue = {
  ...ENDED,
  command: "import",
  exitCode: 6,
  durationMs: 191_000,
  target: "example.zitadel.cloud",
  variant: "dataOrgs",
  mails: 1_204,
  sms: 12,
  hashes: { bcrypt: 9_800, argon2: 420, none: 2 },
  users: {
    read: 12_345,
    sent: 11_004,
    created: 10_400,
    alreadyThere: 600,
    failed: 3,
    unknown: 1,
    notSent: 1_340,
    skipped: 1,
  },
  via: { import: 9_800, users: 1_204 },
  unknown: ["auth0|5f7c8ec7c33c6c004bbafe99"],
  calls: 1_209,
  resume: "orgferry import importBody.json --target https://example.zitadel.cloud --html report.html --resume",
  failures: [
    {
      type: "human_user",
      id: "auth0|1",
      message: "Errors.User.AlreadyExists (V3-DKcYh)",
      cause: "user-name-taken",
      file: "importBody.json",
      line: 17,
    },
    {
      type: "human_user",
      id: "auth0|2",
      message: "invalid phone (PHONE-so0wa)",
      cause: "phone",
      file: "importBody.json",
      line: 4_211,
    },
    {
      type: "user_grant",
      id: "g7",
      message: "Errors.Project.NotFound",
      cause: "reference-missing",
      file: "importBody.json",
      line: 9_001,
    },
  ],
  otherObjects: {
    project: { created: 4, alreadyThere: 1, failed: 0 },
    user_grant: { created: 310, alreadyThere: 0, failed: 1, leftOut: 3 },
  },
  timeline: Array.from({ length: 60 }, (_, at): [number, number] => [
    at * 3_200,
    Math.round(at * 183 + 60 * Math.sin(at / 3)),
  ]),
  problems: [
    {
      code: "field.email",
      message:
        "importBody.json:77: humanUsers.user.email.email: not an e-mail address that the service accepts: it must have the form name@domain. Fix the address.",
      file: "importBody.json",
      line: 77,
      field: "humanUsers.user.email.email",
    },
    { code: "net.timeout", message: "example.zitadel.cloud did not answer within 330 s. Try again." },
  ],
};

/** Of a migration with rejects of several kinds. */
export const migrateValue = {
  ...ENDED,
  command: "migrate auth0",
  exitCode: 1,
  durationMs: 6_210,
  users: {
    read: 1_000_000,
    written: 998_700,
    rejected: 1_300,
    leftOut: 0,
    withHash: 850_000,
    withoutHash: 148_700,
    nameFromEmail: 40,
    silent: 800_000,
  },
  passwords: { read: 860_000, used: 850_000, superseded: 9_000, unmatched: 900, rejected: 100, withoutHash: 0 },
  hashes: { bcrypt: 850_000 },
  remarks: { "factors-lost": 1, "blocked-becomes-active": 33 },
  leftOut: {},
  leftBehind: {
    fields: { given_name: 264, user_metadata: 100 },
    providers: { "google-oauth2": 32, "okta (samlp)": 6 },
  },
  reasons: { "field.email": 1_100, "user.duplicate-name": 150, "password.bad-hash": 50, "row.malformed": 1 },
  outputs: [
    {
      path: "importBody.json",
      users: 998_700,
      bytes: 312_000_000,
      sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
  ],
  rejects: "importBody.json.rejects",
  timeline: Array.from({ length: 90 }, (_, at): [number, number] => [at * 69, at * 20_900 + (at % 7) * 3_000]),
  problems: Array.from({ length: 40 }, (_, at) => ({
    code: at % 3 === 0 ? "user.duplicate-name" : "field.email",
    message:
      at % 3 === 0
        ? `users.json:${at + 5}: email: duplicate user name: the user at line 4 has the same (the service ignores case). The first user is kept: merge the two accounts, or change one user name.`
        : `users.json:${at + 5}: email: not an e-mail address that the service accepts: it must have the form name@domain. Fix the address.`,
    file: "users.json",
    line: at + 5,
    field: "email",
  })),
};

/** Of a comparison that found differences. */
export const verifyValue = {
  ...ENDED,
  command: "verify",
  exitCode: 1,
  durationMs: 900,
  target: "127.0.0.1:8080",
  by: "events",
  expected: 120,
  found: 118,
  identical: 114,
  missing: [
    { type: "human_user", id: "auth0|5", orgId: "1", line: 12 },
    { type: "human_user", id: "auth0|6", orgId: "1", line: 13 },
  ],
  different: [
    { type: "human_user", id: "auth0|7", orgId: "1", line: 14, fields: ["email", "hash"], hash: "different" },
  ],
  differentCount: 1,
  changedSince: [{ type: "human_user", id: "auth0|8", orgId: "1", line: 15, fields: ["hash"] }],
  changedSinceCount: 1,
  keptVerified: [{ type: "human_user", id: "auth0|9", orgId: "1", line: 16, fields: ["isEmailVerified"] }],
  keptVerifiedCount: 1,
  notInFile: [{ type: "human_user", id: "auth0|10", orgId: "1", line: 17, fields: ["phone", "metadata.theme"] }],
  notInFileCount: 1,
  unexpected: ["user 99"],
  mailed: 4,
  problems: [],
};

/** Of an export that is whole. */
export const exportValue = {
  ...ENDED,
  command: "export",
  exitCode: 0,
  durationMs: 31_000,
  source: "old.example.com",
  orgs: 3,
  users: 35_000,
  machineUsers: 12,
  withHash: 34_000,
  withOtp: 210,
  bytes: 5_900_000,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  output: "export.json",
  notCarried: ["global policies", "IAM members", "global identity providers", "SAML applications", "passkeys"],
  problems: [],
};
