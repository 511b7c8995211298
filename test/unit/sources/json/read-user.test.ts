import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSettings } from "../../../../src/sources/json/options.ts";
import { presets } from "../../../../src/sources/json/presets.ts";
import { createReadUser } from "../../../../src/sources/json/read-user.ts";
import { json } from "../../../../src/sources/json/source.ts";
import { Granter } from "../../../../src/sources/shared/grants.ts";
import type { Source } from "../../../../src/sources/source.ts";
import { settingsOf } from "../../../helpers/settings-of.ts";

function reader(preset: string | undefined, given: Readonly<Record<string, readonly string[]>> = {}) {
  const settings = settingsOf(json as Source, given) as JsonSettings; // its own options
  const found = presets.find(({ id }) => id === preset);
  return createReadUser(settings, found, new Granter(settings), new Date(0));
}

/** Values of any type, among them texts that hold JSON. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.jsonValue({ maxDepth: 2 }).map((inner) => JSON.stringify(inner)),
  fc.constantFrom("secret-value-1", "$2b$10$secret-value-2", "secret@value@3", 1e300, -0),
);

/** The row with other values in some places. */
function spoiled(row: unknown, changes: readonly { readonly at: number; readonly to: unknown }[]): object {
  let place = 0;
  const walk = (from: unknown): unknown => {
    const found = changes.find(({ at }) => at === place);
    place += 1;
    if (found !== undefined && place > 1) return found.to;
    if (Array.isArray(from)) return from.map(walk);
    if (typeof from !== "object" || from === null) return from;
    return Object.fromEntries(Object.entries(from).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(row) as object; // the row itself is never replaced
}

function rowsOf(preset: string): readonly object[] {
  const document = JSON.parse(readFileSync(`fixtures/json/${preset}/users.json`, "utf8"));
  return Array.isArray(document) ? document : (Object.values(document).find(Array.isArray) ?? []);
}

describe.each(presets.filter(({ id }) => id !== "supertokens").map(({ id }) => id))("%s", (preset) => {
  test("no row stops the run, each has a user or a reason, and no fault has a value", () => {
    const { readUser } = reader(preset, { emailDomain: ["users.example.com"], idp: ["google=1"], grant: ["*=1:x"] });
    const change = fc.record({ at: fc.nat({ max: 60 }), to: value });
    fc.assert(
      fc.property(fc.constantFrom(...rowsOf(preset)), fc.array(change, { maxLength: 5 }), (row, changes) => {
        const { user, faults, leftOut } = readUser(spoiled(row, changes));
        expect([user !== undefined, faults.length > 0, leftOut !== undefined].filter(Boolean)).toHaveLength(1);
        expect(JSON.stringify(faults)).not.toMatch(/secret-value|secret@|example/);
      }),
      { numRuns: 300 },
    );
  });
});

test("a path of --map that some row has is found, also if it is false, a list or an object", () => {
  const given = { mapping: ["userId=id,email=mail,state=disabled,roles=groups,nickName=nick,metadata.m=meta"] };
  const { readUser, use } = reader(undefined, given);
  expect(use.notFound).toEqual(["id", "mail", "disabled", "groups", "nick", "meta"]);
  readUser({ id: 1, mail: "ann@example.com", disabled: false, groups: ["a"], meta: { a: 1 } });
  expect(use.notFound).toEqual(["nick"]);
});

test("a user without an address and a user name gets an address of the id with --email-domain, and is rejected without", () => {
  const mapping = ["userId=id,email=mail"];
  const given = { mapping, emailDomain: ["users.example.com"] };
  expect(reader(undefined, given).readUser({ id: 8 })).toMatchObject({
    user: { userName: "8@users.example.com", email: "8@users.example.com", isEmailVerified: false },
    remarks: ["email-made-up"],
  });
  const { faults } = reader(undefined, { mapping }).readUser({ id: 8 });
  expect(faults).toEqual([{ code: "user.no-email", field: "mail", flag: "--email-domain" }]);
});

test("a salt that is used as a text keeps the blanks around it", () => {
  const mapping = ["userId=id,email=mail,hash=hash,salt=salt,iterations=rounds"];
  const row = { id: 1, mail: "ann@example.com", hash: "ab".repeat(16), salt: " c0ffee ", rounds: 1000 };
  const read = (hashKind: string) => {
    const { user, refusedHash } = reader(undefined, { mapping, hashKind: [hashKind] }).readUser(row);
    return refusedHash ?? user?.hash?.split("$").at(-2);
  };
  const b64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  expect(read("pbkdf2_sha256_salt_text")).toBe(b64(Buffer.from(" c0ffee ")));
  expect(read("pbkdf2_sha256_salt_hex")).toBe(b64(Buffer.from("c0ffee", "hex")));
  expect(read("pbkdf2_sha256_salt_base64")).toBe(b64(Buffer.from("c0ffee", "base64")));
  // The service has no room for it.
  expect(read("md5_salt_prefix")).toBe("salt");
});

test("users whose accounts at other providers have no --idp are counted by provider", () => {
  const { readUser } = reader("firebase");
  const row = { localId: "1", email: "ann@example.com", providerUserInfo: [{ providerId: "github.com", rawId: "7" }] };
  expect(readUser(row)).toMatchObject({ providers: ["github.com"], remarks: ["link-lost"] });
});

test("roles of a map are grants by the rules, and others are left by name", () => {
  const given = { mapping: ["userId=id,email=mail,roles=groups[].name"], grant: ["editor=31:edit"] };
  const { readUser } = reader(undefined, given);
  const groups = [{ name: "editor" }, { name: "guest" }];
  expect(readUser({ id: "1", mail: "ann@example.com", groups })).toMatchObject({
    user: { grants: [{ projectId: "31", roleKeys: ["edit"] }] },
    roles: ["guest"],
  });
});
