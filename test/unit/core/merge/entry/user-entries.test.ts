import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toEntry } from "../../../../../src/core/merge/entry/entry-layout.ts";
import { UserEntries } from "../../../../../src/core/merge/entry/user-entries.ts";
import type { SourceUser } from "../../../../../src/core/merge/source-user.ts";
import { type UserField, userFields } from "../../../../../src/core/user-fields.ts";

/** A user who has every field, each text another one. */
const full: Required<SourceUser> = {
  userId: "the id",
  userName: "the user name",
  email: "the e-mail",
  isEmailVerified: true,
  firstName: "the first name",
  lastName: "the last name",
  nickName: "the nickname",
  displayName: "the display name",
  preferredLanguage: "the language",
  gender: "GENDER_DIVERSE",
  phone: "the phone",
  isPhoneVerified: true,
  hash: "the hash",
  plainPassword: "the password",
  isPasswordChangeRequired: true,
  otpSecret: "the secret",
  idpLinks: [{ idpId: "the provider", externalUserId: "the account" }],
  metadata: [{ key: "the key", value: "the value" }],
  state: "locked",
  orgId: "the organization",
  orgName: "the organization's name",
};
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", '"', "\\", "\u0001", "<userId>", "\ud800", "😀"),
);
const texts = Object.keys(full).filter(
  (field) => typeof written(field) === "string" && !["gender", "state"].includes(field),
);
const others = Object.keys(full).filter((field) => !texts.includes(field));

/** The value of a field that has a place in the entry; undefined: it has none. */
function written(field: string): unknown {
  const isInTable = userFields.some(({ name, isReadOnly }: UserField) => name === field && isReadOnly !== true);
  return isInTable ? full[field as keyof SourceUser] : undefined;
}
const user = fc
  .tuple(fc.record(Object.fromEntries(texts.map((field) => [field, text]))), fc.subarray(others), fc.subarray(texts))
  .map(([fields, kept, absent]) => {
    const given = { ...full, ...fields } as Record<string, unknown>;
    const optional = [...others.filter((field) => !kept.includes(field)), ...absent];
    for (const field of optional)
      if (!["userId", "userName", "firstName", "lastName"].includes(field)) delete given[field];
    return given as unknown as SourceUser;
  });

test("an entry is what JSON.stringify makes of it, whatever users were written before", () => {
  fc.assert(
    fc.property(fc.array(user, { minLength: 1, maxLength: 20 }), (users) => {
      const entries = new UserEntries();
      for (const one of [...users, ...users]) expect(entries.write(one)).toBe(`,\n${JSON.stringify(toEntry(one))}`);
    }),
    { numRuns: 300 * Number(process.env["PROPERTY_RUNS"] ?? 1) },
  );
});

describe("each field", () => {
  const entryOf = (one: SourceUser): string => JSON.stringify(toEntry(one));

  test.each(texts)("%s stands in the entry as it is", (field) => {
    const value = String(full[field as keyof SourceUser]);
    expect(entryOf(full)).toContain(`"${value}"`);
    expect(entryOf({ ...full, [field]: "another text" })).toContain('"another text"');
  });

  test.each(others)("%s makes an entry another one, or has no place there", (field) => {
    const { hash: _, ...withoutHash } = full;
    const { [field as "state"]: __, ...without } = withoutHash;
    expect(entryOf(without) === entryOf(withoutHash)).toBe(written(field) === undefined);
  });
});
