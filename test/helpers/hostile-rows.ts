import fc from "fast-check";

/**
 * Files as bad as they come: mostly ordinary rows of both kinds over few ids and addresses, with unusual values, other orders
 * and spellings of keys, white space, escapes, broken bytes and rows cut off among them.
 */

const ids = ["507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012", "507F1F77BCF86CD799439013", "custom-1", "é", "x"];
const emails = [
  "a@x.org",
  "A@X.org",
  "b@x.org",
  "ü@x.org",
  "Ü@x.org",
  "c@x",
  "bad",
  "a..b@x.org",
  "d@-x.org",
  `${"l".repeat(65)}@x.org`,
];
const HASH_TAIL = "abcdefghijklmnopqrstuv0123456789./ABCDEFGHIJKLMNOPQRS";
const pick = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const rarely = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: unusual });
const odd = pick<unknown>(
  null,
  "",
  5,
  -0.5,
  true,
  [],
  {},
  ["x"],
  { $oid: "x" },
  "a\u0000b",
  "\ud800",
  "tab\t",
  'quo"te',
  "\\",
  "\u2028",
);

type Field = readonly [key: string, value: unknown];
const field = (key: string, usual: fc.Arbitrary<unknown>): fc.Arbitrary<Field> =>
  rarely(usual, odd).map((value) => [key, value]);

const profileFields = fc.tuple(
  field("user_id", pick(...ids.map((id) => `auth0|${id}`), "google-oauth2|1", "auth0|")),
  field("email", rarely(pick(...emails.slice(0, 4)), pick(...emails))),
  field("email_verified", fc.boolean()),
  field("name", rarely(pick("Ann", "Zoë", "王", ""), pick("x".repeat(200), "é".repeat(150), "x".repeat(201)))),
  field("nickname", odd),
  field("given_name", pick<unknown>("Ann", "", null, "Zoë")),
  field(
    "identities",
    pick<unknown>(
      [{ provider: "auth0", n: [1, -2, 0, 3.5e2] }],
      { deep: { deeper: [[[]]] } },
      [{ provider: "samlp", connection: "okta", user_id: 1, isSocial: false }],
      [
        { provider: "auth0", connection: "c", user_id: "1" },
        { connection: "github", provider: "github", user_id: "2", profileData: { provider: "x" } },
      ],
      [{ 'pro"vider': "x", provider: ["google-oauth2"] }],
      [],
    ),
  ),
  field("blocked", pick<unknown>(false, true, null, "true", "false", 0, 1, [], [true], {}, { since: 1 })),
  field("multifactor", pick<unknown>([], ["guardian"], null, false)),
  field("user_metadata", pick<unknown>({}, { theme: "dark" }, { a: { b: [1, {}] } }, [1], "")),
  field(
    "app_metadata",
    pick<unknown>(
      ...[{ roles: ["editor"] }, { groups: ["sales"] }, { plan: "gold" }, { roles: [], groups: "" }, { roles: [""] }],
      ...[
        { groups: "sales", roles: "" },
        { roles: { id: "rol_1" } },
        { plan: 1, roles: ["viewer", "editor"] },
        {},
        [],
        null,
      ],
    ),
  ),
  field("identifiers", pick<unknown>([{ type: "email", value: "i@x.org", verified: true }], [], null)),
  field("department", pick<unknown>("Sales", "", null, 0, false, true)),
  field("groups", pick<unknown>(["staff"], [], {}, { staff: "" }, "")),
);
const passwordFields = fc.tuple(
  field("_id", pick(...ids.map((id) => ({ $oid: id })))),
  field("email", rarely(pick(...emails.slice(0, 4)), pick(...emails))),
  field("email_verified", fc.boolean()),
  field(
    "passwordHash",
    fc
      .tuple(
        rarely(pick("$2a$", "$2b$", "$2y$"), pick("$2x$", "$1$")),
        rarely(pick("04", "10", "31"), pick("03", "1")),
        rarely(pick(HASH_TAIL), pick(HASH_TAIL.slice(1), `é${HASH_TAIL.slice(2)}`)),
      )
      .map(([prefix, cost, tail]) => `${prefix}${cost}$${tail}`),
  ),
  field(
    "password_set_date",
    rarely(
      pick<unknown>({ $date: "2020-02-29T23:59:59.999Z" }, { $date: "2021-03-01T00:00:00Z" }),
      pick<unknown>(
        { $date: "2021-02-29T00:00:00Z" },
        { $date: "2020-01-01T00:00:00+01:00" },
        { $date: { $numberLong: "1580000000000" } },
        { $date: "2020-01-01T24:00:00Z" },
        { $date: 0 },
        {},
      ),
    ),
  ),
  field("_ID", pick(...ids.map((id) => ({ $oid: id })))),
  field("alt_id", pick(...ids)),
  field("tenant", pick("t")),
  field("connection", pick("c")),
  field("_tmp_is_unique", fc.boolean()),
  field("identifiers", pick<unknown>([{ type: "email", value: "b@x.org" }])),
);

/** Some of the fields, in some order, now and then one of them twice. */
const someOf = (fields: fc.Arbitrary<readonly Field[]>, usual: number): fc.Arbitrary<readonly Field[]> =>
  fields.chain((all) =>
    fc.oneof(
      { weight: 15, arbitrary: fc.constant(all.slice(0, usual)) },
      { weight: 2, arbitrary: fc.shuffledSubarray([...all], { minLength: 1 }) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 8 }) },
    ),
  );

const text = (fields: readonly Field[], space: string, escaped: boolean): string =>
  `{${space}${fields
    .map(([key, value]) => {
      const name = escaped
        ? `"\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${key.slice(1)}"`
        : JSON.stringify(key);
      return `${name}${space}:${space}${JSON.stringify(value)}`;
    })
    .join(`${space},${space}`)}${space}}`;

const row = (fields: fc.Arbitrary<readonly Field[]>, usual: number): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      someOf(fields, usual),
      rarely(pick(""), pick(" ", "\t")),
      rarely(fc.constant(false), fc.constant(true)),
      rarely<[number, number] | null>(fc.constant(null), fc.tuple(fc.nat(), fc.nat(255))),
    )
    .map(([some, space, escaped, damage]) => {
      const bytes = Buffer.from(text(some, space, escaped));
      if (damage === null) return bytes;
      const [at, byte] = damage;
      // A line break would make two rows of one.
      if (byte % 4 === 0) return bytes.subarray(0, at % bytes.length);
      bytes[at % bytes.length] = byte === 10 ? 0 : byte;
      return bytes;
    });

const lines = (rows: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.array(rows, { minLength: 1, maxLength: 8 }), pick("\n", "\r\n", "\n\n", ""))
    .map(([all, end]) =>
      Buffer.concat(all.flatMap((one, at) => [one, Buffer.from(at === all.length - 1 ? end : end || "\n")])),
    );
const array = (rows: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc
    .array(rows, { minLength: 1, maxLength: 8 })
    .map((all) =>
      Buffer.concat([
        Buffer.from("["),
        ...all.flatMap((one, at) => [Buffer.from(at === 0 ? "" : ",\n"), one]),
        Buffer.from("]"),
      ]),
    );
const file = (rows: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc.oneof({ weight: 5, arbitrary: lines(rows) }, { weight: 1, arbitrary: array(rows) });

export const hostileProfiles = file(row(profileFields, 4));
export const hostilePasswords = file(row(passwordFields, 4));
