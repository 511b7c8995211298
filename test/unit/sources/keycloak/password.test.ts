import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHashJudge } from "../../../../src/core/merge/hashes.ts";
import type { RowFault } from "../../../../src/problem.ts";
import { createOpenCredential } from "../../../../src/sources/keycloak/credential.ts";
import { readCredentials } from "../../../../src/sources/keycloak/credentials.ts";

interface Stored {
  readonly type: string;
  readonly secretData: string;
  readonly credentialData: string;
}

const judge = createHashJudge({ verifiers: new Set(["bcrypt", "argon2", "pbkdf2"]), unverifiable: "reject" });

function credential(type: string, secret: object, data: object): Stored {
  return { type, secretData: JSON.stringify(secret), credentialData: JSON.stringify(data) };
}

function read(...all: readonly Stored[]) {
  const faults: RowFault[] = [];
  return { ...readCredentials(all, createOpenCredential(), faults), faults };
}

// Worked by hand, and signed in with on a running service.
const ARGON2 = credential(
  "password",
  { value: "ThnrbO5dCRI8SpDJ8EtZo9jO3gu4cikSUjXwOBm/Yv0=", salt: "SVJS1Z1sftWpzGBpAzYVKw==", additionalParameters: {} },
  {
    hashIterations: 5,
    algorithm: "argon2",
    additionalParameters: { hashLength: ["32"], memory: ["7168"], type: ["id"], version: ["1.3"], parallelism: ["1"] },
  },
);
const ENCODED = "$argon2id$v=19$m=7168,t=5,p=1$SVJS1Z1sftWpzGBpAzYVKw$ThnrbO5dCRI8SpDJ8EtZo9jO3gu4cikSUjXwOBm/Yv0";

test("argon2 becomes its encoded form, without padding", () => {
  expect(read(ARGON2)).toMatchObject({ hash: ENCODED, hashField: "credentials[0].secretData.value", faults: [] });
});

test("pbkdf2 keeps its name and alphabet, without padding", () => {
  const secret = {
    value: "rkYN1nJIqWJtv6vBLyjEXiMdTkd6Xy0Ynm5mhn6KsiVUzql6aIRAHp5uwjDtCplSoAFgZ82hqhD//BSl0uOaDQ==",
    salt: "irYFVBGUQ+A/JMNMF5s08A==",
  };
  expect(read(credential("password", secret, { hashIterations: 210000, algorithm: "pbkdf2-sha512" })).hash).toBe(
    "$pbkdf2-sha512$210000$irYFVBGUQ+A/JMNMF5s08A$rkYN1nJIqWJtv6vBLyjEXiMdTkd6Xy0Ynm5mhn6KsiVUzql6aIRAHp5uwjDtCplSoAFgZ82hqhD//BSl0uOaDQ",
  );
});

test("any salt and hash come out as they went in, and are good for the service's verifiers", () => {
  const bytes = (minLength: number) => fc.uint8Array({ minLength, maxLength: 64 });
  const algorithm = fc.constantFrom("argon2", "pbkdf2", "pbkdf2-sha256", "pbkdf2-sha512");
  fc.assert(
    fc.property(bytes(8), bytes(16), algorithm, fc.integer({ min: 1, max: 2_000_000 }), (salt, value, name, rounds) => {
      const secret = { value: Buffer.from(value).toString("base64"), salt: Buffer.from(salt).toString("base64") };
      const { additionalParameters } = JSON.parse(ARGON2.credentialData);
      const data = { hashIterations: rounds, algorithm: name, ...(name === "argon2" ? { additionalParameters } : {}) };
      const { hash = "", faults } = read(credential("password", secret, data));
      expect(faults).toEqual([]);
      const parts = hash.split("$");
      expect(Buffer.from(parts.at(-1) ?? "", "base64")).toEqual(Buffer.from(value));
      expect(Buffer.from(parts.at(-2) ?? "", "base64")).toEqual(Buffer.from(salt));
      expect(hash).toContain(name === "argon2" ? `t=${rounds},` : `$${rounds}$`);
      expect(judge(hash)).toEqual({ kind: "good", text: hash, verifier: name.replace(/-.*/, "") });
    }),
  );
});

describe("what cannot be moved", () => {
  const withParameters = (changed: object): Stored => {
    const data = JSON.parse(ARGON2.credentialData);
    Object.assign(data.additionalParameters, changed);
    return { ...ARGON2, credentialData: JSON.stringify(data) };
  };

  test.each([
    ["argon2d", withParameters({ type: ["d"] })],
    ["argon2-version", withParameters({ version: ["1.0"] })],
    [
      "unknown-kind",
      credential("password", { value: "YQ==", salt: "YQ==" }, { hashIterations: 1, algorithm: "scram" }),
    ],
  ])("is distinguished: %s", (rule, stored) => {
    const { hash, faults } = read(stored);
    expect(faults).toEqual([]);
    expect(judge(hash)).toEqual({ kind: "bad", rule });
  });

  test("an earlier password is none", () => {
    const earlier = { ...ARGON2, type: "password-history" };
    expect(read(earlier)).toEqual({ faults: [] });
    expect(read(earlier, ARGON2, earlier)).toMatchObject({ hash: ENCODED, hashField: expect.stringContaining("[1]") });
  });
});

test("parameters may be bare texts or numbers, as tools write them", () => {
  const data = JSON.parse(ARGON2.credentialData);
  data.additionalParameters = { memory: 7168, type: "id", version: "1.3", parallelism: "1" };
  data.hashIterations = "5";
  expect(read({ ...ARGON2, credentialData: JSON.stringify(data) }).hash).toBe(ENCODED);
});
