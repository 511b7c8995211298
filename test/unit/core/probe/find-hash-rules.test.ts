import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  defaultHashLimits,
  type HashCost,
  type HashLimits,
  hashCosts,
  isWithin,
} from "../../../../src/contract/hash-limits.ts";
import { type Verifier, verifiers } from "../../../../src/contract/verifiers.ts";
import {
  type AskHash,
  findHashRules,
  type HashAnswer,
  MOST_CALLS,
} from "../../../../src/core/probe/find-hash-rules.ts";
import { hashSamples } from "../../../../src/core/probe/sample-hashes.ts";
import { hashKindOf } from "../../../../src/core/rules/hash-forms.ts";
import { costsOf } from "../../../helpers/hash-costs.ts";

/** A service that reads whole hashes, as the 4.x line of July 2026. */
function strict(enabled: readonly Verifier[], limits: HashLimits): { readonly ask: AskHash; readonly asked: string[] } {
  const asked: string[] = [];
  const ask: AskHash = async (hash) => {
    asked.push(hash);
    const kind = hash.endsWith("broken") ? "none" : hashKindOf(hash);
    if (kind === "none" || !enabled.includes(kind)) return "kind";
    const isAccepted = Object.entries(costsOf(hash)).every(([cost, value]) =>
      isWithin(limits, cost as HashCost, value),
    );
    return isAccepted ? "accepted" : "cost";
  };
  return { ask, asked };
}

describe("a service that checks costs", () => {
  test("with default limits: each is exact, in few calls", async () => {
    const { ask, asked } = strict(verifiers, defaultHashLimits);
    const rules = await findHashRules(ask);
    expect(rules).toMatchObject({ verifiers, checksCosts: true, notFound: [] });
    expect(rules.limits).toEqual({
      ...defaultHashLimits,
      // A Drupal hash states a power of two: the accepted ones are those from 1,000 to 500,000.
      "drupal7-iterations": { min: 1024, max: 262_144 },
      // The highest number that the form has is accepted.
      "sha256-rounds": { min: 1000 },
      "sha512-rounds": { min: 1000 },
      "phpass-rounds": { min: 7 },
    });
    expect(asked.length).toBeLessThan(90);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("with bcrypt alone it asks about no cost of others", async () => {
    const { ask, asked } = strict(["bcrypt"], { bcrypt: { min: 10, max: 16 } });
    expect(await findHashRules(ask)).toEqual({
      verifiers: ["bcrypt"],
      checksCosts: true,
      limits: { bcrypt: { min: 10, max: 16 } },
      notFound: [],
    });
    expect(asked.length).toBeLessThan(20);
  });

  test("without limits the range has no end", async () => {
    const { limits } = await findHashRules(strict(["bcrypt", "pbkdf2"], {}).ask);
    expect(limits).toEqual({ bcrypt: { min: 4 }, "pbkdf2-rounds": { min: 1 } });
  });

  test("a verifier that refuses every usual cost is enabled, and its limits are not found", async () => {
    const { ask } = strict(["bcrypt", "pbkdf2"], { "pbkdf2-rounds": { min: 7, max: 8 } });
    expect(await findHashRules(ask)).toMatchObject({
      verifiers: ["bcrypt", "pbkdf2"],
      checksCosts: true,
      limits: { bcrypt: { min: 4 } },
      notFound: ["pbkdf2-rounds"],
    });
  });

  test("the costs of the first sample being refused, a more expensive one finds the limits", async () => {
    const { ask } = strict(["argon2"], { "argon2-memory": { min: 100_000, max: 300_000 } });
    const { limits, verifiers: found } = await findHashRules(ask);
    expect(found).toEqual(["argon2"]);
    expect(limits["argon2-memory"]).toEqual({ min: 100_000, max: 300_000 });
  });

  test("any limits around a usual cost are found exactly, and never with more calls than announced", async () => {
    const least = { bcrypt: 4 } as Partial<Record<HashCost, number>>;
    const range = (cost: HashCost): fc.Arbitrary<{ min: number; max: number }> => {
      const usual = { bcrypt: 12, "pbkdf2-rounds": 600_000, "argon2-memory": 65_536, "argon2-time": 3 } as const;
      const at = usual[cost as keyof typeof usual];
      const top = cost === "bcrypt" ? 30 : 2 ** 31 - 2;
      return fc.record({
        min: fc.integer({ min: (least[cost] ?? 1) + 1, max: at }),
        max: fc.integer({ min: at, max: top }),
      });
    };
    const some = ["bcrypt", "pbkdf2-rounds", "argon2-memory", "argon2-time"] as const;
    const arbitrary = fc.record(Object.fromEntries(some.map((cost) => [cost, range(cost)])));
    await fc.assert(
      fc.asyncProperty(arbitrary, async (hidden) => {
        // The memory of argon2 is at least eight times its parallelism, which is 1 here.
        fc.pre((hidden["argon2-memory"]?.min ?? 0) > 8 && (hidden["argon2-time"]?.min ?? 0) > 1);
        const { ask, asked } = strict(["bcrypt", "pbkdf2", "argon2"], hidden);
        const { limits } = await findHashRules(ask);
        for (const cost of some) expect(limits[cost]).toEqual(hidden[cost]);
        expect(asked.length).toBeLessThan(MOST_CALLS);
      }),
    );
  });

  test("the calls are never more than announced, for any answers of the service", async () => {
    const answers = fc.constantFrom<HashAnswer>("accepted", "cost");
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(answers), async (stream) => {
        let calls = 0;
        await findHashRules(async (hash) => {
          calls += 1;
          if (hash.endsWith("broken")) return "kind";
          return stream.next().value as HashAnswer; // the stream has no end
        });
        expect(calls).toBeLessThan(MOST_CALLS);
      }),
    );
  });

  test("the most unfavourable limits need fewer calls than announced", async () => {
    // Only the last of the usual costs is accepted, and both ends are far from the default limits.
    const hidden = Object.fromEntries(
      hashSamples.flatMap(({ costs, usual }) =>
        costs.map((cost) => [cost, { min: usual.at(-1)?.[cost] ?? 0, max: hashCosts[cost].most - 1 }]),
      ),
    );
    const { ask, asked } = strict(verifiers, hidden);
    await findHashRules(ask);
    expect(asked.length).toBeGreaterThan(200);
    expect(asked.length).toBeLessThan(MOST_CALLS);
  });
});

describe("a service that checks the beginning of a hash", () => {
  const lax =
    (enabled: readonly Verifier[]): AskHash =>
    async (hash) => {
      const begins = {
        bcrypt: "$2",
        argon2: "$argon2",
        pbkdf2: "$pbkdf2",
        scrypt: "$scrypt$",
        md5: "$1$",
        phpass: "$P$",
      };
      return enabled.some((name) => hash.startsWith(begins[name as keyof typeof begins])) ? "accepted" : "kind";
    };

  test("has verifiers and no limits, in one call for each kind and one more", async () => {
    let calls = 0;
    const ask = lax(["bcrypt", "argon2", "md5"]);
    const rules = await findHashRules((hash) => {
      calls += 1;
      return ask(hash);
    });
    expect(rules).toEqual({ verifiers: ["bcrypt", "argon2", "md5"], checksCosts: false, limits: {}, notFound: [] });
    expect(calls).toBe(12);
  });

  test("without any verifier nothing is concluded", async () => {
    expect(await findHashRules(lax([]))).toEqual({ verifiers: [], checksCosts: false, limits: {}, notFound: [] });
  });
});
