import * as z from "zod";
import type { UserReading } from "../../src/core/merge/reading.ts";
import type { SourceUser } from "../../src/core/merge/source-user.ts";
import { readFields } from "../../src/core/rules/row-fields.ts";
import type { Source } from "../../src/sources/source.ts";

/** A person of a made-up provider that has everything a user may have. */
const Person = z.object({
  id: z.string().nullish(),
  login: z.string().nullish(),
  mail: z.string().nullish(),
  confirmed: z.boolean().nullish(),
  given: z.string().nullish(),
  family: z.string().nullish(),
  nick: z.string().nullish(),
  language: z.string().nullish(),
  phone: z.string().nullish(),
  hash: z.string().nullish(),
  totp: z.string().nullish(),
  org: z.string().nullish(),
  robot: z.boolean().nullish(),
  suspended: z.boolean().nullish(),
  notes: z.record(z.string(), z.string()).nullish(),
  accounts: z.array(z.object({ provider: z.string(), subject: z.string() })).nullish(),
});

/**
 * A provider for the tests: one document or folder of documents, no second file, nothing said of how rows are read as bytes. It is
 * as short as a provider may be.
 */
export const people: Source = {
  id: "people",
  title: "People",
  users: {
    flag: "people",
    defaultPath: "./people.json",
    description: "a document with people, or a folder of them",
    shape: { kind: "document", list: ["people"] },
    folder: { files: /\.json$/, names: "*.json" },
  },
  options: {},
  createRows: () => ({
    load: async () => ({ readUser: readPerson }),
    ownIdPrefix: "",
    fieldNames: { userId: "id", userName: "login", hash: "hash" },
  }),
};

function readPerson(row: object): UserReading {
  const { fields, faults } = readFields(Person, row);
  const userId = fields.id || undefined;
  const email = fields.mail || undefined;
  const userName = fields.login || email;
  if (userId === undefined) faults.push({ code: "field.missing", field: "id" });
  if (userName === undefined) faults.push({ code: "field.missing", field: "login" });
  const reading = { faults, userId, email };
  if (fields.robot) return { ...reading, user: undefined, leftOut: "service-account" };
  if (faults.length > 0 || userId === undefined || userName === undefined) return { ...reading, user: undefined };
  return { ...reading, user: toUser(userId, userName, email, fields) };
}

function toUser(
  userId: string,
  userName: string,
  mail: string | undefined,
  person: Partial<z.infer<typeof Person>>,
): SourceUser {
  return {
    userId,
    userName,
    email: mail ?? `${userName}@people.example.com`,
    ...(mail === undefined ? {} : { isEmailVerified: person.confirmed ?? false }),
    firstName: person.given || userName,
    lastName: person.family || userName,
    ...(person.nick ? { nickName: person.nick } : {}),
    ...(person.language ? { preferredLanguage: person.language } : {}),
    ...(person.phone ? { phone: person.phone, isPhoneVerified: true } : {}),
    ...(person.hash ? { hash: person.hash } : {}),
    ...(person.totp ? { otpSecret: person.totp } : {}),
    ...(person.org ? { orgId: person.org } : {}),
    ...(person.suspended ? { state: "inactive" as const } : {}),
    ...(person.notes ? { metadata: Object.entries(person.notes).map(([key, value]) => ({ key, value })) } : {}),
    ...(person.accounts
      ? { idpLinks: person.accounts.map(({ provider, subject }) => ({ idpId: provider, externalUserId: subject })) }
      : {}),
  };
}
