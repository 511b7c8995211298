import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createOpenCredential } from "../../../../src/sources/keycloak/credential.ts";
import { readCredentials } from "../../../../src/sources/keycloak/credentials.ts";
import { toBase32 } from "../../../../src/sources/keycloak/one-time-codes.ts";

interface Stored {
  readonly type: string;
  readonly secretData: string;
  readonly credentialData: string;
}

const KNOWN = { subType: "totp", digits: 6, counter: 0, period: 30, algorithm: "HmacSHA1" };
const KEY = "uvtwh17UNdahmNDxFng9";
const ENCODED = "OV3HI53IGE3VKTTEMFUG2TSEPBDG4ZZZ";

function otp(value: unknown, data: object): Stored {
  return {
    type: "otp",
    secretData: JSON.stringify({ value }),
    credentialData: JSON.stringify(data),
  };
}

const read = (...all: readonly Stored[]) => readCredentials(all, createOpenCredential(), []);

test("the text itself is the key", () => {
  expect(read(otp(KEY, KNOWN))).toEqual({ otpSecret: ENCODED });
});

test.each(["BASE32", "base32"])("unless it is said to be encoded: %s", (secretEncoding) => {
  expect(read(otp("ov3h i53i gezd====", { ...KNOWN, secretEncoding })).otpSecret).toBe("OV3HI53IGEZD");
});

describe("codes of another kind are lost", () => {
  test.each([
    { subType: "hotp" },
    { digits: 8 },
    { period: 60 },
    { algorithm: "HmacSHA256" },
    { secretEncoding: "BASE32" }, // and is not
  ])("%j", (other) => {
    expect(read(otp(KEY, { ...KNOWN, ...other }))).toEqual({ otpLoss: "otp-lost" });
  });

  test("without costing one that is known", () => {
    expect(read(otp(KEY, { ...KNOWN, digits: 8 }), otp(KEY, KNOWN))).toEqual({
      otpSecret: ENCODED,
      otpLoss: "otp-several",
    });
  });
});

test("of several keys the first is kept, and this is reported", () => {
  expect(read(otp(KEY, KNOWN), otp("another", KNOWN))).toEqual({ otpSecret: ENCODED, otpLoss: "otp-several" });
});

test("an umlaut counts as its bytes", () => {
  expect(read(otp("ü", KNOWN)).otpSecret).toBe("YO6A");
});

// RFC 4648, section 10, without the padding.
test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%j is %j", (text, encoded) => expect(toBase32(Buffer.from(text))).toBe(encoded));

test("says every byte, in order", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const bits = [...toBase32(bytes)].map((one) =>
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(one).toString(2).padStart(5, "0"),
      );
      const whole = bits.join("").match(/.{8}/g) ?? [];
      expect(whole.map((byte) => Number.parseInt(byte, 2))).toEqual([...bytes]);
    }),
  );
});
