import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { EntryBuffer } from "../../../../src/core/merge/entry/entry-buffer.ts";
import type { SameName } from "../../../../src/core/merge/join/packed-join.ts";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { openInput } from "../../../../src/io/input/input.ts";
import { readAhead } from "../../../../src/io/rows/read-ahead.ts";
import { RowReader } from "../../../../src/io/rows/row-reader.ts";
import { keycloak } from "../../../../src/sources/keycloak/source.ts";
import type { Source } from "../../../../src/sources/source.ts";
import { type MergeOptions, type MergeOutcome, mergeInMemory, mergeRows } from "../../../helpers/merge-in-memory.ts";
import { rowsShape } from "../../../helpers/rows-shape.ts";
import { runs } from "../../../helpers/runs.ts";
import { settingsOf } from "../../../helpers/settings-of.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

// Exports as bad as they come: mostly ordinary users who differ in their own texts alone, with odd values, other orders of keys, white
// space, escapes and texts that are no longer what they look like among them.

const pick = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const rarely = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: unusual });
const odd = pick<unknown>(
  null,
  "",
  " ",
  "\u00a0",
  "\u3000",
  0,
  5,
  -0.5,
  true,
  [],
  {},
  [""],
  ["x"],
  { a: "" },
  "a\u0000b",
  "\ud800",
  'q"',
  "\\",
  "é",
);

type Field = readonly [key: string, value: unknown];
const field = (key: string, usual: fc.Arbitrary<unknown>): fc.Arbitrary<Field> =>
  rarely(usual, odd).map((value) => [key, value]);
const maybe = (given: fc.Arbitrary<Field>): fc.Arbitrary<Field | undefined> =>
  fc.oneof({ weight: 1, arbitrary: given }, { weight: 12, arbitrary: pick<Field | undefined>(undefined) });

const base64 = rarely(
  pick("YWJjZGVm", "c2FsdHNhbHRzYWx0cw==", "Zg==", "a+/b", "YWI="),
  pick("", "=", "a=b", "$2a$10$x", "é", 'a"b', "a.b", "YWJjZ", "YWJjZGV", "YWJjZR=="),
);
const argon2 = JSON.stringify({
  hashIterations: 5,
  algorithm: "argon2",
  additionalParameters: { hashLength: ["32"], memory: ["7168"], type: ["id"], version: ["1.3"], parallelism: ["1"] },
});
const kinds = rarely(
  rarely(pick(argon2), pick(JSON.stringify({ hashIterations: 27500, algorithm: "pbkdf2-sha256" }))),
  pick(
    "",
    "x",
    "{}",
    JSON.stringify({ hashIterations: 1, algorithm: "md5" }),
    JSON.stringify({ subType: "totp", digits: 8 }),
  ),
);
const secretData = rarely(
  fc.tuple(base64, base64).map(([value, salt]) => JSON.stringify({ value, salt, additionalParameters: {} })),
  fc
    .tuple(
      base64,
      pick("", "{", '{"value":"YQ==" , "salt" : "YQ=="}', '{"value":"a\\/b","salt":"YQ=="}', '{"value":5}'),
    )
    .map(([value, broken]) => (broken === "" ? JSON.stringify({ value }) : broken)),
);
const credential = fc
  .tuple(
    pick("1a", "2b"),
    rarely(pick("password"), pick("otp", "password-history", "webauthn", "totp")),
    pick(1, 1795284087580),
    secretData,
    kinds,
    maybe(field("userLabel", pick("phone", "Ann's key"))),
  )
  .map(([id, type, createdDate, secret, credentialData, label]) => ({
    id,
    type,
    createdDate,
    secretData: secret,
    credentialData,
    ...(label === undefined ? {} : { [label[0]]: label[1] }),
  }));
/** Its key is no base64, or looks like it. */
const oneTimeCode = pick("MFRGGZDF", "JBSWY3DPEHPK3PXP", "abc/", "a-b").map((value) => ({
  type: "otp",
  secretData: JSON.stringify({ value }),
  credentialData: JSON.stringify({ subType: "totp", secretEncoding: "BASE32" }),
}));
const attributes = fc.dictionary(
  pick("locale", "department", "phoneNumber", "a.b", "*", "__proto__"),
  rarely(
    pick(["de"], ["pt-BR"], ["R&D"], ["+41790000000"], ["x", "y"], []).map((given): unknown => given),
    pick<unknown>("bare", "", [""], [5], [null], 5, { a: "b" }),
  ),
  { maxKeys: 2 },
);
const number = fc.nat(60).map(String);
const names = pick("ann", "Ann", "bo", "cyrus", "dora", "eve", "frantz", "é", "a@x.org");

