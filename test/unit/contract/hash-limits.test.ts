import { describe, expect, test } from "vitest";
import {
  defaultHashLimits,
  endsFor,
  formatHashLimits,
  isWithin,
  parseHashLimits,
  settingFor,
  withEnds,
} from "../../../src/contract/hash-limits.ts";

describe("limits as text", () => {
  test("are read as they are written", () => {
    expect(parseHashLimits(formatHashLimits(defaultHashLimits))).toEqual(defaultHashLimits);
  });

  test("each end is named by its setting, and ends that are not named stay", () => {
    const limits = parseHashLimits(
      "bcrypt.minCost=4, pbkdf2.maxRounds=5000,argon2.minMemory=7168,sha2.minSha256Rounds=1",
    );
    expect(limits).toEqual({
      bcrypt: { min: 4 },
      "pbkdf2-rounds": { max: 5000 },
      "argon2-memory": { min: 7168 },
      "sha256-rounds": { min: 1 },
    });
    if (limits === undefined || limits === "none") throw new Error("no limits");
    expect(formatHashLimits(limits)).toBe(
      "bcrypt.minCost=4,argon2.minMemory=7168,pbkdf2.maxRounds=5000,sha2.minSha256Rounds=1",
    );
    expect(withEnds(defaultHashLimits, limits)).toEqual({
      ...defaultHashLimits,
      bcrypt: { min: 4, max: 16 },
      "pbkdf2-rounds": { min: 1000, max: 5000 },
      "argon2-memory": { min: 7168, max: 524_288 },
      "sha256-rounds": { min: 1, max: 999_999_999 },
    });
    expect(withEnds({}, { bcrypt: { min: 4 } })).toEqual({ bcrypt: { min: 4 } });
  });

  test("a target may have none", () => {
    expect(parseHashLimits("none")).toBe("none");
  });

  test.each([
    "",
    "bcrypt",
    "bcrypt=10",
    "bcrypt.cost=10",
    "bcrypt.minCost=16,bcrypt.maxCost=10",
    "md5.minCost=1",
    "bcrypt.minCost=4,bcrypt.minCost=5",
    "bcrypt.minCost=a",
    "bcrypt.minCost=4;",
    "none,bcrypt.minCost=4",
  ])("%j is refused", (text) => {
    expect(parseHashLimits(text)).toBeUndefined();
  });
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

  test("out of its range has the ends that accept it", () => {
    const values = [
      { cost: "bcrypt", value: 4 },
      { cost: "bcrypt", value: 18 },
      { cost: "argon2-time", value: 12 },
    ] as const;
    expect(endsFor(defaultHashLimits, values)).toEqual({
      bcrypt: { min: 4, max: 18 },
      "argon2-time": { max: 12 },
    });
    expect(endsFor({ bcrypt: { min: 10 } }, values.slice(1, 2))).toEqual({});
  });
});
