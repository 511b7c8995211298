import { beforeAll, describe, expect, test } from "vitest";
import { hashVectors, judgeVector } from "../helpers/hash-vectors.ts";
import { canStart, createOrg, importOrgs, signIn, uniqueId, useInstance } from "./harness.ts";

// Every form of hash that can be taken over, converted, and then the sign-in of its owner with the password that it is of.

const verifiers = "argon2,bcrypt,md5,md5plain,md5salted,pbkdf2,phpass,scrypt,sha2";
const prefix = uniqueId("hash");
const convertible = hashVectors.flatMap((vector, at) => {
  const judged = judgeVector(vector);
  return judged.kind === "good" ? [{ ...vector, text: judged.text, userId: `${prefix}-${at}` }] : [];
});

describe.skipIf(!canStart)("a service that checks everything", () => {
  const target = useInstance("v4", { verifiers });

  beforeAll(async () => {
    const orgId = await createOrg(target(), uniqueId("hashes"));
    const humanUsers = convertible.map(({ userId, text }) => ({
      userId,
      user: {
        userName: userId,
        profile: { firstName: "A", lastName: "B" },
        email: { email: `${userId}@example.com`, isEmailVerified: true },
        hashedPassword: { value: text },
      },
    }));
    await importOrgs(target(), { orgId, humanUsers });
  });

  test("there is something to sign in with", () => {
    expect(convertible.length).toBeGreaterThan(60);
  });

  test.each(convertible)("$name", async ({ userId, password }) => {
    expect(await signIn(target(), userId, `${password}!`)).toBe("wrong password");
    expect(await signIn(target(), userId, password)).toBe("signed in");
  });
});
