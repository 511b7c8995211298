import fc from "fast-check";
import { expect, test } from "vitest";
import { plainUserFacts } from "../../../../src/core/document/plain-user.ts";
import { checkHumanUser } from "../../../../src/core/rules/human-user.ts";

const odd = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("", "x".repeat(201), "ü", 'a"b', "a\\b"));
const text = fc.oneof(
  { weight: 15, arbitrary: fc.constantFrom("Ada", "a b", "x".repeat(200)) },
  { weight: 1, arbitrary: odd },
);
const address = fc.oneof(fc.constantFrom("a@", "@b", "a@-b", `${"l".repeat(65)}@b.c`), odd);
const email = fc.oneof({ weight: 6, arbitrary: fc.constant("ada@example.com") }, { weight: 1, arbitrary: address });

const BCRYPT = `$2b$10$${"abcdefghijklmnopqrstuu"}${"A".repeat(31)}`;
const hash = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(BCRYPT, BCRYPT.replace("$2b", "$2y"), BCRYPT.replace("$10", "$04")) },
  { weight: 1, arbitrary: fc.oneof(text, fc.constantFrom(`${BCRYPT}x`, "$2b$10$x", "$argon2id$v=19$x", "$2b", "")) },
);

const entry = fc.record({
  userId: text,
  user: fc.record(
    {
      userName: text,
      profile: fc.record({ firstName: text, lastName: text }),
      email: fc.record({ email, isEmailVerified: fc.boolean() }),
      hashedPassword: fc.record({ value: hash }),
      otpCode: text,
    },
    { requiredKeys: ["userName", "profile", "email"] },
  ),
});

test("a plain user of the fast path has the same facts on the parser path", () => {
  let short = 0;
  fc.assert(
    fc.property(entry, fc.option(fc.tuple(fc.nat(), fc.constantFrom(...'{}",:x ')), { freq: 2 }), (value, slip) => {
      const whole = JSON.stringify(value);
      const spot = slip === null ? 0 : slip[0] % whole.length;
      const json = slip === null ? whole : whole.slice(0, spot) + slip[1] + whole.slice(spot + 1);
      const facts = plainUserFacts(Buffer.from(json));
      if (facts === undefined) return;
      short += 1;
      const faults: string[] = [];
      expect(checkHumanUser(JSON.parse(json), (field) => faults.push(field))).toEqual(facts);
      expect(faults).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
  expect(short).toBeGreaterThan(200);
});

test("an entry as migrate writes it goes the short way", () => {
  const user = (more: string): string =>
    `{"userId":"auth0|1","user":{"userName":"a@b.c","profile":{"firstName":"A","lastName":"A"},"email":{"email":"a@b.c","isEmailVerified":true}${more}}}`;
  expect(plainUserFacts(Buffer.from(user("")))).toMatchObject({
    userId: "auth0|1",
    hashKind: undefined,
    getsMail: true,
  });
  expect(plainUserFacts(Buffer.from(user(`,"hashedPassword":{"value":"${BCRYPT}"}`)))).toMatchObject({
    hashKind: "bcrypt",
    getsMail: false,
  });
  expect(plainUserFacts(Buffer.from(user(',"otpCode":"x"')))).toBeUndefined();
});