const user = fc
  .tuple(
    field("id", rarely(number, pick("x".repeat(201)))),
    field(
      "username",
      rarely(fc.oneof({ weight: 8, arbitrary: number.map((n) => `u${n}`) }, names), pick("y".repeat(201))),
    ),
    field("email", rarely(pick("a@x.org", "b@x.org", "ü@x.org"), pick("bad", "a@b..c", "c@ü.org"))),
    field("firstName", rarely(pick("Ann", "Zoë", "王", "カ"), pick("x".repeat(201), "é".repeat(150)))),
    field("lastName", pick("Smith", "O'Neil", "\u1e9e")),
    field("emailVerified", rarely(pick(true), pick(false))),
    field("enabled", rarely(pick(true), pick(false))),
    field("createdTimestamp", pick(1, 1795284087580)),
    field(
      "credentials",
      fc.oneof(
        { weight: 20, arbitrary: fc.tuple(credential) },
        { weight: 5, arbitrary: fc.tuple(oneTimeCode) },
        fc.array(credential, { maxLength: 3 }),
      ),
    ),
    maybe(field("attributes", attributes)),
    maybe(field("requiredActions", pick([], ["UPDATE_PASSWORD"], ["VERIFY_EMAIL"]))),
    maybe(field("groups", pick(["/a"], ["/a", "/b"], [""]))),
    maybe(field("realmRoles", pick(["default-roles-acme"], ["admin"]))),
    maybe(
      field(
        "federatedIdentities",
        pick([{ identityProvider: "google", userId: "1", userName: "a" }], [{ identityProvider: "x", userId: "" }]),
      ),
    ),
    rarely(pick(undefined), field("serviceAccountClientId", pick<unknown>("client-1", 0, 5))),
    rarely(pick(undefined), field("email", pick("second@x.org", ""))),
  )
  .chain((fields) => {
    const given = fields.filter((one) => one !== undefined);
    return fc.tuple(
      rarely(fc.constant(given), fc.shuffledSubarray(given)),
      rarely(pick(0), pick(2)),
      rarely(pick("as it is"), pick("escaped", "cut")),
    );
  })
  .map(([fields, indent, form]) => {
    const members = fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value, undefined, indent)}`);
    const text = `{${members.join(indent === 0 ? "," : " ,\n    ")}}`;
    if (form === "escaped") return text.replace('"email"', '"em\\u0061il"').replace("Ann", "\\u0041nn");
    return form === "cut" ? text.replace(/"username":/, '"username"') : text;
  });
const exportOf = fc.array(user, { minLength: 10, maxLength: 50 }).map((users) => {
  const whole = users.map((one) => (/"username"[^:]/.test(one) ? "{}" : one));
  return `{"realm":"acme","users":[\n${whole.join(",\n")}\n]}`;
});

const options: fc.Arbitrary<MergeOptions> = fc.record({
  given: fc.record({
    metadata: rarely(pick<string[]>([]), pick(["all"], ["department"], ["a.b=key"])),
    idp: rarely(pick<string[]>([]), pick(["google=77"])),
    phoneAttribute: rarely(pick<string[]>([]), pick(["a.b"], ["*"])),
    emailDomain: rarely(pick<string[]>([]), pick(["x.org"])),
  }),
  verifiers: rarely(
    pick<NonNullable<MergeOptions["verifiers"]>>(["bcrypt", "argon2", "pbkdf2"]),
    pick(["bcrypt"] as const),
  ),
  unverifiable: pick("reject", "drop"),
  sameName: fc.oneof({ weight: 4, arbitrary: pick<SameName>("first", "password") }, pick<SameName>("link", "reject")),
  findsSharedNames: pick(true),
});

afterEach(() => void vi.restoreAllMocks());

test("the fast path gives what the parser path gives, with any chunks", async () => {
  const byTemplate = vi.spyOn(EntryBuffer.prototype, "addPieces");
  await fc.assert(
    fc.asyncProperty(exportOf, options, fc.integer({ min: 1, max: 5_000 }), async (users, given, chunkBytes) => {
      const all = { source: keycloak, ...given };
      const careful = await mergeInMemory(users, undefined, { ...all, reading: "careful" });
      const bytes = await mergeInMemory(users, undefined, { ...all, reading: "bytes", chunkBytes });
      expect(bytes).toEqual(careful);
    }),
    { numRuns: runs(400) },
  );
  // The rows must not be so hostile that nothing but refusals is compared.
  expect(byTemplate.mock.calls.length).toBeGreaterThan(runs(400));
  byTemplate.mockRestore();
});

test("a second thread that reads ahead gives what one thread gives", async () => {
  const cwd = tempDir();
  const { signal } = new AbortController();
  const seeds = new Uint32Array([4, 5, 6]);
  const { fast: fields, ownIdPrefix } = (keycloak as Source).createRows(settingsOf(keycloak), new Date(0));
  if (fields === undefined) throw new Error("nothing that a thread could read");
  // The thread is a program of its own, which only the build makes.
  const program = new URL("../../../../dist/reader-thread.cjs", import.meta.url);
  const columns = { fields, ownIdPrefix, seeds };
  await fc.assert(
    fc.asyncProperty(exportOf, async (users) => {
      writeFileSync(join(cwd, "users"), users);
      const run = async (isAhead: boolean): Promise<MergeOutcome> => {
        const given = { cwd, stdin: process.stdin, signal, cleanUp: createCleanUp(), flag: "--users", twice: true };
        const input = await openInput("users", given);
        const reader = new RowReader(
          { name: "users", files: [input] },
          { shape: rowsShape(keycloak.users.shape, Buffer.alloc(0)), strictLines: false },
        );
        const rows = isAhead ? readAhead(reader, { rows: "users", columns, signal, program }) : reader;
        const outcome = await mergeRows(rows, undefined, {
          seeds,
          source: keycloak,
          verifiers: ["argon2"],
          findsSharedNames: true,
        });
        await input.close();
        return outcome;
      };
      expect(await run(true)).toEqual(await run(false));
    }),
    { numRuns: runs(25) },
  );
});
