import { describe, expect, test } from "vitest";
import {
  defaultHashLimits,
  formatHashLimits,
  isWithin,
  parseHashLimits,
  settingFor,
  widened,
} from "../../../src/contract/hash-limits.ts";

describe("limits as text", () => {
  test("are read as they are written", () => {
    expect(parseHashLimits(formatHashLimits(defaultHashLimits))).toEqual(defaultHashLimits);
  });

  test("an end may be absent", () => {
    const limits = parseHashLimits("bcrypt=4-, pbkdf2-rounds=-5000,argon2-memory=7168-524288");
    expect(limits).toEqual({
      bcrypt: { min: 4 },
      "pbkdf2-rounds": { max: 5000 },
      "argon2-memory": { min: 7168, max: 524_288 },
    });
    expect(formatHashLimits(limits ?? {})).toBe("bcrypt=4-,argon2-memory=7168-524288,pbkdf2-rounds=-5000");
  });

  test.each(["", "bcrypt", "bcrypt=10", "bcrypt=16-10", "md5=1-2", "bcrypt=4-,bcrypt=5-", "bcrypt=a-b", "bcrypt=4-;"])(
    "%j is refused",
    (text) => {
      expect(parseHashLimits(text)).toBeUndefined();
    },
  );
});

describe("a cost", () => {
  test("is accepted at both ends of its range, and everywhere without one", () => {
    expect([9, 10, 16, 17].map((cost) => isWithin(defaultHashLimits, "bcrypt", cost))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isWithin({}, "bcrypt", 4)).toBe(true);
    expect(isWithin({ bcrypt: { min: 4 } }, "bcrypt", 31)).toBe(true);
  });

  test("out of its range names the setting that accepts it", () => {
    const begin = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_";
    expect(settingFor(defaultHashLimits, "argon2-memory", 7168)).toBe(`${begin}ARGON2_MINMEMORY=7168`);
    expect(settingFor(defaultHashLimits, "argon2-time", 12)).toBe(`${begin}ARGON2_MAXTIME=12`);
    expect(settingFor(defaultHashLimits, "argon2-parallelism", 20)).toBe(`${begin}ARGON2_MAXTHREADS=20`);
  });

  test("out of its range has limits that accept it, as narrow as they can be", () => {
    const values = [
      { cost: "bcrypt", value: 4 },
      { cost: "bcrypt", value: 18 },
      { cost: "argon2-time", value: 12 },
    ] as const;
    expect(widened(defaultHashLimits, values)).toEqual({
      bcrypt: { min: 4, max: 18 },
      "argon2-time": { min: 1, max: 12 },
    });
    expect(widened({ bcrypt: { min: 10 } }, values.slice(1, 2))).toEqual({ bcrypt: { min: 10 } });
  });
});
