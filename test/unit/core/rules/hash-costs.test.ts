import { expect, test } from "vitest";
import { defaultHashLimits } from "../../../../src/contract/hash-limits.ts";
import { BreachCounts, bcryptBreachesOf, breachesOf } from "../../../../src/core/rules/hash-costs.ts";

// service behaviour 9.4: the refused ones of the 29 that were tried, and forms of the others.
test.each([
  ["$2b$04$x", ["bcrypt 4"]],
  ["$2b$17$x", ["bcrypt 17"]],
  ["$2y$10$x", []],
  ["$argon2id$v=19$m=7168,t=5,p=1$s$h", ["argon2-memory 7168"]],
  ["$argon2id$v=19$m=7168,t=12,p=1$s$h", ["argon2-memory 7168", "argon2-time 12"]],
  ["$argon2i$v=19$m=524289,t=1,p=17$s$h", ["argon2-memory 524289", "argon2-parallelism 17"]],
  ["$argon2id$v=19$m=8192,t=10,p=16$s$h", []],
  ["$pbkdf2-sha512$999$s$h", ["pbkdf2-rounds 999"]],
  ["$pbkdf2$1000$s$h", []],
  ["$scrypt$ln=13,r=7,p=17$s$h", ["scrypt-ln 13", "scrypt-r 7", "scrypt-p 17"]],
  ["$5$rounds=999$s$h", ["sha256-rounds 999"]],
  ["$6$rounds=999$s$h", ["sha512-rounds 999"]],
  ["$P$4abc", ["phpass-rounds 6"]],
  ["$P$Babc", []],
  ["$S$7abc", ["drupal7-iterations 512"]],
  ["$S$Dabc", []],
  ["$1$salt$hash", []],
  ["", []],
])("%s is out of the default limits by %j", (hash, expected) => {
  expect(breachesOf(hash, defaultHashLimits).map(({ cost, value }) => `${cost} ${value}`)).toEqual(expected);
});

test("a bcrypt cost alone is judged as the whole hash", () => {
  for (let cost = 4; cost <= 31; cost += 1) {
    expect(bcryptBreachesOf(cost)).toEqual(breachesOf(`$2b$${String(cost).padStart(2, "0")}$x`, defaultHashLimits));
  }
});

test("breaches are counted by cost and end, with the value that is farthest out", () => {
  const counts = new BreachCounts(defaultHashLimits);
  for (const cost of ["09", "04", "17", "31"]) counts.add(breachesOf(`$2b$${cost}$x`, defaultHashLimits));
  expect(counts.list).toEqual([
    { cost: "bcrypt", value: 4, users: 2, limit: 10 },
    { cost: "bcrypt", value: 31, users: 2, limit: 16 },
  ]);
});
